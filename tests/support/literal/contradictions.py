"""The odds that an answer is wrong, changed the outcome and can be settled: literally, answer by answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def settled_odds(
    prior: Array,
    theta: Sequence[Sequence[Sequence[float]]],
    given: Mapping[int, int],
    left: Sequence[int],
    rates: Sequence[float],
) -> dict[int, float]:
    """The odds by question; theta[i][j] has one chance per answer of question i."""
    outcomes = range(len(prior))

    def joint(answers: Mapping[int, int]) -> list[float]:
        return [prior[j] * float(np.prod([theta[i][j][q] for i, q in answers.items()])) for j in outcomes]

    def likeliest(answers: Mapping[int, int]) -> int:
        return int(np.argmax(joint(answers)))

    odds = {}
    for i, said in given.items():
        odds[i] = 0.0
        size = len(theta[i][0])
        for q in range(size):
            truly = {**given, i: q}
            before = likeliest(truly)
            if q == said or before == likeliest(given):
                continue
            for j in outcomes:
                stays_open = 1.0
                for k in left:
                    settles = sum(
                        theta[k][j][answer]
                        for answer in range(len(theta[k][j]))
                        if likeliest({**given, k: answer}) == before
                    )
                    stays_open *= 1.0 - settles
                wrong = joint(truly)[j] * (1.0 - stays_open) * rates[i] / (size - 1)
                odds[i] += wrong / (sum(joint(given)) * (1.0 - rates[i]))
    return odds
