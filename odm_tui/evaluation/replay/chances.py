"""The chances of logged choices, as they were estimated by draws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from odm_tui.engine.problem import Bools, Floats


@dataclass(frozen=True, eq=False)
class LoggedChances:
    """1 / P(choice) of the logged policy for the needed choices of a path, the stop last, (steps + 1,).

    ``rare``: the draws ran out before all needed choices had their matches, so the inverses are too small.
    """

    inverse: Floats
    matches: int
    draws: int
    rare: bool


@dataclass(frozen=True, eq=False)
class OtherChances:
    """What another policy does in one logged interview.

    ``shares`` are the shares of its draws that make each logged choice, the stop last, (steps + 1,). ``model`` is the
    value model's estimate for the interview, (2,): cost and P(right). ``surprises`` are (steps, 2): how much each
    logged reply changes the value model's estimate, summed over the draws that choose that question and divided by
    all draws.
    """

    shares: Floats
    model: Floats
    surprises: Floats
    draws: int


PathChances = tuple[LoggedChances | None, dict[str, OtherChances]]
"""The chances of one path: those of the logged policy, if needed, and those of the others, by name."""


def count_matches(
    hits: npt.NDArray[np.integer], last: npt.NDArray[np.integer], wanted: Bools, matches: int, draws: int
) -> LoggedChances:
    """Return 1 / P(choice) of the wanted choices; ``last`` is the draw of the last match that counts.

    Where the draws ran out, the logged interview counts as one more draw, so that no chance is 0.

    >>> found = count_matches(np.array([2, 1]), np.array([6, 5]), np.array([True, True]), matches=2, draws=9)
    >>> found.inverse.tolist(), found.rare
    ([3.0, 5.0], True)
    """
    done = hits >= matches
    inverse = np.where(done, last / matches, (draws + 1) / (hits + 1))
    return LoggedChances(np.where(wanted, inverse, 0.0), matches, draws, bool((wanted & ~done).any()))
