"""A posterior that learns from replayed interviews as live interviews do, half-life included."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from odm_tui.engine.posterior import Posterior, scale_answers
from odm_tui.engine.problem import Bools, Floats, Problem
from odm_tui.engine.target import find_move, stakes_factor


@dataclass(frozen=True, eq=False)
class DatedPosterior:
    """What interviews have taught, as it counts at a moment.

    In a bank with a half-life, moments are half-lives since 1970, and an interview that was confirmed at d counts
    2^(d - moment), at most 1. Without one, all moments are 0 and all interviews count 1.
    """

    base: Posterior
    """What interviews before the moment have taught, weighted."""
    moment: float = 0.0
    later: Mapping[float, Posterior] = field(default_factory=dict)
    """What interviews that are dated later have taught, by their date; each counts 1 until then."""

    @classmethod
    def of(cls, problem: Problem) -> Self:
        """Return what the bank expects, before any interview."""
        return cls(Posterior.of(problem))

    @property
    def posterior(self) -> Posterior:
        """What was learned, as it counts at the moment."""
        known = self.base
        for part in self.later.values():
            known = _sum(known, part, 1.0)
        return known

    def updated(
        self, answers: npt.NDArray[np.int16], unknown: Bools, outcome: int, confirmed: float = 0.0
    ) -> Self:
        """Return the posterior after one more interview, confirmed at this moment.

        ``answers`` is one answer index per question, -1 for none; ``unknown`` marks the questions answered with
        "don't know".
        """
        problem, products = self.base.problem, None
        if self.base.products is not None:
            row = scale_answers(problem, answers)
            products = np.outer(row, row)
        counts, outcomes = np.zeros(problem.shape), np.zeros(len(problem.outcomes))
        asked = np.flatnonzero(answers >= 0)
        counts[asked, outcome, answers[asked]] = 1.0
        outcomes[outcome] = 1.0
        taught = Posterior.of(
            problem,
            counts,
            outcomes,
            1,
            unknown.astype(float) if unknown.any() else None,
            products,
            moved=self._find_move(answers, unknown, outcome),
        )
        if confirmed <= self.moment:
            return replace(self, base=_sum(self.base, taught, 2.0 ** (confirmed - self.moment)))
        known = self.later.get(confirmed)
        later = {**self.later, confirmed: taught if known is None else _sum(known, taught, 1.0)}
        return replace(self, later=later)

    def _find_move(self, answers: npt.NDArray[np.int16], unknown: Bools, outcome: int) -> float:
        """How far an interview moves the stakes; 0 without a target."""
        known = self.posterior
        target = known.problem.target_cost
        if target is None:
            return 0.0
        cost = compute_interview_cost(known, answers, unknown, outcome)
        return find_move(cost, target, stakes_factor(known.moved))

    def without_pairs(self) -> Self:
        """Return the same without which answers were given together: only policies that draw a set look at that."""
        later = {date: replace(part, products=None) for date, part in self.later.items()}
        return replace(self, base=replace(self.base, products=None), later=later)

    def merged(self, other: DatedPosterior) -> Self:
        """Return what both have learned, as it counts at the later moment of the two."""
        ours, theirs = self.at(other.moment), other.at(self.moment)
        later = dict(ours.later)
        for date, part in theirs.later.items():
            later[date] = _sum(later[date], part, 1.0) if date in later else part
        return replace(ours, base=_sum(ours.base, theirs.base, 1.0), later=later)

    def at(self, moment: float) -> Self:
        """Return the same interviews, as they count at a later moment."""
        if moment <= self.moment:
            return self
        nothing = Posterior.of(self.base.problem)
        base = _sum(nothing, self.base, 2.0 ** (self.moment - moment))
        later = {}
        for date, part in self.later.items():
            if date <= moment:
                base = _sum(base, part, 2.0 ** (date - moment))
            else:
                later[date] = part
        return replace(self, base=base, moment=moment, later=later)


def compute_interview_cost(
    before: Posterior, answers: npt.NDArray[np.int16], unknown: Bools, outcome: int
) -> float:
    """Return the cost of an interview under the confirmed outcome.

    An answer costs what the bank says for that outcome. A question answered with "don't know" costs its mean.
    """
    problem = before.problem
    asked = np.flatnonzero(answers >= 0)
    paid = float(problem.cost[asked, outcome, answers[asked]].sum())
    if not unknown.any():
        return paid
    mean = (problem.cost[unknown, outcome] * before.mean()[unknown, outcome]).sum()
    return paid + float(mean)


def _sum(known: Posterior, more: Posterior, weight: float) -> Posterior:
    return Posterior.of(
        known.problem,
        known.counts + weight * more.counts,
        known.outcome_counts + weight * more.outcome_counts,
        known.interviews + more.interviews,
        _sum_unknown(known.unknown, more.unknown, weight),
        None if known.products is None or more.products is None else known.products + weight * more.products,
        moved=known.moved + weight * more.moved,
    )


def _sum_unknown(known: Floats | None, more: Floats | None, weight: float) -> Floats | None:
    if more is None:
        return known
    return (np.zeros(len(more)) if known is None else known) + weight * more
