"""Information-directed sampling as it is defined: recursion over all plans, and mixtures by trying many shares.

All questions are yes/no: yes[i][j] = P(yes to question i | outcome j), and cost[i] is what a no and a yes cost.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

Rates = Sequence[Sequence[float]]
Lessons = Sequence[Sequence[float]]
TRIED = 4000
"""How many shares of the second action a mixture is tried with."""


def take_action(regrets: Sequence[float], gains: Sequence[float], chance: float) -> int:
    """The action that minimises (expected regret)² / (expected information) over mixtures of two actions."""

    def ratio(a: int, b: int, share: float) -> float:
        regret = (1 - share) * regrets[a] + share * regrets[b]
        gain = (1 - share) * gains[a] + share * gains[b]
        return 0.0 if regret <= 0 else regret**2 / gain if gain > 0 else math.inf

    if max(gains) <= 0:
        return regrets.index(min(regrets))
    mixtures = [(a, b, k / TRIED) for a, b in combinations(range(len(gains)), 2) for k in range(TRIED + 1)]
    first, second, share = min(mixtures, key=lambda mixture: ratio(*mixture))
    return second if chance < share else first


def regret(
    draws: Sequence[Rates], mean: Rates, cost: Rates, prior: Sequence[float], stakes: float, planned: int
) -> tuple[float, list[int | None]]:
    """R, what the plan of the mean gives up under the draws on average, and the first question under each draw."""
    own = _promising(mean, cost, prior, range(len(mean)), planned)
    given_up, first = [], []
    for theta in draws:
        chosen = _promising(theta, cost, prior, range(len(mean)), planned)
        best = _follow(prior, theta, prior, theta, cost, stakes, chosen)
        given_up.append(max(best - _follow(prior, mean, prior, theta, cost, stakes, own), 0.0))
        first.append(_best(prior, theta, cost, stakes, chosen)[1])
    return sum(given_up) / len(draws), first


def tell_about(draws: Sequence[Rates], best: Sequence[object]) -> list[list[float]]:
    """I(best; answer to i under j) in nats, from all draws alike."""
    n, m = len(draws[0]), len(draws[0][0])
    return [
        [information([theta[i][j] for theta in draws], [1.0] * len(draws), best) for j in range(m)]
        for i in range(n)
    ]


def information(yes: Sequence[float], weights: Sequence[float], best: Sequence[object]) -> float:
    """H(answer) − H(answer | best), where each draw has its P(yes), its weight, and its best action."""

    def entropy(which: Sequence[int]) -> float:
        share = sum(weights[s] * yes[s] for s in which) / sum(weights[s] for s in which)
        return -sum(p * math.log(p) for p in (share, 1 - share) if p > 0)

    everything = range(len(yes))
    groups = [[s for s in everything if best[s] == action] for action in set(best)]
    within = sum(sum(weights[s] for s in group) * entropy(group) for group in groups)
    return entropy(everything) - within / sum(weights)


def hold_by_interview(
    mean: Rates,
    teaches: Lessons,
    regret_at_start: float,
    prior: Sequence[float],
    cost: Rates,
    stakes: float,
    chances: Sequence[float],
    answers: Sequence[int],
    planned: int,
    sample: Rates | None = None,
) -> list[int]:
    """The questions of an interview whose actions are whole interviews; the plan with the sample goes first."""
    asked: list[int] = []
    given_up = 0.0
    while len(asked) < len(mean):
        left = [i for i in range(len(mean)) if i not in asked]
        belief, wanted = _belief(mean, prior, asked, answers), None
        if sample is not None:
            weights = _belief(sample, prior, asked, answers)
            wanted = _best(weights, sample, cost, stakes, _promising(sample, cost, weights, left, planned))[1]
        held = _promising(mean, cost, belief, left, max(min(planned, len(left)) - 1, 1))
        others = [i for i in left if i not in held]
        if others and planned > 1:
            held.append(max(others, key=lambda i: _dot(belief, teaches[i]) / _asking(belief, mean, cost, i)))
        if wanted is not None and wanted not in held:
            held[-1] = wanted
        so_far = sum(_dot(belief, teaches[i]) for i in asked)
        actions: list[int | None] = [None, *held]
        worths = [stakes * max(belief)] + [_worth(i, belief, mean, cost, stakes, held) for i in held]
        gains = [so_far] + [so_far + _taught(i, belief, mean, cost, stakes, held, teaches) for i in held]
        regrets = [regret_at_start + given_up + max(worths) - worth for worth in worths]
        at = take_action(regrets, gains, chances[len(asked)]) if wanted is None else actions.index(wanted)
        given_up += max(worths) - worths[at]
        action = actions[at]
        if action is None:
            break
        asked.append(action)
    return asked


def hold_by_step(
    draws: Sequence[Rates],
    prior: Sequence[float],
    cost: Rates,
    stakes: float,
    chances: Sequence[float],
    answers: Sequence[int],
    planned: int,
) -> list[int]:
    """The questions of an interview whose actions are the next question or to stop."""
    n, asked = len(cost), list[int]()
    while len(asked) < n:
        left = [i for i in range(n) if i not in asked]
        likely = [[p * _likelihood(theta, j, asked, answers) for j, p in enumerate(prior)] for theta in draws]
        total = sum(sum(row) for row in likely)
        shares = [[weight / total for weight in row] for row in likely]
        beliefs = [[weight / sum(row) for weight in row] for row in likely]
        rank = {
            i: sum(
                sum(share) * _rank(theta, cost, belief, i)
                for share, theta, belief in zip(shares, draws, beliefs, strict=True)
            )
            for i in left
        }
        held = sorted(sorted(left, key=lambda i: -rank[i])[:planned])
        regrets, best = [0.0] * (1 + len(held)), []
        for share, theta, belief in zip(shares, draws, beliefs, strict=True):
            worths = [stakes * max(belief)] + [_worth(i, belief, theta, cost, stakes, held) for i in held]
            best.append(worths.index(max(worths)))
            for at, worth in enumerate(worths):
                regrets[at] += sum(share) * (max(worths) - worth)
        gains = [0.0] + [
            sum(
                sum(share[j] for share in shares)
                * information([theta[i][j] for theta in draws], [share[j] for share in shares], best)
                for j in range(len(prior))
            )
            for i in held
        ]
        at = take_action(regrets, gains, chances[len(asked)])
        if at == 0:
            break
        asked.append(held[at - 1])
    return asked


def _best(
    weights: Sequence[float], theta: Rates, cost: Rates, stakes: float, left: Sequence[int]
) -> tuple[float, int | None]:
    """The value of the best plan, and its first question."""
    best, question = stakes * max(weights), None
    for i in left:
        worth = _worth(i, weights, theta, cost, stakes, left)
        if worth > best * (1 + 1e-12):
            best, question = worth, i
    return best, question


def _worth(
    i: int, weights: Sequence[float], theta: Rates, cost: Rates, stakes: float, left: Sequence[int]
) -> float:
    """What the best plan is worth that starts with question i."""
    rest = [other for other in left if other != i]
    total = 0.0
    for q in (0, 1):
        after = _after(weights, theta, i, q)
        total += _best(after, theta, cost, stakes, rest)[0] - cost[i][q] * sum(after)
    return total


def _taught(
    i: int,
    weights: Sequence[float],
    theta: Rates,
    cost: Rates,
    stakes: float,
    left: Sequence[int],
    teaches: Lessons,
) -> float:
    """What asking question i and then following the best plan teaches."""
    rest = [other for other in left if other != i]
    total = _dot(weights, teaches[i])
    for q in (0, 1):
        after = _after(weights, theta, i, q)
        question = _best(after, theta, cost, stakes, rest)[1]
        if question is not None:
            total += _taught(question, after, theta, cost, stakes, rest, teaches)
    return total


def _follow(
    weights: Sequence[float],
    believed: Rates,
    truly: Sequence[float],
    theta: Rates,
    cost: Rates,
    stakes: float,
    left: Sequence[int],
) -> float:
    """What the best plan made with ``believed`` is worth under ``theta``; ``truly`` are the weights under it."""
    question = _best(weights, believed, cost, stakes, left)[1]
    if question is None:
        return stakes * truly[list(weights).index(max(weights))]
    rest = [other for other in left if other != question]
    total = 0.0
    for q in (0, 1):
        after, then = _after(weights, believed, question, q), _after(truly, theta, question, q)
        total += _follow(after, believed, then, theta, cost, stakes, rest) - cost[question][q] * sum(then)
    return total


def _after(weights: Sequence[float], theta: Rates, i: int, q: int) -> list[float]:
    return [w * (yes if q else 1 - yes) for w, yes in zip(weights, theta[i], strict=True)]


def _likelihood(theta: Rates, j: int, asked: Sequence[int], answers: Sequence[int]) -> float:
    return math.prod(theta[i][j] if answers[i] else 1 - theta[i][j] for i in asked)


def _belief(
    theta: Rates, prior: Sequence[float], asked: Sequence[int], answers: Sequence[int]
) -> list[float]:
    weights = [p * _likelihood(theta, j, asked, answers) for j, p in enumerate(prior)]
    return [weight / sum(weights) for weight in weights]


def _promising(
    theta: Rates, cost: Rates, belief: Sequence[float], left: Sequence[int], count: int
) -> list[int]:
    """The questions of the highest information gain per cost, by index."""
    return sorted(sorted(left, key=lambda i: -_rank(theta, cost, belief, i))[:count])


def _rank(theta: Rates, cost: Rates, belief: Sequence[float], i: int) -> float:
    gain = information(theta[i], belief, list(range(len(belief))))
    return gain / _asking(belief, theta, cost, i)


def _asking(belief: Sequence[float], theta: Rates, cost: Rates, i: int) -> float:
    return _dot(belief, [cost[i][0] * (1 - yes) + cost[i][1] * yes for yes in theta[i]])


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))
