"""Beliefs: P(outcome | answers so far), in log space.

theta, P(y) and x_P are the paper's letters: the distributions of the answers, the prior of the outcomes, and the
answers so far.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from odm_tui.engine.problem import Floats

IMPOSSIBLE = -1e9
"""Stands for the logarithm of 0. It is finite, so sums never give NaN, and below any sum of real logarithms.

If every outcome is ruled out, those with the fewest impossible answers share the belief.
"""


TINY = 1e-300
"""Replaces 0 under a logarithm that is multiplied by 0."""


def safe_log(p: npt.ArrayLike) -> Floats:
    """log(p), with IMPOSSIBLE in place of -inf.

    >>> safe_log([1.0, 0.0]).tolist()
    [0.0, -1000000000.0]
    """
    given = np.asarray(p, dtype=np.float64)
    return np.log(given, out=np.full(given.shape, IMPOSSIBLE), where=given > 0)


def normalise(log_weights: Floats) -> Floats:
    """exp(log_weights) scaled to sum to 1 along the last axis.

    >>> normalise(np.array([-1000.0, -1000.0])).tolist()
    [0.5, 0.5]
    """
    if log_weights.ndim == 1:  # the usual case, done in the fastest way
        weights = np.exp(log_weights - np.maximum.reduce(log_weights))
        return np.asarray(weights / np.add.reduce(weights))
    weights = np.exp(log_weights - log_weights.max(axis=-1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def log_sum(log_weights: Floats) -> Floats:
    """log(sum(exp(log_weights))) along the last axis."""
    top = log_weights.max(axis=-1)
    return np.asarray(top + np.log(np.exp(log_weights - top[..., None]).sum(axis=-1)))


def log_likelihood(log_theta: Floats, answers: npt.NDArray[np.integer]) -> Floats:
    """log P(x_P | y = j) for every outcome j: the sum over the answered questions of log theta_ij(x_i).

    ``log_theta`` is (n, m, K), ``answers`` (n,) with -1 where there is none; the result is (m,).
    """
    asked = np.flatnonzero(answers >= 0)
    return np.asarray(log_theta[asked, :, answers[asked]].sum(axis=0))


def belief(prior: Floats, theta: Floats, answers: npt.NDArray[np.integer]) -> Floats:
    """P(y = j | x_P) ∝ P(y = j) · Π theta_ij(x_i): naive Bayes.

    >>> theta = np.array([[[.1, .9], [.8, .2]]])
    >>> belief(np.array([.5, .5]), theta, np.array([1])).round(3).tolist()
    [0.818, 0.182]
    """
    return normalise(safe_log(prior) + log_likelihood(safe_log(theta), answers))


def belief_after(current: Floats, theta_i: Floats) -> Floats:
    """The belief after each answer to one question, (K, m); ``theta_i`` is (m, K).

    After an answer that is impossible under every outcome, the belief is unchanged.
    """
    joint = (current[:, None] * theta_i).T
    total = joint.sum(axis=-1, keepdims=True)
    return np.where(total > 0, joint / np.where(total > 0, total, 1.0), current)


def entropy(p: Floats) -> Floats:
    """Shannon entropy in nats along the last axis, with 0 log 0 = 0.

    >>> float(entropy(np.array([0.5, 0.5, 0.0])).round(6))
    0.693147
    """
    return np.asarray(-np.add.reduce(p * np.log(np.maximum(p, TINY)), axis=-1))
