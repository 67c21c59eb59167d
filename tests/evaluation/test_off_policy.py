"""The parts of the off-policy estimates: paths and their chances, weights, the value model, intervals."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.off_policy import THETA, small_bank, true_values
from odm_tui.banks import Bank, load_bank
from odm_tui.engine.interview import Ask, Interview
from odm_tui.engine.policy import Policy, policy_from
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Problem, Question
from odm_tui.evaluation.intervals import mean_interval, ratio_interval
from odm_tui.evaluation.replay import off_policy, propensity
from odm_tui.evaluation.replay.chances import LoggedChances, OtherChances
from odm_tui.evaluation.replay.in_step import chances as in_step
from odm_tui.evaluation.replay.in_step.stacked_paths import StackedPaths
from odm_tui.evaluation.replay.logged_interviews import Tally, read_interviews
from odm_tui.evaluation.replay.logged_path import LoggedPath, QuestionReply, find_path, is_random
from odm_tui.evaluation.replay.off_policy import (
    WeightedInterviews,
    combine_draws,
    draw_share,
    estimate,
    estimate_policies,
    weight_paths,
)
from odm_tui.evaluation.replay.propensity import (
    estimate_chances,
    estimate_logged_chances,
    estimate_other_chances,
)
from odm_tui.evaluation.replay.what_if import bootstrap_interval
from odm_tui.session import Session

QUESTIONS = ["a", "b", "c", "d"]


def path_by(
    policy: Policy, steps: list[int], answers: list[int] | None = None, name: str = "one", outcome: int = 0
) -> LoggedPath:
    problem = Problem.build(QUESTIONS, ["x", "y"])
    replies = {
        step: QuestionReply("answered", answer)
        for step, answer in zip(steps, answers or [1] * len(steps), strict=True)
    }
    return LoggedPath(name, policy, Posterior.of(problem), tuple(steps), replies, outcome, 1.0)


def random_two() -> Policy:
    """Two questions of four, at random."""
    return policy_from("random", {"max_questions": 2})


# -- chances ------------------------------------------------------------------------------------------


@pytest.fixture(params=["in step", "one by one"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Hold the draws in step, and one by one."""
    if request.param == "one by one":
        monkeypatch.setattr(propensity, "can_step", lambda problem, policy, before: False)
    return str(request.param)


def test_the_chances_of_a_random_order_are_those_of_combinatorics(way: str) -> None:
    found = estimate_logged_chances(path_by(random_two(), [2, 0]), 300, 100_000, seed=1)
    # c first; c and then a; a and c in either order, then the stop
    assert found.inverse == pytest.approx([4, 12, 6], rel=0.15)
    assert not found.rare


def test_the_number_of_draws_until_a_match_is_unbiased_for_one_over_its_chance(way: str) -> None:
    found = [
        estimate_logged_chances(path_by(random_two(), [2, 0], name=f"n{i}"), 2, 5000, 0).inverse
        for i in range(150)
    ]
    errors = np.std(found, axis=0) / len(found) ** 0.5
    assert np.all(np.abs(np.mean(found, axis=0) - (4, 12, 6)) < 3 * errors)
    # 1 / (share of matches) would be far too large with so few draws: the spread shows that they are few
    assert errors[1] > 0.3


def test_the_chance_of_a_path_is_joint_over_its_steps(way: str) -> None:
    """One theta serves all steps: the choices of one draw are counted together, not step by step."""
    policy = policy_from("w-ig-ts", {"max_questions": 2})
    path = path_by(policy, [1, 3], [1, 0])
    whole, steps = 0, np.zeros(2)
    draws = 800
    for seed in range(draws):
        interview = Interview(path.problem, policy, path.before, seed)
        put: list[int] = []
        while isinstance(upcoming := interview.next, Ask) and upcoming.question in path.replies:
            put.append(upcoming.question)
            path.replies[upcoming.question].give(interview, upcoming.question)
        whole += set(put) == {1, 3} and not isinstance(upcoming, Ask)
        forced = Interview(path.problem, policy, path.before, seed)
        steps[0] += forced.next == Ask(1)
        forced.answer("yes", 1)
        steps[1] += forced.next == Ask(3)
    found = estimate_logged_chances(path, 150, 100_000, seed=1)
    assert found.inverse[-1] == pytest.approx(draws / whole, rel=0.25)
    # one order of two: the product of the steps' chances would be wrong for these choices
    assert np.prod(steps / draws) != pytest.approx(1 / found.inverse[-1], rel=0.25)


