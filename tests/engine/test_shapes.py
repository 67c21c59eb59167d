"""Shared shapes: a prior for yes/no questions that is learned from all questions and outcomes together."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from odm_tui.engine.posterior import Posterior, draw_theta
from odm_tui.engine.priors import shapes
from odm_tui.engine.priors.base_rates import WEIGHTS, average_priors, pooled_prior, weigh_evidence
from odm_tui.engine.priors.shapes import (
    AROUND,
    BASE,
    KNOWN,
    RATES,
    SHAPES,
    SHARES,
    draw_parameters,
    find_evidence,
    match_moments,
    open_shapes,
    weigh_shapes,
)
from odm_tui.engine.problem import Problem, Question
from odm_tui.engine.variants.variants import Variants
from odm_tui.errors import BadArgument
from tests.support.literal.shapes import (
    Part,
    base_chances,
    list_known,
    list_shapes,
    literal_evidence,
    literal_moments,
    literal_open_shapes,
    literal_shapes,
    moments_by_integration,
)

KINDS = ("integer", "fractional", "large", "sparse", "none")


def random_counts(rng: np.random.Generator, kind: str, n: int, m: int) -> np.ndarray:
    """Counts of no and yes, (n, m, 2), about half of the pairs without answers where they are sparse."""
    if kind == "none":
        return np.zeros((n, m, 2))
    if kind == "fractional":
        return rng.exponential(3.0, (n, m, 2)) * (rng.random((n, m, 2)) < 0.8)
    if kind == "large":
        return np.floor(10.0 ** rng.uniform(0.0, 5.0, (n, m, 2)) - 1.0)
    counts = rng.integers(0, 12, (n, m, 2)).astype(np.float64)
    if kind == "sparse":
        counts *= rng.random((n, m, 1)) < 0.3
    return counts


def random_instance(seed: int, kind: str, n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Counts, and chances of the shapes that need not follow from them."""
    rng = np.random.default_rng(seed)
    counts = random_counts(rng, kind, n, m)
    return counts, rng.dirichlet(np.full(SHAPES, rng.choice([0.01, 1.0])) + 1e-9, n)


instances = given(st.integers(0, 10_000), st.sampled_from(KINDS), st.integers(1, 4), st.integers(1, 4))


def known_of(counts: np.ndarray, chances: np.ndarray) -> list[list[list[Part]]]:
    """What is known of each pair, literally."""
    return [
        [list_known(pair, chance) for pair in pairs] for pairs, chance in zip(counts, chances, strict=True)
    ]


def shared_problem(questions: int | list[Question], outcomes: int, **more: object) -> Problem:
    asked = [Question(f"q{i}") for i in range(questions)] if isinstance(questions, int) else questions
    return Problem.build(asked, [f"o{j}" for j in range(outcomes)], pooled=True, shared=True, **more)  # type: ignore[arg-type]


def shared_posterior(counts: np.ndarray) -> Posterior:
    return Posterior.of(shared_problem(*counts.shape[:2]), counts)


def pooled_posterior(counts: np.ndarray) -> Posterior:
    return Posterior.of(replace(shared_problem(*counts.shape[:2]), shared=False), counts)


# -- the formulas --------------------------------------------------------------------------------------


@instances
@settings(max_examples=15)
def test_the_evidence_is_that_of_scipys_beta_functions(seed: int, kind: str, n: int, m: int) -> None:
    counts, _ = random_instance(seed, kind, n, m)
    assert_allclose(find_evidence(counts), literal_evidence(counts), rtol=1e-11, atol=1e-7)


@instances
@settings(max_examples=20)
def test_the_shapes_of_a_question_are_learned_from_the_others_by_turns(
    seed: int, kind: str, n: int, m: int
) -> None:
    counts, _ = random_instance(seed, kind, n, m)
    evidence = find_evidence(counts)
    assert_allclose(weigh_shapes(evidence), literal_shapes(counts, evidence), rtol=1e-9, atol=1e-14)


@instances
@settings(max_examples=40)
def test_the_shapes_that_are_drawn_are_open_to_what_the_others_do_not_show(
    seed: int, kind: str, n: int, m: int
) -> None:
    counts, shapes = random_instance(seed, kind, n, m)
    evidence = find_evidence(counts)
    literal = literal_open_shapes(counts, evidence, shapes)
    assert_allclose(open_shapes(evidence, shapes), literal, rtol=1e-9, atol=1e-14)


