"""Estimate what other policies would have done, in one of three ways, and compare it with the log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from odm_tui.engine.policy import Policy
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Floats, Problem
from odm_tui.evaluation.parallel import run_calls
from odm_tui.evaluation.replay.dated_posterior import DatedPosterior
from odm_tui.evaluation.replay.what_if import (
    Case,
    FollowedInterviews,
    bootstrap_interval,
    collect_logged,
    complete_cases,
    follow,
    informed_policy,
)

LOGGED_ANSWERS, MODEL, FULL = "logged answers", "model", "full information"
AS_LOGGED = "as logged"
PERIODS = 10
"""Into how many periods the interviews are divided for figures over time."""


@dataclass(frozen=True)
class PolicyFigures:
    """One policy by one way; the ``…_over_time`` are means over consecutive periods.

    ``regret`` and ``regret_over_time`` are sums: what was paid more than by the oracle that knows what the log
    taught. ``referred`` is the share of interviews that are handed over; they are not right. Intervals are NaN unless all interviews are covered: those that are say nothing about the others.
    """

    policy: str
    coverage: float
    mean_cost: float
    cost_interval: tuple[float, float]
    difference: float
    difference_interval: tuple[float, float]
    mean_questions: float
    accuracy: float
    accuracy_interval: tuple[float, float]
    referred: float
    regret: float | None
    cost_over_time: tuple[float, ...]
    questions_over_time: tuple[float, ...]
    accuracy_over_time: tuple[float, ...]
    regret_over_time: tuple[float, ...] | None


@dataclass(frozen=True)
class Way:
    """All policies by one way, the logged one first; ``ranking`` is None if a ranking would mislead."""

    way: str
    interviews: int
    policies: tuple[PolicyFigures, ...]
    ranking: tuple[str, ...] | None
    note: str


@dataclass(frozen=True, eq=False)
class Comparison:
    """What all ways have in common: the problem, the policies by name, where learning starts, and the seed."""

    problem: Problem
    policies: Mapping[str, Policy]
    start: DatedPosterior
    seed: int

    def by_logged_answers(self, cases: Sequence[Case]) -> Way:
        """Follow each policy as long as the log has the answers that it asks for."""
        logged = collect_logged(cases)
        figures = [self._figures(AS_LOGGED, [logged], logged)]
        for name, policy in self.policies.items():
            followed = follow(self.problem, policy, cases, self.start)
            figures.append(self._figures(name, [followed], logged))
        note = (
            "Not ranked: the interviews that remain are those in which a policy asks what was asked, and they are "
            "not like the others. An interval can't contain this bias, so there is none unless all interviews are "
            "covered."
        )
        return Way(LOGGED_ANSWERS, len(cases), tuple(figures), None, note)

    def by_model(self, cases: Sequence[Case], learned: Posterior, draws: int, jobs: int) -> Way:
        """Draw missing answers from what the log taught.

        Regret is measured on the first draw only, because it needs every interview once more.
        """
        logged = collect_logged(cases)
        drawn = [complete_cases(cases, learned, self.seed + draw) for draw in range(draws)]
        calls = [
            (follow, (self.problem, policy, complete, self.start))
            for policy in self.policies.values()
            for complete in drawn
        ]
        calls += [
            (follow, (self.problem, informed_policy(policy, learned), drawn[0], self.start))
            for policy in self.policies.values()
        ]
        followed = run_calls(calls, jobs)
        figures = [self._figures(AS_LOGGED, [logged], logged)]
        for number, name in enumerate(self.policies):
            own = followed[number * draws : (number + 1) * draws]
            best = followed[len(self.policies) * draws + number]
            figures.append(self._figures(name, own, logged, best))
        note = f"Answers that the log lacks are drawn from what it taught, {draws} times."
        return Way(MODEL, len(cases), tuple(figures), _rank(figures), note)

    def by_full_information(self, cases: Sequence[Case], learned: Posterior | None, origin: str) -> Way:
        """Follow each policy in cases that have all answers; without ``learned``, nothing was logged."""
        logged = collect_logged(cases)
        figures = [] if learned is None else [self._figures(AS_LOGGED, [logged], logged)]
        for name, policy in self.policies.items():
            followed = follow(self.problem, policy, cases, self.start)
            best = None
            if learned is not None:
                best = follow(self.problem, informed_policy(policy, learned), cases, self.start)
            figures.append(self._figures(name, [followed], logged, best))
        return Way(FULL, len(cases), tuple(figures), _rank(figures), f"Exact: {origin}.")

    def _figures(
        self,
        name: str,
        followed: Sequence[FollowedInterviews],
        logged: FollowedInterviews,
        best: FollowedInterviews | None = None,
    ) -> PolicyFigures:
        """Summarise one policy: the same interviews followed once per draw."""
        cost, questions, right, referred = (
            np.array([getattr(each, field) for each in followed])
            for field in ("cost", "questions", "right", "referred")
        )
        differences = cost - logged.cost
        regrets = None if best is None else followed[0].cost - best.cost
        return PolicyFigures(
            policy=name,
            coverage=float(followed[0].covered.mean()),
            mean_cost=_mean(cost),
            cost_interval=_interval(cost, self.seed),
            difference=_mean(differences),
            difference_interval=_interval(differences, self.seed),
            mean_questions=_mean(questions),
            accuracy=_mean(right),
            accuracy_interval=_interval(right, self.seed),
            referred=_mean(referred),
            regret=None if regrets is None else float(regrets.sum()),
            cost_over_time=_means_over_time(cost),
            questions_over_time=_means_over_time(questions),
            accuracy_over_time=_means_over_time(right),
            regret_over_time=None
            if regrets is None
            else tuple(float(part.sum()) for part in np.array_split(regrets, min(PERIODS, len(regrets)))),
        )


def _interval(values: Floats, seed: int) -> tuple[float, float]:
    """Return the bootstrap interval of the mean; NaN if interviews are missing, as they are not missing at random."""
    if np.isnan(values).any():
        return float("nan"), float("nan")
    return bootstrap_interval(values, seed)


def _means_over_time(values: Floats) -> tuple[float, ...]:
    """Return the means of up to PERIODS consecutive periods of (draws, T) values."""
    return tuple(_mean(part) for part in np.array_split(values, min(PERIODS, values.shape[1]), axis=1))


def _mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else float("nan")


def _rank(figures: Sequence[PolicyFigures]) -> tuple[str, ...]:
    """Return the policies, cheapest first."""
    return tuple(each.policy for each in sorted(figures, key=lambda each: each.mean_cost))
