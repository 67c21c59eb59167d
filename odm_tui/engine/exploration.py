"""Exploration: how learned counts become the parameters that the oracle sees in one interview."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from odm_tui.engine.model import Model
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Floats
from odm_tui.engine.ucb.bounds import Bounds
from odm_tui.errors import BadArgument


class Exploration(ABC):
    """Makes the model for one interview; asked once, at its start."""

    name: ClassVar[str]
    epsilon: float = 0.0
    """How often a question is taken at random instead of the oracle's."""

    @abstractmethod
    def model(self, posterior: Posterior, rng: np.random.Generator) -> Model:
        """The parameters for one interview."""


@dataclass(frozen=True)
class ThompsonSampling(Exploration):
    """theta is drawn from the posterior once an interview: the paper's Algorithm 1."""

    name: ClassVar[str] = "ts"

    def model(self, posterior: Posterior, rng: np.random.Generator) -> Model:
        return Model.of(posterior, posterior.sample(rng))


@dataclass(frozen=True)
class SteadySampling(Exploration):
    """Thompson Sampling from a posterior that is three times as sure: it explores, but wavers less.

    For banks that know something from the first day: there the full spread of the posterior costs more
    right decisions than it teaches.
    """

    name: ClassVar[str] = "sts"

    def model(self, posterior: Posterior, rng: np.random.Generator) -> Model:
        return Model.of(posterior, posterior.sample(rng, sure=3.0))


@dataclass(frozen=True)
class BayesUCB(Exploration):
    """The mean of theta, with the quantiles at 1/t and 1 - 1/t around it.

    The t-th interview uses t + 1 in place of the paper's t, because at t = 1 the paper's levels are 1 and
    0, crossed. Which bound enters where is told in :mod:`odm_tui.engine.ucb.gains`.
    """

    name: ClassVar[str] = "bucb"

    def model(self, posterior: Posterior, rng: np.random.Generator) -> Model:
        low, high = posterior.bounds(1.0 - 1.0 / (posterior.interviews + 2))
        mean = posterior.mean()
        # A skewed Beta has its mean outside the quartiles; the bounds must hold the mean.
        low, high = np.minimum(low, mean), np.maximum(high, mean)
        return Model.of(posterior, mean, Bounds(posterior.problem, low, high))


@dataclass(frozen=True)
class Greedy(Exploration):
    """The posterior mean; no exploration."""

    name: ClassVar[str] = "mean"

    def model(self, posterior: Posterior, rng: np.random.Generator) -> Model:
        return Model.of(posterior, posterior.mean())


@dataclass(frozen=True)
class GreedyMode(Exploration):
    """The posterior mode, the paper's greedy method with the MAP estimate; no exploration."""

    name: ClassVar[str] = "map"

    def model(self, posterior: Posterior, rng: np.random.Generator) -> Model:
        return Model.of(posterior, posterior.mode())


@dataclass(frozen=True)
class EpsilonGreedy(Greedy):
    """The posterior mean, and with probability epsilon a question at random."""

    epsilon: float = 0.1
    name: ClassVar[str] = "eps"

    def __post_init__(self) -> None:
        if not 0 <= self.epsilon <= 1:
            raise BadArgument(f"epsilon is a probability from 0 to 1, not {self.epsilon}")


@dataclass(frozen=True, eq=False)
class KnownTheta(Exploration):
    """A theta that is given: the truth, against which regret is measured."""

    theta: Floats
    prior: Floats | None = None
    name: ClassVar[str] = "known"

    def model(self, posterior: Posterior, rng: np.random.Generator) -> Model:
        prior = posterior.outcome_prior() if self.prior is None else self.prior
        return Model(posterior.problem, prior, self.theta)


EXPLORATIONS: Mapping[str, Callable[[], Exploration]] = {
    kind.name: kind
    for kind in (ThompsonSampling, SteadySampling, BayesUCB, Greedy, GreedyMode, EpsilonGreedy)
}
"""Every exploration that a policy can name."""
