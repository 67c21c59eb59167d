"""Explorations: how the counts become the parameters that the oracle sees in one interview."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from odm_tui.engine.model import Model
from odm_tui.engine.plugin_registry import Registry
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Floats
from odm_tui.engine.ucb.bounds import Bounds
from odm_tui.errors import BadArgument

STEADY = 3.0
"""How often :class:`SteadySampling` counts an observed answer."""


WIDE = 0.25
"""In which share of interviews :class:`SteadySampling` draws like :class:`ThompsonSampling`."""


def draw_sureness(rng: np.random.Generator) -> float:
    """How often :class:`SteadySampling` counts an observed answer in one interview."""
    return 1.0 if rng.random() < WIDE else STEADY


class Exploration(ABC):
    """Make the model for an interview, once, at its start.

    Subclasses set ``name`` and implement :meth:`model`. They have no state: the same posterior and the same random
    generator always give the same model.
    """

    name: ClassVar[str]
    explores: ClassVar[bool] = True
    """Whether it deviates from the best estimate in order to learn."""
    epsilon: float = 0.0
    """How often a random question is asked instead of the oracle's."""
    needs_plans: ClassVar[bool] = False
    """Whether it goes only with an oracle that plans."""

    @abstractmethod
    def model(self, posterior: Posterior, rng: np.random.Generator) -> Model:
        """The parameters for one interview. Make all random draws with ``rng``."""

    def fallback(self, posterior: Posterior, model: Model) -> Model | None:
        """The parameters by which the oracle goes on where it would stop under ``model``; None if it stops there."""
        return None

    def redraw(self, posterior: Posterior, model: Model, rng: np.random.Generator) -> Model | None:
        """Other parameters to try where nothing would be asked under ``model``; None if it stays so."""
        return None


REDRAWS = 4
"""How often theta is drawn again, at most, for an interview that would ask nothing."""


def redraw_chance(interviews: float, questions: int) -> float:
    """(1 + t / n)^-1/2: how likely an interview that would ask nothing draws theta again.

    The sum over all interviews has no limit, so no policy stays silent for ever; the share falls to 0, so silence
    that is right costs less and less.

    >>> redraw_chance(0, 10), redraw_chance(30, 10)
    (1.0, 0.5)
    """
    return float((1.0 + interviews / questions) ** -0.5)


def redraw_theta(posterior: Posterior, model: Model, rng: np.random.Generator) -> Model:
    """A model like this one with a new theta, from the whole posterior: where priors are pooled, their weights too.

    A draw with the estimated weights is too narrow: a question that seemed to tell nothing has a large weight, and
    never gets the answers that would correct it.
    """
    return Model.of(posterior, posterior.draw(rng, 1)[0], learning=model.learning)


@dataclass(frozen=True)
class ThompsonSampling(Exploration):
    """Sample the probabilities (Thompson sampling).

    theta is drawn from the posterior once per interview: the paper's Algorithm 1.
    """

    name: ClassVar[str] = "ts"

    def model(self, posterior: Posterior, rng: np.random.Generator) -> Model:
        return Model.of(posterior, posterior.sample(rng))

    def redraw(self, posterior: Posterior, model: Model, rng: np.random.Generator) -> Model:
        return redraw_theta(posterior, model, rng)


@dataclass(frozen=True)
class SteadySampling(Exploration):
    """Sample the probabilities closer to the mean, once they were observed.

    theta is drawn as if every observed answer had been given three times: Thompson sampling that explores less. What
    the bank expects, or the prior where it expects nothing, counts once. One interview in four draws as Thompson
    sampling does, so that a quarter of the interviews explore as much as there, whatever was learned or pooled.
    """

    name: ClassVar[str] = "sts"

    def model(self, posterior: Posterior, rng: np.random.Generator) -> Model:
        return Model.of(posterior, posterior.sample(rng, sure=draw_sureness(rng)))

    def redraw(self, posterior: Posterior, model: Model, rng: np.random.Generator) -> Model:
        return redraw_theta(posterior, model, rng)


SUREST = 3.0
"""How many times as sure as the posterior a draw of :class:`LearningValue` is at most."""
SURER_AFTER = 25.0
"""After so many interviews per outcome it is twice as sure."""


@dataclass(frozen=True)
class LearningValue(Exploration):
    """Ask for what later interviews gain from the answer, too.

    The plan counts what an answer teaches against the question's cost
    (:mod:`odm_tui.engine.lookahead.learning_value`). It is made with a draw of theta, from a posterior that is surer
    the more interviews there are. Where that plan would stop, a plan with the mean goes on if it gains by it.
    """

    name: ClassVar[str] = "learn"
    needs_plans: ClassVar[bool] = True

    def model(self, posterior: Posterior, rng: np.random.Generator) -> Model:
        from odm_tui.engine.lookahead.learning_value import learning_bonus

        sure = sureness(float(posterior.seen_outcomes.sum()), len(posterior.problem.decisions))
        theta = posterior.sample_surer(rng, sure)
        return Model.of(posterior, theta, learning=learning_bonus(posterior))

    def fallback(self, posterior: Posterior, model: Model) -> Model:
        return Model.of(posterior, posterior.mean(), learning=model.learning)

    def redraw(self, posterior: Posterior, model: Model, rng: np.random.Generator) -> Model:
        return redraw_theta(posterior, model, rng)


