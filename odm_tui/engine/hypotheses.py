"""Hypotheses: the most probable full sets of answers of each outcome.

A hypothesis h is one answer to every question. Given theta, the questions are independent within an
outcome, so log P(h | y = j) is a sum with one term per question. The best hypothesis takes each question's most probable
answer. Every other one loses a *gap* for each question where it takes another answer. The k most probable
hypotheses are the k smallest sums of gaps; all outcomes are computed side by side.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from odm_tui.engine.belief import IMPOSSIBLE, log_likelihood, log_sum
from odm_tui.engine.problem import Bools, Floats, Ints
from odm_tui.errors import BadArgument

Answers = npt.NDArray[np.int8]
Contested = Literal["likeliest", "apart"]

ETA = 0.002
"""How much of an outcome's probability its list may leave out."""


@dataclass(frozen=True, eq=False)
class Hypotheses:
    """The listed hypotheses and the region that each belongs to.

    ``answers`` is (m, k, n): row j holds what outcome j lists, most probable first. ``listed`` marks the
    rows in use. Each hypothesis is in one row only: a *contested* one, which several outcomes list, stays in
    the row of the likeliest of them. With ``apart`` the contested ones form a region of their own
    (as in the paper's experiments); otherwise they belong to the outcome of their row.

    Where outcomes have variants, each row is a sub-outcome's, and ``outcome_of`` is its outcome, in order: all variants
    of an outcome are one region.
    """

    answers: Answers
    listed: Bools
    contested: Bools
    apart: bool = False
    outcome_of: Ints | None = None

    @cached_property
    def starts(self) -> Ints | None:
        """The first row of each outcome, (m,); None if every row is an outcome."""
        return None if self.outcome_of is None else np.flatnonzero(np.diff(self.outcome_of, prepend=-1))

    def sum_variants(self, by_row: Floats) -> Floats:
        """Sum values by row, along the first axis, to values by outcome."""
        return by_row if self.starts is None else np.asarray(np.add.reduceat(by_row, self.starts, axis=0))

    def regions_among(self, alive: Bools) -> int:
        """The number of regions with a hypothesis among ``alive``, (m, k)."""
        own = (alive & ~self.contested if self.apart else alive).any(axis=1)
        if self.starts is not None:
            own = np.logical_or.reduceat(own, self.starts)
        return int(own.sum()) + int(self.apart and (alive & self.contested).any())

    def by_region(self, weights: Floats) -> Floats:
        """Sums of weights (m, k) or (m, k, n) by region: (r,) or (r, n), the contested one last."""
        if not self.apart:
            return self.sum_variants(np.asarray(weights.sum(axis=1)))
        shared = self.contested.reshape(self.contested.shape + (1,) * (weights.ndim - 2))
        own = self.sum_variants(np.where(shared, 0.0, weights).sum(axis=1))
        return np.concatenate([own, np.where(shared, weights, 0.0).sum(axis=(0, 1))[None]])

    @cached_property
    def indicators(self) -> Floats:
        """1 where hypothesis h answers q to question i, for q = 1, …: shape (m, k, n · (K - 1)).

        Answer 0 is the rest of the total, so yes/no questions need one column each.
        """
        m, k, n = self.answers.shape
        width = max(int(self.answers.max(initial=1)), 1)
        if width == 1:
            return np.asarray(self.answers, dtype=np.float64)
        columns = self.answers[..., None] == np.arange(1, width + 1, dtype=np.int8)
        return np.asarray(columns, dtype=np.float64).reshape(m, k, n * width)


