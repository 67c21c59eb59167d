"""Lookahead interviews, compiled: the mathematics of ``engine.lookahead`` for yes/no questions.

A plan is about K questions, and a state says for each of them: not asked, no, or yes (digits 0, 1, 2, the first
question's digit the lowest). ``hold_lookahead`` plans for many questions whose costs depend on question and answer alone:
the expected cost of asking is what the two answers cost, each times the mass of the state that it leads to,

- W(s) = Σ_j w_s(j) and U(s) = max(stakes · max_j w_s(j), h · W(s), max_i Σ_q [U(s + (i, q)) − mu_i(q) · W(s + (i, q))])

where h is what referring is worth, stakes − its cost; below 0 where nobody can take over. ``hold_learning`` holds the
interviews of ``lookahead-learn`` (``engine.lookahead.learning_value``), whose plans are small: what asking costs there
depends on the outcome, because what an answer teaches does, so joint with the state it is Σ_j w_s(j) · cost_ij.

Both stand in one file, because what they share is compiled into them: see :mod:`compiler`.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from odm_tui.engine.belief import TINY
from odm_tui.engine.lookahead.learning_value import SAME_WORTH
from odm_tui.engine.lookahead.planner import NOTHING
from odm_tui.engine.lookahead.ranking import NO_GAIN, SAME_SHARE
from odm_tui.engine.problem import Bools, Floats, Ints
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


# -- interviews with plans of many questions --------------------------------------------------------


@compiled
def hold_lookahead(
    theta: Floats,
    log_theta: Floats,
    log_prior: Floats,
    cost: Floats,
    stakes: Floats,
    handed: Floats,
    answers: npt.NDArray[np.int8],
    depth: int,
    asked: npt.NDArray[np.int16],
) -> None:
    """Hold one interview of each unit.

    For B units: ``theta`` and ``log_theta`` (B, n, m, 2), ``log_prior`` (B, m), ``cost`` (B, n, 2), ``stakes`` and
    ``handed`` (B,), ``answers`` (B, n). Plans are for ``depth`` questions at most. Writes the questions into ``asked``, (B, n), in
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
                    _most_telling(theta[unit], log_theta[unit], cost[unit], belief, available, chosen)
                _plan(
                    belief,
                    theta[unit],
                    cost[unit],
                    stakes[unit],
                    handed[unit],
                    chosen[:held],
                    mass,
                    top,
                    value,
                    part,
                )
            stop = max(stakes[unit] * top[state], handed[unit] * mass[state])
            at = _best_move(cost[unit], stop, chosen[:held], state, mass, value)
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
def _most_telling(
    theta: Floats,
    log_theta: Floats,
    cost: Floats,
    belief: Floats,
    available: npt.NDArray[np.bool_],
    chosen: Ints,
) -> None:
    """Write the available questions of the highest information gain per cost into ``chosen``, by index."""
    n, m, _ = theta.shape
    gains, costs = np.zeros(n), np.zeros(n)
    for i in range(n):
        if not available[i]:
            continue
        no, yes, within = 0.0, 0.0, 0.0
        for j in range(m):
            no += theta[i, j, 0] * belief[j]
            yes += theta[i, j, 1] * belief[j]
            own = theta[i, j, 0] * log_theta[i, j, 0] + theta[i, j, 1] * log_theta[i, j, 1]
            within -= own * belief[j]
        costs[i] = cost[i, 0] * no + cost[i, 1] * yes
        gains[i] = _entropy(no, yes) - within
    _take_highest(gains, costs, np.zeros(n), available, chosen)


