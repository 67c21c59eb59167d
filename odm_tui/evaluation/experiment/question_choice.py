"""How the next question of a course is chosen: by gain per cost, or in an order drawn beforehand."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from odm_tui.engine.gains import expected_costs, per_cost
from odm_tui.engine.oracles.dpp import kernel_of_answers, sample_dpp
from odm_tui.engine.problem import Floats
from odm_tui.evaluation.experiment.fast_interview import FastInterview, Gains

BASELINES = frozenset({"random", "all", "dpp"})
"""The oracles that choose without gains: each is one of the orders below."""

Choose = Callable[[FastInterview], int | None]
"""The next question of a course; None when the policy wants no more."""


def best_per_cost(gains: Gains) -> Choose:
    """The available question with the highest gain per expected cost, as the engine's oracles choose it."""

    def choose(course: FastInterview) -> int | None:
        if not course.available.any():
            return None
        costs = expected_costs(course.model, course.belief)
        score = np.where(course.available, per_cost(gains(course), costs), -np.inf)
        best = int(score.argmax())
        if score[best] > 0:
            return best
        return int(np.where(course.available, costs, np.inf).argmin())

    return choose


def in_order(questions: Iterable[int]) -> Choose:
    """These questions, one after the other."""
    upcoming = iter(questions)

    def choose(course: FastInterview) -> int | None:
        question = next(upcoming, None)
        return None if question is None else int(question)

    return choose


def draw_dpp_set(seen: Floats, rng: np.random.Generator) -> Iterable[int]:
    """The questions of a determinantal point process over the answers seen so far, (t, n)."""
    return np.flatnonzero(sample_dpp(kernel_of_answers(seen), rng)).tolist()
