"""The value of learning: what one more answer is worth to the interviews that follow.

Not knowing theta_i costs an interview L_i: how much more a plan is worth that is made with theta_i than one that is
made with its posterior mean, both followed under theta. The mean is over S draws of theta:

- L_i = mean_s [ V(plan of theta_s, theta_s) − V(plan of theta_s with theta_i = E[theta_i], theta_s) ] >= 0

The plans hold the few questions with the highest information gain per cost under theta_s. An answer to question i
under outcome j takes 1 / (a + b + 1) off the variance of theta_ij. (Where priors are pooled or shared, it also tells about
other outcomes and questions; that is left out.) So it is worth, to the H interviews to come,

- bonus_ij = H · L_i · share_ij / (a_ij + b_ij + 1), with share_ij = P(j) · sd_ij / Σ_j' P(j') · sd_ij'

The draws come from a seed of their own, so the bonus follows from the counts alone. So it can be computed before the
interview starts, and the last few are kept.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from odm_tui.engine.belief import entropy
from odm_tui.engine.lookahead.dynamic_program import Lattice, make_lattice
from odm_tui.engine.lookahead.ranking import rank_by_gain
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.priors.base_rates import unknown_pairs
from odm_tui.engine.problem import Floats, Ints, Problem
from odm_tui.engine.stakes import Stakes

DRAWS = 12
PLANNED = 4
"""How many questions a plan holds; fewer where questions have many answers."""
SEED = 20_250_101
SAME_WORTH = 1e-12
"""Worths that differ by a smaller share are equal: they sum the same terms in another order."""
KEPT = 8
"""How many results are kept."""
_computed: dict[bytes, Floats] = {}
WORK = 1_000_000
"""States × outcomes of all plans together, at most: it limits how many questions they hold."""


class LearningPlans(NamedTuple):
    """The best plans for S draws of theta: the questions in each, and what is known of them.

    ``questions`` is (S, K), by index; ``theta`` (S, K, m, A) and ``mean_cost`` (S, K, m) are those of the draws.
    """

    questions: Ints
    theta: Floats
    mean_cost: Floats


def learning_bonus(posterior: Posterior) -> Floats:
    """bonus_ij, (n, m): what an answer to question i under outcome j is worth to the interviews to come."""
    problem = posterior.problem
    if problem.horizon == 0 or not problem.questions:
        return np.zeros(problem.shape[:2])
    key = _identify(posterior)
    losses = _computed.pop(key, None)
    if losses is None:
        losses = losses_by_ignorance(posterior)
    _computed[key] = losses
    while len(_computed) > KEPT:
        del _computed[next(iter(_computed))]
    return share_bonus(losses, posterior.alpha, posterior.outcome_prior(), problem.horizon)


def _identify(posterior: Posterior) -> bytes:
    """A digest of everything that L_i follows from."""
    problem, digest = posterior.problem, blake2b(digest_size=16)
    stakes = problem.decision_stakes
    arrays = (posterior.alpha, posterior.seen, posterior.outcome_prior(), problem.pseudo, problem.cost)
    for array in (*arrays, problem.valid, unknown_pairs(problem), stakes.missed, stakes.rows, stakes.losses):
        digest.update(repr(array.shape).encode())
        digest.update(array.tobytes())
    outcome_of = None if problem.outcome_of is None else problem.outcome_of.tolist()
    digest.update(
        repr((problem.pooled, problem.shared, stakes.refer, outcome_of, SEED, DRAWS, PLANNED, WORK)).encode()
    )
    return digest.digest()


def share_bonus(losses: Floats, alpha: Floats, prior: Floats, horizon: float) -> Floats:
    """Divide H · L_i among the outcomes, (n, m)."""
    total = alpha.sum(axis=-1)
    mean = alpha / total[..., None]
    # For more than two answers, the spread of all of them together.
    weights = prior * np.sqrt((1.0 - (mean**2).sum(axis=-1)) / (total + 1.0))
    sums = weights.sum(axis=-1, keepdims=True)
    share = np.divide(weights, sums, out=np.zeros_like(weights), where=sums > 0)
    return np.asarray(horizon * losses[:, None] * share / (total + 1.0))


def losses_by_ignorance(posterior: Posterior) -> Floats:
    """L_i, (n,): what not knowing theta_i costs an interview on average."""
    problem, prior, mean = posterior.problem, posterior.outcome_prior(), posterior.mean()
    drawn = posterior.draw(np.random.default_rng(SEED), DRAWS)
    plans = choose_questions(problem, prior, drawn)
    count, planned = plans.questions.shape
    width = plans.theta.shape[-1]
    lattice = make_lattice((width,) * planned)
    known = _joint(prior, plans.theta)
    costs = known @ plans.mean_cost.transpose(0, 2, 1)
    stakes = problem.decision_stakes
    known = problem.by_outcome(known)
    best = _follow(lattice, *_solve(lattice, stakes, known, costs), known, costs, stakes)
    losses = np.zeros(len(mean))
    mean_cost = (problem.cost * mean).sum(axis=-1)
    for at in range(planned):
        question = plans.questions[:, at]
        theta, mu = plans.theta.copy(), plans.mean_cost.copy()
        theta[:, at], mu[:, at] = mean[question, :, :width], mean_cost[question]
        joint = _joint(prior, theta)
        costs_then = joint @ mu.transpose(0, 2, 1)
        moves, decisions = _solve(lattice, stakes, problem.by_outcome(joint), costs_then)
        worth = _follow(lattice, moves, decisions, known, costs, stakes)
        loss = best - worth
        np.add.at(losses, question, np.where(loss > SAME_WORTH * best, loss, 0.0))
    return np.asarray(losses / count)


def choose_questions(problem: Problem, prior: Floats, drawn: Floats) -> LearningPlans:
    """The questions with the highest information gain per cost at P(y) under each draw, (S, n, m, A), by index."""
    mean_cost = (problem.cost * drawn).sum(axis=-1)
    chances = np.einsum("snmq,m->snq", drawn, prior)
    gains = entropy(chances) - entropy(drawn) @ prior
    sizes = problem.valid.sum(axis=1)
    planned = _how_many(sizes, len(prior))
    questions = np.sort(rank_by_gain(gains, mean_cost @ prior)[:, :planned], axis=1)
    rows = np.arange(len(drawn))[:, None]
    width = int(sizes[questions].max())
    return LearningPlans(questions, drawn[rows, questions][..., :width], mean_cost[rows, questions])


def _how_many(sizes: Ints, outcomes: int) -> int:
    """How many questions a plan can hold, at least one; by the question with the most answers."""
    width = int(sizes.max())
    planned = min(PLANNED, len(sizes))
    while planned > 1 and DRAWS * (planned + 1) * (width + 1) ** planned * outcomes > WORK:
        planned -= 1
    return planned


def _joint(prior: Floats, theta: Floats) -> Floats:
    """w_s(j) of every state under each draw, (S, states, m)."""
    draws, planned, m, _ = theta.shape
    joint = np.broadcast_to(prior, (draws, 1, m))
    for at in range(planned):
        factors = np.concatenate([np.ones((draws, 1, m)), theta[:, at].transpose(0, 2, 1)], axis=1)
        joint = (factors[:, :, None] * joint[:, None]).reshape(draws, -1, m)
    return joint


def _solve(lattice: Lattice, stakes: Stakes, joint: Floats, costs: Floats) -> tuple[Ints, Ints]:
    """What the best plan of each draw does in every state: the question's place, or -1 and the decision.

    Of equal ones it takes the first. Two plans that are worth the same under the mean need not be so under the draw.
    """
    worths = _decisions(stakes, joint)
    decisions = _first_of_best(worths)
    values = np.take_along_axis(worths, decisions[..., None], axis=-1)[..., 0]
    moves = np.full(values.shape, -1, dtype=np.intp)
    for level in reversed(lattice.levels[:-1]):
        asking = _worths_of_asking(lattice, level, values, costs)
        best = _first_of_best(asking)
        worth = np.take_along_axis(asking, best[..., None], axis=-1)[..., 0]
        asks = worth > values[:, level] * (1.0 + SAME_WORTH)
        moves[:, level] = np.where(asks, best, -1)
        values[:, level] = np.where(asks, worth, values[:, level])
    return moves, decisions


def _first_of_best(worths: Floats) -> Ints:
    """The first of the highest worths along the last axis; what differs by rounding only is equal."""
    best = worths.max(axis=-1, keepdims=True)
    return np.asarray((worths >= best - SAME_WORTH * np.abs(best)).argmax(axis=-1))


def _follow(
    lattice: Lattice, moves: Ints, decisions: Ints, joint: Floats, costs: Floats, stakes: Stakes
) -> Floats:
    """What it is worth to do this where ``joint`` and ``costs`` are true, (S,)."""
    values = np.take_along_axis(_decisions(stakes, joint), decisions[..., None], axis=-1)[..., 0]
    for level in reversed(lattice.levels[:-1]):
        asking = _worths_of_asking(lattice, level, values, costs)
        move = moves[:, level]
        worth = np.take_along_axis(asking, np.maximum(move, 0)[..., None], axis=-1)[..., 0]
        values[:, level] = np.where(move >= 0, worth, values[:, level])
    return values[:, 0]


def _decisions(stakes: Stakes, joint: Floats) -> Floats:
    """The value of each decision in every state, (S, states, m), and of referring, where somebody can take over."""
    values = stakes.values(joint)
    if stakes.refer is None:
        return values
    referring = (stakes.most - stakes.refer) * joint.sum(axis=-1, keepdims=True)
    return np.concatenate([values, referring], axis=-1)


def _worths_of_asking(lattice: Lattice, level: Ints, values: Floats, costs: Floats) -> Floats:
    """The joint worth of asking each question in the states of a level, (S, L, K); -inf where it was asked."""
    open_ = lattice.digits[level] == 0
    worth = -costs[:, level]
    for q in range(1, lattice.answers[0] + 1):
        worth = worth + values[:, np.where(open_, level[:, None] + q * lattice.strides, 0)]
    return np.where(open_, worth, -np.inf)
