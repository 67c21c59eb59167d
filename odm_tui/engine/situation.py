"""Situations: an interview as its oracle sees it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from odm_tui.engine.belief import log_sum, normalise
from odm_tui.engine.hypotheses import Contested, Hypotheses, list_hypotheses, log_joint, log_weights
from odm_tui.engine.model import Model
from odm_tui.engine.problem import Bools, Floats

FAINT = 0.02
"""The share of the weight below which a region does not count as left, where hypotheses lose weight."""


@dataclass(frozen=True, eq=False)
class Listing:
    """A list of hypotheses, and their weights under a model.

    The list may come from another theta than the weights; with regions known beforehand it does.
    """

    hypotheses: Hypotheses
    model: Model
    fading: Floats | None = None
    """The share of its weight that a hypothesis keeps when the answer to a question differs from its own, (n,).

    None if answers are taken to be right: then such a hypothesis is removed.
    """

    @cached_property
    def log_weights(self) -> Floats:
        """log P(h), (m, k)."""
        return log_weights(self.hypotheses, self.model.log_prior, self.model.log_theta)

    @cached_property
    def log_joint(self) -> Floats:
        """log P(h, y = j), (m, k, m); only BayesUCB needs it."""
        return log_joint(self.hypotheses, self.model.log_prior, self.model.log_theta)


@dataclass(frozen=True, eq=False)
class ListingRule:
    """How to list hypotheses: how many per outcome, how much to leave out, where contested ones belong."""

    limit: int
    eta: float
    contested: Contested
    fading: Floats | None = None

    def listing(self, model: Model, given: npt.NDArray[np.integer] | None = None) -> Listing:
        """List the hypotheses under a model, given some answers."""
        made = list_hypotheses(
            model.log_prior,
            model.log_theta,
            self.limit,
            eta=self.eta,
            given=given,
            contested=self.contested,
            outcome_of=model.problem.outcome_of,
        )
        return Listing(made, model, self.fading)


@dataclass(frozen=True, eq=False)
class Draws:
    """The random draws of one interview, all made at its start, so that undo and resume repeat them.

    ``order`` is a random order of the questions, ``coins`` one uniform number per step, ``chosen`` the set
    drawn from a DPP, or None.
    """

    order: npt.NDArray[np.intp]
    coins: Floats
    chosen: Bools | None = None


@dataclass(frozen=True, eq=False)
class Situation:
    """The answers so far, and what follows from them under the oracle's model. It never changes.

    Where outcomes have variants, the model's outcomes are sub-outcomes, and so are those of all arrays here but
    ``outcome_belief``.
    """

    model: Model
    draws: Draws
    answers: npt.NDArray[np.int16]
    available: Bools
    log_joint: Floats
    asked: int = 0
    listing: Listing | None = None
    alive: Bools | None = None
    faded: Floats | float = 0.0

    @classmethod
    def at_start(cls, model: Model, draws: Draws, available: Bools, listing: Listing | None) -> Self:
        """The situation before the first answer."""
        answers = np.full(len(available), -1, dtype=np.int16)
        alive = None if listing is None else listing.hypotheses.listed
        return cls(model, draws, answers, available, model.log_prior, 0, listing, alive)

    def after(self, question: int, answer: int | None, available: Bools, rule: ListingRule) -> Situation:
        """The situation after one more question; ``answer`` is None if it was not answered.

        When no hypothesis agrees with the answers any more, hypotheses are listed again, conditional on them.
        """
        if answer is None:
            return replace(self, available=available, asked=self.asked + 1)
        answers = self.answers.copy()
        answers[question] = answer
        moved = replace(
            self,
            answers=answers,
            available=available,
            log_joint=self.log_joint + self.model.log_theta[question, :, answer],
            asked=self.asked + 1,
        )
        if self.listing is None or self.alive is None:
            return moved
        agrees = self.listing.hypotheses.answers[:, :, question] == answer
        fading = 0.0 if self.listing.fading is None else float(self.listing.fading[question])
        if fading > 0:
            return replace(moved, faded=self.faded + np.where(agrees, 0.0, np.log(fading)))
        alive = self.alive & agrees
        if alive.any():
            return replace(moved, alive=alive)
        listing = rule.listing(self.model, answers)
        return replace(moved, listing=listing, alive=listing.hypotheses.listed, faded=0.0)

    @cached_property
    def belief(self) -> Floats:
        """P(y | x_P) under the oracle's model, (m,)."""
        return normalise(self.log_joint)

    @cached_property
    def outcome_belief(self) -> Floats:
        """The belief summed over the variants of each outcome, (m,); the belief itself if there are none."""
        return self.model.problem.by_outcome(self.belief)

    @cached_property
    def chances(self) -> Floats:
        """P(x_i = q | x_P) under the oracle's model, (n, K)."""
        return self.model.answer_chances(self.belief)

    @cached_property
    def weights(self) -> Floats:
        """P(h | x_P) for the consistent hypotheses and 0 for the others, (m, k).

        If hypotheses lose weight instead of being removed, the heaviest weight is 1.
        """
        listing, alive = self.listed_hypotheses
        return self._weighed(np.where(alive, listing.log_weights + self.faded, -np.inf))

    @cached_property
    def joint(self) -> Floats:
        """P(h, y = j | x_P), (m, k, m), on the same scale; only BayesUCB needs it."""
        listing, alive = self.listed_hypotheses
        faded = np.asarray(self.faded)[..., None]
        return self._weighed(np.where(alive[..., None], listing.log_joint + faded, -np.inf))

    def _weighed(self, log_p: Floats) -> Floats:
        fades = self.listing is not None and self.listing.fading is not None
        return np.asarray(np.exp(log_p - (log_p.max() if fades else log_sum(self.log_joint))))

    @property
    def listed_hypotheses(self) -> tuple[Listing, Bools]:
        """The listed hypotheses, and which of them are consistent with the answers."""
        if self.listing is None or self.alive is None:
            raise ValueError(
                "The situation has no hypotheses. Set needs_hypotheses on the oracle or the stop rule."
            )
        return self.listing, self.alive

    @property
    def regions(self) -> int | None:
        """How many regions are left, or None if no hypotheses are listed.

        If hypotheses lose weight instead of being removed, regions with less than 2 % of the weight do not count.
        """
        if self.listing is None or self.alive is None:
            return None
        if self.listing.fading is None:
            return self.listing.hypotheses.regions_among(self.alive)
        by_region = self.listing.hypotheses.by_region(self.weights)
        return int((by_region >= FAINT * by_region.sum()).sum())
