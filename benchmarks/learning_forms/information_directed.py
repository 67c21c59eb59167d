"""Information-directed sampling (Russo & Van Roy, 2018), compiled, for interviews that learn at their end.

Information-directed sampling takes the action, or the mixture of two, with the least squared expected regret for each
unit of information gained, where D is the expected regret of an action and G what it teaches:

- Ψ = min over pairs of actions a, b and 0 <= q <= 1 of ((1 − q) · D_a + q · D_b)² / ((1 − q) · G_a + q · G_b)

An interview learns about theta only once its outcome is confirmed, and then from all of its answers together. So there
are two ways to say what an action is.

**By interview** (``hold_by_interview``). The action is a whole interview. theta_ij is met at most once in it, so the
posterior mean gives the value of every plan exactly, and theta is missed only by choosing the plan without it. With A the
questions asked so far, b the belief and V the value of plans under the mean,

- R    = mean_s [ V(best plan of theta_s, theta_s) − V(plan of the mean, theta_s) ], at the start of the interview
- D(a) = R + what earlier steps gave up + max_b V(b) − V(a)
- G(a) = Σ_j b_j · Σ_{i in A} g_ij + what a and the mean's plan after it are expected to add;  G(stop) adds nothing

**By step** (``hold_by_step``). The action is the next question or to stop. Draw s weighs as much as it makes the answers
likely, p_s; Q_s(a) is the value under theta_s of starting with a, from the belief under theta_s: if theta_s is true, that
is the belief which its best plan would have. Stopping is worth stakes · max_j b_sj there: to ask on does not
reveal theta_s either, so the loss by deciding without it is no regret of stopping.

- D(a) = Σ_s p_s · [ max_b Q_s(b) − Q_s(a) ]
- G(i) = I(a*; X_i | y) = Σ_j b_j · [ H(X_i | j) − Σ_a P(a* = a | j) · H(X_i | j, a* = a) ];  G(stop) = 0

with a*_s the best action under theta_s. The decision is by the mean, as everywhere.
"""

from __future__ import annotations

import math

import numba
import numpy as np
import numpy.typing as npt

from odm_tui.engine.belief import TINY
from odm_tui.engine.problem import Bools, Floats, Ints
from odm_tui.evaluation.experiment.batch.lookahead_kernel import (
    _entropy,
    _expected_costs,
    _fill_states,
    _follow,
    _most_promising,
    _normalise,
    _solve,
    _spread,
    _take_highest,
)


@numba.njit(error_model="numpy")
def find_regrets(
    drawn: Floats,
    mean: Floats,
    prior: Floats,
    cost: Floats,
    stakes: float,
    planned: int,
    regrets: Floats,
    first: Ints,
) -> None:
    """Write R of each unit into ``regrets``, (B,), and the first question of each draw's plan into ``first``, (B, S).

    For B units: ``drawn`` (B, S, n, m), ``mean`` (B, n, m), ``prior`` (B, m), ``cost`` (B, n, 2). The first question is n
    where the draw's plan asks none.
    """
    units, draws, n, m = drawn.shape
    planned = min(planned, n)
    states = 3**planned
    joint, spent = np.empty((m, states)), np.empty((planned, states))
    value, chosen, of_mean = np.empty(states), np.empty(planned, np.intp), np.empty(planned, np.intp)
    move, decision = np.empty(states, np.intp), np.empty(states, np.intp)
    move_mean, decision_mean = np.empty(states, np.intp), np.empty(states, np.intp)
    everything, nothing = np.ones(n, dtype=np.bool_), np.zeros((n, m))
    mu, mean_mu = np.empty((n, m)), np.empty((n, m))
    for unit in range(units):
        _expected_costs(mean[unit], cost[unit], mean_mu)
        _most_promising(mean[unit], mean_mu, prior[unit], everything, nothing, of_mean)
        _spread_paid(prior[unit], mean[unit][of_mean], cost[unit][of_mean], joint, spent)
        _solve(stakes, -1.0, joint, spent, value, move_mean, decision_mean)
        regrets[unit] = 0.0
        for draw in range(draws):
            theta = drawn[unit, draw]
            _expected_costs(theta, cost[unit], mu)
            _most_promising(theta, mu, prior[unit], everything, nothing, chosen)
            _spread_paid(prior[unit], theta[chosen], cost[unit][chosen], joint, spent)
            _solve(stakes, -1.0, joint, spent, value, move, decision)
            best = value[0]
            first[unit, draw] = chosen[move[0]] if move[0] >= 0 else n
            _spread_paid(prior[unit], theta[of_mean], cost[unit][of_mean], joint, spent)
            worth = _follow(stakes, -1.0, joint, spent, value, move_mean, decision_mean)
            regrets[unit] += max(best - worth, 0.0)
        regrets[unit] /= draws


