"""Contradictions: an answer that the other answers contradict, and a question that could settle it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from odm_tui.engine.belief import normalise
from odm_tui.engine.gains import expected_costs, information_gains
from odm_tui.engine.model import Model
from odm_tui.engine.problem import Bools, Floats

UNLIKELY = 0.05
"""An answer contradicts the others if its probability given them is below this share of the likeliest answer's."""
TELLING = 0.5
"""A question settles a contradiction if it has at least this share of the highest information gain."""


@dataclass(frozen=True, slots=True)
class ContradictingAnswer:
    """The answer that contradicts the others most.

    ``chance`` is P(that answer | the other answers). With it ``outcome`` is the likeliest, without it ``otherwise``.
    ``settle`` is the cheapest available question that tells the two apart well, or None.
    """

    question: int
    chance: float
    outcome: int
    otherwise: int
    settle: int | None


def find_contradiction(
    mean: Model, log_joint: Floats, answers: npt.NDArray[np.integer], available: Bools
) -> ContradictingAnswer | None:
    """Find the answer that contradicts the others most, if it does so clearly and changes the outcome.

    ``log_joint`` is log P(y, x_P), (m,). To leave answer i out is to divide by theta_ij(x_i), so all answers are
    checked side by side.
    """
    asked = np.flatnonzero(answers >= 0)
    if len(asked) < 2:
        return None
    given = mean.log_theta[asked, :, answers[asked]]
    without = normalise(log_joint - given)
    chances = np.einsum("am,amq->aq", without, mean.theta[asked])
    given_chances = chances[np.arange(len(asked)), answers[asked]]
    ratio = given_chances / chances.max(axis=1)
    worst = int(ratio.argmin())
    belief = normalise(log_joint)
    outcome, otherwise = int(belief.argmax()), int(without[worst].argmax())
    if ratio[worst] >= UNLIKELY or outcome == otherwise:
        return None
    settle = _find_settling_question(mean, outcome, otherwise, available)
    return ContradictingAnswer(int(asked[worst]), float(given_chances[worst]), outcome, otherwise, settle)


def _find_settling_question(mean: Model, outcome: int, otherwise: int, available: Bools) -> int | None:
    """The cheapest available question that tells two outcomes apart nearly as well as any can."""
    even = np.zeros(len(mean.prior))
    even[[outcome, otherwise]] = 0.5
    gains = np.where(available, information_gains(mean, even), 0.0)
    if gains.max(initial=0.0) <= 0.01:
        return None
    costs = np.where(gains >= TELLING * gains.max(), expected_costs(mean, even), np.inf)
    return int(costs.argmin())
