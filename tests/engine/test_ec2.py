"""EC² in closed form against pairs of hypotheses and against a graph whose edges are cut one by one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from odm_tui.engine.belief import belief, log_sum, safe_log
from odm_tui.engine.exploration import KnownTheta
from odm_tui.engine.gains import ec2_gains, edge_weights, per_cost, region_masses
from odm_tui.engine.gains import expected_costs as our_costs
from odm_tui.engine.hypotheses import Contested, Hypotheses, list_hypotheses, log_joint, log_weights
from odm_tui.engine.interview import Ask, Interview
from odm_tui.engine.policy import Policy, policy_from
from tests.support.literal import brute, graph
from tests.support.literal.graph import Floats, Ints
from tests.support.literal.instances import Instance, consistent, instances, loud

contested_rules = st.sampled_from(("likeliest", "apart"))


def listing(it: Instance, limit: int, contested: Contested = "likeliest") -> Hypotheses:
    return list_hypotheses(safe_log(it.prior), safe_log(it.theta), limit, eta=0.0, contested=contested)


def as_rows(made: Hypotheses) -> tuple[Ints, Ints]:
    """The listed hypotheses one below the other, and the region of each; -1 for the contested ones."""
    regions = np.nonzero(made.listed)[0]
    if made.apart:
        regions = np.where(made.contested[made.listed], -1, regions)
    return made.answers[made.listed].astype(int), regions


def consistent_weights(it: Instance, made: Hypotheses) -> Floats:
    """P(h | x_P), (m, k), 0 where a hypothesis is not consistent, out of the engine's own log weights."""
    log_p = log_weights(made, safe_log(it.prior), safe_log(it.theta))
    log_answers = log_sum(
        safe_log(it.prior) + sum(safe_log(it.theta[i, :, q]) for i, q in it.answers.items())
    )
    return np.where(consistent(made, it.given), np.exp(np.minimum(log_p - log_answers, 0.0)), 0.0)


@given(instances(), st.integers(1, 8))
@settings(max_examples=120)
def test_the_weight_of_a_hypothesis_is_its_probability_over_all_outcomes(it: Instance, limit: int) -> None:
    made = listing(it, limit)
    with loud():
        ours = consistent_weights(it, made)
    for j, k in zip(*np.nonzero(made.listed), strict=True):
        literal = brute.weight(it.prior, it.theta, tuple(made.answers[j, k]), it.answers)
        assert_allclose(ours[j, k], literal, rtol=1e-9, atol=1e-15)


@given(instances(), st.integers(1, 5))
@settings(max_examples=60)
def test_the_joint_weights_sum_to_the_weight(it: Instance, limit: int) -> None:
    made = listing(it, limit)
    log_prior, log_theta = safe_log(it.prior), safe_log(it.theta)
    parts = log_joint(made, log_prior, log_theta)
    assert_allclose(log_sum(parts), log_weights(made, log_prior, log_theta), rtol=1e-12)
    for j, k in zip(*np.nonzero(made.listed), strict=True):
        h = tuple(made.answers[j, k])
        literal = [p * brute.likelihood(it.theta, h, o) for o, p in enumerate(it.prior)]
        assert_allclose(np.exp(parts[j, k]), literal, rtol=1e-9, atol=1e-15)


@given(instances(), st.integers(1, 8), contested_rules)
@settings(max_examples=120)
def test_ec2_gains_are_the_expected_weight_of_the_edges_cut(
    it: Instance, limit: int, contested: Contested
) -> None:
    made = listing(it, limit, contested)
    hypotheses, regions = as_rows(made)
    chances = it.model.answer_chances(belief(it.prior, it.theta, it.given))
    with loud():
        ours = ec2_gains(made, consistent_weights(it, made), chances)
    rows = [tuple(h) for h in hypotheses.tolist()]
    literal = [brute.ec2_gain(it.prior, it.theta, rows, regions.tolist(), it.answers, i) for i in it.unasked]
    assert_allclose(ours[it.unasked], literal, rtol=1e-9, atol=1e-15)


@given(instances(), st.integers(1, 8), contested_rules)
@settings(max_examples=120)
def test_ec2_gains_are_those_of_a_graph_whose_edges_are_cut_one_by_one(
    it: Instance, limit: int, contested: Contested
) -> None:
    made = listing(it, limit, contested)
    hypotheses, regions = as_rows(made)
    chances = it.model.answer_chances(belief(it.prior, it.theta, it.given))
    ours = ec2_gains(made, consistent_weights(it, made), chances)
    literal = graph.gains(it.prior, it.theta, it.cost, hypotheses, regions, it.answers)
    assert_allclose(ours[it.unasked], literal[it.unasked], rtol=1e-9, atol=1e-15)


@given(instances(most=130))
@settings(max_examples=60)
def test_the_graph_and_brute_force_agree_with_each_other(it: Instance) -> None:
    made = listing(it, 4)
    hypotheses, regions = as_rows(made)
    rows = [tuple(h) for h in hypotheses.tolist()]
    by_graph = graph.gains(it.prior, it.theta, it.cost, hypotheses, regions, it.answers)
    by_pairs = [brute.ec2_gain(it.prior, it.theta, rows, regions.tolist(), it.answers, i) for i in it.unasked]
    assert_allclose(by_graph[it.unasked], by_pairs, rtol=1e-9, atol=1e-15)


def knowing(it: Instance, limit: int, contested: Contested = "likeliest") -> Policy:
    spec = {"oracle": "w-ec2", "hypotheses": limit, "eta": 0.0, "contested": contested, "stop": "never"}
    named = policy_from(spec)
    return Policy(named.oracle, KnownTheta(it.theta, it.prior), named.stop, limit, 0.0, contested)