@numba.njit(error_model="numpy")
def hold_by_interview(
    samples: Floats,
    mean: Floats,
    teaches: Floats,
    regrets: Floats,
    prior: Floats,
    cost: Floats,
    stakes: float,
    chances: Floats,
    answers: npt.NDArray[np.int8],
    depth: int,
    asked: npt.NDArray[np.int16],
) -> None:
    """Hold one interview of each unit, its actions whole interviews.

    For B units: ``mean`` and ``teaches``, g_ij, (B, n, m), ``regrets``, R, (B,), ``prior`` (B, m), ``cost`` (B, n, 2),
    ``chances``, uniform numbers by which mixtures are drawn, and ``answers`` (B, n). A step compares the
    questions of highest information gain per cost, the one of the others that teaches most per cost, and stopping.
    ``samples`` holds none or one draw of theta, (B, 0 or 1, n, m): what the plan with it asks is asked without comparing,
    and counts as given up and as taught. Writes the questions into ``asked``, (B, n).
    """
    units, n, m = mean.shape
    planned = min(depth, n)
    states = 3**planned
    joint, spent, lesson = np.empty((m, states)), np.empty((planned, states)), np.empty((planned, states))
    value = np.empty(states)
    move, decision = np.empty(states, dtype=np.intp), np.empty(states, dtype=np.intp)
    chosen, worths, gains = np.empty(planned, dtype=np.intp), np.empty(planned + 1), np.empty(planned + 1)
    available = np.empty(n, dtype=np.bool_)
    mu, belief, weights, learned = np.empty((n, m)), np.empty(m), np.empty(m), np.empty(m)
    sampling = samples.shape[1] > 0
    mu_sample, weights_sample, nothing = np.empty((n, m)), np.empty(m), np.zeros((n, m))
    for unit in range(units):
        available[:] = True
        asked[unit] = -1
        learned[:] = 0.0
        given_up = 0.0
        _expected_costs(mean[unit], cost[unit], mu)
        for j in range(m):
            weights[j] = math.log(max(prior[unit, j], TINY))
        weights_sample[:] = weights
        if sampling:
            _expected_costs(samples[unit, 0], cost[unit], mu_sample)
        for count in range(n):
            held = min(planned, n - count)
            size = 3**held
            wanted = -1
            if sampling:
                _normalise(weights_sample, belief)
                theta = samples[unit, 0]
                _most_promising(theta, mu_sample, belief, available, nothing, chosen[:held])
                _spread_paid(
                    belief,
                    theta[chosen[:held]],
                    cost[unit][chosen[:held]],
                    joint[:, :size],
                    spent[:held, :size],
                )
                _solve(stakes, -1.0, joint[:, :size], spent[:held, :size], value, move, decision)
                if move[0] >= 0:
                    wanted = chosen[move[0]]
            _normalise(weights, belief)
            promising = max(held - 1, 1)
            _most_promising(mean[unit], mu, belief, available, teaches[unit], chosen[:promising])
            if promising < held:
                chosen[promising] = _most_instructive(
                    teaches[unit], mu, belief, available, chosen[:promising]
                )
            if wanted >= 0 and not (chosen[:held] == wanted).any():
                chosen[held - 1] = wanted
            known, taught = mean[unit][chosen[:held]], teaches[unit][chosen[:held]]
            _spread(belief, known, taught, joint[:, :size], lesson[:held, :size])
            paid = cost[unit][chosen[:held]]
            _spread_paid(belief, known, paid, joint[:, :size], spent[:held, :size])
            _solve(stakes, -1.0, joint[:, :size], spent[:held, :size], value, move, decision)
            worths[0] = stakes * joint[:, 0].max()
            for at in range(held):
                worths[1 + at] = value[3**at] + value[2 * 3**at] - spent[at, 0]
            # What the same plan teaches: each question brings its lesson and nothing else counts.
            _follow(0.0, 0.0, joint[:, :size], -lesson[:held, :size], value, move, decision)
            so_far = 0.0
            for j in range(m):
                so_far += belief[j] * learned[j]
            gains[0] = so_far
            for at in range(held):
                gains[1 + at] = so_far + lesson[at, 0] + value[3**at] + value[2 * 3**at]
            best = worths[: held + 1].max()
            regret = regrets[unit] + given_up + best - worths[: held + 1]
            action = take_action(regret, gains[: held + 1], chances[unit, count])
            if wanted >= 0:
                for at in range(held):
                    if chosen[at] == wanted:
                        action = 1 + at
            given_up += best - worths[action]
            if action == 0:
                break
            question = chosen[action - 1]
            answer = answers[unit, question]
            asked[unit, count] = question
            available[question] = False
            for j in range(m):
                yes = mean[unit, question, j]
                weights[j] += math.log(max(yes if answer == 1 else 1.0 - yes, TINY))
                if sampling:
                    yes = samples[unit, 0, question, j]
                    weights_sample[j] += math.log(max(yes if answer == 1 else 1.0 - yes, TINY))
                learned[j] += teaches[unit, question, j]


