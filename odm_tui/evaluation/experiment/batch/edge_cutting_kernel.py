"""W-EC² interviews, compiled: the mathematics of ``engine.hypotheses`` and ``engine.gains`` for yes/no questions.

A hypothesis is one answer to every question. Every outcome lists its most probable ones; one that several outcomes
list belongs to the likeliest of them. Sums are made in the order of the engine's wherever that decides between
equals, so that the lists are the same to the last bit.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from odm_tui.engine.belief import IMPOSSIBLE, TINY
from odm_tui.engine.lookahead.planner import NOTHING
from odm_tui.engine.problem import Bools, Floats, Ints
from odm_tui.evaluation.experiment.batch.compiler import compiled

BITS = 62
"""How many questions one number holds the answers of; two numbers hold an answer set."""


@compiled
def hold_edge_cutting(
    theta: Floats,
    log_theta: Floats,
    log_prior: Floats,
    cost: Floats,
    answers: npt.NDArray[np.int8],
    limit: int,
    eta: float,
    known_rows: npt.NDArray[np.int8],
    known_listed: Bools,
    asked: npt.NDArray[np.int16],
) -> None:
    """Hold one interview of each unit.

    For B units: ``theta`` and ``log_theta`` (B, n, m, 2), ``log_prior`` (B, m), ``cost`` (B, n, m, 2), ``answers``
    (B, n). ``known_rows`` (B, m, k, n) and ``known_listed`` (B, m, k) are the regions known beforehand; with k = 0
    they are listed from theta. Writes the questions into ``asked``, (B, n), in their order, and leaves -1 after the
    last.
    """
    units, n, m, _ = theta.shape
    known = known_rows.shape[2]
    width = max(limit, known)
    rows = np.empty((m, width, n))
    alive = np.empty((m, width), dtype=np.bool_)
    log_weight, weight = np.empty((m, width)), np.empty((m, width))
    available = np.empty(n, dtype=np.bool_)
    given = np.empty(n, dtype=np.int8)
    log_joint, belief = np.empty(m), np.empty(m)
    for unit in range(units):
        available[:] = True
        given[:] = -1
        asked[unit] = -1
        log_joint[:] = log_prior[unit]
        if known:
            alive[:] = False
            alive[:, :known] = known_listed[unit]
            rows[:, :known] = known_rows[unit]
        else:
            _list(log_theta[unit], log_prior[unit], given, limit, eta, rows, alive)
        _weigh(log_theta[unit], log_prior[unit], rows, alive, log_weight)
        count = 0
        while count < n:
            regions = 0
            for j in range(m):
                regions += alive[j].any()
            if regions <= 1:
                break
            question = _choose(
                theta[unit],
                cost[unit],
                log_joint,
                belief,
                available,
                rows,
                alive,
                log_weight,
                weight,
            )
            answer = answers[unit, question]
            asked[unit, count] = question
            count += 1
            available[question] = False
            given[question] = answer
            some = False
            for j in range(m):
                log_joint[j] += log_theta[unit, question, j, answer]
                for h in range(width):
                    if alive[j, h]:
                        alive[j, h] = rows[j, h, question] == answer
                        some = some or alive[j, h]
            if not some:
                _list(log_theta[unit], log_prior[unit], given, limit, eta, rows, alive)
                _weigh(log_theta[unit], log_prior[unit], rows, alive, log_weight)


# -- what is listed ------------------------------------------------------------------------------------


@compiled
def _list(
    log_theta: Floats,
    log_prior: Floats,
    given: npt.NDArray[np.int8],
    limit: int,
    eta: float,
    rows: Floats,
    alive: Bools,
) -> None:
    """Write each outcome's most probable hypotheses into ``rows``, and which of them are listed into ``alive``.

    As ``list_hypotheses``: until 1 - eta of the outcome's probability is covered, and each in one row only.
    """
    n, m, _ = log_theta.shape
    columns = min(n, limit - 1)
    best, highest, gaps = np.empty((m, n), dtype=np.int8), np.empty((m, n)), np.empty((m, n))
    so_far = log_prior.copy()
    for j in range(m):
        likelihood = 0.0
        for i in range(n):
            no, yes = log_theta[i, j, 0], log_theta[i, j, 1]
            if given[i] >= 0:
                likelihood += yes if given[i] == 1 else no
                no = 0.0 if given[i] == 0 else 2 * IMPOSSIBLE
                yes = 0.0 if given[i] == 1 else 2 * IMPOSSIBLE
            best[j, i] = 1 if yes > no else 0
            highest[j, i] = max(no, yes)
            gaps[j, i] = highest[j, i] - min(no, yes)
        so_far[j] = log_prior[j] + likelihood
    where = np.empty((m, columns), dtype=np.intp)
    for j in range(m):
        _smallest(gaps[j], where[j])
    sums, changed, made = _smallest_sums(gaps, where, limit)

    log_p = np.full((m, limit), 2 * IMPOSSIBLE)
    low_bits, high_bits = np.zeros((m, limit), dtype=np.int64), np.zeros((m, limit), dtype=np.int64)
    alive[:] = False
    for j in range(m):
        whole = pairwise_sum(highest[j])
        covered = 0.0
        for h in range(made):
            log_p[j, h] = whole - sums[j, h]
            alive[j, h] = log_p[j, h] > IMPOSSIBLE / 2 and covered < 1 - eta and log_prior[j] > IMPOSSIBLE / 2
            covered += math.exp(log_p[j, h])
            if not alive[j, h]:
                continue
            for i in range(n):
                rows[j, h, i] = best[j, i]
            for column in range(columns):
                if (changed[j, h] >> column) & 1:
                    rows[j, h, where[j, column]] = 1 - best[j, where[j, column]]
            for i in range(n):
                if rows[j, h, i] == 1.0:
                    if i < BITS:
                        low_bits[j, h] |= np.int64(1) << i
                    else:
                        high_bits[j, h] |= np.int64(1) << (i - BITS)
    _settle_contests(low_bits, high_bits, log_p, so_far, made, alive)


@compiled
def _smallest(values: Floats, where: Ints) -> None:
    """Write the positions of the smallest values into ``where``, smallest first; equal ones by position."""
    kept = 0
    for i in range(len(values)):
        at = kept
        while at > 0 and values[where[at - 1]] > values[i]:
            at -= 1
        if at == len(where):
            continue
        kept = min(kept + 1, len(where))
        for later in range(kept - 1, at, -1):
            where[later] = where[later - 1]
        where[at] = i


@compiled
def _smallest_sums(gaps: Floats, where: Ints, limit: int) -> tuple[Floats, npt.NDArray[np.int64], int]:
    """The ``limit`` smallest sums of gaps of each outcome, which columns each takes (a bit each), and how many."""
    m, columns = where.shape
    sums, sums_before = np.zeros((m, limit)), np.empty(limit)
    taken, taken_before = np.zeros((m, limit), dtype=np.int64), np.empty(limit, dtype=np.int64)
    made = 1
    for column in range(columns):
        if made == limit:
            matters = False
            for j in range(m):
                matters = matters or gaps[j, where[j, column]] < sums[j, made - 1]
            if not matters:
                break
        following = min(2 * made, limit)
        for j in range(m):
            gap, bit = gaps[j, where[j, column]], np.int64(1) << column
            sums_before[:made] = sums[j, :made]
            taken_before[:made] = taken[j, :made]
            without, with_it = 0, 0
            for h in range(following):
                # Between equals, the engine's order: by the sum before, and the one without the gap first.
                first = with_it >= made
                if not first and without < made:
                    more = sums_before[with_it] + gap
                    first = sums_before[without] < more or (
                        sums_before[without] == more and without <= with_it
                    )
                if first:
                    sums[j, h], taken[j, h] = sums_before[without], taken_before[without]
                    without += 1
                else:
                    sums[j, h], taken[j, h] = sums_before[with_it] + gap, taken_before[with_it] | bit
                    with_it += 1
        made = following
    return sums, taken, made


@compiled
def _settle_contests(
    low_bits: npt.NDArray[np.int64],
    high_bits: npt.NDArray[np.int64],
    log_p: Floats,
    so_far: Floats,
    made: int,
    alive: Bools,
) -> None:
    """Leave a hypothesis that several outcomes list to the likeliest of them, the first of equals."""
    m = len(log_p)
    size = 4
    while size < 4 * m * made:
        size *= 2
    table = np.full(size, -1, dtype=np.intp)
    for j in range(m):
        for h in range(made):
            if not alive[j, h]:
                continue
            mixed = low_bits[j, h] * np.int64(0x9E3779B97F4A7C1) ^ high_bits[j, h] * np.int64(
                0x2545F4914F6CDD1D
            )
            slot = (mixed >> 29) & (size - 1)
            while True:
                other = table[slot]
                if other < 0:
                    table[slot] = j * made + h
                    break
                rival, theirs = other // made, other % made
                if low_bits[rival, theirs] == low_bits[j, h] and high_bits[rival, theirs] == high_bits[j, h]:
                    if log_p[j, h] + so_far[j] > log_p[rival, theirs] + so_far[rival]:
                        alive[rival, theirs] = False
                        table[slot] = j * made + h
                    else:
                        alive[j, h] = False
                    break
                slot = (slot + 1) & (size - 1)


@compiled
def pairwise_sum(values: Floats) -> float:
    """The sum in numpy's order: eight sums side by side, from eight numbers on; for up to 128 numbers."""
    count = len(values)
    if count < 8:
        total = 0.0
        for i in range(count):
            total += values[i]
        return total
    side = values[:8].copy()
    at = 8
    while at + 8 <= count:
        for k in range(8):
            side[k] += values[at + k]
        at += 8
    total = ((side[0] + side[1]) + (side[2] + side[3])) + ((side[4] + side[5]) + (side[6] + side[7]))
    for i in range(at, count):
        total += values[i]
    return float(total)


