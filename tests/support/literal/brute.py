"""Brute force: every quantity as a sum over all sets of answers, straight from its definition.

``prior`` is P(y), ``theta[i][j][q]`` is P(x_i = q | y = j), ``sizes[i]`` is how many answers question i
has, ``answers`` maps the questions asked so far to their answers. The numbers may be floats or
fractions: everything but the entropies is sums and products.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations, product
from typing import Any

import numpy.typing as npt

Hypothesis = tuple[int, ...]
Number = Any
Numbers = Sequence[Number] | npt.NDArray[Any]
Theta = Sequence[Sequence[Sequence[Number]]] | npt.NDArray[Any]


def all_hypotheses(sizes: Sequence[int]) -> list[Hypothesis]:
    """Every full realisation of the answers: the paper's set H."""
    return list(product(*(range(size) for size in sizes)))


def agrees(h: Hypothesis, answers: Mapping[int, int]) -> bool:
    """Whether a hypothesis is consistent with the answers so far."""
    return all(h[i] == q for i, q in answers.items())


def likelihood(theta: Theta, h: Hypothesis, j: int) -> Number:
    """P(h | y = j): the answers are independent given the outcome."""
    return math.prod(theta[i][j][q] for i, q in enumerate(h))


def joint(
    prior: Numbers, theta: Theta, sizes: Sequence[int], answers: Mapping[int, int]
) -> dict[Hypothesis, list[Number]]:
    """P(h, y = j | x_P) for all hypotheses that are consistent with the answers so far."""
    table = {
        h: [p * likelihood(theta, h, j) for j, p in enumerate(prior)]
        for h in all_hypotheses(sizes)
        if agrees(h, answers)
    }
    total = sum(sum(row) for row in table.values())
    return {h: [p / total for p in row] for h, row in table.items()}


def possible(prior: Numbers, theta: Theta, sizes: Sequence[int], answers: Mapping[int, int]) -> bool:
    """Whether the answers so far have a probability above 0."""
    return any(
        p * likelihood(theta, h, j) > 0
        for h in all_hypotheses(sizes)
        if agrees(h, answers)
        for j, p in enumerate(prior)
    )


def belief(prior: Numbers, theta: Theta, sizes: Sequence[int], answers: Mapping[int, int]) -> list[Number]:
    """P(y | x_P)."""
    rows = joint(prior, theta, sizes, answers).values()
    return [sum(row[j] for row in rows) for j in range(len(prior))]


def chances(
    prior: Numbers, theta: Theta, sizes: Sequence[int], answers: Mapping[int, int], i: int
) -> list[Number]:
    """P(x_i = q | x_P) for every answer q of question i."""
    table = joint(prior, theta, sizes, answers)
    return [sum(sum(row) for h, row in table.items() if h[i] == q) for q in range(sizes[i])]


def entropy(p: Numbers) -> float:
    """Shannon entropy in nats."""
    return -math.fsum(x * math.log(x) for x in p if x > 0)


def information_gain(
    prior: Numbers, theta: Theta, sizes: Sequence[int], answers: Mapping[int, int], i: int
) -> float:
    """eq:gain_ig: H(y | x_P) - E[H(y | x_P and x_i)]."""
    now = entropy(belief(prior, theta, sizes, answers))
    after = [
        p * entropy(belief(prior, theta, sizes, {**answers, i: q}))
        for q, p in enumerate(chances(prior, theta, sizes, answers, i))
        if p > 0
    ]
    return now - math.fsum(after)


def expected_cost(
    prior: Numbers, theta: Theta, cost: Theta, sizes: Sequence[int], answers: Mapping[int, int], i: int
) -> Number:
    """eq:conditional_test_cost: the sum over j and q of mu_ij(q) · P(x_i = q, y = j | x_P)."""
    return sum(
        cost[i][j][h[i]] * p
        for h, row in joint(prior, theta, sizes, answers).items()
        for j, p in enumerate(row)
    )


def weight(prior: Numbers, theta: Theta, h: Hypothesis, answers: Mapping[int, int]) -> Number:
    """P(h | x_P) of one hypothesis: 0 if it is not consistent.

    P(h) / P(x_P), where P(x_P) sums over all answers to the questions not asked, which sum to 1.
    """
    if not agrees(h, answers):
        return 0 * prior[0]
    p_h = sum(p * likelihood(theta, h, j) for j, p in enumerate(prior))
    p_answers = sum(p * math.prod(theta[i][j][q] for i, q in answers.items()) for j, p in enumerate(prior))
    return p_h / p_answers


def edges(regions: Sequence[int]) -> list[tuple[int, int]]:
    """The pairs of hypotheses that belong to different regions."""
    return [(a, b) for a, b in combinations(range(len(regions)), 2) if regions[a] != regions[b]]


def ec2_gain(
    prior: Numbers,
    theta: Theta,
    hypotheses: Sequence[Hypothesis],
    regions: Sequence[int],
    answers: Mapping[int, int],
    i: int,
) -> Number:
    """eq:gain_ec2: the expected weight of the edges that the answer to question i cuts.

    Answer q cuts an edge if one of its ends is not consistent with it.
    """
    w = [weight(prior, theta, h, answers) for h in hypotheses]
    p_answers = [p * math.prod(theta[k][j][q] for k, q in answers.items()) for j, p in enumerate(prior)]
    gain = 0 * prior[0]
    for q in range(len(theta[i][0])):
        chance = sum(p * theta[i][j][q] for j, p in enumerate(p_answers)) / sum(p_answers)
        cut = sum(w[a] * w[b] for a, b in edges(regions) if hypotheses[a][i] != q or hypotheses[b][i] != q)
        gain += chance * cut
    return gain
