"""Variants are fitted as the literal formulas say, whatever the order of the cases, and only where they predict better."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Floats, Problem, Question
from odm_tui.engine.variants import fit, mixture
from odm_tui.engine.variants.cases import FOLDS, LearningCases
from odm_tui.engine.variants.fit import fit_variants, list_candidates, make_variants
from odm_tui.engine.variants.mixture import (
    Mixture,
    OutcomeCases,
    criterion,
    expect,
    fit_levels,
    fit_steps,
    maximise,
    run_em,
    split_variant,
)
from odm_tui.engine.variants.selection import (
    FLOOR,
    VariantCandidate,
    choose,
    needed_errors,
    score_candidate,
    standard_error,
)
from odm_tui.engine.variants.variants import Variants
from odm_tui.errors import BadArgument
from odm_tui.evaluation.data.dataset import Dataset
from tests.support.literal import variants as literal

SIZES = (2, 3, 2, 2)


def make_problem(outcomes: int = 2, sizes: tuple[int, ...] = SIZES, **more: object) -> Problem:
    questions = [Question(f"q{i}", tuple(f"a{k}" for k in range(size))) for i, size in enumerate(sizes)]
    return Problem.build(questions, [f"o{j}" for j in range(outcomes)], pooled=True, **more)  # type: ignore[arg-type]


def draw_cases(rng: np.random.Generator, count: int, outcomes: int = 2, asked: float = 0.8) -> LearningCases:
    """Cases of two hidden variants each, some questions not asked."""
    labels = rng.integers(0, outcomes, count)
    hidden = rng.integers(0, 2, count)
    theta = rng.dirichlet(np.ones(3), (len(SIZES), outcomes, 2))
    answers = np.zeros((count, len(SIZES)), dtype=int)
    for i, size in enumerate(SIZES):
        p = theta[i, labels, hidden, :size]
        p = p / p.sum(axis=1, keepdims=True)
        answers[:, i] = (rng.random(count)[:, None] > p.cumsum(axis=1)[:, :-1]).sum(axis=1)
    answers[rng.random(answers.shape) > asked] = -1
    return LearningCases.of(make_problem(outcomes), answers, labels, rng.choice([1.0, 1.0, 0.5], count))


def one_outcome(
    cases: LearningCases, outcome: int = 0
) -> tuple[OutcomeCases, Floats, list[list[int | None]]]:
    """The cases of an outcome as arrays, its theta by pair, (1, P), and its cases as lists."""
    mine = cases.outcomes == outcome
    part = OutcomeCases(cases.pairs[mine], cases.weights[None, mine], cases.question_of, cases.first_pairs)
    theta = cases.posterior(cases.weights).mean()[cases.question_of, outcome, cases.answer_of]
    return part, theta[None], [[None if a < 0 else int(a) for a in row] for row in cases.answers[mine]]


def as_lists(values: Floats) -> list[list[float]]:
    """Values by pair as a list over questions of lists over answers."""
    starts = np.cumsum((0, *SIZES))
    return [values[a:b].tolist() for a, b in itertools.pairwise(starts)]


@given(st.integers(0, 10_000), st.integers(1, 40), st.sampled_from([1.0, 4.0]))
@settings(max_examples=40, deadline=None)
def test_each_level_is_that_of_the_literal_doubling_and_em(seed: int, count: int, worth: float) -> None:
    cases = draw_cases(np.random.default_rng(seed), count)
    part, theta, lists = one_outcome(cases)
    ours = fit_levels(part, theta, worth, 8)
    expected = literal.fit_levels(lists, part.weights[0].tolist(), as_lists(theta[0]), worth, 8)
    for level, (parameters, weights) in zip(ours, expected, strict=True):
        alive = level.weight[0] > 0
        assert_allclose(level.weight[0, alive], weights, rtol=1e-7)
        for found, wanted in zip(level.parameters[0, alive], parameters, strict=True):
            assert_allclose(found, np.concatenate([np.array(row) for row in wanted]), rtol=1e-6, atol=1e-9)


@given(st.integers(0, 10_000), st.integers(1, 60), st.sampled_from([1, 2, 8]))
@settings(max_examples=40, deadline=None)
def test_the_number_that_the_criterion_finds_is_that_of_the_literal_steps(
    seed: int, count: int, most: int
) -> None:
    part, theta, lists = one_outcome(draw_cases(np.random.default_rng(seed), count))
    ours = fit_steps(part, theta, 4.0, most)
    parameters, weights = literal.fit_steps(lists, part.weights[0].tolist(), as_lists(theta[0]), 4.0, most)
    alive = ours.weight[0] > 0
    assert_allclose(ours.weight[0, alive], weights, rtol=1e-7)
    for found, wanted in zip(ours.parameters[0, alive], parameters, strict=True):
        assert_allclose(found, np.concatenate([np.array(row) for row in wanted]), rtol=1e-6, atol=1e-9)


def draw_parity(count: int, most: int) -> int:
    """How many variants the steps find, up to ``most``, where the third answer says whether the first two differ."""
    answers = np.random.default_rng(0).integers(0, 2, (count, 3))
    answers[:, 2] = answers[:, 0] ^ answers[:, 1]
    cases = LearningCases.of(make_problem(2, (2, 2, 2)), answers, np.zeros(count, dtype=int))
    part, theta, _ = one_outcome(cases)
    return int((fit_steps(part, theta, 1.0, most).weight > 0).sum())


def test_steps_end_when_two_in_a_row_have_not_improved_the_criterion() -> None:
    """Four variants explain all, two alone nothing. With few cases three do not improve the criterion either."""
    assert draw_parity(46, 8) == 1
    assert draw_parity(200, 8) == 4


@pytest.mark.parametrize("most", [1, 2, 3])
def test_steps_find_no_more_variants_than_allowed(most: int) -> None:
    assert draw_parity(200, most) <= most


def test_the_criterion_is_the_literal_one_and_does_not_count_a_variant_that_is_not_there() -> None:
    rng = np.random.default_rng(2)
    part, theta, lists = one_outcome(draw_cases(rng, 30))
    parameters, weight = rng.uniform(0.2, 5.0, (1, 3, len(theta[0]))), np.array([[0.7, 0.3, 0.0]])
    found = criterion(part, Mixture(parameters, weight, np.ones((1, 3, len(lists)))))
    there = [as_lists(row) for row in parameters[0, :2]]
    assert_allclose(found, literal.criterion(lists, part.weights[0].tolist(), there, [0.7, 0.3]), rtol=1e-9)


def test_the_criterion_finds_the_three_blocks_of_the_context_cube() -> None:
    data = Dataset.load("context-cube", seed=3, limit=1500)
    problem = replace(data.problem, pooled=True)
    made = fit_variants(LearningCases.of(problem, data.answers, data.labels))
    assert made is not None
    assert made.numbers.tolist() == [3] * 8
    theta = made.counts / made.counts.sum(axis=-1, keepdims=True)
    for j in range(8):
        says = theta[:3, made.outcome == j, 2]  # each context question is high in one variant only
        assert sorted(says.argmax(axis=0).tolist()) == [0, 1, 2]


def test_one_variant_for_each_outcome_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another estimate of a single theta may win by folds, but it is no variant, and pooled counts decide better."""
    rng = np.random.default_rng(4)
    m, n = 30, 60
    theta = np.where(rng.random((n, m)) < 0.1, 0.9, 0.01)
    labels = np.repeat(np.arange(m), 7)
    answers = (rng.random((len(labels), n)) < theta[:, labels].T).astype(np.int16)
    problem = make_problem(m, (2,) * n)
    picked: list[str] = []

    def choose_single(
        cases: LearningCases, candidates: list[VariantCandidate], prior: Floats
    ) -> VariantCandidate:
        single = next(each for each in candidates[1:] if (each.weight[-1] > 0).sum() == m)
        picked.append(single.name)
        return single

    monkeypatch.setattr(fit, "choose", choose_single)
    assert fit_variants(LearningCases.of(problem, answers, labels)) is None
    assert picked == ["steps"]


