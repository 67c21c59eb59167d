"""Bounds around theta, and the best values that costs and entropies can take within them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from odm_tui.engine.belief import entropy
from odm_tui.engine.problem import Floats, Problem


@dataclass(frozen=True, eq=False)
class Bounds:
    """A lower and an upper bound for every theta_ij(q), (n, m, K) each.

    What follows from the bounds alone is computed once per interview.
    """

    problem: Problem
    low: Floats
    high: Floats

    @cached_property
    def lowest_costs(self) -> Floats:
        """The lowest mu_ij within the bounds, (n, m): as much mass as possible on the cheap answers."""
        costs = np.where(self.problem.valid[:, None, :], self.problem.cost, np.inf)
        cheap_first = np.argsort(costs, axis=-1, kind="stable")
        low, high, ordered = (
            np.take_along_axis(array, cheap_first, axis=-1)
            for array in (self.low, self.high, self.problem.cost)
        )
        left = np.maximum(1.0 - low.sum(axis=-1, keepdims=True), 0.0)
        room = high - low
        used = np.clip(left - (np.cumsum(room, axis=-1) - room), 0.0, room)
        return np.asarray(((low + used) * ordered).sum(axis=-1))

    @cached_property
    def lowest_entropies(self) -> Floats:
        """A lower bound of H(x_i | y = j) within the bounds, (n, m).

        With two answers the entropy falls away from 1/2 on both sides, so one of the two ends is lowest.
        With more, each term -theta log theta is lowest at one of its own ends.
        """
        if self.problem.shape[2] == 2:
            ends = (np.stack([1.0 - end[..., 1], end[..., 1]], axis=-1) for end in (self.low, self.high))
            return np.minimum(*(entropy(end) for end in ends))
        terms = np.minimum(_entropy_terms(self.low), _entropy_terms(self.high))
        return np.asarray(np.maximum(terms, 0.0).sum(axis=-1))


def _entropy_terms(p: Floats) -> Floats:
    return np.asarray(-p * np.log(np.where(p > 0, p, 1.0)))


def highest_entropies(low: Floats, high: Floats) -> Floats:
    """The highest entropy of chances between ``low`` and ``high``, (n, K) each, that sum to 1.

    The chances nearest to each other are clip(c, low, high) with the level c that makes them sum to 1. For
    two answers that is the chance nearest to 1/2; else it is found by bisection: 60 halvings leave less than
    the last bit.

    >>> highest_entropies(np.array([[0.1, 0.3]]), np.array([[0.7, 0.9]])).round(6).tolist()    # log 2
    [0.693147]
    """
    if low.shape[1] == 2:
        least, most = np.maximum(low[:, 1], 1.0 - high[:, 0]), np.minimum(high[:, 1], 1.0 - low[:, 0])
        nearest = np.clip(0.5, least, most)
        return entropy(np.stack([1.0 - nearest, nearest], axis=-1))
    below, above = np.zeros(len(low)), np.ones(len(low))
    for _ in range(60):
        level = (below + above) / 2
        short = np.clip(level[:, None], low, high).sum(axis=1) < 1
        below, above = np.where(short, level, below), np.where(short, above, level)
    return entropy(np.clip(above[:, None], low, high))