@numba.njit(error_model="numpy")
def hold_by_step(
    drawn: Floats,
    prior: Floats,
    cost: Floats,
    stakes: float,
    chances: Floats,
    answers: npt.NDArray[np.int8],
    depth: int,
    asked: npt.NDArray[np.int16],
) -> None:
    """Hold one interview of each unit, its actions the next question or to stop.

    For B units: ``drawn`` (B, S, n, m), ``prior`` (B, m), ``cost`` (B, n, 2), ``chances``, uniform numbers by which
    mixtures are drawn, and ``answers`` (B, n). A step compares stopping and the questions of highest information gain
    per cost, a mean over the draws. Writes the questions into ``asked``, (B, n).
    """
    units, draws, n, m = drawn.shape
    planned = min(depth, n)
    states = 3**planned
    joint, spent, value = np.empty((m, states)), np.empty((planned, states)), np.empty(states)
    move, decision = np.empty(states, dtype=np.intp), np.empty(states, dtype=np.intp)
    chosen, worths, gains = np.empty(planned, dtype=np.intp), np.empty(planned + 1), np.empty(planned + 1)
    regret = np.empty(planned + 1)
    available = np.empty(n, dtype=np.bool_)
    mu, weights, shares = np.empty((draws, n, m)), np.empty((draws, m)), np.empty((draws, m))
    best, belief, rank, own = np.empty(draws, dtype=np.intp), np.empty(m), np.empty(n), np.empty(n)
    evenly, untaught = np.ones(n), np.zeros(n)  # the ranks are per cost already, and nothing else decides
    for unit in range(units):
        available[:] = True
        asked[unit] = -1
        for draw in range(draws):
            _expected_costs(drawn[unit, draw], cost[unit], mu[draw])
            for j in range(m):
                weights[draw, j] = math.log(max(prior[unit, j], TINY))
        for count in range(n):
            held = min(planned, n - count)
            size = 3**held
            _as_shares(weights, shares)
            rank[:] = 0.0
            for draw in range(draws):
                likely = shares[draw].sum()
                belief[:] = shares[draw] / max(likely, TINY)
                _gains_per_cost(drawn[unit, draw], mu[draw], belief, available, own)
                rank += likely * own
            _take_highest(rank, evenly, untaught, available, chosen[:held])
            regret[:] = 0.0
            for draw in range(draws):
                likely = shares[draw].sum()
                belief[:] = shares[draw] / max(likely, TINY)
                known, paid = drawn[unit, draw][chosen[:held]], cost[unit][chosen[:held]]
                _spread_paid(belief, known, paid, joint[:, :size], spent[:held, :size])
                _solve(stakes, -1.0, joint[:, :size], spent[:held, :size], value, move, decision)
                worths[0] = stakes * joint[:, 0].max()
                for at in range(held):
                    worths[1 + at] = value[3**at] + value[2 * 3**at] - spent[at, 0]
                best[draw] = move[0] + 1
                regret[: held + 1] += likely * (worths[best[draw]] - worths[: held + 1])
            gains[0] = 0.0
            for at in range(held):
                gains[1 + at] = _information(drawn[unit, :, chosen[at]], shares, best, held + 1)
            action = take_action(regret[: held + 1], gains[: held + 1], chances[unit, count])
            if action == 0:
                break
            question = chosen[action - 1]
            answer = answers[unit, question]
            asked[unit, count] = question
            available[question] = False
            for draw in range(draws):
                for j in range(m):
                    yes = drawn[unit, draw, question, j]
                    weights[draw, j] += math.log(max(yes if answer == 1 else 1.0 - yes, TINY))


