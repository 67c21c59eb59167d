"""BayesUCB as in the authors' program: bounds in some terms, the Thompson sample in the others.

U is the quantile at 1 - 1/t and L the one at 1/t. At t = 1 they are swapped; so they are in the program.
"""

from __future__ import annotations

import numpy as np

from odm_tui.engine.model import Model
from odm_tui.engine.problem import Floats
from odm_tui.evaluation.experiment.fast_interview import FastInterview, HypothesisTable

NUDGE = 1e-6
"""What the program adds to a question's bounds if one of them is exactly 0 (or subtracts if one is 1)."""
SMALLER_NUDGE = 1e-10


class HybridFastInterview(FastInterview):
    """An interview whose P(y | x_P) and P(x_i) come from the bounds; P(h | y), Cost and lists from the sample."""

    def __init__(self, model: Model, listed: HypothesisTable, alpha: Floats, t: int) -> None:
        from scipy.special import betaincinv

        yes, no = alpha[..., 1], alpha[..., 0]
        self.upper = np.asarray(betaincinv(yes, no, 1.0 - 1.0 / t), dtype=np.float64)
        self.lower = np.asarray(betaincinv(yes, no, 1.0 / t), dtype=np.float64)
        # For each answer (no, yes), (n, m, 2): the numerator and denominator of P(y | x_P), and the divisor
        # of P(h | y).
        self._above = np.stack([1.0 - _below_one(self.lower), _above_zero(self.upper)], axis=-1)
        self._below = np.stack([1.0 - _below_one(self.upper), _above_zero(self.lower)], axis=-1)
        self._divisor = np.stack(
            [_above_zero(1.0 - self.upper, SMALLER_NUDGE), _above_zero(self.lower, SMALLER_NUDGE)], axis=-1
        )
        m = len(model.prior)
        self._high, self._low, self._divided = np.ones(m), np.ones(m), np.ones(m)
        super().__init__(model, listed)

    def use_hypotheses(self, listed: HypothesisTable) -> None:
        self._likelihoods = np.exp(listed.log_likelihoods(self.model))
        super().use_hypotheses(listed)

    def weigh(self, listed: HypothesisTable) -> Floats:
        return np.asarray(self._likelihoods @ (self.belief / self._divided))

    def add_answer(self, question: int, answer: int) -> None:
        super().add_answer(question, answer)
        self._high = self._high * self._above[question, :, answer]
        self._low = self._low * self._below[question, :, answer]
        self._divided = self._divided * self._divisor[question, :, answer]
        prior = self.model.prior
        self.belief = self._high * prior / (prior * self._low).sum()
        self.weights = self.listed.by_region * (self.weigh(self.listed) * self.alive)

    def ec2_gains(self) -> Floats:
        cut = self.edges_cut().reshape(-1, 2)
        return np.asarray(
            (self.upper @ self.belief) * cut[:, 1] + ((1.0 - self.lower) @ self.belief) * cut[:, 0]
        )

    def information_gains(self) -> Floats:
        """Return the gains, with the entropy before the question from the reversed bounds."""
        prior = self.model.prior
        reversed_belief = prior if not self.asked else self._low * prior / (prior * self._high).sum()
        before = _entropy(reversed_belief)
        gains = np.zeros(len(self.available))
        for answer, chances in ((1, self.upper), (0, 1.0 - self.lower)):
            above = self._high * self._above[:, :, answer] * prior
            below = (prior * self._low * self._below[:, :, answer]).sum(axis=1)
            after = _entropy(above / below[:, None])
            gains += (chances @ reversed_belief) * (before - after)
        # If a bound is 0, the program's entropy is NaN, and the question is never the best.
        return np.where(np.isnan(gains), -np.inf, gains)


def _above_zero(bounds: Floats, nudge: float = NUDGE) -> Floats:
    """Move all bounds of a question up if one of them is 0."""
    return np.asarray(bounds + nudge * (bounds == 0).any(axis=1, keepdims=True))


def _below_one(bounds: Floats) -> Floats:
    """Move all bounds of a question down if one of them is 1."""
    return np.asarray(bounds - NUDGE * (bounds == 1).any(axis=1, keepdims=True))


def _entropy(p: Floats) -> Floats:
    """Return -Σ p log2 p along the last axis; NaN if a p is 0, as in the program."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(-(p * np.log2(p)).sum(axis=-1))