def test_a_choice_that_is_too_rare_counts_the_logged_draw_as_one_more() -> None:
    everything = policy_from("all")
    always = estimate_logged_chances(path_by(everything, [0, 1, 2, 3]), 5, 3, seed=0)
    never = estimate_logged_chances(path_by(everything, [1]), 5, 3, seed=0)
    assert always.inverse.tolist() == [1.0] * 5
    assert never.inverse.tolist() == [4.0, 4.0]
    assert never.rare
    assert not estimate_logged_chances(path_by(everything, [0, 1, 2, 3]), 5, 5, seed=0).rare


def test_every_interview_policy_and_use_draws_with_seeds_of_its_own() -> None:
    path = path_by(random_two(), [2, 0])
    other = path_by(random_two(), [2, 0], name="two")
    policy = policy_from("w-ig-ts")
    streams = {
        tuple(islice(stream, 80))
        for stream in (
            path.seeds(policy, "logged", 0),
            path.seeds(policy, "other", 0),
            path.seeds(policy_from("w-ig-sts"), "other", 0),
            other.seeds(policy, "other", 0),
            path.seeds(policy, "other", 1),
        )
    }
    assert len(streams) == 5
    assert len({seed for stream in streams for seed in stream}) == 5 * 80
    assert tuple(islice(path.seeds(policy, "logged", 0), 80)) in streams


@pytest.mark.parametrize("name", ["w-ig-ts", "w-ig-sts", "w-ig-eps", "random"])
def test_a_policy_that_draws_differs_from_draw_to_draw(name: str) -> None:
    policy = policy_from(name, {"max_questions": 1})
    if name.endswith("eps"):
        policy = policy_from(
            {"oracle": "w-ig", "exploration": "eps", "epsilon": 0.5, "stop": {"max_questions": 1}}
        )
    shares = estimate_other_chances(path_by(random_two(), [0]), policy, 60, seed=0).shares
    assert 0 < shares[0] < 1


def test_shares_of_another_policy_are_those_of_combinatorics() -> None:
    path = path_by(policy_from("w-ig-ts", {"max_questions": 2}), [2, 0])
    found = estimate_other_chances(path, random_two(), 1000, seed=3)
    assert found.shares == pytest.approx([1 / 4, 1 / 12, 1 / 6], rel=0.25)
    assert estimate_other_chances(path, policy_from("all"), 3, seed=3).shares.tolist() == [0, 0, 0]


# -- the value model ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def known() -> list[LoggedPath]:
    """Interviews by Thompson Sampling that all know the same, with callers who answer by THETA."""
    bank = small_bank()
    policy = policy_from(bank.policy or "")
    rng = np.random.default_rng(11)
    before = Posterior.of(bank.problem)
    for _ in range(25):
        outcome, answers = _caller(rng)
        before = before.updated(answers, outcome)
    paths = []
    for number in range(150):
        outcome, answers = _caller(rng)
        interview = Interview(bank.problem, policy, before, int(rng.integers(2**40)))
        while isinstance(upcoming := interview.next, Ask):
            interview.answer(int(answers[upcoming.question]))
        replies = {step.question: QuestionReply("answered", step.answer) for step in interview.steps}
        right = float(upcoming.outcome == outcome)
        paths.append(LoggedPath(f"i{number}", policy, before, tuple(replies), replies, outcome, right))
    return paths


def _caller(rng: np.random.Generator) -> tuple[int, np.ndarray]:
    outcome = int(rng.integers(3))
    return outcome, (rng.random(3) < THETA[:, outcome, 1]).astype(np.int16)


@pytest.fixture(scope="module")
def own(known: list[LoggedPath]) -> list[LoggedChances]:
    return [estimate_logged_chances(path, 4, 1024, 0) for path in known]