@given(instances(), st.integers(1, 12), contested_rules)
@settings(max_examples=160)
def test_one_step_of_w_ec2_chooses_as_the_graph_does(it: Instance, limit: int, contested: Contested) -> None:
    interview = Interview(it.problem, knowing(it, limit, contested))
    for i, q in it.answers.items():
        interview.answer(q, i)
    situation = interview.situation
    assert situation.listing is not None
    assert situation.alive is not None
    hypotheses, regions = as_rows(situation.listing.hypotheses)
    arguments = (it.prior, it.theta, it.cost, hypotheses, regions, it.answers)
    gains, costs = graph.gains(*arguments), graph.expected_costs(it.prior, it.theta, it.cost, it.answers)
    assert isinstance(interview.next, Ask)
    ours = interview.next.question
    if gains[it.unasked].max() > 1e-13:
        theirs = graph.choose(*arguments)
        # Another question may be chosen only where the two are equally good, up to rounding.
        ratio = per_cost(gains, costs)
        assert ours == theirs or ratio[ours] == pytest.approx(ratio[theirs], rel=1e-9)


@given(
    arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 4)), elements=st.floats(0, 1, width=32))
)
@settings(max_examples=120)
def test_edge_weights_are_half_of_the_square_of_the_sum_less_the_sum_of_squares(mass: Floats) -> None:
    literal = (mass.sum(axis=0) ** 2 - (mass**2).sum(axis=0)) / 2
    assert_allclose(edge_weights(mass), literal, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("small", [1e-9, 1e-15, 1e-30])
def test_edge_weights_stay_exact_when_one_region_has_almost_all_the_mass(small: float) -> None:
    mass = np.array([1.0 - small, small / 3, 2 * small / 3])
    exact = [Fraction(float(x)) for x in mass]
    literal = exact[0] * exact[1] + exact[0] * exact[2] + exact[1] * exact[2]
    assert_allclose(edge_weights(mass), float(literal), rtol=1e-14)
    assert_allclose(edge_weights(mass[::-1]), float(literal), rtol=1e-14)


@pytest.mark.parametrize("small", [1e-9, 1e-15, 1e-25])
@pytest.mark.parametrize("sizes", [(2, 2, 2, 2), (2, 3, 2, 3)])
def test_ec2_gains_keep_their_relative_accuracy_when_one_region_has_almost_all_the_mass(
    small: float, sizes: tuple[int, ...]
) -> None:
    """Hypotheses of their own, so that what theta says of them is all but certain for one region."""
    rng = np.random.default_rng(7)
    n, k = len(sizes), 3
    rows = rng.permutation(brute.all_hypotheses(sizes))[: 3 * k]
    answers = rows.reshape(3, k, n).astype(np.int8)
    full = np.ones((3, k), dtype=bool)
    made = Hypotheses(answers, full, np.zeros((3, k), dtype=bool))
    weights = rng.dirichlet(np.ones(k), size=3) * np.array([[1 - 2 * small], [small], [small]])
    chances = np.zeros((n, max(sizes)))
    for i, size in enumerate(sizes):
        chances[i, :size] = rng.dirichlet(np.ones(size))
    exact = [Fraction(float(w)) for w in weights.ravel()]
    regions = [j for j in range(3) for _ in range(k)]
    literal = []
    for i, size in enumerate(sizes):
        gain = Fraction(0)
        for q in range(size):
            for a, b in brute.edges(regions):
                if rows[a][i] != q or rows[b][i] != q:
                    gain += Fraction(float(chances[i, q])) * exact[a] * exact[b]
        literal.append(float(gain))
    assert_allclose(ec2_gains(made, weights, chances), literal, rtol=1e-12)


@given(instances(), st.integers(1, 8), contested_rules)
@settings(max_examples=80)
def test_the_masses_of_the_regions_are_those_of_their_hypotheses(
    it: Instance, limit: int, contested: Contested
) -> None:
    made = listing(it, limit, contested)
    weights = consistent_weights(it, made)
    total, by_answer = region_masses(made, weights)
    hypotheses, regions = as_rows(made)
    flat = weights[made.listed]
    for r in range(len(total)):
        own = regions == (-1 if contested == "apart" and r == len(total) - 1 else r)
        assert_allclose(total[r], flat[own].sum(), rtol=1e-9, atol=1e-15)
        for i in range(len(it.sizes)):
            for q in range(by_answer.shape[1]):
                literal = flat[own & (hypotheses[:, i] == q)].sum()
                assert_allclose(by_answer[r, q, i], literal, rtol=1e-9, atol=1e-15)


def test_with_one_region_there_is_nothing_to_cut() -> None:
    made = list_hypotheses(safe_log([1.0]), safe_log(np.array([[[0.3, 0.7]], [[0.2, 0.8]]])), 4)
    gains = ec2_gains(made, np.full(made.listed.shape, 0.25), np.array([[0.3, 0.7], [0.2, 0.8]]))
    assert gains.tolist() == [0.0, 0.0]


def test_the_cost_of_the_graphs_step_is_ours() -> None:
    rng = np.random.default_rng(0)
    theta = rng.dirichlet(np.ones(2), size=(4, 3))
    it = Instance(
        (2, 2, 2, 2), rng.dirichlet(np.ones(3)), theta, rng.random((4, 3, 2)), np.array([1, -1, -1, 0])
    )
    ours = our_costs(it.model, belief(it.prior, it.theta, it.given))
    assert_allclose(ours, graph.expected_costs(it.prior, it.theta, it.cost, it.answers), rtol=1e-12)