def sureness(interviews: float, outcomes: int) -> float:
    """c = min(3, 1 + t / (25 m)): how many times as sure as the posterior the draw is.

    >>> sureness(0, 4), sureness(100, 4), sureness(1000, 4)
    (1.0, 2.0, 3.0)
    """
    return min(SUREST, 1.0 + interviews / (SURER_AFTER * outcomes))


@dataclass(frozen=True)
class BayesUCB(Exploration):
    """Bound the probabilities by quantiles (BayesUCB).

    The model has the quantiles at 1/t and 1 - 1/t as bounds, and a theta that is drawn from the posterior within
    them. The t-th interview uses t + 2 in place of the paper's t: at t = 1 the paper's levels are crossed, and those of
    t + 1 are both 1/2, so nothing could be explored. :mod:`odm_tui.engine.ucb.optimistic_gains` says which bound is
    used where.

    theta is a draw, because two outcomes about which the same is known have the same mean and the same bounds. Every
    list of hypotheses that is made from these alone is one region, in which nothing is ever asked.
    """

    name: ClassVar[str] = "bucb"

    def model(self, posterior: Posterior, rng: np.random.Generator) -> Model:
        level = 1.0 - 1.0 / (posterior.experience + 3)
        low, high = posterior.bounds(level)
        mean = posterior.mean()
        # The mean of a skewed Beta can lie outside its quantiles; only bounds that hold it allow a sum of 1.
        low, high = np.minimum(low, mean), np.maximum(high, mean)
        theta = posterior.sample_within(low, high, level, rng)
        return Model.of(posterior, theta, Bounds(posterior.problem, low, high))

    def redraw(self, posterior: Posterior, model: Model, rng: np.random.Generator) -> Model:
        redrawn, bounds = redraw_theta(posterior, model, rng), model.bounds
        if bounds is None:
            return redrawn
        low, high = np.minimum(bounds.low, redrawn.theta), np.maximum(bounds.high, redrawn.theta)
        return replace(redrawn, bounds=Bounds(posterior.problem, low, high))


@dataclass(frozen=True)
class Greedy(Exploration):
    """Use the mean probabilities."""

    name: ClassVar[str] = "mean"
    explores: ClassVar[bool] = False

    def model(self, posterior: Posterior, rng: np.random.Generator) -> Model:
        return Model.of(posterior, posterior.mean())


@dataclass(frozen=True)
class GreedyMode(Exploration):
    """Use the most probable probabilities (MAP).

    The posterior mode: the paper's greedy method.
    """

    name: ClassVar[str] = "map"
    explores: ClassVar[bool] = False

    def model(self, posterior: Posterior, rng: np.random.Generator) -> Model:
        return Model.of(posterior, posterior.mode())


@dataclass(frozen=True)
class EpsilonGreedy(Greedy):
    """Use the mean probabilities, and ask a random question now and then.

    That happens with probability ``epsilon`` at each step, also where the mean would stop asking, but never beyond a
    limit such as a budget.
    """

    epsilon: float = 0.1
    name: ClassVar[str] = "eps"
    explores: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 0 <= self.epsilon <= 1:
            raise BadArgument(f"The epsilon is a probability from 0 to 1, not {self.epsilon}.")


@dataclass(frozen=True, eq=False)
class KnownTheta(Exploration):
    """Use a given theta: the truth, against which regret is measured."""

    theta: Floats
    prior: Floats | None = None
    name: ClassVar[str] = "known"
    explores: ClassVar[bool] = False

    def model(self, posterior: Posterior, rng: np.random.Generator) -> Model:
        known = posterior
        if posterior.whole is not None and self.theta.shape != posterior.problem.shape:
            known = posterior.whole
        prior = known.outcome_prior() if self.prior is None else self.prior
        return Model(known.problem, prior, self.theta)


_BUILT_IN: tuple[Exploration, ...] = (
    ThompsonSampling(),
    SteadySampling(),
    LearningValue(),
    BayesUCB(),
    Greedy(),
    GreedyMode(),
    EpsilonGreedy(),
)

EXPLORATIONS: Registry[Exploration] = Registry(
    "exploration", "odm_tui.explorations", Exploration, ((each.name, each) for each in _BUILT_IN)
)
"""Every exploration that a policy can name, those of other packages included."""
