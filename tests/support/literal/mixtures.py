"""Outcomes with hidden variants by brute force: P(h | j) = Σ_v weight_v · Π_i theta_vi(h_i), summed over all answer sets.

``mixture[j]`` is the list of outcome j's variants, each as (weight, theta[i][q]). Nothing here knows of sub-outcomes as
outcomes: every quantity follows from P(h | j) or P(h, v | j).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tests.support.literal.brute import Hypothesis, Number, agrees, all_hypotheses, entropy

Variant = tuple[Number, Sequence[Sequence[Number]]]
Mixture = Sequence[Sequence[Variant]]
Numbers = Sequence[Any]


def joint(
    prior: Numbers, mixture: Mixture, sizes: Sequence[int], answers: Mapping[int, int]
) -> dict[tuple[Hypothesis, int, int], Number]:
    """P(h, j, v | x_P) for every answer set that agrees with the answers so far, outcome and variant."""
    table = {
        (h, j, v): prior[j] * weight * math.prod(theta[i][q] for i, q in enumerate(h))
        for h in all_hypotheses(sizes)
        if agrees(h, answers)
        for j, variants in enumerate(mixture)
        for v, (weight, theta) in enumerate(variants)
    }
    total = sum(table.values())
    return {key: p / total for key, p in table.items()}


def belief(
    prior: Numbers, mixture: Mixture, sizes: Sequence[int], answers: Mapping[int, int]
) -> list[Number]:
    """P(j | x_P)."""
    made = [0.0] * len(prior)
    for (_, j, _), p in joint(prior, mixture, sizes, answers).items():
        made[j] += p
    return made


def pair_belief(
    prior: Numbers, mixture: Mixture, sizes: Sequence[int], answers: Mapping[int, int]
) -> list[Number]:
    """P(j, v | x_P), the variants of the first outcome first."""
    made = {(j, v): 0.0 for j, variants in enumerate(mixture) for v in range(len(variants))}
    for (_, j, v), p in joint(prior, mixture, sizes, answers).items():
        made[j, v] += p
    return list(made.values())


def chances(
    prior: Numbers, mixture: Mixture, sizes: Sequence[int], answers: Mapping[int, int], i: int
) -> list[Number]:
    """P(x_i = q | x_P)."""
    made = [0.0] * sizes[i]
    for (h, _, _), p in joint(prior, mixture, sizes, answers).items():
        made[h[i]] += p
    return made


def information(
    prior: Numbers,
    mixture: Mixture,
    sizes: Sequence[int],
    answers: Mapping[int, int],
    i: int,
    about_variant: bool,
) -> float:
    """How much the entropy of the outcome, or of outcome and variant, falls on average when question i is answered."""
    believed = pair_belief if about_variant else belief
    now = entropy(believed(prior, mixture, sizes, answers))
    return now - math.fsum(
        p * entropy(believed(prior, mixture, sizes, {**answers, i: q}))
        for q, p in enumerate(chances(prior, mixture, sizes, answers, i))
        if p > 0
    )


def expected_cost(
    prior: Numbers,
    mixture: Mixture,
    cost: Sequence[Sequence[Sequence[Number]]],
    sizes: Sequence[int],
    answers: Mapping[int, int],
    i: int,
) -> Number:
    """The mean of cost[i][j][q]: costs are by outcome, whatever the variant."""
    return sum(cost[i][j][h[i]] * p for (h, j, _), p in joint(prior, mixture, sizes, answers).items())


def value(
    prior: Numbers,
    mixture: Mixture,
    cost: Sequence[Sequence[Sequence[Number]]],
    loss: Sequence[Sequence[float]],
    sizes: Sequence[int],
    answers: Mapping[int, int],
    refer: float | None = None,
) -> float:
    """The value of the best way to go on: S − loss of the decision − cost, by recursion; loss[d][j] is by outcome."""
    believed = belief(prior, mixture, sizes, answers)
    ways = [sum(p * row[j] for j, p in enumerate(believed)) for row in loss]
    if refer is not None:
        ways.append(refer)
    best = max(max(row) for row in loss) - min(ways)
    for i in range(len(sizes)):
        if i in answers:
            continue
        worth = -expected_cost(prior, mixture, cost, sizes, answers, i)
        for q, p in enumerate(chances(prior, mixture, sizes, answers, i)):
            if p > 0:
                worth += p * value(prior, mixture, cost, loss, sizes, {**answers, i: q}, refer)
        best = max(best, worth)
    return float(best)


def odds_ratio(
    prior: Numbers,
    mixture: Mixture,
    sizes: Sequence[int],
    answers: Mapping[int, int],
    question: int,
    outcome: int,
) -> float:
    """The odds of the outcome with all answers, divided by those without this one."""
    with_it = belief(prior, mixture, sizes, answers)[outcome]
    without = belief(prior, mixture, sizes, {i: a for i, a in answers.items() if i != question})[outcome]
    return float((with_it / (1 - with_it)) / (without / (1 - without)))


def error_odds(
    prior: Numbers,
    mixture: Mixture,
    sizes: Sequence[int],
    answers: Mapping[int, int],
    question: int,
    rate: float,
) -> float:
    """The odds that this answer is wrong and all others are right; 0 if the likeliest outcome is the same without it."""
    others = {i: a for i, a in answers.items() if i != question}
    with_it, without = belief(prior, mixture, sizes, answers), belief(prior, mixture, sizes, others)
    if with_it.index(max(with_it)) == without.index(max(without)):
        return 0.0
    p = chances(prior, mixture, sizes, others, question)[answers[question]]
    return float(rate / ((1 - rate) * (sizes[question] - 1)) * (1 - p) / p)