@compiled
def _weigh(log_theta: Floats, log_prior: Floats, rows: Floats, alive: Bools, log_weight: Floats) -> None:
    """Write log P(h) = log Σ_j P(j) · Π_i theta_ij(h_i) of every listed hypothesis."""
    n, m, _ = log_theta.shape
    by_answer = np.empty((2, n, m))
    for i in range(n):
        for j in range(m):
            by_answer[0, i, j] = log_theta[i, j, 0]
            by_answer[1, i, j] = log_theta[i, j, 1]
    no, yes = np.empty(m), np.empty(m)
    for j in range(m):
        for h in range(alive.shape[1]):
            if not alive[j, h]:
                continue
            no[:] = 0.0
            yes[:] = 0.0
            for i in range(n):
                if rows[j, h, i] == 0.0:
                    for k in range(m):
                        no[k] += by_answer[0, i, k]
                else:
                    for k in range(m):
                        yes[k] += by_answer[1, i, k]
            highest = -np.inf
            for k in range(m):
                no[k] = (log_prior[k] + no[k]) + yes[k]
                highest = max(highest, no[k])
            total = 0.0
            for k in range(m):
                total += math.exp(no[k] - highest)
            log_weight[j, h] = highest + math.log(total)


# -- what is asked -------------------------------------------------------------------------------------


