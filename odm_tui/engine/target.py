"""A target for the mean cost of an interview: the stakes follow from what past interviews have cost.

After each confirmed interview the stakes are multiplied by exp(0.1 · (B − its cost) / B), B being the target: they rise
while interviews cost less than the target, and fall while they cost more. So after N interviews that cost C together,

- factor = exp(0.1 · (N − C / B)), within 1/100 and 100

C is counted from the answers: Σ counts_ij(q) · mu_ij(q), at the confirmed outcomes. Sums do not depend on the order, so the
stakes follow from the counts alone, like everything else that is learned: retracting, forgetting and merging need
nothing of their own. With a half-life, old interviews count less here too.
"""

from __future__ import annotations

import math
from dataclasses import replace

from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Problem
from odm_tui.engine.stakes import Stakes

GAIN = 0.1
"""How far one interview moves the logarithm of the stakes, in shares of the target that it stayed below."""
WIDEST = 100.0
"""The stakes stay within this factor of those that were given."""


def stakes_factor(interviews: float, spent: float, target: float) -> float:
    """By what the stakes are multiplied after so many interviews that cost ``spent`` together.

    >>> stakes_factor(10, 8.0, 1.0) == math.exp(0.2)
    True
    >>> stakes_factor(0, 0.0, 1.0), stakes_factor(1000, 0.0, 1.0)
    (1.0, 100.0)
    """
    most = math.log(WIDEST)
    return math.exp(min(max(GAIN * (interviews - spent / target), -most), most))


def cost_of_interviews(posterior: Posterior) -> float:
    """What the interviews that were learned from have cost together, by today's costs.

    An answer that nobody knew costs what the question costs on average.
    """
    problem = posterior.problem
    spent = float((posterior.counts * problem.cost).sum())
    if posterior.unknown is not None:
        mean_cost = (problem.cost * posterior.mean()).sum(axis=-1) @ posterior.outcome_prior()
        spent += float(posterior.unknown @ mean_cost)
    return spent


def current_factor(posterior: Posterior) -> float:
    """By what the stakes of a problem are multiplied now; 1 without a target."""
    target = posterior.problem.target_cost
    if target is None:
        return 1.0
    return stakes_factor(float(posterior.outcome_counts.sum()), cost_of_interviews(posterior), target)


def apply_target(problem: Problem, posterior: Posterior) -> Problem:
    """The problem with the stakes that its target has led to; the problem itself without a target."""
    if problem.target_cost is None:
        return problem
    factor = current_factor(replace(posterior, problem=problem))
    if isinstance(problem.stakes, Stakes):
        return replace(problem, stakes=problem.stakes.scale(factor))
    return replace(problem, stakes=problem.effective_stakes * factor)
