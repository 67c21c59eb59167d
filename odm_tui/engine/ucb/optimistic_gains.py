"""BayesUCB: the gains when every term takes the bound that makes the question look better.

The gains are neither increasing nor decreasing in theta, so no single bound is the optimistic one. For
question i, only its own theta_i is uncertain here: it lies within the model's bounds, the posterior's
quantiles, while the belief P(y | x_P) is the posterior mean's. Each term takes its best value within the
bounds, so the result is never below the gain under any theta_i within them.

==================  ===============================  ===============================================
term                good for the question when it    takes
==================  ===============================  ===============================================
H(x_i | x_P)        is high                          the chances nearest to each other in the bounds
H(x_i | y = j)      is low                           the bound with less entropy
P(x_i = q | x_P)    is high: it weighs what q cuts   the upper bound
P(h | x_P)          is high: heavier edges           the upper bound in the factor theta_ij(h_i)
Cost(i)             is low: it is the denominator    the bound with the lower cost
==================  ===============================  ===============================================
"""

from __future__ import annotations

import numpy as np

from odm_tui.engine.belief import TINY
from odm_tui.engine.gains import edge_weights
from odm_tui.engine.hypotheses import Hypotheses
from odm_tui.engine.problem import Floats
from odm_tui.engine.ucb.bounds import Bounds, highest_entropies


def expected_costs(bounds: Bounds, belief: Floats) -> Floats:
    """Optimistic eq:conditional_test_cost, (n,)."""
    return np.asarray(bounds.lowest_costs @ belief)


def information_gains(bounds: Bounds, belief: Floats) -> Floats:
    """Optimistic eq:gain_ig, (n,)."""
    low, high = _chances(bounds.low, belief), _chances(bounds.high, belief)
    return np.maximum(highest_entropies(low, high) - bounds.lowest_entropies @ belief, 0.0)


def ec2_gains(
    bounds: Bounds,
    theta: Floats,
    hypotheses: Hypotheses,
    joint: Floats,
    belief: Floats,
    fading: Floats | None = None,
) -> Floats:
    """Optimistic eq:gain_ec2, (n,). ``joint`` is P(h, y = j | x_P), (m, k, m), 0 where h is not consistent.

    The weight of the edges that an answer cuts grows with every P(h | x_P), so all hypotheses take the
    upper bound in the factor of question i: P(h | x_P) becomes
    Σ_j P(h, j | x_P) · high_ij(h_i) / theta_ij(h_i).
    """
    n, m, width = theta.shape
    raised = np.divide(bounds.high, theta, out=np.ones_like(theta), where=theta > TINY)
    flat = joint.reshape(-1, m)
    groups = []
    for q in range(width):
        lifted = (flat @ raised[:, :, q].T).reshape(*joint.shape[:2], n)
        groups.append(hypotheses.by_region(np.where(hypotheses.answers == q, lifted, 0.0)))
    by_answer = np.stack(groups)
    total = by_answer.sum(axis=0)
    whole = edge_weights(total)
    if fading is not None:
        by_answer = by_answer + fading * (total - by_answer)
    cut = np.stack([whole - edge_weights(group) for group in by_answer])
    return np.asarray(np.einsum("iq,qi->i", _chances(bounds.high, belief), np.maximum(cut, 0.0)))


def _chances(theta: Floats, belief: Floats) -> Floats:
    return np.asarray(np.minimum(np.einsum("imq,m->iq", theta, belief), 1.0))
