"""BayesUCB: optimistic terms are never worse than what any theta within the bounds gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import optimize, stats

from odm_tui.engine import gains
from odm_tui.engine.belief import belief, log_sum, safe_log
from odm_tui.engine.exploration import BayesUCB
from odm_tui.engine.hypotheses import Contested, Hypotheses, list_hypotheses, log_joint, log_weights
from odm_tui.engine.model import Model
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Bools, Floats, Problem, Question
from odm_tui.engine.ucb import optimistic_gains as ucb
from odm_tui.engine.ucb.bounds import Bounds, highest_entropies
from tests.support.literal import brute
from tests.support.literal.instances import Instance, consistent, instances, loud

SLACK = 1 + 1e-9


def widened(it: Instance, seed: int) -> Bounds:
    """Random bounds around theta, as wide as chance makes them."""
    rng = np.random.default_rng(seed)
    low = it.theta * rng.choice([0.0, 1.0, 0.5, rng.random()], size=it.theta.shape)
    high = it.theta + (1 - it.theta) * rng.choice([0.0, 1.0, 0.5, rng.random()], size=it.theta.shape)
    valid = it.problem.valid[:, None, :]
    return Bounds(it.problem, np.where(valid, low, 0.0), np.where(valid, high, 0.0))


def within(it: Instance, bounds: Bounds, rng: np.random.Generator) -> Floats:
    """A random theta within the bounds: from theta towards a random point as far as they allow."""
    made = it.theta.copy()
    for i, size in enumerate(it.sizes):
        for j in range(len(it.prior)):
            point = it.theta[i, j, :size]
            way = rng.dirichlet(np.full(size, 0.5)) - point
            room = np.where(way > 0, bounds.high[i, j, :size] - point, point - bounds.low[i, j, :size])
            steps = room[way != 0] / abs(way[way != 0])
            length = min(1.0, steps.min(initial=1.0)) * rng.choice([1.0, rng.random()])
            made[i, j, :size] = np.clip(point + length * way, 0, 1)
    return made


def weights_of(it: Instance, theta: Floats, made: Hypotheses, alive: Bools) -> Floats:
    log_p = log_weights(made, safe_log(it.prior), safe_log(theta))
    log_answers = log_sum(
        safe_log(it.prior) + sum(safe_log(it.theta[i, :, q]) for i, q in it.answers.items())
    )
    return np.where(alive, np.exp(np.minimum(log_p - log_answers, 0)), 0.0)


@given(instances(edges=False), st.integers(0, 2**31), st.booleans())
@settings(max_examples=150)
def test_no_theta_within_the_bounds_has_a_higher_information_gain_or_a_lower_cost(
    it: Instance, seed: int, tight: bool
) -> None:
    bounds = Bounds(it.problem, it.theta, it.theta) if tight else widened(it, seed)
    now = belief(it.prior, it.theta, it.given)
    with loud():
        best_gain, best_cost = ucb.information_gains(bounds, now), ucb.expected_costs(bounds, now)
    rng = np.random.default_rng(seed)
    for _ in range(4):
        model = Model(it.problem, it.prior, within(it, bounds, rng))
        assert (gains.information_gains(model, now) <= best_gain * SLACK + 1e-12).all()
        assert (gains.expected_costs(model, now) >= best_cost / SLACK - 1e-12).all()


@given(
    instances(edges=False), st.integers(0, 2**31), st.integers(1, 8), st.sampled_from(("likeliest", "apart"))
)
@settings(max_examples=150)
def test_no_theta_of_a_question_within_its_bounds_has_a_higher_ec2_gain(
    it: Instance, seed: int, limit: int, contested: Contested
) -> None:
    bounds = widened(it, seed)
    now = belief(it.prior, it.theta, it.given)
    made = list_hypotheses(safe_log(it.prior), safe_log(it.theta), limit, eta=0.0, contested=contested)
    alive = consistent(made, it.given)
    log_answers = log_sum(
        safe_log(it.prior) + sum(safe_log(it.theta[i, :, q]) for i, q in it.answers.items())
    )
    joint = np.exp(np.minimum(log_joint(made, safe_log(it.prior), safe_log(it.theta)) - log_answers, 50))
    with loud():
        best = ucb.ec2_gains(bounds, it.theta, made, np.where(alive[..., None], joint, 0.0), now)
    moved = within(it, bounds, np.random.default_rng(seed))
    for i in it.unasked:
        theta = it.theta.copy()
        theta[i] = moved[i]
        chances = Model(it.problem, it.prior, theta).answer_chances(now)
        plain = gains.ec2_gains(made, weights_of(it, theta, made, alive), chances)
        assert plain[i] <= best[i] * SLACK + 1e-12


@given(instances(), st.integers(1, 8), st.sampled_from(("likeliest", "apart")))
@settings(max_examples=100)
def test_bounds_that_are_theta_itself_give_the_plain_gains_and_costs(
    it: Instance, limit: int, contested: Contested
) -> None:
    bounds = Bounds(it.problem, it.theta, it.theta)
    now = belief(it.prior, it.theta, it.given)
    made = list_hypotheses(safe_log(it.prior), safe_log(it.theta), limit, eta=0.0, contested=contested)
    alive = consistent(made, it.given)
    log_answers = log_sum(
        safe_log(it.prior) + sum(safe_log(it.theta[i, :, q]) for i, q in it.answers.items())
    )
    joint = np.exp(np.minimum(log_joint(made, safe_log(it.prior), safe_log(it.theta)) - log_answers, 50))
    with loud():
        ig = ucb.information_gains(bounds, now)
        cost = ucb.expected_costs(bounds, now)
        ec2 = ucb.ec2_gains(bounds, it.theta, made, np.where(alive[..., None], joint, 0.0), now)
    assert_allclose(ig, gains.information_gains(it.model, now), rtol=1e-9, atol=1e-12)
    assert_allclose(cost, gains.expected_costs(it.model, now), rtol=1e-9, atol=1e-12)
    plain = gains.ec2_gains(made, weights_of(it, it.theta, made, alive), it.model.answer_chances(now))
    assert_allclose(ec2[it.unasked], plain[it.unasked], rtol=1e-9, atol=1e-12)


@pytest.mark.filterwarnings("ignore:Values in x were outside bounds")  # scipy 1.14 says so of its own steps
@given(st.integers(2, 5), st.integers(0, 2**31))
@settings(max_examples=60)
def test_the_highest_entropy_is_what_a_general_optimiser_finds(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    centre = rng.dirichlet(np.ones(size))
    low, high = centre * rng.random(size), centre + (1 - centre) * rng.random(size) * 0.5
    ours = float(highest_entropies(low[None], high[None])[0])

    def negative_entropy(p: Floats) -> float:
        return float(np.sum(p * np.log(np.maximum(p, 1e-300))))

    def excess(p: Floats) -> float:
        return float(p.sum() - 1)

    found = optimize.minimize(
        negative_entropy,
        centre,
        bounds=list(zip(low, high, strict=True)),
        constraints={"type": "eq", "fun": excess},
        method="SLSQP",
    )
    assert ours >= brute.entropy(centre.tolist()) - 1e-12
    assert ours == pytest.approx(-found.fun, abs=1e-5)


@given(instances(edges=False), st.integers(0, 2**31))
@settings(max_examples=40)
def test_the_lowest_cost_is_what_linear_programming_finds(it: Instance, seed: int) -> None:
    bounds = widened(it, seed)
    for i, size in enumerate(it.sizes):
        for j in range(len(it.prior)):
            found = optimize.linprog(
                it.cost[i, j, :size],
                A_eq=np.ones((1, size)),
                b_eq=[1.0],
                bounds=list(zip(bounds.low[i, j, :size], bounds.high[i, j, :size], strict=True)),
            )
            assert bounds.lowest_costs[i, j] == pytest.approx(found.fun, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("interviews", [0, 1, 8, 1000])
def test_the_bounds_of_the_t_th_interview_are_the_quantiles_at_1_over_t_plus_2(interviews: int) -> None:
    problem = Problem.build(
        ["a", Question("b", ("p", "q", "r"))],
        ["x", "y"],
        pseudo=[[[2, 9, 0], [30, 1, 0]], [[1, 2, 3], [2, 2, 2]]],
    )
    posterior = Posterior.of(problem, interviews=interviews)
    model = BayesUCB().model(posterior, np.random.default_rng(0))
    assert model.bounds is not None
    share = 1 / (interviews + 3)
    a, rest = posterior.alpha, posterior.alpha.sum(axis=-1, keepdims=True) - posterior.alpha
    valid = np.broadcast_to(problem.valid[:, None, :], a.shape)
    low, high = stats.beta.ppf(share, a[valid], rest[valid]), stats.beta.ppf(1 - share, a[valid], rest[valid])
    mean = posterior.mean()[valid]
    assert_allclose(model.bounds.low[valid], np.minimum(low, mean), rtol=1e-7)
    assert_allclose(model.bounds.high[valid], np.maximum(high, mean), rtol=1e-7)


def test_bounds_are_wider_for_what_has_been_seen_less() -> None:
    problem = Problem.build(["a"], ["x", "y"])
    posterior = Posterior.of(problem, counts=[[[50, 50], [0, 0]]], interviews=100)
    bounds = BayesUCB().model(posterior, np.random.default_rng(0)).bounds
    assert bounds is not None
    width = bounds.high - bounds.low
    assert (width[0, 1] > 2 * width[0, 0]).all()
