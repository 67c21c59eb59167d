"""Interviews of ``lookahead-learn``, compiled: the mathematics of ``engine.lookahead.learning_value`` for yes/no questions.

theta is the probability of yes, (n, m) here. What asking costs depends on the outcome, because what an answer teaches
does: joint with the state, it is Σ_j w_s(j) · cost_ij.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from odm_tui.engine.belief import TINY
from odm_tui.engine.lookahead.planner import NO_GAIN, NOTHING
from odm_tui.engine.problem import Bools, Floats, Ints
from odm_tui.evaluation.experiment.batch.compiler import compiled


@compiled
def find_losses(
    drawn: Floats, mean: Floats, prior: Floats, cost: Floats, stakes: Floats, planned: int, losses: Floats
) -> None:
    """Write L_i of each unit into ``losses``, (B, n).

    For B units: ``drawn`` (B, S, n, m), ``mean`` (B, n, m), ``prior`` (B, m), ``cost`` (B, n, 2), ``stakes`` (B,). Plans
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
            _solve(stakes[unit], true, truly, value, move, decision)
            best = _follow(stakes[unit], true, truly, value, move, decision)
            for at in range(planned):
                i = chosen[at]
                for j in range(m):
                    theta[at, j] = mean[unit, i, j]
                    asking[at, j] = (
                        cost[unit, i, 0] * (1.0 - mean[unit, i, j]) + cost[unit, i, 1] * mean[unit, i, j]
                    )
                _spread(prior[unit], theta, asking, joint, spent)
                _solve(stakes[unit], joint, spent, value, move, decision)
                worth = _follow(stakes[unit], true, truly, value, move, decision)
                losses[unit, i] += max(best - worth, 0.0)
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
    answers: npt.NDArray[np.int8],
    depth: int,
    asked: npt.NDArray[np.int16],
) -> None:
    """Hold one interview of each unit: plan with the draw, and with the mean where that would stop.

    For B units: ``sample``, ``mean`` and ``bonus`` (B, n, m), ``prior`` (B, m), ``cost`` (B, n, 2), ``stakes`` (B,),
    ``answers`` (B, n). Writes the questions into ``asked``, (B, n), in their order, and leaves -1 after the last.
    """
    units, n, m = sample.shape
    planned = min(depth, n)
    states = 3**planned
    joint, spent, value = np.empty((m, states)), np.empty((planned, states)), np.empty(states)
    move, decision = np.empty(states, dtype=np.intp), np.empty(states, dtype=np.intp)
    chosen = np.empty(planned, dtype=np.intp)
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
                _solve(stakes[unit], joint[:, :size], spent[:held, :size], value, move, decision)
                at = _first_of_the_best(stakes[unit], held, joint[:, :size], spent[:held, :size], value)
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
def _normalise(log_weights: Floats, belief: Floats) -> None:
    """Write exp(log_weights), scaled to sum to 1, into ``belief``."""
    highest = log_weights.max()
    for j in range(len(belief)):
        belief[j] = math.exp(log_weights[j] - highest)
    belief /= belief.sum()


@compiled
def _expected_costs(theta: Floats, cost: Floats, mu: Floats) -> None:
    """Write mu_ij into ``mu``."""
    n, m = theta.shape
    for i in range(n):
        for j in range(m):
            mu[i, j] = cost[i, 0] * (1.0 - theta[i, j]) + cost[i, 1] * theta[i, j]


@compiled
def _entropy(yes: float) -> float:
    """The entropy of an answer that is yes with this probability."""
    no = 1.0 - yes
    return -(yes * math.log(max(yes, TINY)) + no * math.log(max(no, TINY)))