@instances
@settings(max_examples=15)
def test_the_beta_parameters_have_the_mixtures_mean_and_variance(
    seed: int, kind: str, n: int, m: int
) -> None:
    counts, chances = random_instance(seed, kind, n, m)
    matched = match_moments(counts, chances)
    total = matched.sum(axis=-1)
    mean = matched[..., 1] / total
    moments = np.array([[literal_moments(known) for known in row] for row in known_of(counts, chances)])
    assert_allclose(mean, moments[..., 0], rtol=1e-9, atol=1e-12)
    # E[theta²] − E[theta]² has rounding of 1e-16 of its own, much where theta is near 1.
    assert_allclose(mean * (1.0 - mean) / (total + 1.0), moments[..., 1], rtol=1e-8, atol=1e-15)


@pytest.mark.parametrize(
    "pairs", [[[3.0, 1.0]], [[0.0, 0.0], [0.0, 4.0]], [[12.0, 0.5], [0.0, 1.0], [6.0, 7.0]]]
)
def test_integrals_over_a_fine_grid_of_theta_give_the_same(pairs: list[list[float]]) -> None:
    counts = np.array([pairs])
    evidence = find_evidence(counts)
    chances = BASE * np.exp(evidence - evidence.max())
    matched = match_moments(counts, chances / chances.sum())[0]
    for j in range(len(pairs)):
        logs, mean, variance = moments_by_integration(counts[0], j)
        assert_allclose(evidence[0], logs, rtol=1e-6, atol=1e-6)
        total = matched[j].sum()
        assert matched[j, 1] / total == pytest.approx(mean, rel=1e-6)
        assert mean * (1.0 - mean) / (total + 1.0) == pytest.approx(variance, rel=1e-5)


def test_beforehand_a_fifth_of_the_chances_is_on_two_levels_and_any_rate_is_as_likely() -> None:
    assert len(list_shapes()) == SHAPES == 165
    assert_allclose(BASE, base_chances())
    assert BASE.sum() == pytest.approx(1.0)


def test_yes_and_no_are_treated_alike_beforehand() -> None:
    assert_allclose(RATES, 1.0 - RATES[::-1])
    assert_allclose(SHARES, 1.0 - SHARES[::-1])


def test_without_any_answer_shapes_are_as_likely_as_beforehand() -> None:
    evidence = find_evidence(np.zeros((3, 2, 2)))
    shapes = weigh_shapes(evidence)
    assert_allclose(shapes, np.tile(BASE, (3, 1)))
    assert_allclose(open_shapes(evidence, shapes), shapes)


TELLING = np.array([[30.0, 0.0], [0.0, 30.0], [28.0, 1.0]])
"""The counts of a question on two levels."""


def test_a_question_learns_nothing_from_itself() -> None:
    evidence = find_evidence(TELLING[None])
    chances = BASE * np.exp(evidence - evidence.max())
    assert_allclose(weigh_shapes(evidence), chances / chances.sum())


