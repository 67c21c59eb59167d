"""Posteriors against counting by hand and scipy's Beta."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Problem, Question
from odm_tui.errors import BadArgument
from tests.support.literal.graph import Ints
from tests.support.literal.instances import loud

MIXED = Problem.build(
    ["yes-no", Question("colour", ("red", "amber", "off")), Question("ping", thresholds=(20, 80, 300))],
    ["line", "router", "wifi"],
    prior=[0.5, 0.3, 0.2],
    outcome_worth=10,
)
YES_NO = Problem.build(["a", "b"], ["x", "y"], pseudo=[[[2.0, 2.0], [1.0, 5.0]], [[0.5, 3.0], [40.0, 2.0]]])

held = st.lists(
    st.tuples(
        st.tuples(st.integers(-1, 1), st.integers(-1, 2), st.integers(-1, 3)).map(np.array), st.integers(0, 2)
    ),
    max_size=12,
)


def after(interviews: list[tuple[Ints, int]]) -> Posterior:
    made = Posterior.of(MIXED)
    for answers, outcome in interviews:
        made = made.updated(answers, outcome)
    return made


@given(held)
@settings(max_examples=60)
def test_every_answer_is_counted_once_for_its_question_and_outcome(
    interviews: list[tuple[Ints, int]],
) -> None:
    made = after(interviews)
    for i in range(3):
        for j in range(3):
            for q in range(4):
                literal = sum(1 for answers, outcome in interviews if answers[i] == q and outcome == j)
                assert made.counts[i, j, q] == literal
                assert made.alpha[i, j, q] == MIXED.pseudo[i, j, q] + literal
    assert made.interviews == len(interviews)
    assert made.outcome_counts.tolist() == [sum(o == j for _, o in interviews) for j in range(3)]


@given(held, st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_retracting_in_any_order_leads_back_to_the_prior_exactly(
    interviews: list[tuple[Ints, int]], random: object
) -> None:
    made = after(interviews)
    order = list(interviews)
    random.shuffle(order)  # type: ignore[attr-defined]
    for answers, outcome in order:
        made = made.retracted(answers, outcome)
    assert not made.counts.any()
    assert not made.outcome_counts.any()
    assert made.interviews == 0


@given(held, held)
@settings(max_examples=40)
def test_merging_two_posteriors_is_having_held_all_their_interviews(
    ours: list[tuple[Ints, int]], theirs: list[tuple[Ints, int]]
) -> None:
    merged, both = after(ours).merged(after(theirs)), after(ours + theirs)
    assert_array_equal(merged.counts, both.counts)
    assert_array_equal(merged.outcome_counts, both.outcome_counts)
    assert merged.interviews == both.interviews


@given(held)
@settings(max_examples=40)
def test_each_threshold_has_the_beta_that_counting_it_alone_would_give(
    interviews: list[tuple[Ints, int]],
) -> None:
    """Interval q means that q thresholds lie below the number: threshold t was exceeded if q > t."""
    made = after(interviews).threshold_counts(2)
    assert made.shape == (3, 3, 2)
    for t in range(3):
        for j in range(3):
            told = [answers[2] for answers, outcome in interviews if outcome == j and answers[2] >= 0]
            above, below = sum(q > t for q in told), sum(q <= t for q in told)
            # The prior counts 2 for each interval, so 2 · (3 - t) above and 2 · (t + 1) below threshold t.
            assert made[t, j].tolist() == [2 * (3 - t) + above, 2 * (t + 1) + below]


def test_an_update_does_not_touch_the_posterior_it_came_from() -> None:
    first = Posterior.of(MIXED)
    second = first.updated(["yes", None, 50.0], "wifi")
    assert not first.counts.any()
    assert second.counts[0, 2].tolist() == [0, 1, 0, 0]
    assert second.counts[1].sum() == 0
    assert second.counts[2, 2].tolist() == [0, 1, 0, 0], "50 is above 20 and not above 80"


def test_an_interview_that_was_never_counted_cannot_be_taken_back() -> None:
    made = Posterior.of(MIXED).updated(["yes", None, None], "wifi")
    for answers, outcome in ((["no", None, None], "wifi"), (["yes", None, None], "line")):
        with pytest.raises(BadArgument, match="never counted"):
            made.retracted(answers, outcome)


@given(held)
@settings(max_examples=30)
def test_the_mean_is_that_of_each_dirichlet(interviews: list[tuple[Ints, int]]) -> None:
    made = after(interviews)
    for i, question in enumerate(MIXED.questions):
        size = len(question.answers)
        for j in range(3):
            literal = stats.dirichlet.mean(made.alpha[i, j, :size])
            assert_allclose(made.mean()[i, j, :size], literal, rtol=1e-12)
            assert not made.mean()[i, j, size:].any()


def test_the_mode_is_that_of_each_beta() -> None:
    made = Posterior.of(YES_NO).updated(["yes", "no"], "x").mode()
    assert_allclose(made[0, 0, 1], (3 - 1) / (5 - 2))
    assert_allclose(made[0, 1, 1], 1.0, err_msg="Beta(5, 1) rises to 1")
    assert_allclose(made[1, 0, 1], (3 - 1) / (4.5 - 2))
    assert_allclose(made.sum(axis=-1), 1)


@pytest.mark.parametrize("alpha", [(1.0, 1.0), (0.5, 0.5), (1.0, 0.2)])
def test_where_no_parameter_is_above_1_the_mode_is_the_mean(alpha: tuple[float, float]) -> None:
    made = Posterior.of(Problem.build(["a"], ["x"], pseudo=[[alpha]]))
    assert_allclose(made.mode(), made.mean())


@pytest.mark.parametrize("level", [0.5, 0.75, 0.9, 0.999])
@pytest.mark.parametrize("problem", [MIXED, YES_NO], ids=["mixed", "yes-no"])
def test_bounds_are_the_quantiles_of_scipys_beta(level: float, problem: Problem) -> None:
    rng = np.random.default_rng(2)
    counts = rng.integers(0, 30, problem.shape) * problem.valid[:, None, :]
    made = Posterior.of(problem, counts=counts)
    with loud():
        low, high = made.bounds(level)
    for i, question in enumerate(problem.questions):
        size = len(question.answers)
        a = made.alpha[i, :, :size]
        rest = a.sum(axis=-1, keepdims=True) - a
        assert_allclose(low[i, :, :size], stats.beta.ppf(1 - level, a, rest), rtol=1e-7)
        assert_allclose(high[i, :, :size], stats.beta.ppf(level, a, rest), rtol=1e-7)
        assert not low[i, :, size:].any()
        assert not high[i, :, size:].any()


def test_bounds_at_level_1_are_0_and_1() -> None:
    low, high = Posterior.of(YES_NO).bounds(1.0)
    assert not low.any()
    assert (high == 1).all()


def test_the_two_bounds_of_a_yes_no_question_mirror_each_other() -> None:
    low, high = Posterior.of(YES_NO).bounds(0.9)
    assert_allclose(low[..., 0], 1 - high[..., 1], rtol=1e-9)


@pytest.mark.parametrize("problem", [MIXED, YES_NO], ids=["mixed", "yes-no"])
def test_samples_have_the_moments_of_their_beta(problem: Problem) -> None:
    made = Posterior.of(problem)
    rng = np.random.default_rng(11)
    draws = np.stack([made.sample(rng) for _ in range(4000)])
    assert_allclose(draws.sum(axis=-1), 1, rtol=1e-9)
    total = made.alpha.sum(axis=-1, keepdims=True)
    variance = np.maximum(made.mean() * (1 - made.mean()) / (total + 1), 1e-12)
    # Five standard errors; the variance of a sample variance is at most twice its square over N here.
    assert (abs(draws.mean(axis=0) - made.mean()) <= 5 * np.sqrt(variance / 4000)).all()
    assert_allclose(draws.var(axis=0), np.where(variance > 1e-12, variance, 0), rtol=0.15, atol=1e-12)
    assert not draws[:, ~np.broadcast_to(problem.valid[:, None, :], problem.shape)].any()


def test_a_sample_of_a_yes_no_question_is_a_beta_by_the_kolmogorov_smirnov_test() -> None:
    made = Posterior.of(
        Problem.build(
            ["a", Question("b", ("p", "q", "r"))], ["x"], pseudo=[[[3.0, 5.0, 0.0]], [[1.0, 2.0, 0.5]]]
        )
    )
    rng = np.random.default_rng(4)
    draws = np.stack([made.sample(rng) for _ in range(3000)])
    assert stats.kstest(draws[:, 0, 0, 1], stats.beta(5, 3).cdf).pvalue > 1e-3
    assert stats.kstest(draws[:, 1, 0, 2], stats.beta(0.5, 3).cdf).pvalue > 1e-3


@pytest.mark.parametrize("answers", [2, 3, 9])
@pytest.mark.parametrize("tiny", [1e-3, 1e-8, 1e-100, 1e-300])
def test_tiny_parameters_are_sampled_without_nan(answers: int, tiny: float) -> None:
    names = tuple(f"a{q}" for q in range(answers))
    problem = Problem.build([Question("q", names)], ["x", "y"], pseudo=np.full((1, 2, answers), tiny))
    made = Posterior.of(problem)
    rng = np.random.default_rng(1)
    with loud():
        draws = np.stack([made.sample(rng) for _ in range(300)])
    assert np.isfinite(draws).all()
    assert_allclose(draws.sum(axis=-1), 1, rtol=1e-9)
    # Almost all the mass is on one answer, and each answer gets its turn.
    assert (draws.max(axis=-1) > 0.99).mean() > 0.9
    assert (draws.mean(axis=(0, 1, 2)) > 0.3 / answers).all()


def test_the_same_seed_gives_the_same_sample() -> None:
    made = Posterior.of(MIXED)
    one, other = (made.sample(np.random.default_rng(9)) for _ in range(2))
    assert_array_equal(one, other)


def test_the_outcomes_shares_are_learned_only_where_the_problem_says_so() -> None:
    made = Posterior.of(MIXED)
    for _ in range(10):
        made = made.updated([None, None, None], "wifi")
    assert_allclose(made.outcome_prior(), [5 / 20, 3 / 20, (2 + 10) / 20])
    fixed = Posterior.of(YES_NO).updated([None, None], "y")
    assert_allclose(fixed.outcome_prior(), [0.5, 0.5])


def test_stored_counts_make_the_same_posterior_again() -> None:
    answers: list[str | float | None] = ["no", "off", 1000]
    made = Posterior.of(MIXED).updated(answers, "line").updated(["yes", "red", None], "wifi")
    again = Posterior.of(MIXED, made.counts, made.outcome_counts, made.interviews)
    assert_array_equal(again.alpha, made.alpha)
    assert_array_equal(again.outcome_prior(), made.outcome_prior())


def test_posteriors_over_other_priors_are_not_merged() -> None:
    other = Problem.build(["a", "b"], ["x", "y"])
    with pytest.raises(BadArgument, match="same questions, outcomes and prior"):
        Posterior.of(YES_NO).merged(Posterior.of(other))
