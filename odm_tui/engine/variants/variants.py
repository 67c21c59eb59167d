"""Variants: the hidden sub-outcomes of each outcome, with their weights and the distributions of their answers.

A car is unacceptable because it seats two or because it is unsafe: answers that are independent given the reason are not
independent given the outcome. So each outcome j has one or more variants v with weights P(v | j), and given the variant
answers are independent:

P(x_P | j) = Σ_v P(v | j) · Π_{i in P} theta_iv(x_i)

A pair of outcome and variant is a *sub-outcome*. With one variant each, this is naive Bayes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from odm_tui.engine.problem import Bools, Floats, Ints
from odm_tui.errors import BadArgument


@dataclass(frozen=True, eq=False)
class Variants:
    """The sub-outcomes of all outcomes.

    ``outcome`` is the outcome's index of each sub-outcome, (s,), in order; every outcome has at least one. ``weight`` is
    P(variant | outcome), (s,): it sums to 1 within each outcome. ``counts`` are the Beta and Dirichlet parameters of each
    question and sub-outcome, (n, s, K), 0 for answers that a question does not have.

    >>> made = Variants(np.array([0, 0, 1]), np.array([0.6, 0.4, 1.0]), np.full((1, 3, 2), 2.0))
    >>> made.numbers.tolist()                                      # how many variants each outcome has
    [2, 1]
    """

    outcome: Ints
    weight: Floats
    counts: Floats

    def __post_init__(self) -> None:
        size = len(self.outcome)
        if self.weight.shape != (size,) or self.counts.ndim != 3 or self.counts.shape[1] != size:
            raise BadArgument(
                f"The variants have {size} outcomes, weights of the shape {self.weight.shape} and counts of the shape "
                f"{self.counts.shape}; they must be (s,) and (n, s, K)."
            )
        if not size or self.outcome[0] != 0 or not np.isin(np.diff(self.outcome), (0, 1)).all():
            raise BadArgument("The variants must be in the order of their outcomes, at least one for each.")
        if not (np.isfinite(self.weight).all() and (self.weight >= 0).all()):
            raise BadArgument("The weights of variants must be finite, 0 or more.")
        if (abs(np.add.reduceat(self.weight, self.starts) - 1) > 1e-6).any():
            raise BadArgument("The weights of variants must sum to 1 within each outcome.")
        if not (np.isfinite(self.counts).all() and (self.counts >= 0).all()):
            raise BadArgument("The counts of variants must be finite, 0 or more.")

    @cached_property
    def starts(self) -> Ints:
        """The first sub-outcome of each outcome, (m,)."""
        return np.flatnonzero(np.diff(self.outcome, prepend=-1))

    @cached_property
    def numbers(self) -> Ints:
        """How many variants each outcome has, (m,)."""
        return np.diff(self.starts, append=len(self.outcome))

    def fits(self, valid: Bools, outcomes: int) -> bool:
        """Whether these are variants of a problem with these answers, (n, K), and so many outcomes."""
        if self.counts.shape[::2] != valid.shape or len(self.starts) != outcomes:
            return False
        return bool(((self.counts > 0) == valid[:, None, :]).all())
