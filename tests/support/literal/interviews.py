"""A whole interview by the paper's Algorithm 4, one question a call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tests.support.literal import brute, graph
from tests.support.literal.graph import Floats, Ints


@dataclass(frozen=True)
class Told:
    """What an interview asked, in order, and the regions that were left at its end."""

    asked: tuple[int, ...]
    regions: frozenset[int]


def w_ec2(
    prior: Floats, theta: Floats, cost: Floats, hypotheses: Ints, regions: Ints, answers: Mapping[int, int]
) -> Floats:
    """eq:gain_w_ec2 for every question."""
    gains = graph.gains(prior, theta, cost, hypotheses, regions, answers)
    return gains / graph.expected_costs(prior, theta, cost, answers)


def w_ig(
    prior: Floats, theta: Floats, cost: Floats, hypotheses: Ints, regions: Ints, answers: Mapping[int, int]
) -> Floats:
    """eq:gain_w_ig for every question; the hypotheses only say when to stop."""
    sizes = [int((theta[i] > 0).any(axis=0).nonzero()[0].max()) + 1 for i in range(len(theta))]
    gains = [
        0.0 if i in answers else brute.information_gain(prior, theta, sizes, answers, i)
        for i in range(len(theta))
    ]
    return np.array(gains) / graph.expected_costs(prior, theta, cost, answers)


ALGORITHMS = {"w-ec2": w_ec2, "w-ig": w_ig}


def run(
    algorithm: str,
    prior: Floats,
    theta: Floats,
    cost: Floats,
    hypotheses: Ints,
    regions: Ints,
    truth: Sequence[int],
    answers: Mapping[int, int] | None = None,
) -> Told:
    """Algorithm 4: while more than one decision region is left, ask the question of the highest gain.

    ``truth`` are the answers that will be given. All costs must be above 0.
    """
    answers = answers or {}
    left = frozenset(
        int(region)
        for h, region in zip(hypotheses.tolist(), regions.tolist(), strict=True)
        if brute.agrees(tuple(h), answers)
    )
    if len(left) <= 1 or len(answers) == len(theta):
        return Told(tuple(answers), left)
    scores = ALGORITHMS[algorithm](prior, theta, cost, hypotheses, regions, answers)
    best = max((i for i in range(len(theta)) if i not in answers), key=lambda i: scores[i])
    return run(algorithm, prior, theta, cost, hypotheses, regions, truth, {**answers, best: int(truth[best])})
