"""The gains and costs of questions: information gain and EC² in closed form, for all questions at once.

Everything is conditional on the answers so far, x_P. ``belief`` is P(y | x_P), shape (m,).
"""

from __future__ import annotations

import numpy as np

from odm_tui.engine.belief import TINY, entropy
from odm_tui.engine.hypotheses import Hypotheses
from odm_tui.engine.model import Model
from odm_tui.engine.problem import Floats


def expected_costs(model: Model, belief: Floats) -> Floats:
    """Cost(i) = Σ_j Σ_q mu_ij(q) · theta_ij(q) · P(j | x_P): the paper's eq:conditional_test_cost, (n,)."""
    return np.asarray(model.mean_cost @ belief)


def information_gains(model: Model, belief: Floats) -> Floats:
    """The expected information of each question about the outcome, in nats: the paper's eq:gain_ig, (n,).

    H(y | x_P) - E[H(y | x_P, x_i)] is the mutual information of y and x_i, and so is
    H(x_i | x_P) - Σ_j P(j | x_P) · H(x_i | y = j), which needs no belief after each answer.

    Where outcomes have variants, it is the information about outcome and variant together. A question that tells
    which variant it is may tell nothing about the outcome by itself, and yet make the questions after it telling.
    """
    spread = entropy(model.answer_chances(belief))
    spread -= model.answer_entropy @ belief
    return np.maximum(spread, 0.0, out=spread)


def outcome_information(model: Model, belief: Floats) -> Floats:
    """The expected information about the outcome alone, whatever its variant, in nats, (n,).

    H(x_i | x_P) - Σ_j P(j | x_P) · H(x_i | y = j, x_P), where P(x_i | j, x_P) = Σ_v P(v | j, x_P) · theta_iv. Without
    variants it is :func:`information_gains`.
    """
    problem = model.problem
    if problem.outcome_of is None:
        return information_gains(model, belief)
    joint = problem.by_outcome((model.theta * belief[:, None]).transpose(0, 2, 1))
    weights = problem.by_outcome(belief)
    given = np.divide(joint, weights, out=np.zeros_like(joint), where=weights > 0)
    spread = entropy(joint.sum(axis=-1)) - entropy(given.transpose(0, 2, 1)) @ weights
    return np.maximum(spread, 0.0)


def telling_gains(model: Model, belief: Floats) -> Floats:
    """The information by which questions are chosen, in nats, (n,): I(y; x_i) + (1 - max_j P(j)) · I(v; x_i | y).

    Information about the variant counts as far as the outcome is still open: it makes later questions telling, and is
    worth nothing once the outcome is known. Without variants it is :func:`information_gains`.
    """
    together = information_gains(model, belief)
    if model.problem.outcome_of is None:
        return together
    about_outcome = outcome_information(model, belief)
    still_open = 1.0 - float(model.problem.by_outcome(belief).max())
    return np.asarray(about_outcome + still_open * np.maximum(together - about_outcome, 0.0))


def information_bits(model: Model, belief: Floats) -> Floats:
    """The same in bits, (n,)."""
    return np.asarray(telling_gains(model, belief) / np.log(2.0))


def decision_gains(model: Model, belief: Floats) -> Floats:
    """How much more the decision is worth after asking each question alone, (n,).

    Σ_q max_d Σ_j value[d, j] · P(j, x_i = q | x_P) - max_d Σ_j value[d, j] · P(j | x_P); where all wrong decisions cost
    the same, that is stakes · (Σ_q max_j P(j, x_i = q | x_P) - max_j P(j | x_P)).
    """
    problem, stakes = model.problem, model.problem.decision_stakes
    joint = problem.by_outcome((model.theta * belief[:, None]).transpose(0, 2, 1))
    now = stakes.worths(problem.by_outcome(belief))
    return np.asarray(np.maximum(stakes.worths(joint).sum(axis=-1) - now, 0.0))


