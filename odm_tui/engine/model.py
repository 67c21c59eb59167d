"""Models: theta as an oracle sees it (sampled, estimated or bounded), and what follows from it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np

from odm_tui.engine.belief import entropy, safe_log
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Floats, Problem
from odm_tui.engine.ucb.bounds import Bounds
from odm_tui.errors import BadArgument


@dataclass(frozen=True, eq=False)
class Model:
    """The parameters of one interview: P(y), theta, and for BayesUCB the bounds around theta.

    What depends on theta alone is computed once, when it is first needed. So each question takes only a few
    products of a matrix and the belief.
    """

    problem: Problem
    prior: Floats
    theta: Floats
    bounds: Bounds | None = None
    learning: Floats | None = None
    """What an answer under each outcome teaches is worth to later interviews, (n, m); None if plans ignore it."""
    answerable: Floats | None = None
    """How likely each question is to be answered, (n,); None if all are alike."""
    memo: dict[Hashable, Any] = field(default_factory=dict, repr=False)
    """Results that an oracle may need again in this interview, for example after undo."""

    def __post_init__(self) -> None:
        if self.prior.shape != (self.problem.shape[1],):
            raise BadArgument(
                f"The array P(y) has the shape {self.prior.shape}; it must be {(self.problem.shape[1],)}."
            )
        if self.theta.shape != self.problem.shape:
            raise BadArgument(
                f"The array theta has the shape {self.theta.shape}; it must be {self.problem.shape}."
            )
        if not ((self.theta >= 0) & (self.theta <= 1)).all():
            raise BadArgument("The array theta must hold probabilities from 0 to 1.")
        if (abs(self.theta.sum(axis=-1) - 1) > 1e-6).any():
            raise BadArgument("The array theta must sum to 1 over the answers of each question and outcome.")

    @classmethod
    def of(
        cls,
        posterior: Posterior,
        theta: Floats,
        bounds: Bounds | None = None,
        learning: Floats | None = None,
    ) -> Self:
        """Make the model with this theta, and everything else from the posterior."""
        answerable = None if posterior.unknown is None else posterior.answerable()
        return cls(posterior.problem, posterior.outcome_prior(), theta, bounds, learning, answerable)

    def scale_by_answerable(self, gains: Floats) -> Floats:
        """Multiply gains by the chance of an answer: a question that nobody can answer has no gain."""
        return gains if self.answerable is None else np.asarray(gains * self.answerable)

    @cached_property
    def log_theta(self) -> Floats:
        """log theta, (n, m, K), with IMPOSSIBLE for 0."""
        return safe_log(self.theta)

    @cached_property
    def log_prior(self) -> Floats:
        """log P(y), (m,), with IMPOSSIBLE for 0."""
        return safe_log(self.prior)

    @cached_property
    def answer_entropy(self) -> Floats:
        """H(x_i | y = j), (n, m)."""
        return entropy(self.theta)

    @cached_property
    def mean_cost(self) -> Floats:
        """mu_ij = Σ_q mu_ij(q) · theta_ij(q), (n, m): the paper's eq:params."""
        return np.asarray((self.problem.cost * self.theta).sum(axis=-1))

    @cached_property
    def plan_cost(self) -> Floats:
        """What asking costs in a plan, (n, m): mu_ij less what the answer teaches."""
        return self.mean_cost if self.learning is None else self.mean_cost - self.learning

    @cached_property
    def by_answer(self) -> Floats:
        """theta as (n · K, m), so that P(x_i = q) for all i and q is one product with the belief."""
        n, m, width = self.theta.shape
        return np.ascontiguousarray(self.theta.transpose(0, 2, 1)).reshape(n * width, m)

    def answer_chances(self, belief: Floats) -> Floats:
        """P(x_i = q | x_P) = Σ_j P(j | x_P) · theta_ij(q) for all questions, (n, K)."""
        n, _, width = self.theta.shape
        return np.asarray((self.by_answer @ belief).reshape(n, width))