@compiled
def _most_promising(
    theta: Floats, mu: Floats, belief: Floats, available: Bools, bonus: Floats, chosen: Ints
) -> None:
    """Write the available questions of the highest information gain per cost into ``chosen``, by index.

    Of those that tell nothing yet, it takes those from which most can be learned.
    """
    n, m = theta.shape
    rank, teaches = np.full(n, -np.inf), np.zeros(n)
    taken = np.zeros(n, dtype=np.bool_)
    for i in range(n):
        if available[i]:
            yes, within, expected = 0.0, 0.0, 0.0
            for j in range(m):
                yes += theta[i, j] * belief[j]
                within += _entropy(theta[i, j]) * belief[j]
                expected += mu[i, j] * belief[j]
                teaches[i] += bonus[i, j] * belief[j]
            gain = _entropy(min(yes, 1.0)) - within
            rank[i] = gain / max(expected, TINY) if gain > NO_GAIN else 0.0
    for _ in range(len(chosen)):
        best = -1
        for i in range(n):
            if available[i] and not taken[i]:
                better = best < 0 or rank[i] > rank[best]
                if better or (rank[i] == rank[best] and teaches[i] > teaches[best]):
                    best = i
        taken[best] = True
    at = 0
    for i in range(n):
        if taken[i]:
            chosen[at] = i
            at += 1


@compiled
def _spread(belief: Floats, theta: Floats, mu: Floats, joint: Floats, spent: Floats) -> None:
    """Write w_s(j), (m, states), and the joint cost of each question in each state, (K, states)."""
    planned, m = theta.shape
    states = 3**planned
    spent[:] = 0.0
    for j in range(m):
        part = joint[j]
        part[0] = belief[j]
        size = 1
        for at in range(planned):
            yes = theta[at, j]
            no = 1.0 - yes
            for s in range(size):
                part[size + s] = no * part[s]
                part[2 * size + s] = yes * part[s]
            size *= 3
        for at in range(planned):
            row, own = spent[at], mu[at, j]
            for s in range(states):
                row[s] += own * part[s]


@compiled
def _solve(stakes: float, joint: Floats, spent: Floats, value: Floats, move: Ints, decision: Ints) -> None:
    """Write the value of every state, and what is done there: the question's place, or -1 and the decision."""
    m, states = joint.shape
    planned = len(spent)
    for s in range(states):
        top = 0
        for j in range(m):
            if joint[j, s] > joint[top, s]:
                top = j
        decision[s] = top
    for s in range(states - 1, -1, -1):
        stop = stakes * joint[decision[s], s]
        best, at_best = -np.inf, -1
        stride, rest = 1, s
        for at in range(planned):
            if rest % 3 == 0:
                worth = value[s + stride] + value[s + 2 * stride] - spent[at, s]
                if worth > best:
                    best, at_best = worth, at
            rest //= 3
            stride *= 3
        asks = best > stop * (1.0 + 1e-12)
        move[s] = at_best if asks else -1
        value[s] = best if asks else stop


@compiled
def _follow(stakes: float, joint: Floats, spent: Floats, value: Floats, move: Ints, decision: Ints) -> float:
    """What it is worth to do this where ``joint`` and ``spent`` are true; overwrites ``value``."""
    for s in range(joint.shape[1] - 1, -1, -1):
        at = move[s]
        if at < 0:
            value[s] = stakes * joint[decision[s], s]
        else:
            stride = 3**at
            value[s] = value[s + stride] + value[s + 2 * stride] - spent[at, s]
    return float(value[0])


@compiled
def _first_of_the_best(stakes: float, planned: int, joint: Floats, spent: Floats, value: Floats) -> int:
    """The first of the best questions to begin with, by its place; -1 to decide."""
    best = -np.inf
    for at in range(planned):
        best = max(best, value[3**at] + value[2 * 3**at] - spent[at, 0])
    if not best > stakes * joint[:, 0].max() * (1.0 + NOTHING):
        return -1
    for at in range(planned):
        if value[3**at] + value[2 * 3**at] - spent[at, 0] >= best - NOTHING * max(1.0, abs(best)):
            return at
    return -1
