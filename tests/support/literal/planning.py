"""The value of asking, by recursion over every order of questions and every answer: as it is defined.

    V(belief, asked) = max( D(belief),  max_i [ −Cost(i) + Σ_q P(x_i = q) · V(belief after q, asked + i) ] )
    D(belief) = max( S − min_d Σ_j loss[d][j] · b_j,  S − cost of referring )

with S the largest loss; stakes · max_j b_j where every wrong decision costs the same.

Honest Python with dictionaries and lists, nothing kept between branches; the benchmarks measure against it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

Allowed = Callable[[int, dict[int, int]], bool]


def value(
    belief: Sequence[float],
    theta: Sequence[Sequence[Sequence[float]]],
    cost: Sequence[Sequence[Sequence[float]]],
    stakes: float | Sequence[Sequence[float]],
    answers: dict[int, int] | None = None,
    allowed: Allowed = lambda question, answers: True,
    refer: float | None = None,
) -> float:
    """The value of the best policy from here; theta[i][j][q] and cost[i][j][q] as in the engine."""
    so_far = answers or {}
    open_ = [i for i in range(len(theta)) if i not in so_far and allowed(i, so_far)]
    stop = decision_value(belief, stakes, refer)
    return max([stop, *(worth(i, belief, theta, cost, stakes, so_far, allowed, refer) for i in open_)])


def worth(
    question: int,
    belief: Sequence[float],
    theta: Sequence[Sequence[Sequence[float]]],
    cost: Sequence[Sequence[Sequence[float]]],
    stakes: float | Sequence[Sequence[float]],
    answers: dict[int, int] | None = None,
    allowed: Allowed = lambda question, answers: True,
    refer: float | None = None,
) -> float:
    """What asking this question next, and going on in the best way, is worth."""
    so_far = answers or {}
    total = 0.0
    for q in range(len(theta[question][0])):
        joint = [b * theta[question][j][q] for j, b in enumerate(belief)]
        chance = sum(joint)
        total -= sum(p * cost[question][j][q] for j, p in enumerate(joint))
        if chance > 0:
            after = [p / chance for p in joint]
            total += chance * value(after, theta, cost, stakes, {**so_far, question: q}, allowed, refer)
    return total


def decision_value(
    belief: Sequence[float], stakes: float | Sequence[Sequence[float]], refer: float | None = None
) -> float:
    """What deciding now, or referring, is worth."""
    loss = expand_stakes(stakes, len(belief))
    most = max(max(row) for row in loss) if not isinstance(stakes, (int, float)) else float(stakes)
    ways = [sum(p * cost for p, cost in zip(belief, row, strict=True)) for row in loss]
    if refer is not None:
        ways.append(refer)
    return most - min(ways)


def expand_stakes(stakes: float | Sequence[Sequence[float]], outcomes: int) -> Sequence[Sequence[float]]:
    """loss[d][j], from one number too."""
    if not isinstance(stakes, (int, float)):
        return stakes
    return [[0.0 if d == j else float(stakes) for j in range(outcomes)] for d in range(outcomes)]


def held_questions(
    ranking: Sequence[int],
    waits_for: Mapping[int, Sequence[int]],
    fits: Callable[[list[int]], bool],
) -> list[int]:
    """The questions that a plan holds: down the ranking, each with all that it waits for, as far as they fit.

    ``waits_for`` names, for each sleeping question, the open questions that must be answered to wake it.
    """
    held: list[int] = []
    for question in ranking:
        if question in held:
            continue
        if not fits([*held, question]):
            return held
        company = [question]
        while found := [i for j in company for i in waits_for.get(j, ()) if i not in company]:
            company.append(found[0])
        together = [*held, *(i for i in company if i not in held)]
        if fits(together):
            held = together
    return held