def test_what_is_known_beforehand_counts_as_four_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a round, the one other question has moved the chances a fifth of the way."""
    monkeypatch.setattr(shapes, "ROUNDS", 1)
    evidence = find_evidence(np.array([np.zeros((3, 2)), TELLING]))
    alone = BASE * np.exp(evidence[1] - evidence[1].max())
    assert_allclose(weigh_shapes(evidence)[0], 0.8 * BASE + 0.2 * alone / alone.sum())


def test_a_quarter_of_the_draws_takes_no_notice_of_the_other_questions() -> None:
    evidence = find_evidence(np.array([np.zeros((3, 2)), TELLING]))
    found = weigh_shapes(evidence)
    assert_allclose(open_shapes(evidence, found)[0], 0.75 * found[0] + 0.25 * BASE)


def test_questions_without_answers_say_nothing_of_the_others() -> None:
    counts = counts_for("integer")
    more = np.concatenate([counts, np.zeros((20, 5, 2))])
    assert_allclose(shared_posterior(more).alpha[:6], shared_posterior(counts).alpha, rtol=1e-12)


# -- draws ---------------------------------------------------------------------------------------------

DRAWS = 30_000
FEW = np.array(
    [
        [[0.0, 1.0], [0.0, 0.0], [0.0, 0.0]],
        [[9.0, 0.0], [1.0, 1.0], [0.0, 6.0]],
        [[0.0, 0.0], [0.0, 0.0], [0.5, 0.0]],
    ]
)
"""Few answers, so that the shapes are uncertain."""


@cache
def few_chances() -> np.ndarray:
    """The chances by which the shapes are drawn."""
    evidence = find_evidence(FEW)
    return open_shapes(evidence, weigh_shapes(evidence))


@cache
def drawn_moments() -> tuple[np.ndarray, np.ndarray]:
    """E[theta] and E[theta²] given the parameters of each draw, (draws, n, m) each."""
    drawn = draw_parameters(FEW, few_chances(), np.random.default_rng(8), DRAWS)
    assert drawn.shape == (DRAWS, *FEW.shape)
    total = drawn.sum(axis=-1)
    mean = drawn[..., 1] / total
    return mean, mean * (drawn[..., 1] + 1.0) / (total + 1.0)


def assert_within_errors(values: np.ndarray, expected: object) -> None:
    """The averages of draws, along the first axis, are as expected within four and a half standard errors."""
    error = values.std(axis=0) / np.sqrt(len(values))
    assert (np.abs(values.mean(axis=0) - expected) <= 4.5 * error + 1e-12).all()


@cache
def means_by_shape(i: int, j: int) -> np.ndarray:
    """E[theta_ij] for each shape that question i can have, (shapes,)."""
    known = iter(list_known(FEW[i, j], np.ones(SHAPES)))
    return np.array([literal_moments([next(known) for _ in shape])[0] for shape in list_shapes()])


def expected_product(i: int, j: int, k: int) -> float:
    """E[theta_ij · theta_ik]: given the shape of the question, they do not depend on each other."""
    return float((few_chances()[i] * means_by_shape(i, j) * means_by_shape(i, k)).sum())


def test_draws_have_the_mixtures_mean() -> None:
    mean, _ = drawn_moments()
    literal = [[literal_moments(known)[0] for known in row] for row in known_of(FEW, few_chances())]
    assert_within_errors(mean, np.array(literal))


def test_draws_have_the_mixtures_variance() -> None:
    _, square = drawn_moments()
    literal = np.array([[literal_moments(known) for known in row] for row in known_of(FEW, few_chances())])
    assert_within_errors(square, literal[..., 1] + literal[..., 0] ** 2)


@pytest.mark.parametrize("question", [0, 1, 2])
def test_outcomes_of_a_question_are_drawn_with_one_shape(question: int) -> None:
    mean, _ = drawn_moments()
    for j, k in ((0, 1), (0, 2), (1, 2)):
        assert_within_errors(mean[:, question, j] * mean[:, question, k], expected_product(question, j, k))


def test_outcomes_of_a_question_are_correlated_as_if_drawn_one_by_one_they_would_not_be() -> None:
    mean, _ = drawn_moments()
    together = np.cov(mean[:, 2, 0], mean[:, 2, 1])[0, 1]
    alone = expected_product(2, 0, 1) - mean[:, 2, 0].mean() * mean[:, 2, 1].mean()
    assert together == pytest.approx(alone, rel=0.1)
    assert together > 10.0 * mean[:, 2, 0].var() / np.sqrt(DRAWS)


def test_questions_are_drawn_with_shapes_of_their_own() -> None:
    """Also two questions about which the same is known."""
    counts, chances = np.repeat(FEW[:1], 2, axis=0), np.repeat(few_chances()[:1], 2, axis=0)
    drawn = draw_parameters(counts, chances, np.random.default_rng(8), DRAWS)
    mean = drawn[..., 1] / drawn.sum(axis=-1)
    apart = mean - mean.mean(axis=0)
    assert_within_errors(apart[:, 0] * apart[:, 1], 0.0)


def test_every_drawn_prior_is_a_part_of_some_shape() -> None:
    drawn = draw_parameters(FEW, few_chances(), np.random.default_rng(3), 300) - FEW
    parts = {(round(part.no, 9), round(part.yes, 9)) for shape in list_shapes() for part in shape}
    assert {(round(no, 9), round(yes, 9)) for no, yes in drawn.reshape(-1, 2).tolist()} <= parts


def certain(place: int) -> np.ndarray:
    """The chances of the shapes of one question that has this shape, (1, shapes)."""
    chances = np.zeros((1, SHAPES))
    chances[0, place] = 1.0
    return chances


@pytest.mark.parametrize("place", [0, AROUND - 1, AROUND, SHAPES - 1])
def test_a_shape_that_is_certain_is_always_drawn(place: int) -> None:
    """The first and the last of either kind: no draw falls beside them."""
    drawn = draw_parameters(np.zeros((1, 1, 2)), certain(place), np.random.default_rng(5), 3000)[:, 0, 0]
    parts = list_shapes()[place]
    assert_allclose(np.unique(drawn, axis=0), sorted((part.no, part.yes) for part in parts))
    assert_within_errors((drawn == [parts[0].no, parts[0].yes]).all(axis=-1), parts[0].share)


@pytest.mark.parametrize("place", [0, 17, AROUND - 1])
def test_of_a_certain_shape_around_a_base_rate_the_beta_parameters_are_its_own(place: int) -> None:
    counts = counts_for("integer")[:1]
    (part,) = list_shapes()[place]
    own = counts + np.array([part.no, part.yes])
    assert_allclose(match_moments(counts, certain(place)), own, rtol=1e-9)


def posterior_draws(name: str, draws: int, sure: float) -> np.ndarray:
    """theta of each draw by this method, (draws, n, m)."""
    posterior, rng = shared_posterior(FEW), np.random.default_rng(12)
    if name == "draw":
        return posterior.draw(rng, draws)[..., 1]
    if name == "sample_all":
        return posterior.sample_all(rng, np.full(draws, sure))[..., 1]
    one = posterior.sample if name == "sample" else posterior.sample_surer
    return np.stack([one(rng, sure)[..., 1] for _ in range(draws)])


@pytest.mark.parametrize("name", ["draw", "sample", "sample_all", "sample_surer"])
def test_every_draw_of_theta_has_one_shape_for_all_outcomes_of_a_question(name: str) -> None:
    theta = posterior_draws(name, 3000, 1.0)
    for i in range(3):
        assert_within_errors(theta[:, i, 0] * theta[:, i, 1], expected_product(i, 0, 1))


@pytest.mark.parametrize("name", ["draw", "sample", "sample_all", "sample_surer"])
def test_every_draw_of_theta_has_the_mean_and_the_variance_of_its_shapes(name: str) -> None:
    theta = posterior_draws(name, 3000, 1.0)
    literal = np.array([[literal_moments(known) for known in row] for row in known_of(FEW, few_chances())])
    assert_within_errors(theta, literal[..., 0])
    assert_within_errors(theta**2, literal[..., 1] + literal[..., 0] ** 2)


@pytest.mark.parametrize("name", ["draw", "sample_all"])
def test_a_question_that_was_never_asked_is_drawn_as_unlike_all_others_in_one_draw_of_four(name: str) -> None:
    """All others tell nothing, so it would tell nothing in hardly any draw."""
    counts = np.full((12, 2, 2), 40.0)
    counts[0] = 0.0
    posterior, rng = shared_posterior(counts), np.random.default_rng(7)
    drawn = posterior.draw(rng, 4000) if name == "draw" else posterior.sample_all(rng, np.ones(4000))
    telling = np.abs(drawn[:, 0, 0, 1] - drawn[:, 0, 1, 1]) > 0.5
    untouched = shared_posterior(np.zeros((1, 2, 2))).draw(rng, 4000)[:, 0, :, 1]
    alone = (np.abs(untouched[:, 0] - untouched[:, 1]) > 0.5).mean()
    shapes = weigh_shapes(find_evidence(counts))[:1]
    like_others = draw_theta(draw_parameters(counts[:1], shapes, rng, 4000), np.ones((1, 2), dtype=bool), rng)
    tells = (np.abs(like_others[:, 0, 0, 1] - like_others[:, 0, 1, 1]) > 0.5).mean()
    assert telling.mean() == pytest.approx(0.25 * alone + 0.75 * tells, abs=0.02)
    assert telling.mean() > 1.5 * tells


@pytest.mark.parametrize("name", ["sample", "sample_all"])
def test_a_surer_sample_counts_the_answers_as_often_on_top_of_the_drawn_shape(name: str) -> None:
    """The shape is weighed by the answers as they are."""
    drawn = draw_parameters(FEW, few_chances(), np.random.default_rng(4), DRAWS) + 2.0 * FEW
    expected = (drawn[..., 1] / drawn.sum(axis=-1)).mean(axis=0)
    theta = posterior_draws(name, 3000, 3.0)
    # Both sides are averages of draws.
    assert (np.abs(theta.mean(axis=0) - expected) < 5.0 * theta.std(axis=0) / np.sqrt(3000)).all()


def test_each_of_several_samples_is_as_sure_as_it_says() -> None:
    counts = np.array([[[300.0, 300.0]]])
    theta = shared_posterior(counts).sample_all(np.random.default_rng(0), np.tile([1.0, 9.0], 2000))[..., 1]
    known, surer = theta[::2].std(), theta[1::2].std()
    assert known / surer == pytest.approx(3.0, rel=0.15)


def test_a_draw_that_is_surer_of_all_is_surer_of_the_shape_s_parameters_too() -> None:
    """More than half of the parameters are the shape's here."""
    counts = np.array([[[10.0, 10.0]]])
    evidence = find_evidence(counts)
    drawn = draw_parameters(
        counts, open_shapes(evidence, weigh_shapes(evidence)), np.random.default_rng(4), DRAWS
    )
    total = 5.0 * drawn.sum(axis=-1)
    mean = 5.0 * drawn[..., 1] / total
    variance = (mean * (1.0 - mean) / (total + 1.0)).mean() + mean.var()
    posterior, rng = shared_posterior(counts), np.random.default_rng(1)
    theta = np.array([posterior.sample_surer(rng, 5.0)[0, 0, 1] for _ in range(4000)])
    assert theta.var() == pytest.approx(variance, rel=0.08)
    assert theta.var() < 0.7 * posterior.spread()[0, 0, 1] ** 2


