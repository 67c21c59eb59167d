"""The value of asking, by recursion over every order of questions and every answer: as it is defined.

    V(belief, asked) = max( stakes · max_j b_j,  max_i [ −Cost(i) + Σ_q P(x_i = q) · V(belief after q, asked + i) ] )

Honest Python with dictionaries and lists, nothing kept between branches; the benchmarks measure against it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

Allowed = Callable[[int, dict[int, int]], bool]


def value(
    belief: Sequence[float],
    theta: Sequence[Sequence[Sequence[float]]],
    cost: Sequence[Sequence[Sequence[float]]],
    stakes: float,
    answers: dict[int, int] | None = None,
    allowed: Allowed = lambda question, answers: True,
) -> float:
    """The value of the best policy from here; theta[i][j][q] and cost[i][j][q] as in the engine."""
    so_far = answers or {}
    open_ = [i for i in range(len(theta)) if i not in so_far and allowed(i, so_far)]
    stop = stakes * max(belief)
    return max([stop, *(worth(i, belief, theta, cost, stakes, so_far, allowed) for i in open_)])


def worth(
    question: int,
    belief: Sequence[float],
    theta: Sequence[Sequence[Sequence[float]]],
    cost: Sequence[Sequence[Sequence[float]]],
    stakes: float,
    answers: dict[int, int] | None = None,
    allowed: Allowed = lambda question, answers: True,
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
            total += chance * value(after, theta, cost, stakes, {**so_far, question: q}, allowed)
    return total


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