def error_of(values: np.ndarray) -> np.ndarray:
    return np.asarray(values.std(axis=0, ddof=1) / len(values) ** 0.5)


@pytest.fixture(scope="module")
def other() -> Policy:
    """A policy that asks cheap questions more often, with the bank's stop rule."""
    bank = small_bank()
    return policy_from("w-ig-eps", dict(bank.policy)["stop"])  # type: ignore[arg-type]  # the bank has a table


@pytest.fixture(scope="module")
def truth(known: list[LoggedPath], other: Policy) -> np.ndarray:
    return np.asarray(true_values(known, other, draws=4).mean(axis=0))


def test_doubly_robust_is_right_with_a_wrong_model(
    known: list[LoggedPath], own: list[LoggedChances], other: Policy, truth: np.ndarray
) -> None:
    mostly_yes = np.broadcast_to([0.03, 0.97], THETA.shape)
    others = [estimate_other_chances(path, other, 12, 0, mostly_yes) for path in known]
    found = combine_draws(list(zip(known, own, others, strict=True)))
    assert np.all(np.abs(found.robust.mean(axis=0) - truth) < 3 * error_of(found.robust))
    assert np.all(np.abs(found.model.mean(axis=0) - truth) > 4 * error_of(found.model))
    assert abs(found.weight.mean() - 1) < 3 * error_of(found.weight)


def test_doubly_robust_is_right_with_wrong_weights(
    known: list[LoggedPath], own: list[LoggedChances], other: Policy, truth: np.ndarray
) -> None:
    wrong = [replace(each, inverse=2 * each.inverse) for each in own]
    others = [estimate_other_chances(path, other, 12, 0, THETA) for path in known]
    found = combine_draws(list(zip(known, wrong, others, strict=True)))
    assert np.all(np.abs(found.robust.mean(axis=0) - truth) < 3 * error_of(found.robust))
    plain = found.weight[:, None] * found.seen
    assert np.all(np.abs(plain.mean(axis=0) - truth) > 4 * error_of(plain))
    assert not np.allclose(found.robust, found.model)
    assert not np.allclose(found.robust, plain)


def test_the_value_model_uses_no_answer_of_the_interview_itself(
    known: list[LoggedPath], other: Policy
) -> None:
    path = next(path for path in known if len(path.steps) == 2)
    flipped = replace(
        path,
        replies={
            question: QuestionReply("answered", 1 - (reply.answer or 0))
            for question, reply in path.replies.items()
        },
    )
    assert np.array_equal(
        estimate_other_chances(path, other, 8, 0).model, estimate_other_chances(flipped, other, 8, 0).model
    )


def test_only_choices_that_a_draw_shares_are_waited_for(known: list[LoggedPath], other: Policy) -> None:
    nothing = np.zeros(len(known[0].choices), dtype=bool)
    assert estimate_logged_chances(known[0], 2, 50, 0, nothing).draws == 0
    waited = []
    for own, others in estimate_chances(known[:40], {"other": other}, 2, 500, 0):
        assert own is not None
        needed = np.append(others["other"].surprises.any(axis=1), others["other"].shares[-1] > 0)
        assert ((own.inverse > 0) == needed).all()
        waited += needed[:-1].tolist()
    assert set(waited) == {True, False}


def test_the_policy_that_held_an_interview_has_weight_one_and_what_was_seen(known: list[LoggedPath]) -> None:
    found = weight_paths(known[:12], {"own": known[0].policy}, seed=0)["own"]
    assert found.weight.tolist() == [1.0] * 12
    assert np.array_equal(found.robust, found.seen)


def test_the_noise_of_a_weight_is_that_of_both_its_factors(other: Policy) -> None:
    """share · (1 - share) / draws · inverse² + weight² · (1 - 1 / inverse) / matches."""
    path = path_by(other, [2])
    own = LoggedChances(np.array([2.0, 4.0]), matches=8, draws=40, rare=False)
    others = OtherChances(np.array([0.5, 0.75]), np.zeros(2), np.zeros((1, 2)), draws=16)
    found = combine_draws([(path, own, others)])
    assert found.weight.tolist() == [3.0]
    assert found.noise == pytest.approx([0.75 * 0.25 / 16 * 16 + 9 * 0.75 / 8])
    never = replace(others, shares=np.array([0.5, 0.0]))
    assert combine_draws([(path, own, never)]).noise.tolist() == [0.0]


