"""Stakes: what a decision costs if it is wrong, by decided and true outcome, and what referring costs.

loss[d, j] is the cost of deciding d where j is true, and 0 where d = j. Plans and decisions maximise the value
S − loss, with S the largest loss, so no value is negative: deciding d is worth Σ_j (S − loss[d, j]) · P(j), referring
is worth S − its cost. If all wrong decisions cost the same, that is stakes · P(right).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from odm_tui.errors import BadArgument

_TIE = 1e-12
"""Values that differ by a smaller share are equal: they sum the same terms in another order."""

NEARLY = 1e-9
"""Referring must save a larger share than this: at a tie the interview decides."""

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Stakes:
    """The loss of every pair of decided and true outcome, and the cost of referring; None if nobody can take over.

    ``missed`` is what an ordinary wrong decision costs by true outcome, (m,). The decisions in ``rows``, (r,), have
    losses of their own, (r, m). Most banks have few of these, so that m outcomes need no m × m products.

    >>> stakes = Stakes.equal(10, 3)
    >>> float(stakes.worths(np.array([0.2, 0.5, 0.3])))
    5.0
    """

    missed: Floats
    rows: Ints
    losses: Floats
    refer: float | None = None

    def __post_init__(self) -> None:
        m = len(self.missed)
        if self.losses.shape != (len(self.rows), m) or not np.isin(self.rows, np.arange(m)).all():
            raise BadArgument("The stakes of single decisions must be one row of losses for each of them.")
        numbers = np.concatenate([self.missed, self.losses.ravel(), [self.refer or 0.0]])
        if not (np.isfinite(numbers).all() and (numbers >= 0).all()):
            raise BadArgument("The stakes must be finite numbers, 0 or more.")
        if self.losses[np.arange(len(self.rows)), self.rows].any():
            raise BadArgument("The stakes of a right decision must be 0.")

    @classmethod
    def equal(cls, number: float, outcomes: int, refer: float | None = None) -> Self:
        """Every wrong decision costs the same."""
        none = np.empty(0, dtype=np.intp)
        return cls(np.full(outcomes, float(number)), none, np.empty((0, outcomes)), refer)

    @classmethod
    def by_pair(cls, losses: npt.ArrayLike, refer: float | None = None) -> Self:
        """The loss of deciding d where j is true is ``losses[d][j]``.

        >>> Stakes.by_pair([[0, 50], [3, 0]]).decide(np.array([0.8, 0.2]))
        1
        """
        table = np.asarray(losses, dtype=np.float64)
        if table.ndim != 2 or table.shape[0] != table.shape[1]:
            raise BadArgument(f"The stakes by pair have the shape {table.shape}; it must be square.")
        return cls(np.zeros(len(table)), np.arange(len(table)), table, refer)

    def with_refer(self, refer: float | None) -> Self:
        """The same losses with this cost of referring."""
        return replace(self, refer=refer)

    def scale(self, factor: float) -> Self:
        """All losses times a factor. Referring costs the same as before."""
        return replace(self, missed=self.missed * factor, losses=self.losses * factor)

    @cached_property
    def is_equal(self) -> bool:
        """Whether every wrong decision costs the same."""
        return not len(self.rows) and not np.ptp(self.missed).any()

    @cached_property
    def most(self) -> float:
        """S: the largest loss."""
        ordinary = self.missed[:0] if self._ordinary is None else self.missed
        return float(np.concatenate([ordinary, self.losses.ravel()]).max())

    @cached_property
    def _ordinary(self) -> Ints | None:
        """The decisions without losses of their own; None if there are none."""
        left = np.delete(np.arange(len(self.missed)), self.rows)
        return left if len(left) else None

    @property
    def terms(self) -> int:
        """How many products the value of one state takes: m for all ordinary decisions, m for each with its own losses.

        >>> Stakes.equal(10, 3).terms, Stakes.by_pair([[0, 9, 9], [1, 0, 1], [1, 1, 0]]).terms
        (3, 12)
        """
        return len(self.missed) * (1 + len(self.rows))

    @property
    def table(self) -> Floats:
        """loss[d, j], (m, m)."""
        whole = np.repeat(self.missed[None], len(self.missed), axis=0)
        np.fill_diagonal(whole, 0.0)
        whole[self.rows] = self.losses
        return whole

    def worths(self, weights: Floats) -> Floats:
        """The value of the best decision, or of referring, given weights of the outcomes along the last axis.

        The weights need not sum to 1: with joint probabilities the value is joint too.
        """
        if self.is_equal:
            best = np.asarray(self.most * weights.max(axis=-1))
        else:
            best = np.full(weights.shape[:-1], -np.inf)
            if self._ordinary is not None:
                right = (self.missed * weights)[..., self._ordinary].max(axis=-1)
                best = weights @ (self.most - self.missed) + right
            if len(self.rows):
                best = np.maximum(best, (weights @ (self.most - self.losses).T).max(axis=-1))
        if self.refer is not None:
            best = np.maximum(best, (self.most - self.refer) * weights.sum(axis=-1))
        return np.asarray(best)

    def values(self, weights: Floats) -> Floats:
        """The value of each decision, along the last axis."""
        if self.is_equal:
            return np.asarray(self.most * weights)
        values = (weights @ (self.most - self.missed))[..., None] + self.missed * weights
        if len(self.rows):
            values[..., self.rows] = weights @ (self.most - self.losses).T
        return np.asarray(values)

    def decide(self, belief: Floats) -> int:
        """The decision with the least expected loss; of equal ones the likeliest."""
        if self.is_equal:
            return int(belief.argmax())
        values = self.values(belief)
        best = values >= values.max() - _TIE * self.most
        return int(np.where(best, belief, -1.0).argmax())

    def expected_loss(self, belief: Floats, decision: int) -> float:
        """What this decision costs on average under a belief."""
        return self.most * float(belief.sum()) - float(self.values(belief)[decision])

    def should_refer(self, belief: Floats) -> bool:
        """Whether referring costs less than the best decision."""
        if self.refer is None:
            return False
        loss = self.expected_loss(belief, self.decide(belief))
        return self.refer * float(belief.sum()) < loss * (1.0 - NEARLY)