def edge_weights(mass: Floats) -> Floats:
    """The weight of all edges between regions: Σ_{r < s} M_r · M_s, along the first axis.

    It equals ½[(Σ M)² - Σ M²], but that loses all digits when one region has almost all the mass. So the
    heaviest regions, t of them with mass M each, are taken apart: ½ t (t - 1) M² + t · M · rest, plus the same
    formula for the rest, whose error is then never more than a few bits of the whole.

    >>> float(edge_weights(np.array([0.5, 0.3, 0.2])))
    0.31
    """
    if len(mass) < 2:
        return np.zeros(mass.shape[1:])
    if len(mass) == 2:
        return np.asarray(mass[0] * mass[1])
    top = mass.max(axis=0)
    heaviest = mass == top
    ties = heaviest.sum(axis=0)
    others = np.where(heaviest, 0.0, mass)
    rest = others.sum(axis=0)
    among = np.maximum(rest * rest - np.einsum("r...,r...->...", others, others), 0.0)
    return np.asarray(0.5 * (ties * (ties - 1) * top * top + among) + ties * top * rest)


def region_masses(hypotheses: Hypotheses, weights: Floats) -> tuple[Floats, Floats]:
    """The mass of every region, whole (r,) and by answer to each question (r, K, n).

    ``weights`` is P(h | x_P), (m, k), 0 where h is not consistent. A region's rows lie side by side, so
    all its sums are one product of its weights and its indicator matrix.
    """
    m, k, n = hypotheses.answers.shape
    total = hypotheses.by_region(weights)
    own = np.where(hypotheses.contested, 0.0, weights) if hypotheses.apart else weights
    chosen = np.matmul(own[:, None, :], hypotheses.indicators)[:, 0, :]
    if hypotheses.apart:
        shared = np.where(hypotheses.contested, weights, 0.0)
        flat = hypotheses.indicators.reshape(m * k, -1)
        chosen = np.vstack([hypotheses.sum_variants(chosen), shared.ravel() @ flat])
    else:
        chosen = hypotheses.sum_variants(chosen)
    others = chosen.shape[1] // n
    by_answer = np.empty((len(total), 1 + others, n))
    if others == 1:
        by_answer[:, 1] = chosen
        np.subtract(total[:, None], chosen, out=by_answer[:, 0])
    else:
        by_answer[:, 1:] = chosen.reshape(len(total), n, others).transpose(0, 2, 1)
        by_answer[:, 0] = total[:, None] - by_answer[:, 1:].sum(axis=1)
    np.maximum(by_answer[:, 0], 0.0, out=by_answer[:, 0])
    return total, by_answer


def ec2_gains(
    hypotheses: Hypotheses, weights: Floats, chances: Floats, fading: Floats | None = None
) -> Floats:
    """The expected weight of the edges that each question cuts: the paper's eq:gain_ec2, (n,).

    An edge joins two hypotheses of different regions and weighs P(h | x_P) · P(h' | x_P). Answer q cuts
    every edge that touches a hypothesis with another answer, so
    Gain(i) = Σ_q P(x_i = q | x_P) · [W(V) - W(V ∩ {h_i = q})]. ``chances`` is P(x_i = q | x_P), (n, K).

    Where answers can be wrong, hypotheses with another answer keep the share ``fading`` of their weight, (n,):
    then W(V ∩ {h_i = q}) becomes the weight of all edges with the faded weights (error-tolerant, as in ECED).
    """
    total, by_answer = region_masses(hypotheses, weights)
    if fading is not None:
        by_answer = by_answer + fading * (total[:, None, None] - by_answer)
    left = edge_weights(by_answer)
    cut = np.maximum(edge_weights(total) - left, 0.0)
    seen = len(left)
    gains = np.einsum("iq,qi->i", chances[:, :seen], cut)
    if seen < chances.shape[1]:
        # No listed hypothesis gives these answers, so they would cut every edge, or fade all alike.
        kept = 0.0 if fading is None else fading**2
        gains = gains + chances[:, seen:].sum(axis=1) * (1.0 - kept) * edge_weights(total)
    return np.asarray(gains)


def per_cost(gains: Floats, costs: Floats) -> Floats:
    """Gain divided by cost (eq:gain_w_ig, eq:gain_w_ec2); a free question counts as nearly free.

    The floor under the cost, far below any real one, keeps free questions in the order of their gains.
    """
    return np.asarray(gains / np.maximum(costs, TINY))
