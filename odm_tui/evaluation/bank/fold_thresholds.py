"""Choose the thresholds of numbers again for every fold, from the other rows alone, as importing those would.

Thresholds are put where the outcome changes, so thresholds that have seen a row know something of its outcome.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from odm_tui.banks.authoring.thresholds import find_thresholds
from odm_tui.engine.problem import PSEUDO_COUNT, Bools, Floats, Ints, Problem, Question
from odm_tui.evaluation.bank.callers import Answers, Outcomes, count_rows


def find_free_numbers(problem: Problem, numbers: Mapping[int, Floats]) -> list[int]:
    """Return the questions whose thresholds may be chosen again: nothing in the bank depends on their intervals."""
    needed = {id for question in problem.questions for way in question.alternatives for id, _ in way}
    free = []
    for at in numbers:
        question = problem.questions[at]
        own = problem.valid[at]
        costs, pseudo = problem.cost[at][:, own], problem.pseudo[at][:, own]
        is_plain = bool((costs == costs[:, :1]).all() and (pseudo == PSEUDO_COUNT).all())
        if is_plain and not question.stops and question.id not in needed:
            free.append(at)
    return free


def choose_again(
    problem: Problem, numbers: Mapping[int, Floats], answers: Answers, outcomes: Outcomes, known: Bools
) -> tuple[Problem, Answers]:
    """Return the problem with thresholds and cases from the known rows, and the answers of all rows to it.

    ``numbers`` holds the numbers of the questions to choose again, (T,) each, NaN where there is none.
    """
    most = max((len(problem.questions[at].thresholds) for at in numbers), default=0)
    questions = list(problem.questions)
    coded = answers.copy()
    for at, values in numbers.items():
        rows = known & ~np.isnan(values) & (outcomes >= 0)
        cuts = find_thresholds(values[rows].tolist(), outcomes[rows].tolist(), most) if rows.any() else []
        if cuts:
            questions[at] = replace(questions[at], thresholds=tuple(cuts), answers=())
            there = ~np.isnan(values)
            coded[there, at] = np.searchsorted(cuts, values[there], side="left")
    changed = _with_questions(problem, questions, list(numbers))
    counts, totals = count_rows(changed, coded[known], outcomes[known])
    return replace(changed, cases=counts, case_outcomes=totals), coded


def _with_questions(problem: Problem, questions: list[Question], again: list[int]) -> Problem:
    """Return the problem with these questions; those chosen again keep their cost, which is the same for all answers."""
    width = max(len(question.answers) for question in questions)
    sizes: Ints = np.array([len(question.answers) for question in questions])
    valid = np.arange(width) < sizes[:, None]
    cost = _resized(problem.cost, width)
    pseudo = _resized(problem.pseudo, width)
    for at in again:
        cost[at] = np.where(valid[at], problem.cost[at][:, :1], 0.0)
        pseudo[at] = np.where(valid[at], PSEUDO_COUNT, 0.0)
    return replace(
        problem,
        questions=tuple(questions),
        cost=cost,
        pseudo=pseudo,
        cases=None,
        case_outcomes=None,
        named_variants=None,
        named_expects=None,
        variant_worth=None,
    )


def _resized(array: Floats, width: int) -> Floats:
    """Return the array with this many answers; what is cut off belongs to questions that are chosen again."""
    wider = np.zeros((*array.shape[:2], width))
    common = min(width, array.shape[2])
    wider[:, :, :common] = array[:, :, :common]
    return wider
