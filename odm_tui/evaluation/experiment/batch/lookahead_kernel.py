"""Lookahead interviews, compiled: the mathematics of ``engine.lookahead`` for yes/no questions.

A plan is about K questions, and a state says for each of them: not asked, no, or yes (digits 0, 1, 2, the first
question's digit the lowest). Costs depend on question and answer alone, so the expected cost of asking is what the
two answers cost, each times the mass of the state that it leads to:

- W(s) = Σ_j w_s(j) and U(s) = max(stakes · max_j w_s(j), max_i Σ_q [U(s + (i, q)) − mu_i(q) · W(s + (i, q))])
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from odm_tui.engine.belief import TINY
from odm_tui.engine.lookahead.planner import NOTHING
from odm_tui.engine.problem import Floats, Ints
from odm_tui.evaluation.experiment.batch.compiler import compiled

LOW = 4
"""The questions of the lowest digits make up a block of states; the questions above lead from block to block."""
MOVES = np.array(
    [
        (state, 3**place, place)
        for state in reversed(range(3**LOW))
        for place in range(LOW)
        if state // 3**place % 3 == 0
    ],
    dtype=np.uint64,
)
"""Every question that can be asked within a block: the state, the stride to the next, and the question's digit."""


@compiled
def hold_lookahead(
    theta: Floats,
    log_theta: Floats,
    log_prior: Floats,
    cost: Floats,
    stakes: Floats,
    answers: npt.NDArray[np.int8],
    depth: int,
    asked: npt.NDArray[np.int16],
) -> None:
    """Hold one interview of each unit.

    For B units: ``theta`` and ``log_theta`` (B, n, m, 2), ``log_prior`` (B, m), ``cost`` (B, n, 2), ``stakes`` (B,),
    ``answers`` (B, n). Plans are for ``depth`` questions at most. Writes the questions into ``asked``, (B, n), in
    their order, and leaves -1 after the last.
    """
    units, n, m, _ = theta.shape
    planned = min(depth, n)
    states = 3**planned
    mass, top, value, part = np.empty(states), np.empty(states), np.empty(states), np.empty(states)
    chosen = np.empty(planned, dtype=np.intp)
    available = np.empty(n, dtype=np.bool_)
    belief, log_joint = np.empty(m), np.empty(m)
    for unit in range(units):
        available[:] = True
        asked[unit] = -1
        log_joint[:] = log_prior[unit]
        given = answers[unit]
        count, state = 0, 0
        whole = False
        while count < n:
            left = n - count
            if not whole:
                state = 0
                _normalise(log_joint, belief)
                held = min(planned, left)
                if left <= planned:
                    at = 0
                    for i in range(n):
                        if available[i]:
                            chosen[at] = i
                            at += 1
                    whole = True
                else:
                    _most_promising(theta[unit], log_theta[unit], cost[unit], belief, available, chosen)
                _plan(belief, theta[unit], cost[unit], stakes[unit], chosen[:held], mass, top, value, part)
            at = _best_move(cost[unit], stakes[unit], chosen[:held], state, mass, top, value)
            if at < 0:
                break
            question = chosen[at]
            answer = given[question]
            asked[unit, count] = question
            count += 1
            available[question] = False
            state += (answer + 1) * 3**at
            for j in range(m):
                log_joint[j] += log_theta[unit, question, j, answer]


@compiled
def _normalise(log_weights: Floats, belief: Floats) -> None:
    """Write exp(log_weights), scaled to sum to 1, into ``belief``."""
    highest = log_weights.max()
    total = 0.0
    for j in range(len(belief)):
        belief[j] = math.exp(log_weights[j] - highest)
        total += belief[j]
    for j in range(len(belief)):
        belief[j] /= total