# -- what makes no difference --------------------------------------------------------------------------


def counts_for(kind: str) -> np.ndarray:
    return random_counts(np.random.default_rng(21), kind, 6, 5)


@pytest.mark.parametrize("kind", ["integer", "fractional", "sparse"])
def test_swapping_yes_and_no_of_all_questions_swaps_what_is_known(kind: str) -> None:
    counts = counts_for(kind)
    mirrored = shared_posterior(counts[..., ::-1]).alpha
    assert_allclose(mirrored, shared_posterior(counts).alpha[..., ::-1], rtol=1e-9)


@pytest.mark.parametrize("kind", ["integer", "fractional", "large", "sparse"])
def test_the_order_of_questions_makes_no_difference(kind: str) -> None:
    counts, order = counts_for(kind), np.array([3, 5, 0, 1, 4, 2])
    assert_allclose(shared_posterior(counts[order]).alpha, shared_posterior(counts).alpha[order], rtol=1e-6)


@pytest.mark.parametrize("kind", ["integer", "fractional", "large", "sparse"])
def test_the_order_of_outcomes_makes_no_difference(kind: str) -> None:
    counts, order = counts_for(kind), np.array([3, 0, 1, 4, 2])
    permuted = shared_posterior(counts[:, order]).alpha
    assert_allclose(permuted, shared_posterior(counts).alpha[:, order], rtol=1e-6)


