"""Evidence: how much each answer speaks for or against an outcome."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from odm_tui.engine.belief import normalise
from odm_tui.engine.model import Model
from odm_tui.engine.problem import Bools, Floats


class Evidence(NamedTuple):
    """One answer, and how much likelier it is with the outcome than without it."""

    question: int
    answer: int
    ratio: float


def weigh_answers(
    model: Model, log_joint: Floats, answers: npt.NDArray[np.integer], outcome: int
) -> list[Evidence]:
    """Weigh each answer for an outcome j, the strongest first, for or against.

    The ratio is theta_ij(a) / sum_k w_k theta_ik(a) over the other outcomes k, where w is the belief in them after
    all other answers: the odds of j are multiplied by it when this answer comes last. Where outcomes have variants,
    theta_ij(a) is the mean over the variants of j, each as likely as after all other answers.
    """
    found, of = [], model.problem.outcome_of
    for question in np.flatnonzero(answers >= 0):
        answer = int(answers[question])
        weights = normalise(log_joint - model.log_theta[question, :, answer])
        chances = model.theta[question, :, answer]
        if of is None:
            own = float(chances[outcome])
            weights[outcome] = 0.0
        else:
            own = _mean_chance(weights, chances, of == outcome)
            weights[of == outcome] = 0.0
        otherwise = float(weights @ chances / weights.sum()) if weights.sum() > 0 else own
        ratio = own / otherwise if otherwise > 0 else np.inf
        found.append(Evidence(int(question), answer, ratio))
    return sorted(found, key=lambda one: -abs(np.log(max(one.ratio, 1e-300))))


def _mean_chance(weights: Floats, chances: Floats, own: Bools) -> float:
    """The mean chance of an answer over the variants of an outcome; over all alike if none is likely any more."""
    mass = float(weights[own].sum())
    return float(weights[own] @ chances[own]) / mass if mass > 0 else float(chances[own].mean())