@given(st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_the_likelihood_is_the_literal_sum_over_variants(seed: int) -> None:
    rng = np.random.default_rng(seed)
    part, theta, lists = one_outcome(draw_cases(rng, 25))
    weight = rng.dirichlet(np.ones(3))
    parameters = rng.uniform(0.2, 5.0, (1, 3, len(theta[0])))
    mixture = Mixture(parameters, weight[None], np.ones((1, 3, len(lists))))
    shares, likelihood = expect(part, mixture)
    thetas = [literal.mean_of(as_lists(row)) for row in parameters[0]]
    chances = [literal.chance_of_answers(case, weight.tolist(), thetas) for case in lists]
    assert_allclose(likelihood[0], float(part.weights[0] @ np.log(chances)), rtol=1e-9)
    for at, case in enumerate(lists):
        assert_allclose(shares[0, :, at], literal.shares_of(case, weight.tolist(), thetas), rtol=1e-9)


@pytest.mark.parametrize("rounds", [1, 3])
def test_em_ends_after_so_many_rounds_of_both_steps(monkeypatch: pytest.MonkeyPatch, rounds: int) -> None:
    part, theta, _ = one_outcome(draw_cases(np.random.default_rng(3), 200))
    first = np.random.default_rng(4).random((1, 1, len(part.pairs)))
    shares, prior, mass = np.concatenate([first, 1 - first], axis=1), 4.0 * theta[:, None], np.ones((1, 2))
    literal_rounds = maximise(part, shares, prior, mass)
    for _ in range(rounds - 1):
        literal_rounds = maximise(part, expect(part, literal_rounds)[0], prior, mass)
    monkeypatch.setattr(mixture, "MOST_ROUNDS", rounds)
    assert_allclose(run_em(part, shares, prior, mass).parameters, literal_rounds.parameters, rtol=1e-12)


def test_em_ends_at_a_point_that_its_steps_hardly_change() -> None:
    cases = draw_cases(np.random.default_rng(3), 300, asked=1.0)
    part, theta, lists = one_outcome(cases)
    level = fit_levels(part, theta, 4.0, 2)[1]
    thetas = [literal.mean_of(as_lists(row)) for row in level.parameters[0]]
    shares = [literal.shares_of(case, level.weight[0].tolist(), thetas) for case in lists]
    for v in range(2):
        again = literal.parameters_of(
            lists, part.weights[0].tolist(), [each[v] for each in shares], as_lists(theta[0]), 4.0
        )
        assert_allclose(level.parameters[0, v], np.concatenate([np.array(r) for r in again]), rtol=0.05)


@given(st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_a_weighting_is_fitted_as_if_it_were_alone(seed: int) -> None:
    """Folds that are fitted together get what each would get alone."""
    rng = np.random.default_rng(seed)
    part, theta, _ = one_outcome(draw_cases(rng, 60))
    kept = rng.random((3, part.weights.shape[1])) < 0.7
    both = OutcomeCases(part.pairs, kept * part.weights, part.question_of, part.first_pairs)
    together = fit_levels(both, np.repeat(theta, 3, axis=0), 4.0, 4)
    for b in range(3):
        alone = OutcomeCases(part.pairs, both.weights[b : b + 1], part.question_of, part.first_pairs)
        for ours, own in zip(together, fit_levels(alone, theta, 4.0, 4), strict=True):
            width = own.weight.shape[1]
            assert_allclose(ours.weight[b, :width], own.weight[0], rtol=1e-9)
            assert_allclose(ours.parameters[b, :width], own.parameters[0], rtol=1e-9)


@given(st.integers(0, 10_000))
@settings(max_examples=15, deadline=None)
def test_the_order_of_the_cases_changes_no_bit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    answers, labels, weights = draw_interacting(rng, 200)
    made = fit_variants(LearningCases.of(INTERACTING, answers, labels, weights))
    order = rng.permutation(len(labels))
    again = fit_variants(LearningCases.of(INTERACTING, answers[order], labels[order], weights[order]))
    assert made is not None
    assert again is not None
    for ours, theirs in zip(
        (made.outcome, made.weight, made.counts), (again.outcome, again.weight, again.counts), strict=True
    ):
        assert_array_equal(ours, theirs)


INTERACTING = make_problem(2, (2, 2, 2))


def draw_interacting(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The outcome says whether two answers are equal, so that neither of them tells anything alone."""
    labels = rng.integers(0, 2, count)
    first = rng.integers(0, 2, count)
    second = np.where(rng.random(count) < 0.95, first ^ labels, first ^ labels ^ 1)
    return (
        np.stack([first, second, rng.integers(0, 2, count)], axis=1),
        labels,
        rng.choice([1.0, 0.7, 0.3], count),
    )


def test_answers_that_interact_get_variants() -> None:
    answers, labels, _ = draw_interacting(np.random.default_rng(5), 300)
    made = fit_variants(LearningCases.of(INTERACTING, answers, labels))
    assert made is not None
    theta = made.counts / made.counts.sum(axis=-1, keepdims=True)
    for case, wanted in (((0, 0), 0), ((1, 1), 0), ((0, 1), 1), ((1, 0), 1)):
        joint = made.weight * theta[0, :, case[0]] * theta[1, :, case[1]]
        assert joint[made.outcome == wanted].sum() > 0.85 * joint.sum()


def test_answers_that_are_independent_mostly_stay_with_one_variant() -> None:
    problem, chosen = make_problem(3, (2,) * 8), 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        theta, labels = rng.random((3, 8)), rng.integers(0, 3, 150)
        answers = (rng.random((150, 8)) < theta[labels]).astype(int)
        chosen += fit_variants(LearningCases.of(problem, answers, labels)) is not None
    assert chosen <= 6


def test_one_variant_at_most_switches_the_fit_off() -> None:
    answers, labels, _ = draw_interacting(np.random.default_rng(5), 300)
    off = replace(INTERACTING, most_variants=1)
    assert fit_variants(LearningCases.of(off, answers, labels)) is None


@pytest.mark.parametrize("most", [2, 3, 5, 9])
def test_no_outcome_gets_more_variants_than_allowed(most: int) -> None:
    answers, labels, _ = draw_interacting(np.random.default_rng(5), 600)
    made = fit_variants(LearningCases.of(replace(INTERACTING, most_variants=most), answers, labels))
    assert made is not None
    assert made.numbers.max() <= most


@pytest.mark.parametrize(
    ("most", "names"),
    [
        (2, ["naive Bayes", "steps", "largest"]),
        (3, ["naive Bayes", "mixture", "steps", "largest"]),
        (15, ["naive Bayes", "mixture", "steps", "largest"]),
        (16, ["naive Bayes", "mixture", "steps", "largest", "eager"]),
    ],
)
def test_a_candidate_is_tried_only_where_its_variants_are_allowed(most: int, names: list[str]) -> None:
    cases = draw_cases(np.random.default_rng(3), 300)
    cases = replace(cases, problem=replace(cases.problem, most_variants=most))
    means = np.stack([cases.posterior(cases.weights).mean()[cases.question_of, :, cases.answer_of].T])
    found = list_candidates(cases, cases.weights[None], means, means * 10)
    assert [each.name for each in found] == names
    assert all(np.bincount(each.outcome).max() <= most for each in found)


def test_an_outcome_s_own_theta_counts_four_observations_in_every_variant_and_one_in_the_eager_ones() -> None:
    cases = draw_cases(np.random.default_rng(3), 300)
    cases = replace(cases, problem=replace(cases.problem, most_variants=16))
    means = np.stack([cases.posterior(cases.weights).mean()[cases.question_of, :, cases.answer_of].T])
    _, *found = list_candidates(cases, cases.weights[None], means, means * 10)
    asked = cases.answers[:, 0] >= 0
    answered = [cases.weights[asked & (cases.outcomes == j)].sum() for j in range(2)]
    first = cases.question_of == 0
    for each in found:
        levels = 4 if each.name == "mixture" else 1  # it has the cases once for 1, 2, 4 and 8 variants
        for j in range(2):
            alive = (each.outcome == j) & (each.weight[0] > 0)
            counted = each.parameters[0, alive][:, first].sum() - levels * answered[j]
            assert counted == pytest.approx((1 if each.name == "eager" else 4) * alive.sum())


@pytest.mark.parametrize(("no", "yes", "splits"), [(2, 2, True), (3, 1, False), (1, 9, False), (0, 9, False)])
def test_a_split_needs_two_cases_on_both_sides(no: int, yes: int, splits: bool) -> None:
    problem = make_problem(1, (2,))
    cases = LearningCases.of(problem, np.array([[0]] * no + [[1]] * yes), np.zeros(no + yes, dtype=int))
    part, theta, _ = one_outcome(cases)
    assert (split_variant(part, part.weights[0], 4.0 * theta[0]) is not None) == splits


def test_equal_sets_of_answers_are_in_one_fold_and_all_folds_are_used() -> None:
    rng = np.random.default_rng(1)
    answers = rng.integers(-1, 2, (400, 6))
    problem = make_problem(3, (2,) * 6)
    cases = LearningCases.of(problem, np.concatenate([answers, answers]), rng.integers(0, 3, 800))
    found: dict[bytes, set[int]] = {}
    for row, fold in zip(cases.answers, cases.folds, strict=True):
        found.setdefault(row.tobytes(), set()).add(int(fold))
    assert all(len(folds) == 1 for folds in found.values())
    assert set(cases.folds.tolist()) == set(range(FOLDS))


@given(st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_a_candidate_is_scored_by_the_literal_chance_of_the_confirmed_outcome(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cases = draw_cases(rng, 40)
    weightings = np.array([(cases.folds != f) * cases.weights for f in (*range(FOLDS), -1)])
    learned = [cases.posterior(weights) for weights in weightings]
    means = np.stack([p.mean()[cases.question_of, :, cases.answer_of].T for p in learned])
    prior = np.stack([p.outcome_prior() for p in learned])
    for candidate in list_candidates(cases, weightings, means, means * 10):
        score = score_candidate(cases, candidate, np.log(prior))
        for at in range(len(cases.outcomes)):
            fold, true = int(cases.folds[at]), int(cases.outcomes[at])
            alive = candidate.weight[fold] > 0
            places = [np.flatnonzero(alive & (candidate.outcome == j)) for j in range(2)]
            chances = literal.chance_of_outcomes(
                [None if a < 0 else int(a) for a in cases.answers[at]],
                prior[fold].tolist(),
                [candidate.weight[fold, own].tolist() for own in places],
                [[literal.mean_of(as_lists(candidate.parameters[fold, s])) for s in own] for own in places],
            )
            assert_allclose(score.log_chance[at], np.log(max(chances[true], FLOOR)), rtol=1e-8)
            first = next(j for j in range(2) if chances[j] >= max(chances) * (1 - 1e-10))
            assert score.right[at] == (first == true)


def certain(name: str, chance: float, errors: float) -> VariantCandidate:
    """A candidate for cases of outcome 0 that answered the one question with yes."""
    parameters = np.array([[1.0 - chance, chance], [chance, 1.0 - chance]])
    return VariantCandidate(
        name, np.arange(2), np.ones((FOLDS + 1, 2)), np.repeat(parameters[None], FOLDS + 1, axis=0), errors
    )


def test_a_candidate_that_does_not_beat_naive_bayes_is_not_chosen() -> None:
    problem = make_problem(2, (2, 2, 2, 2))
    rng = np.random.default_rng(1)
    answers = rng.integers(0, 2, (80, 4))
    labels = np.where(rng.random(80) < 0.9, 1 - answers[:, 0], answers[:, 0])
    cases = LearningCases.of(problem, answers, labels)
    prior = np.log(np.full((FOLDS + 1, 2), 0.5))
    plain, better, worse = (_widened(certain("", chance, 0.0)) for chance in (0.7, 0.85, 0.6))
    assert choose(cases, [plain, better, worse], prior) is better
    assert choose(cases, [plain, worse], prior) is plain
    assert choose(cases, [plain, replace(better, errors=100.0)], prior) is plain
    assert choose(cases, [better, plain], prior) is better
    assert choose(cases, [plain, better, replace(better)], prior) is better
    assert choose(cases, [plain, replace(plain)], prior) is plain


def _widened(candidate: VariantCandidate) -> VariantCandidate:
    """The same for four questions of which only the first tells anything."""
    even = np.full((*candidate.parameters.shape[:2], 6), 0.5)
    return replace(candidate, parameters=np.concatenate([candidate.parameters, even], axis=2))


def test_where_the_same_answers_come_again_and_again_a_gain_must_be_clear() -> None:
    """Folds leave out whole sets of answers, and few of them say little."""
    prior = np.log(np.full((FOLDS + 1, 2), 0.5))
    plain, better = certain("", 0.8, 0.0), certain("", 0.82, 0.0)
    problem = make_problem(2, (2,))
    cases = LearningCases.of(problem, [[1]] * 40 + [[0]] * 40, [0] * 40 + [1] * 29 + [0] * 11)
    gains = score_candidate(cases, better, prior).log_chance - score_candidate(cases, plain, prior).log_chance
    assert float(gains @ cases.weights) > 0
    assert choose(cases, [plain, better], prior) is plain


@given(st.integers(0, 10_000), st.floats(0.05, 1.0))
@settings(max_examples=40, deadline=None)
def test_the_least_gain_follows_from_what_was_asked_and_how_often_it_repeats(seed: int, asked: float) -> None:
    cases = draw_cases(np.random.default_rng(seed), 30, asked=asked)
    rows = [[None if a < 0 else int(a) for a in row] for row in cases.answers]
    assert needed_errors(cases) == pytest.approx(literal.needed_errors(rows, cases.weights.tolist()))


def test_where_little_was_asked_a_gain_must_be_clear() -> None:
    """The same answers and outcomes, with and without seven questions that were never asked."""
    rng = np.random.default_rng(3)
    # The second and third question tell nothing, and make every set of answers distinct.
    labels = rng.integers(0, 2, 200)
    first = np.where(rng.random(200) < 0.79, 1 - labels, labels)
    others = np.stack([np.arange(200) % 16, np.arange(200) // 16], axis=1)
    asked = np.concatenate([first[:, None], others], axis=1)
    whole = LearningCases.of(make_problem(2, (2, 16, 16)), asked, labels)
    unasked = np.concatenate([asked, np.full((200, 7), -1)], axis=1)
    partly = LearningCases.of(make_problem(2, (2, 16, 16, *[2] * 7)), unasked, labels)
    prior = np.log(np.full((FOLDS + 1, 2), 0.5))
    for cases, wanted in ((whole, 1), (partly, 0)):
        pair = [_evenly_widened(certain("", chance, 0.0), cases) for chance in (0.75, 0.76)]
        gains = np.subtract(*(score_candidate(cases, each, prior).log_chance for each in reversed(pair)))
        clear = float(gains @ cases.weights) / standard_error(gains * cases.weights, cases.answer_sets)
        assert 0.0 < clear < needed_errors(partly)
        assert choose(cases, pair, prior) is pair[wanted]


def _evenly_widened(candidate: VariantCandidate, cases: LearningCases) -> VariantCandidate:
    """The same for the questions of these cases, of which only the first tells anything."""
    even = np.ones((*candidate.parameters.shape[:2], len(cases.question_of) - 2))
    return replace(candidate, parameters=np.concatenate([candidate.parameters, even], axis=2))


@given(st.integers(0, 10_000))
@settings(max_examples=30)
def test_the_standard_error_adds_up_what_belongs_together(seed: int) -> None:
    rng = np.random.default_rng(seed)
    gains, sets = rng.normal(size=12), rng.permutation(np.repeat(np.arange(4), 3))
    sums = [sum(g for g, s in zip(gains, sets, strict=True) if s == number) for number in range(4)]
    mean = sum(sums) / 4
    variance = sum((each - mean) ** 2 for each in sums) / 3
    assert standard_error(gains, sets) == pytest.approx((4 * variance) ** 0.5)
    assert standard_error(gains, np.zeros(12, dtype=np.intp)) == float("inf")


def test_a_candidate_that_is_right_less_often_is_not_chosen() -> None:
    problem = make_problem(2, (2,))
    cases = LearningCases.of(problem, [[1]] * 10 + [[0]] * 10, [0] * 10 + [1] * 10)
    prior = np.log(np.full((FOLDS + 1, 2), 0.5))
    timid, bold = certain("naive Bayes", 0.51, 0.0), certain("bold", 0.99, 0.0)
    wrong = bold.parameters.copy()
    wrong[int(cases.folds[cases.answers[:, 0] == 0][0])] = certain("", 0.49, 0.0).parameters[0]
    assert choose(cases, [timid, replace(bold, parameters=wrong)], prior) is timid


def test_named_variants_learn_from_the_cases_and_count_what_they_are_worth() -> None:
    named = Variants(
        np.array([0, 0, 1]),
        np.array([0.5, 0.5, 1.0]),
        np.array([[[9.0, 1.0], [1.0, 9.0], [5.0, 5.0]], [[9.0, 1.0], [1.0, 9.0], [5.0, 5.0]]]),
    )
    answers = np.array([[0, 0]] * 30 + [[1, 1]] * 10 + [[0, 1]] * 5)
    labels = np.array([0] * 40 + [1] * 5)
    found = {}
    for worth in (1.0, 1_000.0, 0.0, None):
        worths = None if worth is None else [worth, worth]
        problem = make_problem(2, (2, 2), named_variants=named, variant_worth=worths)
        learned = fit_variants(LearningCases.of(problem, answers, labels))
        assert learned is not None
        found[worth] = learned.weight[0]
        assert_allclose(learned.counts[:, :2].sum(axis=(1, 2)), 20 + 40, atol=1e-3)
        assert_allclose(learned.counts[:, 2].sum(axis=1), 10 + 5, atol=1e-5)
    assert found[1.0] == pytest.approx((0.5 + 30) / 41, abs=0.02)
    assert found[1_000.0] == pytest.approx(0.51, abs=0.01)
    assert found[0.0] == found[None] == pytest.approx((0.5 * 8 + 30) / 48, abs=0.01), "eight cases"


@pytest.mark.parametrize("counted", [False, True])
def test_past_cases_are_shared_among_named_variants_where_nothing_is_expected_of_them(counted: bool) -> None:
    """The first question is expected to be answered in one way or the other; of the second nothing is expected."""
    shares = np.array([0.75, 0.25, 1.0])
    named = Variants(np.array([0, 0, 1]), shares, np.full((2, 3, 2), 5.0))
    past = np.array([[[40.0, 8.0], [6.0, 2.0]], [[12.0, 36.0], [2.0, 6.0]]])
    more = {"cases": past, "case_outcomes": [48.0, 8.0]} if counted else {}
    problem = make_problem(2, (2, 2), named_variants=named, **more)
    problem = replace(problem, pooled=False, named_expects=np.array([[True] * 3, [False] * 3]))
    # The confirmed cases are of outcome 1 alone, so that the variants of outcome 0 have their prior.
    learned = fit_variants(LearningCases.of(problem, [[0, 0]], [1]))
    assert learned is not None
    plain = Posterior.of(problem).prior[1, 0]
    assert_allclose(learned.counts[0, :2], 5.0)
    for v in range(2):
        wanted = plain + (past[1, 0] * shares[v] if counted else 0.0)
        assert_allclose(learned.counts[1, v], wanted, rtol=1e-4)


def test_the_weights_of_fitted_variants_sum_to_one_after_rounding() -> None:
    rng = np.random.default_rng(0)
    weight = np.concatenate([rng.dirichlet(np.ones(16)), rng.dirichlet(np.ones(16))])
    made = make_variants(INTERACTING, np.repeat([0, 1], 16), weight, rng.uniform(0, 9, (32, 6)))
    assert_allclose(np.add.reduceat(made.weight, made.starts), 1.0, atol=1e-7)
    assert (np.diff(made.weight[:16]) <= 0).all()


def test_cases_of_another_problem_are_refused() -> None:
    for answers, labels in (([[0, 0, 2]], [0]), ([[0, 0, 0]], [2]), ([[0, 0, 0]], [0, 1])):
        with pytest.raises(BadArgument):
            LearningCases.of(INTERACTING, answers, labels)


def test_the_m_step_gives_no_parameters_to_a_variant_that_is_not_there() -> None:
    part, theta, _ = one_outcome(draw_cases(np.random.default_rng(1), 20))
    shares = np.zeros((1, 2, len(part.pairs)))
    shares[0, 0] = 1.0
    made = maximise(part, shares, 4.0 * theta[:, None, :], np.array([[1.0, 0.0]]))
    assert made.weight.tolist() == [[1.0, 0.0]]
    assert not made.parameters[0, 1].any()
