"""Compiled interviews of the other forms: answers read by another theta, and the prototype's value of learning."""

from __future__ import annotations

import math

import numba
import numpy as np
import numpy.typing as npt

from odm_tui.engine.belief import TINY
from odm_tui.engine.problem import Floats
from odm_tui.evaluation.experiment.batch.lookahead_kernel import (
    _expected_costs,
    _first_of_best,
    _most_promising,
    _normalise,
    _solve,
    _spread,
)


@numba.njit(error_model="numpy")
def hold_form(
    models: Floats,
    reading: Floats,
    bonus: Floats,
    prior: Floats,
    cost: Floats,
    stakes: float,
    answers: npt.NDArray[np.int8],
    depth: int,
    asked: npt.NDArray[np.int16],
) -> None:
    """Hold one interview of each unit: plan with the first model, and with the next one where that would stop.

    For B units and k models: ``models`` and ``reading``, the theta by which answers are read, (B, k, n, m), ``bonus``
    (B, n, m), ``prior`` (B, m), ``cost`` (B, n, 2), ``answers`` (B, n). Writes the questions into ``asked``, (B, n).
    """
    units, count_models, n, m = models.shape
    planned = min(depth, n)
    states = 3**planned
    joint, spent, value = np.empty((m, states)), np.empty((planned, states)), np.empty(states)
    move, decision = np.empty(states, dtype=np.intp), np.empty(states, dtype=np.intp)
    chosen, worths = np.empty(planned, dtype=np.intp), np.empty(planned)
    available = np.empty(n, dtype=np.bool_)
    theta, asking = np.empty((planned, m)), np.empty((planned, m))
    mu, belief, weights = np.empty((count_models, n, m)), np.empty(m), np.empty((count_models, m))
    for unit in range(units):
        available[:] = True
        asked[unit] = -1
        for k in range(count_models):
            _expected_costs(models[unit, k], cost[unit], mu[k])
            for j in range(m):
                weights[k, j] = math.log(max(prior[unit, j], TINY))
        for count in range(n):
            held = min(planned, n - count)
            size = 3**held
            question = -1
            for k in range(count_models):
                known = models[unit, k]
                _normalise(weights[k], belief)
                _most_promising(known, mu[k], belief, available, bonus[unit], chosen[:held])
                for at in range(held):
                    theta[at] = known[chosen[at]]
                    asking[at] = mu[k, chosen[at]] - bonus[unit, chosen[at]]
                _spread(belief, theta[:held], asking[:held], joint[:, :size], spent[:held, :size])
                _solve(stakes, -1.0, joint[:, :size], spent[:held, :size], value, move, decision)
                for at in range(held):
                    worths[at] = value[3**at] + value[2 * 3**at] - spent[at, 0]
                at = _first_of_best(worths[:held], stakes * joint[:, 0].max())
                if at >= 0:
                    question = chosen[at]
                    break
            if question < 0:
                break
            answer = answers[unit, question]
            asked[unit, count] = question
            available[question] = False
            for k in range(count_models):
                for j in range(m):
                    yes = reading[unit, k, question, j]
                    weights[k, j] += math.log(max(yes if answer == 1 else 1.0 - yes, TINY))


@numba.njit(error_model="numpy")
def find_losses_of_prototype(
    drawn: Floats, mean: Floats, prior: Floats, cost: Floats, stakes: float, planned: int, losses: Floats
) -> None:
    """Write the prototype's L_i = mean_s max(0, V_s − V_s^(−i)) of each unit into ``losses``, (B, n).

    V_s^(−i) is the value of the best plan where theta_i is its mean; the product follows that plan under theta_s.
    """
    units, draws, n, m = drawn.shape
    planned = min(planned, n)
    states = 3**planned
    joint, spent, value = np.empty((m, states)), np.empty((planned, states)), np.empty(states)
    move, decision = np.empty(states, dtype=np.intp), np.empty(states, dtype=np.intp)
    chosen = np.empty(planned, dtype=np.intp)
    everything, nothing = np.ones(n, dtype=np.bool_), np.zeros((n, m))
    mu, mean_mu = np.empty((n, m)), np.empty((n, m))
    theta, asking = np.empty((planned, m)), np.empty((planned, m))
    for unit in range(units):
        losses[unit] = 0.0
        _expected_costs(mean[unit], cost[unit], mean_mu)
        for draw in range(draws):
            _expected_costs(drawn[unit, draw], cost[unit], mu)
            _most_promising(drawn[unit, draw], mu, prior[unit], everything, nothing, chosen)
            best = 0.0
            for left_out in range(-1, planned):
                for at in range(planned):
                    i = chosen[at]
                    theta[at] = mean[unit, i] if at == left_out else drawn[unit, draw, i]
                    asking[at] = mean_mu[i] if at == left_out else mu[i]
                _spread(prior[unit], theta, asking, joint, spent)
                _solve(stakes, -1.0, joint, spent, value, move, decision)
                if left_out < 0:
                    best = value[0]
                else:
                    losses[unit, chosen[left_out]] += max(best - value[0], 0.0)
        losses[unit] /= draws