def test_every_logged_choice_is_matched_eight_times() -> None:
    """So 1 / P(choice) has a relative error of at most 1 / √8."""
    said: list[str] = []
    paths = [path_by(random_two(), [2, 0])]
    policies = {"ts": policy_from("w-ig-ts", {"max_questions": 2})}
    weight_paths(paths, policies, seed=0, progress=said.append)
    assert said == ["Drawing until every logged choice is matched 8 times"]


def test_a_reply_that_is_drawn_is_an_answer_of_its_question_however_chances_are_rounded() -> None:
    problem = Problem.build(["a", Question("b", ("x", "y", "z"))], ["one"])
    path = LoggedPath("one", random_two(), Posterior.of(problem), (), {}, 0, 1.0)
    none = np.zeros((2, 1, 3))  # chances that sum to far less than 1, as rounding could make them
    rng = np.random.default_rng(0)
    one_by_one = propensity._draw_replies(none[:, 0], problem.valid.sum(axis=1), None, rng)
    assert [reply.answer for reply in one_by_one] == [1, 2]
    assert in_step._draw_replies(StackedPaths.of([path]), 0, 3, rng, none).tolist() == [[1, 2]] * 3


@pytest.mark.parametrize("width", [2, 3])
def test_a_reply_is_drawn_as_often_as_it_is_expected(way: str, width: int) -> None:
    questions = [Question("a", ("no", "yes") if width == 2 else tuple("xyz")), Question("b")]
    problem = Problem.build(questions, ["one"])
    path = LoggedPath("one", random_two(), Posterior.of(problem, unknown=[80, 0]), (), {}, 0, 1.0)
    theta, known = path.before.mean()[:, :, :width] ** 2, path.before.answerable()
    theta[0, 0, 0] += 0.3
    theta /= theta.sum(axis=-1, keepdims=True)
    count, rng = 4000, np.random.default_rng(1)
    if way == "in step":
        drawn = in_step._draw_replies(StackedPaths.of([path]), 0, count, rng, theta)
    else:
        sizes = problem.valid.sum(axis=1)
        rounds = [propensity._draw_replies(theta[:, 0], sizes, known, rng) for _ in range(count)]
        drawn = np.array([[-1 if each.answer is None else each.answer for each in one] for one in rounds])
    shares = np.stack([(drawn == answer).mean(axis=0) for answer in range(-1, width)], axis=1)
    expected = np.column_stack([1 - known, known[:, None] * theta[:, 0]])
    assert np.all(np.abs(shares - expected) <= 3.5 * np.sqrt(expected * (1 - expected) / count))


def test_a_don_t_know_costs_the_mean_of_its_answers_under_the_confirmed_outcome() -> None:
    problem = Problem.build(["a", "b"], ["x", "y"], cost=np.array([[[1, 9], [2, 6]], [[5, 5], [4, 4]]]))
    before = Posterior.of(problem).updated([1, 0], 1).updated([1, 0], 1)
    replies = {0: QuestionReply("unknown"), 1: QuestionReply("answered", 0)}
    path = LoggedPath("one", random_two(), before, (0, 1), replies, 1, 1.0)
    no, yes = before.mean()[0, 1]
    assert yes > no
    assert path.cost == pytest.approx(2 * no + 6 * yes + 4)


@pytest.mark.parametrize(("jobs", "parts"), [(1, [12]), (2, [2, 2, 2, 2, 1, 1, 1, 1])])
def test_interviews_are_drawn_together_and_shared_among_processes(
    monkeypatch: pytest.MonkeyPatch, jobs: int, parts: list[int]
) -> None:
    """Draws of many interviews take their steps at once; several processes get four parts each."""
    asked: list[int] = []

    def run(calls: Sequence[tuple[Any, tuple[Any, ...]]], jobs: int) -> list[Any]:
        asked.extend(len(arguments[0]) for _, arguments in calls)
        return [function(*arguments) for function, arguments in calls]

    monkeypatch.setattr(off_policy, "run_calls", run)
    paths = [path_by(random_two(), [2, 0], name=f"n{number}") for number in range(12)]
    weight_paths(paths, {"own": random_two()}, 0, jobs)
    assert asked == parts


