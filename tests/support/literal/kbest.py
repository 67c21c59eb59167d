"""The most probable hypotheses, by sorting all of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tests.support.literal.brute import Hypothesis, Numbers, Theta, agrees, all_hypotheses, likelihood


def ranked(
    theta: Theta, sizes: Sequence[int], j: int, answers: Mapping[int, int]
) -> list[tuple[float, Hypothesis]]:
    """(P(h | y = j, x_P), h) for every h that agrees with the answers, most probable first.

    Given the outcome, the answers are independent: those given already have the probability 1.
    """
    unasked = [i for i in range(len(sizes)) if i not in answers]
    made = [
        (math.prod(theta[i][j][h[i]] for i in unasked), h)
        for h in all_hypotheses(sizes)
        if agrees(h, answers)
    ]
    return sorted(made, key=lambda pair: -pair[0])


def listed(
    theta: Theta, sizes: Sequence[int], j: int, answers: Mapping[int, int], limit: int, eta: float
) -> list[tuple[float, Hypothesis]]:
    """The most probable ones until they cover 1 - eta, at most ``limit``, and none that is impossible."""
    made: list[tuple[float, Hypothesis]] = []
    covered = 0.0
    for p, h in ranked(theta, sizes, j, answers):
        if p <= 0 or len(made) == limit or covered >= 1 - eta:
            break
        made.append((p, h))
        covered += p
    return made


def likeliest_outcome(prior: Numbers, theta: Theta, h: Hypothesis, among: Sequence[int]) -> int:
    """Which of these outcomes a hypothesis speaks for most: the highest P(h, y = j)."""
    return max(among, key=lambda j: prior[j] * likelihood(theta, h, j))
