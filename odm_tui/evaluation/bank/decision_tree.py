"""What one would take instead: scikit-learn's decision tree, which learns from the same rows and pays the same costs.

The tree sees every answer as a column: is it this one? An interval of numbers is a column by its order. A caller pays
each question on the way to a leaf once. How far the tree is pruned is chosen by cost and loss on rows of its own.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np

from odm_tui.engine.problem import Floats, Ints, Problem
from odm_tui.evaluation.bank.callers import (
    Answers,
    CallerGroup,
    Outcomes,
    assign_folds,
    find_asked_of_all,
)
from odm_tui.evaluation.bank.trial import Trial, charges

_PRUNINGS = 8
_INNER_FOLDS = 5


def has_decision_tree() -> bool:
    """Return whether scikit-learn is installed."""
    return find_spec("sklearn") is not None


def follow_decision_tree(group: CallerGroup, seed: int) -> Trial:
    """Learn a tree from the rows that the group's knowledge comes from, and lead every caller through it."""
    assert group.learned is not None
    problem = group.posterior.problem
    answers, outcomes = group.learned
    known = outcomes >= 0
    answers, outcomes = answers[known], outcomes[known]
    both = np.vstack([answers, group.answers])
    columns, questions = _spread(problem, np.where(find_asked_of_all(problem, both), both, -1))
    learned, held = columns[: len(answers)], columns[len(answers) :]
    costs = charges(group.posterior)
    pruning = _choose_pruning(problem, learned, answers, outcomes, questions, costs, seed)
    tree = _grow(learned, outcomes, pruning, seed)
    return _lead(problem, tree, held, group.answers, group.outcomes, questions, costs)


def _spread(problem: Problem, answers: Answers) -> tuple[Floats, Ints]:
    """Return the answers as columns for a tree, (T, F), and the question of each column."""
    columns, questions = [], []
    for i, question in enumerate(problem.questions):
        given = answers[:, i]
        made = [given == k for k in range(len(question.answers) if len(question.answers) > 2 else 1)]
        if question.thresholds:
            made = [given]
        if (given < 0).any():
            made.append(given < 0)
        columns += made
        questions += [i] * len(made)
    return np.array(columns, dtype=float).T, np.array(questions, dtype=np.intp)


def _grow(columns: Floats, outcomes: Outcomes, pruning: float, seed: int) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(criterion="entropy", ccp_alpha=pruning, random_state=seed)
    return tree.fit(columns, outcomes)


def _choose_pruning(
    problem: Problem,
    columns: Floats,
    answers: Answers,
    outcomes: Outcomes,
    questions: Ints,
    costs: Floats,
    seed: int,
) -> float:
    """Return the pruning with the least cost and loss on inner folds.

    The path of the whole tree says at which prunings its shape changes. At such a number itself, a tree of other rows
    may have either shape, so the candidates lie between two of them, at the geometric mean (Breiman et al., 1984).
    """
    whole = _grow(columns, outcomes, 0.0, seed)
    path = np.unique(whole.cost_complexity_pruning_path(columns, outcomes).ccp_alphas.clip(0))
    candidates = np.unique(np.sqrt(path[:-1] * path[1:]))
    if len(candidates) < 2 or len(outcomes) < 2 * _INNER_FOLDS:
        return 0.0
    candidates = candidates[np.unique(np.linspace(0, len(candidates) - 1, _PRUNINGS).astype(int))]
    fold = assign_folds(outcomes, _INNER_FOLDS, np.random.default_rng(seed))
    table = problem.decision_stakes.table
    totals = np.zeros(len(candidates))
    for number in range(_INNER_FOLDS):
        held = fold == number
        for at, pruning in enumerate(candidates):
            tree = _grow(columns[~held], outcomes[~held], float(pruning), seed)
            trial = _lead(problem, tree, columns[held], answers[held], outcomes[held], questions, costs)
            totals[at] += trial.cost.sum() + table[trial.decided, trial.outcomes].sum()
    best = totals.min()
    # Of equal ones the simplest tree, which is pruned most.
    return float(candidates[np.flatnonzero(totals <= best + 1e-9)[-1]])


def _lead(
    problem: Problem,
    tree: Any,
    columns: Floats,
    answers: Answers,
    outcomes: Outcomes,
    questions: Ints,
    costs: Floats,
) -> Trial:
    """Lead callers through a tree; each pays the questions on its way once."""
    size, n = answers.shape
    features = tree.tree_.feature
    way = tree.decision_path(columns).tocoo()
    asked = np.zeros((size, n), dtype=bool)
    inner = features[way.col] >= 0
    asked[way.row[inner], questions[features[way.col[inner]]]] = True
    paid = np.where(asked, costs[np.arange(n)[None], outcomes[:, None], answers.astype(np.intp)], 0.0)
    beliefs = np.zeros((size, problem.shape[1]))
    beliefs[:, tree.classes_] = tree.predict_proba(columns)
    decided = np.array([problem.decision_stakes.decide(belief) for belief in beliefs], dtype=np.intp)
    return Trial(
        asked.sum(axis=1).astype(float),
        paid.sum(axis=1),
        decided,
        outcomes,
        beliefs[np.arange(size), decided],
        np.zeros(size, dtype=bool),
        asked.sum(axis=0).astype(float),
        np.zeros(n),
        paid.sum(axis=0),
    )