# -- estimates ----------------------------------------------------------------------------------------


def weights_of(
    weight: list[float], cost: list[float], rare: list[bool] | None = None, noise: float = 0.0
) -> WeightedInterviews:
    count = len(weight)
    seen = np.column_stack([cost, np.ones(count)])
    return WeightedInterviews(
        np.array(weight),
        np.full(count, noise),
        seen,
        seen + 1,
        seen + 0.5,
        np.zeros(count, dtype=bool) if rare is None else np.array(rare),
        np.full(count, 10.0),
    )


def test_the_estimates_are_those_computed_by_hand() -> None:
    weight, cost = [2.0, 0.0, 1.0, 1.0] * 6, [3.0, 9.0, 6.0, 4.0] * 6
    made = estimate("other", weights_of(weight, cost), {"it was stopped": 2})
    assert made.reason is None
    assert made.plain == pytest.approx(16 / 4)
    assert made.weighted == pytest.approx(16 / 4)
    assert made.doubly_robust == pytest.approx(22 / 4 + 0.5)
    assert made.model == pytest.approx(22 / 4 + 1)
    assert made.model_accuracy == pytest.approx(2)
    assert made.difference == pytest.approx(0.5)
    assert (made.logged, made.logged_accuracy) == (5.5, 1.0)
    assert made.effective_sample_size == pytest.approx(24**2 / 36)
    assert made.mean_weight == 1.0
    assert made.plain_accuracy == 1.0
    assert made.left_out == {"it was stopped": 2}
    # t with 15 degrees of freedom, 2.131; sd of w · x is 2.507 over 24 interviews
    assert made.plain_interval == pytest.approx(
        (4 - 2.1314 * 2.5022 / 24**0.5, 4 + 2.1314 * 2.5022 / 24**0.5), abs=2e-3
    )
    assert made.plain_accuracy_interval[1] == 1.0


def test_with_less_than_two_interviews_in_effect_intervals_have_one_degree_of_freedom() -> None:
    made = estimate("other", weights_of([1.0] + [0.0] * 9, [1.0, 2.0] * 5))
    assert made.effective_sample_size == 1.0
    # t with one degree of freedom, 12.706; the standard error of the mean weight is 0.1
    assert made.mean_weight_interval == pytest.approx((0.1 - 1.2706, 0.1 + 1.2706), abs=1e-4)


def test_intervals_cover_95_of_100_with_few_and_with_many() -> None:
    rng = np.random.default_rng(5)
    for count in (8, 60):
        covered = np.zeros(3)
        for _ in range(400):
            x, w = rng.normal(2, 1, count), rng.uniform(0.5, 1.5, count)
            _, plain = mean_interval(x, count - 1)
            _, ratio = ratio_interval(w, x, count - 1)
            covered[:2] += [plain[0] <= 2 <= plain[1], ratio[0] <= 2 <= ratio[1]]
            if count == 60:
                low, high = bootstrap_interval(x[None], seed=0, replicates=150)
                covered[2] += low <= 2 <= high
        assert np.all(np.abs(covered[:2] / 400 - 0.95) < 0.03)
    assert abs(covered[2] / 400 - 0.94) < 0.035


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (weights_of([0.0] * 20, [1.0, 2.0] * 10), "never asks what was asked"),
        (
            weights_of([1.0] * 20, [1.0, 2.0] * 10, [True, True] + [False] * 18),
            "2 of 20 interviews have a choice",
        ),
        (weights_of([3.0] + [0.95] * 39, [1.0, 2.0] * 20, [True] + [False] * 39), "1 of 40 interviews have"),
        (weights_of([9.0] + [0.4] * 19, [1.0, 2.0] * 10), "interviews in effect"),
        (weights_of([1.0, 0.9] * 10, [1.0, 2.0] * 10, noise=0.9), "of the variance comes from the draws"),
        (weights_of([0.3, 0.5] * 10, [1.0, 2.0] * 10), "the mean weight is 0.40"),
    ],
)
def test_an_estimate_that_would_mislead_is_withheld_with_a_reason(
    found: WeightedInterviews, said: str
) -> None:
    made = estimate("other", found)
    assert made.reason is not None
    assert said in made.reason
    assert np.isnan([made.plain, made.weighted, made.doubly_robust, made.plain_accuracy]).all()


