"""Choose the next question of a simulated interview: by gain per cost, or in a fixed order."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from odm_tui.engine.gains import expected_costs, per_cost
from odm_tui.engine.oracles.base import choose_best
from odm_tui.engine.oracles.dpp import kernel_of_answers, sample_dpp
from odm_tui.engine.problem import Floats
from odm_tui.evaluation.experiment.fast_interview import FastInterview, Gains

BASELINES = frozenset({"random", "all", "dpp"})
"""The oracles that choose without gains: each is one of the orders below."""

Choose = Callable[[FastInterview], int | None]
"""Returns the next question of an interview, or None when the policy asks no more."""


def best_per_cost(gains: Gains) -> Choose:
    """Choose the available question with the highest gain per expected cost, as the engine's oracles do."""

    def choose(interview: FastInterview) -> int | None:
        if not interview.available.any():
            return None
        costs = expected_costs(interview.model, interview.belief)
        return choose_best(per_cost(gains(interview), costs), costs, interview.available)

    return choose


def in_order(questions: Iterable[int]) -> Choose:
    """Choose these questions, one after the other."""
    upcoming = iter(questions)

    def choose(interview: FastInterview) -> int | None:
        question = next(upcoming, None)
        return None if question is None else int(question)

    return choose


def draw_dpp_set(seen: Floats, rng: np.random.Generator) -> Iterable[int]:
    """Draw questions by a determinantal point process over the answers seen so far, (t, n)."""
    return np.flatnonzero(sample_dpp(kernel_of_answers(seen), rng)).tolist()