def list_hypotheses(
    log_prior: Floats,
    log_theta: Floats,
    limit: int,
    *,
    eta: float = ETA,
    given: npt.NDArray[np.integer] | None = None,
    contested: Contested = "likeliest",
    outcome_of: Ints | None = None,
) -> Hypotheses:
    """The hypotheses of every outcome, most probable first, until they cover 1 - eta of its probability.

    ``log_theta`` is (n, m, K), with IMPOSSIBLE where an answer can't be. ``given`` are answers that every
    hypothesis must agree with; the probability to cover is then conditional on them. Where outcomes have variants, all
    arrays are by sub-outcome, and ``outcome_of`` is the outcome of each.

    >>> from odm_tui.engine.belief import safe_log
    >>> theta = np.array([[[.1, .9], [.8, .2]], [[.3, .7], [.4, .6]]])      # 2 questions, 2 outcomes
    >>> made = list_hypotheses(safe_log([.5, .5]), safe_log(theta), limit=2)
    >>> made.answers.tolist()
    [[[1, 1], [1, 0]], [[0, 1], [0, 0]]]
    """
    if limit < 1:
        raise BadArgument(f"The number of hypotheses per outcome must be at least 1, not {limit}.")
    if not 0 <= eta < 1:
        raise BadArgument(f"The eta is the share left out, from 0 to below 1, not {eta}.")
    answers, log_p = most_probable(log_theta, limit, given)
    covered = np.cumsum(np.exp(log_p), axis=1)
    before = np.concatenate([np.zeros((len(covered), 1)), covered[:, :-1]], axis=1)
    listed = (log_p > IMPOSSIBLE / 2) & (before < 1 - eta)
    possible = log_prior > IMPOSSIBLE / 2
    if possible.any():
        listed &= possible[:, None]
    used = max(int(listed.sum(axis=1).max(initial=0)), 1)
    answers, log_p, listed = answers[:, :used], log_p[:, :used], listed[:, :used]
    so_far = log_prior if given is None else log_prior + log_likelihood(log_theta, given)
    if outcome_of is None:
        keeps, shared = _contests(answers, listed, log_p + so_far[:, None])
    else:
        keeps, shared = _contests_of_variants(
            answers, listed, log_p + so_far[:, None], outcome_of, log_prior, log_theta
        )
    return Hypotheses(
        np.ascontiguousarray(answers), listed & keeps, shared & keeps, contested == "apart", outcome_of
    )


def most_probable(
    log_theta: Floats, limit: int, given: npt.NDArray[np.integer] | None = None
) -> tuple[Answers, Floats]:
    """The ``limit`` most probable hypotheses of every outcome: answers (m, k, n) and log P(h | j) (m, k).

    Exact: no other hypothesis of an outcome is more probable than one on its list. A hypothesis that
    takes the second choice of a question whose gap has rank r (0 for the smallest) has at least r + 1
    hypotheses that are no less probable: the best one, and the r that change just one question of smaller
    gap. So only the ``limit - 1`` questions of smallest gap can differ from the best hypothesis.

    Equally probable hypotheses come in a fixed order. Where fewer exist, log P is IMPOSSIBLE or below.
    """
    n, m, _ = log_theta.shape
    by_outcome = log_theta.transpose(1, 0, 2)
    if given is not None:
        by_outcome = _pinned(by_outcome, given)
    ranked = np.argsort(-by_outcome, axis=-1, kind="stable").astype(np.int8)
    ordered = np.take_along_axis(by_outcome, ranked.astype(np.intp), axis=-1)
    gaps = ordered[..., :1] - ordered
    best, best_log_p = ranked[..., 0], ordered[..., 0].sum(axis=1)
    free = min(n, limit - 1)
    if free == 0:
        return best[:, None, :].copy(), best_log_p[:, None]
    where = _smallest(gaps[..., 1], free)
    rows = np.arange(m)[:, None]
    sums, options = _smallest_sums(gaps[rows, where], limit)
    where = where[:, : options.shape[2]]
    answers = np.repeat(best[:, None, :], sums.shape[1], axis=1)
    taken = ranked[rows[:, :, None], where[:, None, :], options]
    np.put_along_axis(answers, np.broadcast_to(where[:, None, :], options.shape), taken, axis=2)
    return answers, best_log_p[:, None] - sums


