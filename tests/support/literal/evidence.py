"""How much an answer speaks for an outcome, from the definition: the odds with it, divided by the odds without it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence


def odds_ratio(
    prior: Sequence[float],
    theta: Sequence[Sequence[Sequence[float]]],
    answers: Mapping[int, int],
    question: int,
    outcome: int,
) -> float:
    """Divide the posterior odds of the outcome with all answers by those without this one."""
    return _odds(prior, theta, answers, outcome) / _odds(
        prior, theta, {i: a for i, a in answers.items() if i != question}, outcome
    )


def _odds(
    prior: Sequence[float],
    theta: Sequence[Sequence[Sequence[float]]],
    answers: Mapping[int, int],
    outcome: int,
) -> float:
    joint = [p * math.prod(theta[i][j][a] for i, a in answers.items()) for j, p in enumerate(prior)]
    return joint[outcome] / (sum(joint) - joint[outcome])
