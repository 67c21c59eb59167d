"""The callers of an evaluation: the rows of a table, or people drawn from what the bank knows."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from odm_tui.engine.posterior import Posterior
from odm_tui.engine.prerequisites import find_fulfilled
from odm_tui.engine.problem import Bools, Floats, Ints, Problem
from odm_tui.engine.stepping import finish
from odm_tui.engine.variants.cases import LearningCases
from odm_tui.engine.variants.fit import FEWEST_CASES, fit_variants

Answers = npt.NDArray[np.int16]
Outcomes = npt.NDArray[np.intp]
ChooseAgain = Callable[[Bools], tuple[Problem, Answers]]


@dataclass(frozen=True, eq=False)
class CallerGroup:
    """Callers who meet the same knowledge: their answers, (T, n), -1 where they don't know; the right outcomes, (T,).

    ``learned`` are the rows that a decision tree may learn from, as answers and outcomes; None without data.
    """

    posterior: Posterior
    answers: Answers
    outcomes: Outcomes
    learned: tuple[Answers, Outcomes] | None = None


def count_rows(problem: Problem, answers: Answers, outcomes: Outcomes) -> tuple[Floats, Floats]:
    """Count the answers by question, outcome and answer, (n, m, K), and the outcomes, (m,)."""
    counts, totals = np.zeros(problem.shape), np.zeros(problem.shape[1])
    known = outcomes >= 0
    rows, questions = np.nonzero((answers >= 0) & known[:, None])
    np.add.at(counts, (questions, outcomes[rows], answers[rows, questions].astype(np.intp)), 1.0)
    np.add.at(totals, outcomes[known], 1.0)
    return counts, totals


def holds_rows(problem: Problem, answers: Answers, outcomes: Outcomes) -> bool:
    """Return whether the bank's past cases are exactly these rows."""
    if problem.cases is None or problem.case_outcomes is None:
        return False
    counts, totals = count_rows(problem, answers, outcomes)
    return np.array_equal(counts, problem.cases) and np.array_equal(totals, problem.case_outcomes)


def assign_folds(outcomes: Outcomes, folds: int, rng: np.random.Generator) -> Ints:
    """Return the fold of each row, (T,), at random, but so that every outcome is spread evenly over the folds."""
    order = rng.permutation(len(outcomes))
    order = order[np.argsort(outcomes[order], kind="stable")]
    fold = np.empty(len(outcomes), dtype=np.intp)
    fold[order] = np.arange(len(outcomes)) % folds
    return fold


def split_folds(
    posterior: Posterior,
    answers: Answers,
    outcomes: Outcomes,
    folds: int,
    rng: np.random.Generator,
    *,
    refits: bool = False,
    choose: ChooseAgain | None = None,
) -> list[CallerGroup]:
    """Split the rows that a bank was made from: each fold meets the knowledge of all others.

    ``refits``: the bank has variants that were fitted to the rows, so they are fitted again without the fold.
    ``choose``: returns the problem and the answers of all rows with thresholds that only the known rows have led to.
    """
    return finish(
        split_folds_stepwise(posterior, answers, outcomes, folds, rng, refits=refits, choose=choose)
    )


def split_folds_stepwise(
    posterior: Posterior,
    answers: Answers,
    outcomes: Outcomes,
    folds: int,
    rng: np.random.Generator,
    *,
    refits: bool = False,
    choose: ChooseAgain | None = None,
) -> Generator[None, None, list[CallerGroup]]:
    """Split the same rows; yield before each fold."""
    problem = posterior.problem
    assert problem.cases is not None
    assert problem.case_outcomes is not None
    fold = assign_folds(outcomes, folds, rng)
    groups = []
    for number in range(folds):
        held = fold == number
        if not held.any():
            continue
        yield
        given = answers
        if choose is not None:
            left, given = choose(~held)
        else:
            counts, totals = count_rows(problem, answers[held], outcomes[held])
            left = replace(
                problem, cases=problem.cases - counts, case_outcomes=problem.case_outcomes - totals
            )
        if refits:
            left = refit_variants(left, given[~held], outcomes[~held])
        if choose is not None:
            known = Posterior.of(left)
        else:
            known = replace(posterior, problem=left, variants=None if refits else posterior.variants)
        groups.append(CallerGroup(known, given[held], outcomes[held], (given[~held], outcomes[~held])))
    return groups


def refit_variants(problem: Problem, answers: Answers, outcomes: Outcomes) -> Problem:
    """Return the problem with variants that are fitted to these rows, as importing them would fit them."""
    plain = replace(problem, named_variants=None, named_expects=None, variant_worth=None)
    known = outcomes >= 0
    if known.sum() < FEWEST_CASES:
        return plain
    alone = replace(plain, cases=None, case_outcomes=None)
    found = fit_variants(LearningCases.of(alone, answers[known], outcomes[known]))
    totals = np.bincount(outcomes[known], minlength=problem.shape[1]).astype(float)
    return plain if found is None else replace(plain, named_variants=found, variant_worth=totals)


def has_variants(group: CallerGroup) -> bool:
    """Return whether the callers meet outcomes with variants."""
    return group.posterior.by_variant is not group.posterior


def without_variants(group: CallerGroup) -> CallerGroup:
    """Return the same callers, who meet one variant of each outcome."""
    problem = replace(
        group.posterior.problem, named_variants=None, named_expects=None, variant_worth=None, most_variants=1
    )
    return replace(group, posterior=replace(group.posterior, problem=problem, variants=None))


def draw_callers(
    posterior: Posterior, callers: int, groups: int, seed: int, *, one_theta: bool = False
) -> list[CallerGroup]:
    """Draw callers in groups: their answers come from a theta that is drawn from what the bank knows.

    They don't know an answer as often as the bank has learned for each question. With ``one_theta`` the callers of a
    group share their theta, like those of one world; otherwise each has one of their own, so that they are independent.
    """
    known = posterior.by_variant
    answerable = None if posterior.unknown is None else posterior.answerable()
    problem, made = known.problem, []
    for group in range(groups):
        rng = np.random.default_rng([seed, group])
        size = callers // groups + (group < callers % groups)
        if not size:
            continue
        # Nobody answers a question twice, so answers from a theta of one's own are those from its mean.
        theta = known.sample(rng) if one_theta else known.mean()
        outcomes = rng.choice(problem.shape[1], size=size, p=known.outcome_prior())
        cumulative = np.cumsum(theta, axis=-1)[:, outcomes, :-1]
        drawn = (rng.random((len(problem.questions), size))[..., None] > cumulative).sum(axis=-1)
        most = problem.valid.sum(axis=1) - 1
        answers = np.minimum(drawn, most[:, None]).T.astype(np.int16)
        if answerable is not None:
            answers[rng.random(answers.shape) > answerable] = -1
        if problem.outcome_of is not None:
            outcomes = problem.outcome_of[outcomes]
        made.append(CallerGroup(posterior, answers, outcomes.astype(np.intp)))
    return made


def find_asked_of_all(problem: Problem, answers: Answers) -> Bools:
    """Return which questions are asked when everything is asked that may be, (T, n)."""
    asked = np.ones(answers.shape, dtype=bool)
    asked[:, [question for question, _ in problem.prerequisites]] = False
    for _ in problem.prerequisites:
        before = asked
        asked = find_fulfilled(problem, np.where(asked, answers, -1))
        if np.array_equal(before, asked):
            break
    return asked