def test_the_share_of_the_draws_is_that_of_the_weighted_estimate() -> None:
    assert draw_share(weights_of([1.0] * 4, [1.0, 3.0, 1.0, 3.0], noise=0.25)) == pytest.approx(0.25)
    assert draw_share(weights_of([1.0] * 4, [2.0] * 4, noise=0.25)) == pytest.approx(0.25)
    # weights 1, 1, 2 and costs 0, 4, 6: the weighted mean is 4, so only the first and the third count
    uneven = replace(weights_of([1.0, 1.0, 2.0], [0.0, 4.0, 6.0]), noise=np.array([0.5, 7.0, 0.25]))
    assert draw_share(uneven) == pytest.approx((0.5 * 16 + 0.25 * 4) / (1 * 16 + 4 * 4))


def test_a_second_run_repeats_the_first_and_another_seed_does_not() -> None:
    paths = [path_by(random_two(), [2, 0], [1, number % 2], f"n{number}") for number in range(10)]
    policies = {"ts": policy_from("w-ig-ts", {"max_questions": 2})}
    found, again = (weight_paths(paths, policies, seed=0)["ts"] for _ in range(2))
    assert np.array_equal(found.weight, again.weight)
    assert not np.array_equal(found.weight, weight_paths(paths, policies, seed=1)["ts"].weight)


@pytest.mark.parametrize("in_step", [True, False])
def test_the_other_policy_is_drawn_the_more_often_the_rarer_the_path_is(
    monkeypatch: pytest.MonkeyPatch, in_step: bool
) -> None:
    if not in_step:
        monkeypatch.setattr(propensity, "can_step", lambda problem, policy, before: False)
    rare, common = path_by(random_two(), [2, 0]), path_by(policy_from("random", {"max_questions": 1}), [2])
    other = {"other": policy_from("w-ig-ts", {"max_questions": 2})}
    draws = []
    for path in (rare, common):
        ((own, others),) = estimate_chances([path], other, 60, 4000, 0)
        assert own is not None
        draws.append(others["other"].draws)
    times = propensity.DRAWS_IN_STEP if in_step else propensity.DRAWS_ONE_BY_ONE
    # two of four in either order: 1 / P = 6; one of four: 4, but at least FEWEST_DRAWS
    assert draws[0] == pytest.approx(max(times * 6, propensity.FEWEST_DRAWS), rel=0.4)
    assert draws[1] == pytest.approx(max(times * 4, propensity.FEWEST_DRAWS), rel=0.4)


# -- which interviews ---------------------------------------------------------------------------------

FADING = """
format = 1
title = "Three signs"
cost_unit = "minutes"
half_life_days = 1
learning = "pooled"
policy = { oracle = "w-ig", exploration = "ts", stop = { any = [{ confidence = 0.95 }, { max_questions = 2 }] } }
outcomes = [{ id = "x" }, { id = "y" }]
questions = [
    { id = "a", text = "A?", cost = 1 },
    { id = "b", text = "B?", cost = { yes = 1, no = 2 } },
    { id = "c", text = "C?", cost = 2 },
]
"""


@pytest.fixture
def fading(tmp_path: Path) -> Bank:
    path = tmp_path / "fading.toml"
    path.write_text(FADING)
    return load_bank(str(path))


def held(
    bank: Bank, state: Path, do: Callable[[Session], None], policy: str | None = None, seed: int = 1
) -> None:
    session = Session.start(bank, state, seed=seed, policy=policy, clock=lambda: 1.7e9 + 40_000 * seed)
    do(session)
    while session.question is not None:
        session.answer("yes" if seed % 3 else "no")
    session.confirm("x" if seed % 2 else "y")


