"""Ranking: which questions a plan is about, if it can't hold all of them.

The best are those with the highest information gain per cost. Two questions can be alike, for example before anything
was learned about either. Their gains then differ in the last digits only, and which is higher depends on the order in
which sums were made. So gains that rounding alone can explain are equal here, and the first of equals is taken.
"""

from __future__ import annotations

import numpy as np

from odm_tui.engine.gains import per_cost
from odm_tui.engine.problem import Floats, Ints

NO_GAIN = 1e-12
"""Gains that differ by less, in nats, differ by rounding: they are differences of entropies near 1."""

SAME_SHARE = 1e-9
"""Numbers that differ by a smaller share of themselves differ by rounding."""


def rank_by_gain(gains: Floats, costs: Floats, teaches: Floats | None = None) -> Ints:
    """The questions by information gain per cost, highest first; gains and costs are (n,) or (S, n).

    Of equals, those that teach most come first, and then the one with the lowest index.

    >>> rank_by_gain(np.array([0.1 + 0.2, 0.3, 0.5, 1e-17]), np.ones(4)).tolist()
    [2, 0, 1, 3]
    """
    rank = per_cost(np.where(gains > NO_GAIN, gains, 0.0), costs)
    rounding = per_cost(np.full_like(rank, NO_GAIN), costs) + SAME_SHARE * rank
    levels = find_levels(rank, rounding)
    if teaches is None:
        return np.argsort(levels, axis=-1, kind="stable")
    return np.lexsort((find_levels(teaches, SAME_SHARE * np.abs(teaches)), levels))


def find_levels(values: Floats, rounding: Floats) -> Ints:
    """0 for the highest value and all that equal it, 1 for the next ones, and so on; values are (n,) or (S, n).

    In descending order, a value starts a new level if it is below the one before by more than the ``rounding`` of that.

    >>> find_levels(np.array([0.3, 0.1 + 0.2, 7.0]), np.full(3, 1e-12)).tolist()
    [1, 1, 0]
    """
    order = (-values).argsort(axis=-1, kind="stable")
    at = order if values.ndim == 1 else (np.arange(len(values))[:, None], order)
    ordered = values[at]
    levels, in_order = np.empty(values.shape, dtype=np.intp), np.zeros(values.shape, dtype=np.intp)
    below = ordered[..., :-1] - ordered[..., 1:] > rounding[at][..., :-1]
    below.cumsum(axis=-1, out=in_order[..., 1:])
    levels[at] = in_order
    return levels