@compiled
def _choose(
    theta: Floats,
    cost: Floats,
    log_joint: Floats,
    belief: Floats,
    available: Bools,
    rows: Floats,
    alive: Bools,
    log_weight: Floats,
    weight: Floats,
) -> int:
    """The available question that cuts most edges per cost; the cheapest where none cuts any."""
    n, m, _ = theta.shape
    highest = log_joint.max()
    total = 0.0
    for j in range(m):
        belief[j] = math.exp(log_joint[j] - highest)
        total += belief[j]
    log_total = highest + math.log(total)
    for j in range(m):
        belief[j] /= total

    whole, by_yes = np.zeros(m), np.zeros((m, n))
    for j in range(m):
        for h in range(alive.shape[1]):
            if alive[j, h]:
                mass = math.exp(log_weight[j, h] - log_total)
                whole[j] += mass
                for i in range(n):
                    by_yes[j, i] += mass * rows[j, h, i]
    edges = _edge_weight(whole)
    part = np.empty(m)
    scores, costs = np.full(n, -np.inf), np.full(n, np.inf)
    best_score, least = -np.inf, np.inf
    for i in range(n):
        if not available[i]:
            continue
        no, yes, expected = 0.0, 0.0, 0.0
        for j in range(m):
            no += theta[i, j, 0] * belief[j]
            yes += theta[i, j, 1] * belief[j]
            expected += (cost[i, j, 0] * theta[i, j, 0] + cost[i, j, 1] * theta[i, j, 1]) * belief[j]
        for j in range(m):
            part[j] = max(whole[j] - by_yes[j, i], 0.0)
        gain = no * max(edges - _edge_weight(part), 0.0)
        gain += yes * max(edges - _edge_weight(by_yes[:, i]), 0.0)
        scores[i], costs[i] = gain / max(expected, TINY), expected
        best_score, least = max(best_score, scores[i]), min(least, expected)
    # Of questions that differ by rounding only, the first one, as the engine does.
    for i in range(n):
        if not available[i]:
            continue
        if best_score > 0:
            if scores[i] >= best_score * (1.0 - NOTHING):
                return i
        elif costs[i] <= least * (1.0 + NOTHING):
            return i
    return -1


@compiled
def _edge_weight(mass: Floats) -> float:
    """The weight of all edges between regions, as ``engine.gains.edge_weights``."""
    if len(mass) < 2:
        return 0.0
    if len(mass) == 2:
        return float(mass[0] * mass[1])
    top = mass.max()
    ties, rest, squares = 0, 0.0, 0.0
    for r in range(len(mass)):
        if mass[r] == top:
            ties += 1
        else:
            rest += mass[r]
            squares += mass[r] * mass[r]
    among = max(rest * rest - squares, 0.0)
    return float(0.5 * (ties * (ties - 1) * top * top + among) + ties * top * rest)