def _picks(session: Session) -> None:
    session.pick(next(each.id for each in session.available if each != session.question))
    session.answer("yes")


def _changes(session: Session) -> None:
    session.answer("yes")
    session.change(0, "no")


def _goes_on_after_the_decision(session: Session) -> None:
    session.answer("yes")
    session.answer("yes")
    session.pick(session.available[0].id)
    session.answer("no")


@pytest.mark.parametrize(
    ("do", "policy", "reason"),
    [
        (_picks, None, "the operator picked a question"),
        (lambda session: session.stop(), None, "the operator stopped it"),
        (_changes, None, "an earlier answer was changed or left out"),
        (lambda session: None, "all", "its policy does not choose at random"),
        (lambda session: None, "w-ig-mean", "its policy does not choose at random"),
    ],
)
def test_an_interview_without_a_path_of_the_policy_s_own_is_left_out(
    fading: Bank, tmp_path: Path, do: Callable[[Session], None], policy: str | None, reason: str
) -> None:
    held(fading, tmp_path / "state", do, policy)
    (logged,) = read_interviews([tmp_path / "state" / "fading.log.jsonl"], fading, Tally())
    assert find_path(fading, logged) == reason
    (made,) = estimate_policies(fading, [logged], {"random": policy_from("random")}, 100, 0)
    assert made.left_out == {reason: 1}
    assert made.reason == "It rests on 0 interviews; 10 are needed."


def _asks_on(session: Session) -> None:
    session.answer("yes")
    session.answer("yes")
    session.ask_on(1.0)


def _tries_the_advice(session: Session) -> None:
    session.answer("yes")
    session.answer("yes")
    session.rule_out()


def _stops_after_asking_on(session: Session) -> None:
    _asks_on(session)
    session.stop()


@pytest.mark.parametrize(
    "do", [_goes_on_after_the_decision, _asks_on, _tries_the_advice, _stops_after_asking_on]
)
def test_what_follows_the_policy_s_own_decision_is_cut_off(
    fading: Bank, tmp_path: Path, do: Callable[[Session], None]
) -> None:
    """Operators go on after doubtful and wrong decisions: without these interviews, policies would seem better."""

    def plainly(session: Session) -> None:
        session.answer("yes")
        session.answer("yes")

    paths = []
    for name, way in (("plain", plainly), ("other", do)):
        held(fading, tmp_path / name, way)
        (logged,) = read_interviews([tmp_path / name / "fading.log.jsonl"], fading, Tally())
        found = find_path(fading, logged)
        assert isinstance(found, LoggedPath), found
        paths.append(found)
    plain, other = paths
    assert (other.steps, other.replies, other.cost, other.right) == (
        plain.steps,
        plain.replies,
        plain.cost,
        plain.right,
    )


def test_a_decision_that_only_today_s_program_makes_cuts_nothing_off(fading: Bank, tmp_path: Path) -> None:
    held(fading, tmp_path / "state", _goes_on_after_the_decision)
    (logged,) = read_interviews([tmp_path / "state" / "fading.log.jsonl"], fading, Tally())
    assert find_path(fading, replace(logged, decisions={})) == "its own seed asks other questions now"


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("random", True),
        ("dpp", True),
        ("w-ig-ts", True),
        ("w-ig-mean", False),
        ("all", False),
        ({"oracle": "w-ig", "exploration": "eps", "epsilon": 0.5, "stop": "never"}, True),
        ({"oracle": "w-ig", "exploration": "eps", "epsilon": 0.0, "stop": "never"}, False),
    ],
)
def test_a_policy_is_random_if_it_draws_questions_theta_or_both(policy: Any, expected: bool) -> None:
    assert is_random(policy_from(policy), Posterior.of(Problem.build(QUESTIONS, ["x", "y"]))) == expected