@numba.njit(error_model="numpy")
def take_action(regrets: Floats, gains: Floats, chance: float) -> int:
    """The action that information-directed sampling takes; ``chance`` is uniform and decides within a mixture.

    Where nothing teaches, the action with the least regret.
    """
    count = len(regrets)
    first = int(regrets.argmin())
    if gains.max() <= 0.0:
        return first
    second, share = first, 0.0
    least = _ratio(regrets[first], gains[first])
    for a in range(count):
        for b in range(a, count):
            more, longer = gains[b] - gains[a], regrets[b] - regrets[a]
            for way in range(3):
                q = float(way)
                if way == 2:
                    if more == 0.0 or longer == 0.0:
                        continue
                    # Where the derivative of a quadratic over a linear function is 0; it is convex.
                    q = min(max(regrets[a] / longer - 2.0 * gains[a] / more, 0.0), 1.0)
                ratio = _ratio(regrets[a] + q * longer, gains[a] + q * more)
                if ratio < least * (1.0 - 1e-9):
                    first, second, share, least = a, b, q, ratio
    return second if chance < share else first


@numba.njit(error_model="numpy")
def _spread_paid(belief: Floats, theta: Floats, cost: Floats, joint: Floats, spent: Floats) -> None:
    """Write w_s(j), (m, states), and the joint cost of each question where it can be asked, (K, states).

    As ``_spread`` does; costs that depend on question and answer alone need only the mass of each state.
    """
    mass = np.zeros(joint.shape[1])
    for j in range(len(belief)):
        _fill_states(belief[j], 1.0 - theta[:, j], theta[:, j], joint[j])
        mass += joint[j]
    for at in range(len(theta)):
        stride = 3**at
        for s in range(len(mass)):
            if s // stride % 3 == 0:
                spent[at, s] = cost[at, 0] * mass[s + stride] + cost[at, 1] * mass[s + 2 * stride]


@numba.njit(error_model="numpy")
def _ratio(regret: float, gain: float) -> float:
    """Squared regret for each unit of information: 0 without regret, infinite without information."""
    if regret <= 0.0:
        return 0.0
    return regret * regret / gain if gain > 0.0 else np.inf


@numba.njit(error_model="numpy")
def _most_instructive(teaches: Floats, mu: Floats, belief: Floats, available: Bools, without: Ints) -> int:
    """The available question that teaches most per cost and is not among ``without``."""
    best, highest = -1, -1.0
    for i in range(len(teaches)):
        if available[i] and not (without == i).any():
            taught, paid = 0.0, 0.0
            for j in range(len(belief)):
                taught += teaches[i, j] * belief[j]
                paid += mu[i, j] * belief[j]
            if taught / max(paid, TINY) > highest:
                best, highest = i, taught / max(paid, TINY)
    return best


@numba.njit(error_model="numpy")
def _as_shares(weights: Floats, shares: Floats) -> None:
    """Write P(draw s, outcome j | answers) into ``shares``, (S, m)."""
    highest = weights.max()
    for draw in range(len(weights)):
        for j in range(weights.shape[1]):
            shares[draw, j] = math.exp(weights[draw, j] - highest)
    shares /= shares.sum()


@numba.njit(error_model="numpy")
def _gains_per_cost(theta: Floats, mu: Floats, belief: Floats, available: Bools, rank: Floats) -> None:
    """Write the information gain per cost of each available question into ``rank``."""
    for i in range(len(theta)):
        rank[i] = 0.0
        if available[i]:
            yes, within, expected = 0.0, 0.0, 0.0
            for j in range(len(belief)):
                yes += theta[i, j] * belief[j]
                within += _entropy(1.0 - theta[i, j], theta[i, j]) * belief[j]
                expected += mu[i, j] * belief[j]
            yes = min(yes, 1.0)
            rank[i] = max(_entropy(1.0 - yes, yes) - within, 0.0) / max(expected, TINY)


@numba.njit(error_model="numpy")
def _information(theta: Floats, shares: Floats, best: Ints, actions: int) -> float:
    """I(a*; X | y): ``theta`` and ``shares`` are (S, m), and ``best`` the best action under each draw, (S,)."""
    total = 0.0
    for j in range(theta.shape[1]):
        mass, yes = np.zeros(actions), np.zeros(actions)
        for draw in range(len(theta)):
            mass[best[draw]] += shares[draw, j]
            yes[best[draw]] += shares[draw, j] * theta[draw, j]
        whole = mass.sum()
        if whole > 0.0:
            share = min(yes.sum() / whole, 1.0)
            total += whole * _entropy(1.0 - share, share)
            for a in range(actions):
                if mass[a] > 0.0:
                    share = min(yes[a] / mass[a], 1.0)
                    total -= mass[a] * _entropy(1.0 - share, share)
    return max(total, 0.0)