@compiled
def _most_promising(
    theta: Floats,
    log_theta: Floats,
    cost: Floats,
    belief: Floats,
    available: npt.NDArray[np.bool_],
    chosen: Ints,
) -> None:
    """Write the available questions of the highest information gain per cost into ``chosen``, by index."""
    n, m, _ = theta.shape
    rank = np.full(n, -np.inf)
    for i in range(n):
        if not available[i]:
            continue
        no, yes, within = 0.0, 0.0, 0.0
        for j in range(m):
            no += theta[i, j, 0] * belief[j]
            yes += theta[i, j, 1] * belief[j]
            own = theta[i, j, 0] * log_theta[i, j, 0] + theta[i, j, 1] * log_theta[i, j, 1]
            within -= own * belief[j]
        spread = -(no * math.log(max(no, TINY)) + yes * math.log(max(yes, TINY)))
        expected = cost[i, 0] * no + cost[i, 1] * yes
        rank[i] = max(spread - within, 0.0) / max(expected, TINY)
    taken = np.zeros(n, dtype=np.bool_)
    for _ in range(len(chosen)):
        best = -1
        for i in range(n):
            if available[i] and not taken[i] and (best < 0 or rank[i] > rank[best]):
                best = i
        taken[best] = True
    at = 0
    for i in range(n):
        if taken[i]:
            chosen[at] = i
            at += 1


@compiled
def _plan(
    belief: Floats,
    theta: Floats,
    cost: Floats,
    stakes: float,
    chosen: Ints,
    mass: Floats,
    top: Floats,
    value: Floats,
    part: Floats,
) -> None:
    """Write W, max_j w and U of every state; ``part`` is scratch space."""
    count = len(chosen)
    states = 3**count
    mass, top, value, part = mass[:states], top[:states], value[:states], part[:states]
    mass[:] = 0.0
    top[:] = 0.0
    for j in range(len(belief)):
        part[0] = belief[j]
        size = 1
        for at in range(count):
            no, yes = theta[chosen[at], j, 0], theta[chosen[at], j, 1]
            after_no, after_yes = part[size : 2 * size], part[2 * size : 3 * size]
            for s in range(size):
                after_no[s] = no * part[s]
                after_yes[s] = yes * part[s]
            size *= 3
        for s in range(states):
            mass[s] += part[s]
            top[s] = max(top[s], part[s])
    for s in range(states):
        value[s] = stakes * top[s]
    no_cost, yes_cost = cost[chosen, 0], cost[chosen, 1]
    low = min(LOW, count)
    size = 3**low
    # From the last block to the first: what a question leads to is done before it.
    for start in range(states - size, -1, -size):
        block, block_mass = value[start : start + size], mass[start : start + size]
        stride, digits = size, start // size
        for at in range(low, count):
            if digits % 3 == 0:
                no, yes = start + stride, start + 2 * stride
                _ask_in_block(
                    block,
                    value[no : no + size],
                    value[yes : yes + size],
                    no_cost[at],
                    mass[no : no + size],
                    yes_cost[at],
                    mass[yes : yes + size],
                )
            digits //= 3
            stride *= 3
        for move in range(len(MOVES)):
            s, step, at = MOVES[move, 0], MOVES[move, 1], MOVES[move, 2]
            if s < size and at < low:
                no = s + step
                yes = no + step
                worth = (block[no] + block[yes]) - (
                    no_cost[at] * block_mass[no] + yes_cost[at] * block_mass[yes]
                )
                block[s] = max(block[s], worth)


@compiled
def _ask_in_block(
    value: Floats,
    value_no: Floats,
    value_yes: Floats,
    no_cost: float,
    mass_no: Floats,
    yes_cost: float,
    mass_yes: Floats,
) -> None:
    """Raise the values of a block to what asking a question is worth, given the blocks that its answers lead to."""
    for s in range(len(value)):
        worth = (value_no[s] + value_yes[s]) - (no_cost * mass_no[s] + yes_cost * mass_yes[s])
        value[s] = max(value[s], worth)


@compiled
def _best_move(
    cost: Floats, stakes: float, chosen: Ints, state: int, mass: Floats, top: Floats, value: Floats
) -> int:
    """The first of the best questions to ask in a state, by its place in the plan; -1 to decide."""
    chance = max(mass[state], 1e-300)
    worths = np.full(len(chosen), -np.inf)
    best = -np.inf
    stride, rest = 1, state
    for at in range(len(chosen)):
        if rest % 3 == 0:
            no, yes = state + stride, state + 2 * stride
            spent = cost[chosen[at], 0] * mass[no] + cost[chosen[at], 1] * mass[yes]
            worths[at] = (value[no] + value[yes] - spent) / chance
            best = max(best, worths[at])
        rest //= 3
        stride *= 3
    if not best > stakes * top[state] / chance * (1.0 + NOTHING):
        return -1
    for at in range(len(chosen)):
        if worths[at] >= best - NOTHING * max(1.0, abs(best)):
            return at
    return -1
