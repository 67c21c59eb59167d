"""Prerequisites: after which answers a question may be asked.

A condition is another question and some of its answers. An alternative is a tuple of conditions that must all hold; a
question with prerequisites may be asked as soon as one of its alternatives holds. A question that was not answered
fulfils no condition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from odm_tui.engine.problem import Bools, Problem

Condition = tuple[int, tuple[int, ...]]
Alternative = tuple[Condition, ...]
Prerequisite = tuple[int, tuple[Alternative, ...]]
"""A question, and the alternatives of which one must hold."""


def holds(alternatives: tuple[Alternative, ...], answers: npt.NDArray[np.integer]) -> bool:
    """Whether one of the alternatives holds after these answers, (n,)."""
    return any(all(int(answers[other]) in wanted for other, wanted in each) for each in alternatives)


def find_fulfilled(problem: Problem, answers: npt.NDArray[np.integer]) -> Bools:
    """Which questions have their prerequisites fulfilled, (T, n), after the answers of T interviews, (T, n)."""
    fulfilled = np.ones(answers.shape, dtype=bool)
    for question, alternatives in problem.prerequisites:
        fulfilled[:, question] = False
        for conditions in alternatives:
            fulfilled[:, question] |= np.logical_and.reduce(
                [np.isin(answers[:, other], wanted) for other, wanted in conditions]
            )
    return fulfilled