def _pinned(by_outcome: Floats, given: npt.NDArray[np.integer]) -> Floats:
    """log theta with the given answers certain: they have no gap and no alternative."""
    asked = np.flatnonzero(given >= 0)
    pinned = by_outcome.copy()
    pinned[:, asked, :] = 2 * IMPOSSIBLE
    pinned[:, asked, given[asked]] = 0.0
    return pinned


def _smallest(values: Floats, count: int) -> npt.NDArray[np.intp]:
    """The positions of the ``count`` smallest of each row, smallest first; ties by position."""
    if count < values.shape[1] // 4:
        # A partition alone would take any of those that are equal to the last.
        last = np.partition(values, count - 1, axis=1)[:, count - 1 : count]
        below, equal = values < last, values == last
        ties = count - below.sum(axis=1, keepdims=True)
        near = np.nonzero(below | (equal & (equal.cumsum(axis=1) <= ties)))[1].reshape(-1, count)
        order = np.argsort(np.take_along_axis(values, near, axis=1), axis=1, kind="stable")
        return np.take_along_axis(near, order, axis=1)
    return np.argsort(values, axis=1, kind="stable")[:, :count]


def _smallest_sums(gaps: Floats, limit: int) -> tuple[Floats, npt.NDArray[np.int8]]:
    """The ``limit`` smallest sums that take one gap from each column: sums (m, k), choices (m, k, s).

    ``gaps`` is (m, columns, K): 0 first in each column, and columns in the order of their second. Columns
    are added one by one, keeping the smallest sums so far: a partial sum that is not among the smallest
    can't become so again. Once the next column's second gap alone is no smaller than the largest sum kept,
    neither that column nor any later one can matter; s is the number of columns that did.
    """
    m, columns, width = gaps.shape
    sums = np.zeros((m, 1))
    offsets = np.arange(m)[:, None]
    steps = []
    for column in range(columns):
        if sums.shape[1] == limit and (gaps[:, column, 1] >= sums[:, -1]).all():
            break
        candidates = (sums[:, :, None] + gaps[:, column, None, :]).reshape(m, -1)
        order = candidates.argsort(axis=1, kind="stable")[:, :limit]
        sums = candidates.ravel()[order + offsets * candidates.shape[1]]
        steps.append(order)
    kept = np.arange(sums.shape[1]) + np.zeros((m, 1), dtype=np.intp)
    options = np.empty((m, sums.shape[1], len(steps)), dtype=np.int8)
    for column, order in reversed(list(enumerate(steps))):
        came_from = order.ravel()[kept + offsets * order.shape[1]]
        kept = came_from // width
        options[:, :, column] = came_from - kept * width
    return sums, options


def _contests(answers: Answers, listed: Bools, log_joint: Floats) -> tuple[Bools, Bools]:
    """Which rows keep their hypothesis, and which hypotheses are contested; both (m, k)."""
    m, k, n = answers.shape
    if m == 1 or n == 0:
        return np.ones((m, k), dtype=bool), np.zeros((m, k), dtype=bool)
    flat = listed.ravel()
    keys = _row_keys(answers.reshape(m * k, n)[flat])
    # Within equal keys the likeliest outcome comes first; ties by outcome.
    order = np.lexsort((-log_joint.ravel()[flat], keys))
    ordered = keys[order]
    differs = ordered[1:] != ordered[:-1]
    first = np.concatenate([[True], differs])
    last = np.concatenate([differs, [True]])
    keeps, shared = np.zeros(m * k, dtype=bool), np.zeros(m * k, dtype=bool)
    places = np.flatnonzero(flat)[order]
    keeps[places] = first
    shared[places] = ~(first & last)
    return keeps.reshape(m, k), shared.reshape(m, k)


