"""A posterior that learns from replayed interviews as live interviews do, half-life included."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Bools, Floats, Problem


@dataclass(frozen=True, eq=False)
class DatedPosterior:
    """A posterior, and the newest generation that it has learned from.

    In a bank with a half-life an interview of generation g counts 2^(g - newest). Without one, all interviews are of
    generation 0 and count 1.
    """

    posterior: Posterior
    newest: int = 0

    @classmethod
    def of(cls, problem: Problem) -> Self:
        """Return what the bank expects, before any interview."""
        return cls(Posterior.of(problem))

    def updated(
        self, answers: npt.NDArray[np.int16], unknown: Bools, outcome: int, generation: int = 0
    ) -> Self:
        """Return the posterior after one more confirmed interview.

        ``answers`` is one answer index per question, -1 for none; ``unknown`` marks the questions answered with
        "don't know".
        """
        dated = self._aged(generation)
        weight = math.ldexp(1.0, generation - dated.newest)
        counts = dated.posterior.counts.copy()
        asked = np.flatnonzero(answers >= 0)
        counts[asked, outcome, answers[asked]] += weight
        outcomes = dated.posterior.outcome_counts.copy()
        outcomes[outcome] += weight
        return dated._with_counts(counts, outcomes, 1, _add_unknown(dated.posterior.unknown, unknown, weight))

    def merged(self, other: DatedPosterior) -> Self:
        """Return what both have learned, counted in the newer generation of the two."""
        ours, theirs = self._aged(other.newest), other._aged(self.newest)
        return type(self)(ours.posterior.merged(theirs.posterior), ours.newest)

    def _aged(self, generation: int) -> Self:
        """Return the same interviews, with what they count once this generation is the newest."""
        if generation <= self.newest:
            return self
        share = math.ldexp(1.0, self.newest - generation)
        known = self.posterior
        unknown = None if known.unknown is None else known.unknown * share
        aged = type(self)(known, generation)
        return aged._with_counts(known.counts * share, known.outcome_counts * share, 0, unknown)

    def _with_counts(self, counts: Floats, outcomes: Floats, more: int, unknown: Floats | None) -> Self:
        known = self.posterior
        posterior = Posterior.of(known.problem, counts, outcomes, known.interviews + more, unknown)
        return type(self)(posterior, self.newest)


def _add_unknown(known: Floats | None, unknown: Bools, weight: float) -> Floats | None:
    if not unknown.any():
        return known
    return (np.zeros(len(unknown)) if known is None else known) + weight * unknown