@compiled
def _plan(
    belief: Floats,
    theta: Floats,
    cost: Floats,
    stakes: float,
    handed: float,
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
        _fill_states(belief[j], theta[chosen, j, 0], theta[chosen, j, 1], part)
        for s in range(states):
            mass[s] += part[s]
            top[s] = max(top[s], part[s])
    for s in range(states):
        value[s] = max(stakes * top[s], handed * mass[s])
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
def _best_move(cost: Floats, stop: float, chosen: Ints, state: int, mass: Floats, value: Floats) -> int:
    """The first of the best questions to ask in a state, by its place in the plan; -1 to decide."""
    chance = max(mass[state], 1e-300)
    worths = np.full(len(chosen), -np.inf)
    stride, rest = 1, state
    for at in range(len(chosen)):
        if rest % 3 == 0:
            no, yes = state + stride, state + 2 * stride
            spent = cost[chosen[at], 0] * mass[no] + cost[chosen[at], 1] * mass[yes]
            worths[at] = (value[no] + value[yes] - spent) / chance
        rest //= 3
        stride *= 3
    return _first_of_best(worths, stop / chance)


# -- interviews that ask in order to learn ----------------------------------------------------------


@compiled
def find_losses(
    drawn: Floats,
    mean: Floats,
    prior: Floats,
    cost: Floats,
    stakes: Floats,
    handed: Floats,
    planned: int,
    losses: Floats,
) -> None:
    """Write L_i of each unit into ``losses``, (B, n).

    For B units: ``drawn`` (B, S, n, m), ``mean`` (B, n, m), ``prior`` (B, m), ``cost`` (B, n, 2), ``stakes`` and ``handed``
    (B,): what a right decision and what referring is worth, below 0 where nobody can take over. Plans
    are for ``planned`` questions at most.
    """
    units, draws, n, m = drawn.shape
    planned = min(planned, n)
    states = 3**planned
    joint, true = np.empty((m, states)), np.empty((m, states))
    spent, truly = np.empty((planned, states)), np.empty((planned, states))
    value = np.empty(states)
    move, decision = np.empty(states, dtype=np.intp), np.empty(states, dtype=np.intp)
    chosen = np.empty(planned, dtype=np.intp)
    everything, nothing = np.ones(n, dtype=np.bool_), np.zeros((n, m))
    mu, theta, asking = np.empty((n, m)), np.empty((planned, m)), np.empty((planned, m))
    for unit in range(units):
        losses[unit] = 0.0
        for draw in range(draws):
            _expected_costs(drawn[unit, draw], cost[unit], mu)
            _most_promising(drawn[unit, draw], mu, prior[unit], everything, nothing, chosen)
            for at in range(planned):
                theta[at] = drawn[unit, draw, chosen[at]]
                asking[at] = mu[chosen[at]]
            _spread(prior[unit], theta, asking, true, truly)
            _solve(stakes[unit], handed[unit], true, truly, value, move, decision)
            best = _follow(stakes[unit], handed[unit], true, truly, value, move, decision)
            for at in range(planned):
                i = chosen[at]
                for j in range(m):
                    theta[at, j] = mean[unit, i, j]
                    asking[at, j] = (
                        cost[unit, i, 0] * (1.0 - mean[unit, i, j]) + cost[unit, i, 1] * mean[unit, i, j]
                    )
                _spread(prior[unit], theta, asking, joint, spent)
                _solve(stakes[unit], handed[unit], joint, spent, value, move, decision)
                worth = _follow(stakes[unit], handed[unit], true, truly, value, move, decision)
                if best - worth > SAME_WORTH * best:
                    losses[unit, i] += best - worth
                theta[at] = drawn[unit, draw, i]
                asking[at] = mu[i]
        losses[unit] /= draws


@compiled
def hold_learning(
    sample: Floats,
    mean: Floats,
    bonus: Floats,
    prior: Floats,
    cost: Floats,
    stakes: Floats,
    handed: Floats,
    answers: npt.NDArray[np.int8],
    depth: int,
    asked: npt.NDArray[np.int16],
) -> None:
    """Hold one interview of each unit: plan with the draw, and with the mean where that would stop.

    For B units: ``sample``, ``mean`` and ``bonus`` (B, n, m), ``prior`` (B, m), ``cost`` (B, n, 2), ``stakes`` and
    ``handed`` (B,), ``answers`` (B, n). Writes the questions into ``asked``, (B, n), in their order, and leaves -1 after the last.
    """
    units, n, m = sample.shape
    planned = min(depth, n)
    states = 3**planned
    joint, spent, value = np.empty((m, states)), np.empty((planned, states)), np.empty(states)
    move, decision = np.empty(states, dtype=np.intp), np.empty(states, dtype=np.intp)
    chosen, worths = np.empty(planned, dtype=np.intp), np.empty(planned)
    available = np.empty(n, dtype=np.bool_)
    theta, asking = np.empty((planned, m)), np.empty((planned, m))
    mu, belief, weights = np.empty((2, n, m)), np.empty(m), np.empty((2, m))
    for unit in range(units):
        available[:] = True
        asked[unit] = -1
        _expected_costs(sample[unit], cost[unit], mu[0])
        _expected_costs(mean[unit], cost[unit], mu[1])
        for j in range(m):
            weights[:, j] = math.log(max(prior[unit, j], TINY))
        for count in range(n):
            held = min(planned, n - count)
            question = -1
            for model in range(2):
                known = sample[unit] if model == 0 else mean[unit]
                _normalise(weights[model], belief)
                _most_promising(known, mu[model], belief, available, bonus[unit], chosen[:held])
                for at in range(held):
                    i = chosen[at]
                    for j in range(m):
                        theta[at, j] = known[i, j]
                        asking[at, j] = mu[model, i, j] - bonus[unit, i, j]
                size = 3**held
                _spread(belief, theta[:held], asking[:held], joint[:, :size], spent[:held, :size])
                _solve(
                    stakes[unit], handed[unit], joint[:, :size], spent[:held, :size], value, move, decision
                )
                for at in range(held):
                    worths[at] = value[3**at] + value[2 * 3**at] - spent[at, 0]
                stop = max(stakes[unit] * joint[:, 0].max(), handed[unit] * joint[:, 0].sum())
                at = _first_of_best(worths[:held], stop)
                if at >= 0:
                    question = chosen[at]
                    break
            if question < 0:
                break
            answer = answers[unit, question]
            asked[unit, count] = question
            available[question] = False
            for model in range(2):
                known = sample[unit] if model == 0 else mean[unit]
                for j in range(m):
                    chance = known[question, j] if answer == 1 else 1.0 - known[question, j]
                    weights[model, j] += math.log(max(chance, TINY))


@compiled
def _expected_costs(theta: Floats, cost: Floats, mu: Floats) -> None:
    """Write mu_ij into ``mu``."""
    n, m = theta.shape
    for i in range(n):
        for j in range(m):
            mu[i, j] = cost[i, 0] * (1.0 - theta[i, j]) + cost[i, 1] * theta[i, j]


@compiled
def _most_promising(
    theta: Floats, mu: Floats, belief: Floats, available: Bools, bonus: Floats, chosen: Ints
) -> None:
    """Write the available questions of the highest information gain per cost into ``chosen``, by index.

    Of those that tell nothing yet, it takes those from which most can be learned.
    """
    n, m = theta.shape
    gains, costs, teaches = np.zeros(n), np.zeros(n), np.zeros(n)
    for i in range(n):
        if available[i]:
            yes, within = 0.0, 0.0
            for j in range(m):
                yes += theta[i, j] * belief[j]
                within += _entropy(1.0 - theta[i, j], theta[i, j]) * belief[j]
                costs[i] += mu[i, j] * belief[j]
                teaches[i] += bonus[i, j] * belief[j]
            yes = min(yes, 1.0)
            gains[i] = _entropy(1.0 - yes, yes) - within
    _take_highest(gains, costs, teaches, available, chosen)


@compiled
def _spread(belief: Floats, theta: Floats, mu: Floats, joint: Floats, spent: Floats) -> None:
    """Write w_s(j), (m, states), and the joint cost of each question in each state, (K, states)."""
    planned, m = theta.shape
    states = 3**planned
    spent[:] = 0.0
    for j in range(m):
        part = joint[j]
        _fill_states(belief[j], 1.0 - theta[:, j], theta[:, j], part)
        for at in range(planned):
            row, own = spent[at], mu[at, j]
            for s in range(states):
                row[s] += own * part[s]


@compiled
def _solve(
    stakes: float, handed: float, joint: Floats, spent: Floats, value: Floats, move: Ints, decision: Ints
) -> None:
    """Write the value of every state, and what is done there: the question's place, or -1 and the decision.

    The decision m is to refer. Of equals it takes the first, as ``engine.lookahead.learning_value``.
    """
    m, states = joint.shape
    planned = len(spent)
    worths = np.empty(planned)
    for s in range(states):
        referring = handed * joint[:, s].sum()
        least = max(stakes * joint[:, s].max(), referring) * (1.0 - SAME_WORTH)
        decision[s] = m
        for j in range(m):
            if stakes * joint[j, s] >= least:
                decision[s] = j
                break
    for s in range(states - 1, -1, -1):
        stop = _decide(stakes, handed, joint, s, decision[s])
        stride, rest = 1, s
        for at in range(planned):
            worths[at] = -np.inf
            if rest % 3 == 0:
                worths[at] = value[s + stride] + value[s + 2 * stride] - spent[at, s]
            rest //= 3
            stride *= 3
        best = worths.max()
        move[s], value[s] = -1, stop
        if best > stop * (1.0 + SAME_WORTH):
            at = 0
            while worths[at] < best - SAME_WORTH * abs(best):
                at += 1
            move[s], value[s] = at, worths[at]


@compiled
def _decide(stakes: float, handed: float, joint: Floats, state: int, decision: int) -> float:
    """What a decision is worth in a state; m is to refer."""
    if decision == len(joint):
        return float(handed * joint[:, state].sum())
    return float(stakes * joint[decision, state])


@compiled
def _follow(
    stakes: float, handed: float, joint: Floats, spent: Floats, value: Floats, move: Ints, decision: Ints
) -> float:
    """What it is worth to do this where ``joint`` and ``spent`` are true; overwrites ``value``."""
    for s in range(joint.shape[1] - 1, -1, -1):
        at = move[s]
        if at < 0:
            value[s] = _decide(stakes, handed, joint, s, decision[s])
        else:
            stride = 3**at
            value[s] = value[s + stride] + value[s + 2 * stride] - spent[at, s]
    return float(value[0])


# -- what both share --------------------------------------------------------------------------------


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
def _entropy(no: float, yes: float) -> float:
    """The entropy of an answer that is no and yes with these probabilities."""
    return -(no * math.log(max(no, TINY)) + yes * math.log(max(yes, TINY)))


@compiled
def _take_highest(gains: Floats, costs: Floats, teaches: Floats, available: Bools, chosen: Ints) -> None:
    """Write the available questions that ``rank_by_gain`` takes first into ``chosen``, by index."""
    n = len(gains)
    rank, rounding = np.full(n, -np.inf), np.zeros(n)
    for i in range(n):
        if available[i]:
            expected = max(costs[i], TINY)
            rank[i] = gains[i] / expected if gains[i] > NO_GAIN else 0.0
            rounding[i] = NO_GAIN / expected + SAME_SHARE * rank[i]
    level, between = _find_levels(rank, rounding), _find_levels(teaches, SAME_SHARE * np.abs(teaches))
    taken = np.zeros(n, dtype=np.bool_)
    for _ in range(len(chosen)):
        best = -1
        for i in range(n):
            if available[i] and not taken[i]:
                higher = best < 0 or level[i] < level[best]
                if higher or (level[i] == level[best] and between[i] < between[best]):
                    best = i
        taken[best] = True
    at = 0
    for i in range(n):
        if taken[i]:
            chosen[at] = i
            at += 1


@compiled
def _find_levels(values: Floats, rounding: Floats) -> Ints:
    """Which values are equal but for rounding, 0 for the highest, as ``engine.lookahead.ranking.find_levels``."""
    order = np.argsort(-values, kind="mergesort")
    levels = np.zeros(len(values), dtype=np.intp)
    for at in range(1, len(values)):
        before, here = order[at - 1], order[at]
        levels[here] = levels[before]
        if values[before] - values[here] > rounding[before]:
            levels[here] += 1
    return levels


@compiled
def _fill_states(weight: float, no: Floats, yes: Floats, joint: Floats) -> None:
    """Write w_s of one outcome in every state, from its weight and its probabilities of no and yes, (K,)."""
    joint[0] = weight
    size = 1
    for at in range(len(no)):
        after_no, after_yes = joint[size : 2 * size], joint[2 * size : 3 * size]
        for s in range(size):
            after_no[s] = no[at] * joint[s]
            after_yes[s] = yes[at] * joint[s]
        size *= 3


@compiled
def _first_of_best(worths: Floats, stop: float) -> int:
    """The first of the best questions, by its place in the plan; -1 if stopping is worth as much."""
    best = worths.max()
    if not best > stop * (1.0 + NOTHING):
        return -1
    for at in range(len(worths)):
        if worths[at] >= best - NOTHING * max(1.0, abs(best)):
            return at
    return -1