def _contests_of_variants(
    answers: Answers, listed: Bools, log_joint: Floats, outcome_of: Ints, log_prior: Floats, log_theta: Floats
) -> tuple[Bools, Bools]:
    """The same where rows are sub-outcomes: a hypothesis is contested if different outcomes list it.

    It goes to the outcome for which P(h, j), summed over all variants of j, is highest, and there to the likeliest variant.
    """
    s, k, n = answers.shape
    flat = listed.ravel()
    rows = answers.reshape(s * k, n)[flat]
    keys, of = _row_keys(rows), np.repeat(outcome_of, k)[flat]
    # Rows of one hypothesis side by side; then every row knows whether its group has another outcome.
    order = np.lexsort((of, keys))
    starts = np.flatnonzero(np.concatenate([[True], np.diff(keys[order]) != 0]))
    differs = np.minimum.reduceat(of[order], starts) != np.maximum.reduceat(of[order], starts)
    shared = np.empty(len(keys), dtype=bool)
    shared[order] = np.repeat(differs, np.diff(starts, append=len(keys)))
    by_outcome = np.zeros(len(keys))
    if shared.any():
        joint = np.concatenate(list(_joint_of_rows(rows[shared], log_prior, log_theta)))
        joint = np.where(of[shared][:, None] == outcome_of, joint, -np.inf)
        by_outcome[shared] = log_sum(joint)
    order = np.lexsort((-log_joint.ravel()[flat], -by_outcome, keys))
    first = np.concatenate([[True], np.diff(keys[order]) != 0])
    keeps, contested = np.zeros(s * k, dtype=bool), np.zeros(s * k, dtype=bool)
    keeps[np.flatnonzero(flat)[order]] = first
    contested[np.flatnonzero(flat)] = shared
    return keeps.reshape(s, k), contested.reshape(s, k)


def _row_keys(rows: Answers) -> npt.NDArray[np.int64]:
    """One integer per row, the same for equal rows and only for them."""
    n = rows.shape[1]
    if n <= 62 and rows.max(initial=0) <= 1:
        return np.asarray(rows @ (np.int64(1) << np.arange(n, dtype=np.int64)))
    packed = np.packbits(rows.view(np.uint8), axis=1) if rows.max(initial=0) <= 1 else rows
    raw = np.ascontiguousarray(packed).view(np.dtype((np.void, packed.shape[1])))[:, 0]
    return np.unique(raw, return_inverse=True)[1].astype(np.int64)


def log_weights(hypotheses: Hypotheses, log_prior: Floats, log_theta: Floats) -> Floats:
    """log P(h) = log Σ_j P(j) · Π_i theta_ij(h_i) for every listed hypothesis, shape (m, k).

    For a hypothesis that agrees with the answers so far, P(h | x_P) = P(h) / P(x_P): the weights are
    computed once and only the consistent set shrinks.
    """
    blocks = [log_sum(block) for block in _joint_blocks(hypotheses, log_prior, log_theta)]
    return np.concatenate(blocks).reshape(hypotheses.listed.shape)


def log_joint(hypotheses: Hypotheses, log_prior: Floats, log_theta: Floats) -> Floats:
    """log P(h, y = j) for every listed hypothesis and outcome, shape (m, k, m)."""
    blocks = list(_joint_blocks(hypotheses, log_prior, log_theta))
    return np.concatenate(blocks).reshape(*hypotheses.listed.shape, len(log_prior))


BLOCK = 4_000_000
"""How many numbers of the hypotheses x questions matrix are converted at a time, to bound memory."""


def _joint_blocks(hypotheses: Hypotheses, log_prior: Floats, log_theta: Floats) -> Iterator[Floats]:
    m, k, n = hypotheses.answers.shape
    return _joint_of_rows(hypotheses.answers.reshape(m * k, n), log_prior, log_theta)


def _joint_of_rows(rows: Answers, log_prior: Floats, log_theta: Floats) -> Iterator[Floats]:
    m, n = len(log_prior), rows.shape[1]
    step = max(1, BLOCK // max(n, m))
    for start in range(0, len(rows), step):
        block = rows[start : start + step]
        total = np.broadcast_to(log_prior, (len(block), m)).copy()
        for q in range(log_theta.shape[2]):
            total += (block == q).astype(np.float64) @ log_theta[:, :, q]
        yield total