@pytest.mark.parametrize("at_once", [1, 5, 7, 10, 29])
@pytest.mark.parametrize("kind", KINDS)
def test_questions_looked_at_in_parts_give_the_same(
    kind: str, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = counts_for(kind)
    whole = find_evidence(counts)
    monkeypatch.setattr(shapes, "_AT_ONCE", at_once)
    assert_allclose(find_evidence(counts), whole, rtol=1e-13)


def test_an_outcome_without_answers_changes_nothing_for_the_others() -> None:
    counts = counts_for("integer")
    more = np.concatenate([counts, np.zeros((6, 1, 2))], axis=1)
    assert_allclose(shared_posterior(more).alpha[:, :5], shared_posterior(counts).alpha, rtol=1e-12)


def test_several_banks_weighed_together_do_not_share_with_each_other() -> None:
    rng = np.random.default_rng(2)
    evidence = np.stack([find_evidence(random_counts(rng, "integer", 4, 3)) for _ in range(3)])
    together = weigh_shapes(evidence)
    for bank in range(3):
        assert_allclose(together[bank], weigh_shapes(evidence[bank]), rtol=1e-12)


# -- what it is good for -------------------------------------------------------------------------------


def interviews_of(theta: np.ndarray, interviews: int, rng: np.random.Generator) -> np.ndarray:
    """Counts of so many interviews that ask everything, for P(yes) by question and outcome, (n, m)."""
    counts = np.zeros((*theta.shape, 2))
    rows = np.arange(len(theta))
    for _ in range(interviews):
        outcome = int(rng.integers(theta.shape[1]))
        counts[rows, outcome, (rng.random(len(theta)) < theta[:, outcome]).astype(int)] += 1
    return counts


def test_where_answers_are_nearly_always_right_one_yes_says_more_than_with_pooled_priors() -> None:
    rng = np.random.default_rng(1)
    theta = rng.choice([0.1, 0.9], (24, 15))
    counts = interviews_of(theta, 30, rng)
    once = (counts == [0.0, 1.0]).all(axis=-1)
    assert once.sum() > 20
    shared, pooled = (
        posterior_of(counts).mean()[once, 1] for posterior_of in (shared_posterior, pooled_posterior)
    )
    assert np.abs(shared - 0.9).mean() < 0.6 * np.abs(pooled - 0.9).mean()
    assert (shared > 0.8).all()


def test_a_question_that_was_never_asked_is_expected_to_be_like_the_others() -> None:
    """All other questions are rarely answered yes, so this one is, too; pooled priors say one half."""
    rng = np.random.default_rng(2)
    counts = interviews_of(np.full((12, 4), 0.03), 60, rng)
    counts[0] = 0.0
    assert shared_posterior(counts).mean()[0, :, 1].max() < 0.2
    assert pooled_posterior(counts).mean()[0, 0, 1] == 0.5


def draw_bank(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """theta and counts of a random bank, drawn from the model itself; some outcomes are seen often, some never."""
    n, m = int(rng.integers(3, 25)), int(rng.integers(2, 9))
    likely = rng.dirichlet(KNOWN * BASE)
    theta = np.empty((n, m))
    for i, place in enumerate(rng.choice(SHAPES, n, p=likely)):
        shape = list_shapes()[place]
        for j in range(m):
            part = shape[int(rng.random() >= shape[0].share)]
            theta[i, j] = rng.beta(part.yes, part.no)
    totals = rng.choice([0, 1, 2, 5, 20], (n, m))
    yes = rng.binomial(totals, theta)
    return theta, np.stack([totals - yes, yes], axis=-1).astype(np.float64)


@pytest.fixture(scope="module")
def banks() -> list[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(6)
    return [draw_bank(rng) for _ in range(150)]


def test_on_banks_of_the_model_means_are_nearer_to_theta_than_with_pooled_priors(
    banks: list[tuple[np.ndarray, np.ndarray]],
) -> None:
    shared, pooled = (
        np.mean([np.mean((posterior_of(counts).mean()[..., 1] - theta) ** 2) for theta, counts in banks])
        for posterior_of in (shared_posterior, pooled_posterior)
    )
    assert np.sqrt(shared) < np.sqrt(pooled)


def test_on_banks_of_the_model_means_are_too_high_as_often_as_too_low(
    banks: list[tuple[np.ndarray, np.ndarray]],
) -> None:
    errors = np.array([np.mean(theta - shared_posterior(counts).mean()[..., 1]) for theta, counts in banks])
    assert abs(errors.mean()) < 3.0 * errors.std() / np.sqrt(len(errors))


def test_on_banks_of_the_model_means_are_hardly_farther_from_one_half_than_theta(
    banks: list[tuple[np.ndarray, np.ndarray]],
) -> None:
    """By less than .01: the shared chances are estimates, and they count as known."""
    excess = []
    for theta, counts in banks:
        mean = shared_posterior(counts).mean()[..., 1]
        excess.append(np.mean((mean - theta) * np.sign(mean - 0.5)))
    assert abs(np.mean(excess)) < 0.015


def test_on_banks_of_the_model_errors_are_hardly_larger_than_the_posterior_says(
    banks: list[tuple[np.ndarray, np.ndarray]],
) -> None:
    """By a twentieth or so, as root mean squares: the shared chances are estimates, and they count as known."""
    found, said = [], []
    for theta, counts in banks:
        posterior = shared_posterior(counts)
        found.append(np.mean((theta - posterior.mean()[..., 1]) ** 2))
        said.append(np.mean(posterior.spread()[..., 1] ** 2))
    assert 0.95 < np.sqrt(np.mean(found) / np.mean(said)) < 1.15


# -- what always holds ---------------------------------------------------------------------------------


@instances
@settings(max_examples=60)
def test_no_pair_is_surer_than_its_answers_and_128_more(seed: int, kind: str, n: int, m: int) -> None:
    counts, chances = random_instance(seed, kind, n, m)
    for each in (chances, weigh_shapes(find_evidence(counts))):
        matched = match_moments(counts, each)
        assert (matched.sum(axis=-1) <= (counts.sum(axis=-1) + 128.0) * (1.0 + 1e-12)).all()


@instances
@settings(max_examples=60)
def test_all_parameters_are_finite_and_above_0(seed: int, kind: str, n: int, m: int) -> None:
    counts, chances = random_instance(seed, kind, n, m)
    for each in (chances, weigh_shapes(find_evidence(counts))):
        matched = match_moments(counts, each)
        assert np.isfinite(matched).all()
        assert (matched > 0.0).all()


@pytest.mark.parametrize(
    "pair", [[1e-300, 0.0], [0.0, 1e-300], [1e9, 0.0], [0.0, 1e9], [1e9, 1e9], [1e-9, 1e9]]
)
def test_the_smallest_and_the_largest_counts_give_distributions_too(pair: list[float]) -> None:
    posterior = shared_posterior(np.array([[pair, [0.0, 0.0]], [[2.0, 1.0], [0.0, 3.0]]]))
    assert np.isfinite(posterior.alpha).all()
    assert (posterior.alpha > 0.0).all()
    assert (posterior.alpha.sum(axis=-1) <= posterior.counts.sum(axis=-1) + 128.001).all()


def test_retracting_interviews_restores_what_was_known_to_the_last_bit() -> None:
    start = shared_posterior(counts_for("integer"))
    rng = np.random.default_rng(4)
    held = [(rng.integers(-1, 2, 6), int(rng.integers(5))) for _ in range(8)]
    posterior = start
    for answers, outcome in held:
        posterior = posterior.updated(answers, outcome)
    assert not np.array_equal(posterior.alpha, start.alpha)
    for answers, outcome in held:
        posterior = posterior.retracted(answers, outcome)
    assert_array_equal(posterior.alpha, start.alpha)


def test_past_cases_count_like_interviews() -> None:
    counts = counts_for("integer")
    cases, outcomes = counts, counts.sum(axis=(0, 2))
    with_cases = Posterior.of(shared_problem(6, 5, cases=cases, case_outcomes=outcomes))
    assert_allclose(with_cases.alpha, shared_posterior(counts).alpha, rtol=1e-12)


# -- problems with other questions and expectations ----------------------------------------------------

SIZES = (2, 3, 2, 2)
EXPECTED = (3, 1)
"""The question and the outcome of which the mixed problem expects something."""


def mixed_problem() -> Problem:
    """Yes/no questions, one with three answers, and a pair with an expectation."""
    pseudo = np.zeros((4, 3, 3))
    for i, size in enumerate(SIZES):
        pseudo[i, :, :size] = 2.0
    pseudo[EXPECTED] = [7.0, 1.0, 0.0]
    questions = [Question(f"q{i}", tuple("abc"[:size])) for i, size in enumerate(SIZES)]
    return shared_problem(questions, 3, pseudo=pseudo)


def mixed_posterior(interviews: int = 12) -> Posterior:
    rng = np.random.default_rng(9)
    posterior = Posterior.of(mixed_problem())
    for _ in range(interviews):
        posterior = posterior.updated(
            np.array([rng.integers(-1, size) for size in SIZES]), int(rng.integers(3))
        )
    return posterior


def test_a_pair_with_an_expectation_keeps_it_and_its_own_counts() -> None:
    posterior = mixed_posterior()
    assert posterior.counts[EXPECTED].any()
    assert_allclose(posterior.alpha[EXPECTED], [7.0, 1.0, 0.0] + posterior.counts[EXPECTED])


def test_the_other_pairs_of_its_question_share_shapes_by_all_answers() -> None:
    posterior = mixed_posterior()
    counts = posterior.counts[[0, 2, 3], :, :2]
    matched = match_moments(counts, weigh_shapes(find_evidence(counts)))
    unknown = np.ones((3, 3), dtype=bool)
    unknown[2, 1] = False
    assert_allclose(posterior.alpha[[0, 2, 3], :, :2][unknown], matched[unknown], rtol=1e-12)


def test_a_question_with_three_answers_keeps_its_pooled_prior() -> None:
    posterior = mixed_posterior()
    pooled = pooled_prior(posterior.problem, posterior.counts) + posterior.counts
    assert_allclose(posterior.alpha[1], pooled[1])


def test_draws_of_a_question_with_three_answers_have_weights_of_their_own() -> None:
    posterior = mixed_posterior(4)
    rates, chances = weigh_evidence(posterior.problem, posterior.counts)
    square = np.zeros((3, 3))
    for s, weight in enumerate(WEIGHTS):
        alpha = posterior.counts[1] + weight * rates[s, 1]
        total = alpha.sum(axis=-1, keepdims=True)
        square += chances[s, 1] * alpha * (alpha + 1.0) / (total * (total + 1.0))
    drawn = posterior.draw(np.random.default_rng(5), 20_000)[:, 1]
    assert_within_errors(drawn**2, square)
    fixed = posterior.counts[1] + average_priors(posterior.problem, rates, chances)[1]
    total = fixed.sum(axis=-1, keepdims=True)
    assert np.abs(square - fixed * (fixed + 1.0) / (total * (total + 1.0))).max() > 0.01


@pytest.mark.parametrize("name", ["draw", "sample_all", "sample_surer"])
def test_draws_of_a_pair_with_an_expectation_are_from_its_own_beta(name: str) -> None:
    posterior, rng = mixed_posterior(), np.random.default_rng(3)
    if name == "draw":
        theta = posterior.draw(rng, 6000)
    elif name == "sample_all":
        theta = posterior.sample_all(rng, np.ones(6000))
    else:
        theta = np.stack([posterior.sample_surer(rng, 1.0) for _ in range(6000)])
    no, yes = posterior.alpha[EXPECTED][:2]
    assert_within_errors(theta[:, *EXPECTED, 1], yes / (no + yes))
    assert_within_errors(theta[:, *EXPECTED, 1] ** 2, yes * (yes + 1.0) / ((no + yes) * (no + yes + 1.0)))


@pytest.mark.parametrize("interviews", [0, 1, 40])
def test_what_is_known_of_a_mixed_problem_sums_to_1(interviews: int) -> None:
    posterior, rng = mixed_posterior(interviews), np.random.default_rng(1)
    drawn = [
        posterior.mean()[None],
        posterior.mode()[None],
        posterior.draw(rng, 20),
        posterior.sample_all(rng, np.linspace(1.0, 3.0, 20)),
        posterior.sample(rng, 3.0)[None],
        posterior.sample_surer(rng, 2.0)[None],
    ]
    theta = np.concatenate(drawn)
    assert_allclose(theta.sum(axis=-1), 1.0)
    assert (theta >= 0.0).all()
    assert not theta[..., 2][:, [0, 2, 3]].any(), "no question has an answer more"


@pytest.mark.parametrize("interviews", [0, 1, 40])
def test_the_bounds_of_a_mixed_problem_hold_the_median_of_each_answer(interviews: int) -> None:
    posterior = mixed_posterior(interviews)
    low, high = posterior.bounds(0.9)
    median, _ = posterior.bounds(0.5)
    valid = posterior.problem.valid[:, None, :].repeat(3, axis=1)
    assert (low[valid] < median[valid]).all()
    assert (median[valid] < high[valid]).all()
    assert ((low >= 0.0) & (high <= 1.0)).all()


def test_a_problem_whose_pairs_all_have_expectations_learns_from_their_own_counts_alone() -> None:
    problem = shared_problem(2, 2, expected=[[0.9, 0.2], [0.4, 0.5]])
    posterior = Posterior.of(problem).updated([1, 0], 0)
    assert_array_equal(posterior.alpha, problem.pseudo + posterior.counts)


def test_questions_with_three_answers_alone_share_nothing() -> None:
    problem = shared_problem([Question("a", tuple("xyz")), Question("b", tuple("xyz"))], 2)
    shared, pooled = (
        Posterior.of(each).updated([2, 0], 1) for each in (problem, replace(problem, shared=False))
    )
    assert_array_equal(shared.alpha, pooled.alpha)
    one, other = (each.draw(np.random.default_rng(0), 5) for each in (shared, pooled))
    assert_array_equal(one, other)


def test_sub_outcomes_are_known_by_their_own_counts_alone() -> None:
    """Even counts look like no expectation there, and shapes would be drawn for them."""
    variants = Variants(np.array([0, 0, 1]), np.array([0.5, 0.5, 1.0]), np.full((2, 3, 2), 10.0))
    posterior = Posterior.of(shared_problem(2, 2), variants=variants).by_variant
    assert_array_equal(posterior.alpha, variants.counts)
    theta = posterior.draw(np.random.default_rng(2), 4000)[..., 1]
    assert theta.var() == pytest.approx(0.25 / 21.0, rel=0.05)


def test_shared_priors_are_pooled_too() -> None:
    with pytest.raises(BadArgument, match="Give pooled=True with shared=True"):
        Problem.build(["q"], ["x", "y"], shared=True)
