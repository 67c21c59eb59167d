"""What is random in the interviews of a policy: theta, the order of random questions, and the coins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from odm_tui.engine.belief import entropy, safe_log
from odm_tui.engine.exploration import (
    EpsilonGreedy,
    Greedy,
    GreedyMode,
    SteadySampling,
    ThompsonSampling,
    draw_sureness,
)
from odm_tui.engine.oracles.random import Random
from odm_tui.engine.oracles.w_ig import WeightedInformationGain
from odm_tui.engine.policy import Policy
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Floats, Ints, Problem
from odm_tui.engine.stopping import AllOf, AnyOf, Budget, Confidence, MaxQuestions, Never, StopRule

DRAWN = (ThompsonSampling, SteadySampling)
"""Explorations that draw theta."""
FIXED = (Greedy, GreedyMode, EpsilonGreedy)
"""Explorations that do not draw theta."""


def can_step(problem: Problem, policy: Policy, before: Iterable[Posterior] = ()) -> bool:
    """Return whether draws of this policy can be held in step; others are held one by one.

    They can for W-IG and Random with rules that look at beliefs, costs and numbers of questions only, if what was known
    ``before`` each interview has no variants of outcomes. With such rules theta does not matter for whether an interview
    asks anything at all, so none draws theta again.
    """
    if problem.named_variants is not None or any(each.variants is not None for each in before):
        return False
    stakes = problem.decision_stakes
    plain = stakes.is_equal and stakes.refer is None and not problem.always.any() and not problem.red_flags
    oracle, exploration = type(policy.oracle), type(policy.exploration)
    drawn = oracle is Random or (
        oracle is WeightedInformationGain and (exploration in DRAWN or exploration in FIXED)
    )
    return plain and drawn and policy.explore == "always" and _has_plain_rules(policy.stop)


def _has_plain_rules(rule: StopRule) -> bool:
    if type(rule) in (AnyOf, AllOf):
        return all(_has_plain_rules(part) for part in rule.rules)  # type: ignore[attr-defined]  # both have rules
    return type(rule) in (Never, Confidence, MaxQuestions, Budget)


@dataclass(frozen=True, eq=False)
class DrawnPolicy:
    """R draws of a policy; ``path`` is (R,): the path that each belongs to. What W-IG needs is None for Random."""

    policy: Policy
    path: Ints
    order: Ints
    coins: Floats
    theta: Floats | None = None
    log_theta: Floats | None = None
    answer_entropy: Floats | None = None
    mean_cost: Floats | None = None

    @classmethod
    def draw(
        cls,
        policy: Policy,
        before: Sequence[Posterior],
        numbers: Sequence[int],
        counts: Sequence[int],
        rngs: Sequence[np.random.Generator],
    ) -> DrawnPolicy:
        """Draw the policy ``counts`` times for each path, with the generator of that path."""
        n = len(before[0].problem.questions)
        path = np.repeat(np.asarray(numbers, dtype=np.intp), counts)
        orders, coins, thetas = [], [], []
        for posterior, count, rng in zip(before, counts, rngs, strict=True):
            if type(policy.oracle) is not Random:
                thetas.append(_draw_theta(policy, posterior, count, rng))
            orders.append(rng.permuted(np.tile(np.arange(n), (count, 1)), axis=1))
            coins.append(rng.random((count, n + 1)))
        order, coin = np.concatenate(orders), np.concatenate(coins)
        if not thetas:
            return cls(policy, path, order, coin)
        theta = np.concatenate(thetas)
        cost = (before[0].problem.cost * theta).sum(axis=-1)
        return cls(policy, path, order, coin, theta, safe_log(theta), entropy(theta), cost)


def _draw_theta(policy: Policy, posterior: Posterior, count: int, rng: np.random.Generator) -> Floats:
    """Return theta of each draw, (count, n, m, K)."""
    exploration = policy.exploration
    if not isinstance(exploration, DRAWN):
        fixed = posterior.mode() if isinstance(exploration, GreedyMode) else posterior.mean()
        return np.broadcast_to(fixed, (count, *fixed.shape))
    steady = isinstance(exploration, SteadySampling)
    sure = np.array([draw_sureness(rng) if steady else 1.0 for _ in range(count)])
    return posterior.sample_all(rng, sure)
