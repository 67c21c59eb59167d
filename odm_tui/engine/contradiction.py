"""Contradictions: an answer that the other answers speak against, and the question that would settle it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from odm_tui.engine.belief import normalise
from odm_tui.engine.gains import expected_costs, information_gains
from odm_tui.engine.model import Model
from odm_tui.engine.problem import Bools, Floats

UNLIKELY = 0.05
"""An answer is out of line when it is less than this share as likely as the likeliest one, given the others."""
TELLING = 0.5
"""A question settles a contradiction if it tells at least this share of what the most telling one does."""


@dataclass(frozen=True, slots=True)
class ContradictingAnswer:
    """The answer most out of line with the others.

    ``chance`` is P(that answer | the other answers). With it ``outcome`` leads, without it ``otherwise``
    would. ``settle`` is the cheapest available question that tells the two apart well, or None.
    """

    question: int
    chance: float
    outcome: int
    otherwise: int
    settle: int | None


def find_contradiction(
    mean: Model, log_joint: Floats, answers: npt.NDArray[np.integer], available: Bools
) -> ContradictingAnswer | None:
    """The answer that the others speak against most, if any does so clearly and it changes the outcome.

    ``log_joint`` is log P(y, x_P), (m,). Leaving answer i out is dividing by theta_ij(x_i), so all answers are
    looked at side by side.
    """
    asked = np.flatnonzero(answers >= 0)
    if len(asked) < 2:
        return None
    given = mean.log_theta[asked, :, answers[asked]]
    without = normalise(log_joint - given)
    chances = np.einsum("am,amq->aq", without, mean.theta[asked])
    taken = chances[np.arange(len(asked)), answers[asked]]
    ratio = taken / chances.max(axis=1)
    worst = int(ratio.argmin())
    belief = normalise(log_joint)
    outcome, otherwise = int(belief.argmax()), int(without[worst].argmax())
    if ratio[worst] >= UNLIKELY or outcome == otherwise:
        return None
    settle = _settling(mean, outcome, otherwise, available)
    return ContradictingAnswer(int(asked[worst]), float(taken[worst]), outcome, otherwise, settle)


def _settling(mean: Model, outcome: int, otherwise: int, available: Bools) -> int | None:
    """The cheapest available question that tells two outcomes apart nearly as well as any can."""
    even = np.zeros(len(mean.prior))
    even[[outcome, otherwise]] = 0.5
    told = np.where(available, information_gains(mean, even), 0.0)
    if told.max(initial=0.0) <= 0.01:
        return None
    costs = np.where(told >= TELLING * told.max(), expected_costs(mean, even), np.inf)
    return int(costs.argmin())
