"""The value of learning as it is defined: policies as dictionaries from what was answered to what is done.

L_i = mean_s [ V(policy for theta_s; theta_s) − V(policy for theta_s with theta_i = mean; theta_s) ]
bonus_ij = H · L_i · share_ij / (a_ij + b_ij + 1)
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Table = Sequence[Sequence[Sequence[float]]]
State = tuple[tuple[int, int], ...]
"""The answers so far: pairs of question and answer, by question."""


def bonus(
    draws: Sequence[Table],
    alpha: Table,
    cost: Table,
    prior: Sequence[float],
    stakes: float,
    horizon: float,
    planned: int,
    outcome_of: Sequence[int] | None = None,
) -> list[list[float]]:
    """bonus[i][j] from some draws of theta[i][j][q]; alpha holds the posterior's parameters.

    Where outcomes have variants, j is a sub-outcome, and ``outcome_of[j]`` its outcome: decisions are for outcomes.
    """
    of = list(range(len(prior))) if outcome_of is None else list(outcome_of)
    n, m = len(alpha), len(prior)
    mean = [[[a / sum(row) for a in row] for row in rows] for rows in alpha]
    losses = [0.0] * n
    for theta in draws:
        chosen = sorted(sorted(range(n), key=lambda i: -_rank(theta[i], cost[i], prior))[:planned])
        best = _worth(_policy(chosen, theta, cost, prior, stakes, of), theta, cost, prior, stakes, of)
        for i in chosen:
            guessed = [*theta[:i], mean[i], *theta[i + 1 :]]
            made = _policy(chosen, guessed, cost, prior, stakes, of)
            losses[i] += (best - _worth(made, theta, cost, prior, stakes, of)) / len(draws)
    result = []
    for i in range(n):
        totals = [sum(row) for row in alpha[i]]
        spread = [
            prior[j] * math.sqrt((1 - sum(p * p for p in mean[i][j])) / (totals[j] + 1)) for j in range(m)
        ]
        result.append([horizon * losses[i] * spread[j] / sum(spread) / (totals[j] + 1) for j in range(m)])
    return result


def prototype_losses(
    draws: Sequence[Table],
    mean: Table,
    cost: Table,
    prior: Sequence[float],
    stakes: float,
    planned: int,
) -> list[float]:
    """L[i] of the prototype: how much more the best plan is worth where theta_i is the draw's, if it is more."""
    n, of = len(mean), list(range(len(prior)))
    losses = [0.0] * n
    for theta in draws:
        chosen = sorted(sorted(range(n), key=lambda i: -_rank(theta[i], cost[i], prior))[:planned])
        best = _worth(_policy(chosen, theta, cost, prior, stakes, of), theta, cost, prior, stakes, of)
        for i in chosen:
            guessed = [*theta[:i], mean[i], *theta[i + 1 :]]
            made = _policy(chosen, guessed, cost, prior, stakes, of)
            losses[i] += max(best - _worth(made, guessed, cost, prior, stakes, of), 0.0) / len(draws)
    return losses


def next_question(
    theta: Table,
    asking: Sequence[Sequence[float]],
    belief: Sequence[float],
    stakes: float,
    left: Sequence[int],
) -> int | None:
    """The question that is worth most now, given the belief so far; None if deciding is worth as much.

    ``asking[i][j]`` is what question i costs under outcome j, less what it teaches.
    """

    def value(weights: Sequence[float], open_: Sequence[int]) -> float:
        return max([stakes * max(weights), *(worth(weights, i, open_) for i in open_)])

    def worth(weights: Sequence[float], i: int, open_: Sequence[int]) -> float:
        total = -sum(w * c for w, c in zip(weights, asking[i], strict=True))
        for q in range(len(theta[i][0])):
            after = [w * theta[i][j][q] for j, w in enumerate(weights)]
            total += value(after, [other for other in open_ if other != i])
        return total

    worths = {i: worth(belief, i, left) for i in left}
    if not worths or max(worths.values()) <= stakes * max(belief) * (1 + 1e-9):
        return None
    return max(worths, key=lambda i: worths[i])


def _rank(theta: Sequence[Sequence[float]], cost: Sequence[Sequence[float]], prior: Sequence[float]) -> float:
    chances = [sum(p * row[q] for p, row in zip(prior, theta, strict=True)) for q in range(len(theta[0]))]
    within = sum(p * _entropy(row) for p, row in zip(prior, theta, strict=True))
    expected = sum(
        p * t * c
        for p, row, costs in zip(prior, theta, cost, strict=True)
        for t, c in zip(row, costs, strict=True)
    )
    return (_entropy(chances) - within) / expected


def _entropy(chances: Sequence[float]) -> float:
    return -sum(p * math.log(p) for p in chances if p > 0)


def _weights(state: State, theta: Table, prior: Sequence[float]) -> list[float]:
    return [p * math.prod(theta[i][j][q] for i, q in state) for j, p in enumerate(prior)]


def _policy(
    questions: Sequence[int],
    theta: Table,
    cost: Table,
    prior: Sequence[float],
    stakes: float,
    of: Sequence[int],
) -> dict[State, tuple[str, int]]:
    """What the best policy for theta does in every state that can be reached with these questions."""
    does: dict[State, tuple[str, int]] = {}

    def value(state: State) -> float:
        weights = _weights(state, theta, prior)
        by_outcome = [sum(w for w, k in zip(weights, of, strict=True) if k == j) for j in range(max(of) + 1)]
        best, act = stakes * max(by_outcome), ("decide", by_outcome.index(max(by_outcome)))
        asked = {i for i, _ in state}
        for i in questions:
            if i in asked:
                continue
            worth = 0.0
            for q in range(len(theta[i][0])):
                after = tuple(sorted((*state, (i, q))))
                worth += value(after)
                worth -= sum(w * cost[i][j][q] for j, w in enumerate(_weights(after, theta, prior)))
            if worth > best + 1e-12:
                best, act = worth, ("ask", i)
        does[state] = act
        return best

    value(())
    return does


def _worth(
    does: dict[State, tuple[str, int]],
    theta: Table,
    cost: Table,
    prior: Sequence[float],
    stakes: float,
    of: Sequence[int],
) -> float:
    """What following a policy is worth where theta is true."""

    def value(state: State) -> float:
        act, which = does[state]
        if act == "decide":
            return stakes * sum(
                w for w, k in zip(_weights(state, theta, prior), of, strict=True) if k == which
            )
        total = 0.0
        for q in range(len(theta[which][0])):
            after = tuple(sorted((*state, (which, q))))
            total += value(after)
            total -= sum(w * cost[which][j][q] for j, w in enumerate(_weights(after, theta, prior)))
        return total

    return value(())
