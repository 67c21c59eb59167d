"""A target for the mean cost of an interview: the stakes follow from what past interviews have cost.

After each confirmed interview the stakes are multiplied by exp(0.1 · (B − its cost) / B), B being the target: they rise
while interviews cost less than the target, and fall while they cost more. They stay within 1/100 and 100 times those
that were given:

- factor ← clip(factor · exp(0.1 · (B − cost) / B), 1/100, 100)

Each interview counts with the target and the factor with which it was held. What it adds is a number of its own,

- move = [clip(ln factor + 0.1 · (B − cost) / B) − ln factor] / 0.1, and the factor is exp(0.1 · Σ moves)

So the sum does not depend on the order, retracting and merging need nothing of their own, and a target that can't be
met does not wind up: at the limit an interview adds nothing.
"""

from __future__ import annotations

import math
from dataclasses import replace

from odm_tui.engine.problem import Problem
from odm_tui.engine.stakes import Stakes

GAIN = 0.1
"""How far one interview moves the logarithm of the stakes, in shares of the target that it stayed below."""
WIDEST = 100.0
"""The stakes stay within this factor of those that were given."""
_MOST = math.log(WIDEST) / GAIN


def stakes_factor(moved: float) -> float:
    """By what the stakes are multiplied after interviews whose moves add up to ``moved``.

    >>> stakes_factor(2.0) == math.exp(0.2)
    True
    >>> stakes_factor(0.0), round(stakes_factor(1000.0), 9)
    (1.0, 100.0)
    """
    return math.exp(GAIN * min(max(moved, -_MOST), _MOST))


def find_move(cost: float, target: float, factor: float = 1.0) -> float:
    """What an interview of this cost adds, if it was held with this target and factor.

    >>> find_move(0.75, 1.0), round(find_move(0.75, 1.0, factor=100.0), 9)
    (0.25, 0.0)
    """
    at = math.log(factor) / GAIN
    return min(max(at + (target - cost) / target, -_MOST), _MOST) - at


def with_target(problem: Problem, target_cost: float | None) -> Problem:
    """The problem with this target, or without one; the problem itself if it has it already."""
    return problem if problem.target_cost == target_cost else replace(problem, target_cost=target_cost)


def apply_target(problem: Problem, moved: float) -> Problem:
    """The problem with the stakes that its target has led to, and without the target; itself if it has none."""
    if problem.target_cost is None:
        return problem
    factor = stakes_factor(moved)
    fixed = replace(problem, target_cost=None)
    if isinstance(problem.stakes, Stakes):
        return replace(fixed, stakes=problem.stakes.scale(factor))
    return replace(fixed, stakes=problem.effective_stakes * factor)