def test_don_t_knows_skips_and_undone_answers_are_part_of_a_path(fading: Bank, tmp_path: Path) -> None:
    def hesitates(session: Session) -> None:
        session.answer("yes")
        session.undo()
        session.skip()
        session.dont_know()

    held(fading, tmp_path / "state", hesitates, seed=2)
    (logged,) = read_interviews([tmp_path / "state" / "fading.log.jsonl"], fading, Tally())
    path = find_path(fading, logged)
    assert isinstance(path, LoggedPath)
    kinds = [path.replies[step].kind for step in path.steps]
    assert kinds[:2] == ["skipped", "unknown"]
    answered = path.steps[2]
    mean = fading.problem.cost[path.steps[1], path.outcome].mean()
    assert path.cost == pytest.approx(
        mean + fading.problem.cost[answered, path.outcome, path.replies[answered].answer], abs=0.2
    )


# -- exactly ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "inverse"),
    # one of three first, then one of two; the same two questions in either order; at last all three
    [(2, [3.0, 6.0, 3.0]), (3, [3.0, 6.0, 3.0, 1.0])],
)
def test_summed_over_everything_that_can_happen_the_estimates_are_the_truth(
    count: int, inverse: list[float]
) -> None:
    """No draws and no chance: random logs of some of three questions, and a target that leaves nothing to chance.

    All callers, all orders of the questions and all imagined callers are summed over with their chances. Doubly
    robust is exact with right weights and a wrong model, and with wrong weights and a right model.
    """
    bank = small_bank()
    logged, target = (policy_from(name, {"max_questions": count}) for name in ("random", "w-ig-map"))
    before = Posterior.of(bank.problem).updated([1, 0, 1], 0).updated([0, 1, 1], 1).updated([1, 0, 0], 2)
    right_weights = LoggedChances(np.array(inverse), 1, 1, rare=False)
    wrong_weights = LoggedChances(np.array([5.0, 2.0, 7.0, 4.0][: count + 1]), 1, 1, rare=False)
    wrong_model = np.broadcast_to([0.2, 0.8], THETA.shape)
    orders = list(itertools.permutations(range(3), count))
    plain, truth, weight = np.zeros(2), np.zeros(2), 0.0
    robust = {"wrong model": np.zeros(2), "wrong weights": np.zeros(2)}
    people = list(itertools.product((0, 1), repeat=3))
    for outcome, answers in itertools.product(range(3), people):
        chance = float(np.prod(THETA[range(3), outcome, answers])) / 3
        truth += chance * np.array(finish(Interview(bank.problem, target, before), answers, outcome))
        for order in orders:
            path = path_in_order(bank, logged, before, order, answers, outcome)
            for imagined in people:
                theta = np.broadcast_to(np.eye(2)[list(imagined)][:, None], THETA.shape)
                found = estimate_other_chances(path, target, 1, 0, theta)
                share = chance / len(orders) * float(np.prod(wrong_model[range(3), outcome, imagined]))
                right = combine_draws([(path, right_weights, found)])
                weight += share * right.weight[0]
                plain += share * right.weight[0] * right.seen[0]
                robust["wrong model"] += share * right.robust[0]
                share = chance / len(orders) * float(np.prod(THETA[range(3), outcome, imagined]))
                robust["wrong weights"] += share * combine_draws([(path, wrong_weights, found)]).robust[0]
    assert weight == pytest.approx(1)
    assert plain == pytest.approx(truth)
    assert robust["wrong model"] == pytest.approx(truth)
    assert robust["wrong weights"] == pytest.approx(truth)


def path_in_order(
    bank: Bank, policy: Policy, before: Posterior, order: Sequence[int], answers: Sequence[int], outcome: int
) -> LoggedPath:
    interview = Interview(bank.problem, policy, before)
    for question in order:
        interview.answer(answers[question], question)
    replies = {question: QuestionReply("answered", answers[question]) for question in order}
    right = float(int(interview.belief.argmax()) == outcome)
    return LoggedPath("", policy, before, tuple(order), replies, outcome, right)


def finish(interview: Interview, answers: Sequence[int], outcome: int) -> tuple[float, float]:
    while isinstance(upcoming := interview.next, Ask):
        interview.answer(answers[upcoming.question])
    return interview.cost_if(outcome), float(upcoming.outcome == outcome)
