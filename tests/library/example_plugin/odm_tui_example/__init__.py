"""An oracle, an exploration and a stop rule, written with the public names of odm_tui only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from odm_tui import (
    Exploration,
    Model,
    Oracle,
    Posterior,
    Progress,
    Scores,
    ScoringOracle,
    Situation,
    StopRule,
)


class Cheapest(ScoringOracle):
    """Ask the cheapest question."""

    name: ClassVar[str] = "cheapest"
    default_stop: ClassVar[str] = "value"

    def scores(self, situation: Situation) -> Scores:
        """Rate every question with the same gain, so that only the cost matters."""
        costs = situation.model.mean_cost @ situation.belief
        return Scores(np.ones_like(costs), costs)


@dataclass(frozen=True)
class Half(Exploration):
    """Use probabilities half-way between the mean and a sample."""

    name: ClassVar[str] = "half"

    def model(self, posterior: Posterior, rng: np.random.Generator) -> Model:
        """The mean of the posterior mean and one Thompson sample."""
        return Model.of(posterior, (posterior.mean() + posterior.sample(rng)) / 2)


@dataclass(frozen=True)
class Lead(StopRule):
    """Stop when the likeliest outcome leads by this much."""

    by: float = 0.5
    name: ClassVar[str] = "lead"
    takes_number: ClassVar[bool] = True

    def reason(self, progress: Progress) -> str | None:
        """The reason to stop, once the lead is large enough."""
        first, second = np.sort(np.append(progress.belief, 0.0))[::-1][:2]
        return f"the likeliest outcome leads by {first - second:.2f}" if first - second >= self.by else None

    def spec(self) -> dict[str, Any]:
        """The rule as a bank writes it."""
        return {self.name: self.by}


class Unavailable(Oracle):
    """Wrong on purpose: always ask the first question."""

    name: ClassVar[str] = "unavailable"

    def _choose(self, situation: Situation) -> int:
        return 0


class Forgetful(Oracle):
    """Wrong on purpose: store something between questions."""

    name: ClassVar[str] = "forgetful"

    def __init__(self) -> None:
        self.asked = 0

    def _choose(self, situation: Situation) -> int:
        self.asked += 1
        open_ = np.flatnonzero(situation.available)
        return int(open_[self.asked % len(open_)])


class Meddling(Oracle):
    """Wrong on purpose: change the situation."""

    name: ClassVar[str] = "meddling"

    def _choose(self, situation: Situation) -> int:
        best = int(situation.available.argmax())
        situation.model.theta[best] = 0.5
        return best


class Infinite(ScoringOracle):
    """Wrong on purpose: rate questions with infinity."""

    name: ClassVar[str] = "infinite"

    def scores(self, situation: Situation) -> Scores:
        """Rate every question with infinity."""
        n = len(situation.available)
        return Scores(np.full(n, np.inf), np.ones(n))


class Drifting(Exploration):
    """Wrong on purpose: ignore the random generator that is handed in."""

    name: ClassVar[str] = "drifting"
    _own = np.random.default_rng(0)

    def model(self, posterior: Posterior, rng: np.random.Generator) -> Model:
        """A sample from another generator."""
        return Model.of(posterior, posterior.sample(self._own))


@dataclass(frozen=True)
class Wordless(StopRule):
    """Wrong on purpose: give an empty reason, and allow what is not available."""

    name: ClassVar[str] = "wordless"

    def reason(self, progress: Progress) -> str | None:
        """No reason at all."""
        return ""

    def spec(self) -> str:
        """The rule as a bank writes it."""
        return self.name
