"""Whole interviews: against the paper's Algorithm 4, step by step, and at the edges."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from odm_tui.engine.exploration import KnownTheta
from odm_tui.engine.hypotheses import Hypotheses
from odm_tui.engine.interview import Ask, Decide, Interview, Step
from odm_tui.engine.oracles import ORACLES
from odm_tui.engine.policy import Policy
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Problem, Question
from odm_tui.engine.regret import run_to_end
from odm_tui.engine.stopping import Never, Region
from odm_tui.errors import BadArgument
from tests.support.literal import interviews as literal
from tests.support.literal.instances import Instance, consistent, instances, loud, made


@given(
    instances(most=100, edges=False),
    st.integers(1, 12),
    st.sampled_from(("w-ec2", "w-ig")),
    st.sampled_from(("likeliest", "apart")),
    st.data(),
)
@settings(max_examples=120)
def test_a_whole_interview_asks_what_algorithm_4_asks(
    it: Instance, limit: int, oracle: str, contested: str, data: st.DataObject
) -> None:
    policy = Policy(ORACLES[oracle], KnownTheta(it.theta, it.prior), Region(), limit, 0.002, contested)  # type: ignore[arg-type]
    interview = Interview(it.problem, policy)
    listing = interview.situation.listing
    assert listing is not None
    rows, regions = _rows(listing.hypotheses)
    if data.draw(st.booleans(), label="one of the listed"):
        truth = rows[data.draw(st.integers(0, len(rows) - 1))]
    else:
        truth = np.array([data.draw(st.integers(0, size - 1)) for size in it.sizes])
    told = literal.run(oracle, it.prior, it.theta, it.cost, rows, regions, truth.tolist())
    with loud():
        run_to_end(interview, truth)
    asked = tuple(step.question for step in interview.steps)
    if told.regions:
        assert asked == told.asked
    else:
        # The paper's interview ends in nothing; ours lists again and goes on.
        assert asked[: len(told.asked)] == told.asked


def _rows(made: Hypotheses) -> tuple[np.ndarray, np.ndarray]:
    regions = np.nonzero(made.listed)[0]
    if made.apart:
        regions = np.where(made.contested[made.listed], -1, regions)
    return made.answers[made.listed].astype(int), regions


@given(instances(most=60, edges=False), st.sampled_from(("w-ec2", "w-ig")))
@settings(max_examples=40)
def test_known_regions_are_kept_whatever_theta_the_oracle_sees(it: Instance, oracle: str) -> None:
    """The paper's first setting: the regions come from another theta than the one that is learned."""
    policy = Policy(ORACLES[oracle], KnownTheta(it.theta, it.prior), Region(), 5)
    rng = np.random.default_rng(0)
    rows = rng.permutation(np.array(list(np.ndindex(*it.sizes))))
    m = len(it.prior)
    k = min(max(len(rows) // m, 1), 6)
    if len(rows) < m * k:
        return
    full = np.ones((m, k), dtype=bool)
    known = Hypotheses(rows[: m * k].reshape(m, k, -1).astype(np.int8), full, ~full)
    truth = rows[0]
    interview = Interview(it.problem, policy, hypotheses=known)
    run_to_end(interview, truth)
    flat, regions = _rows(known)
    told = literal.run(oracle, it.prior, it.theta, it.cost, flat, regions, truth.tolist())
    assert tuple(step.question for step in interview.steps) == told.asked
    assert told.regions == {0}


# -- a small bank by hand ---------------------------------------------------------------------------------

BANK = Problem.build(
    [
        "lights",
        Question("colour", ("red", "amber", "off"), ask_if=(("lights", (0,)),)),
        Question("blinks", ask_if=(("colour", (0, 1)),)),
        Question("ping", thresholds=(20, 80, 300)),
        Question("consent", always_ask=True),
        Question("callback", always_ask=True, ask_if=(("consent", (1,)),)),
    ],
    ["line", "router", "wifi"],
    prior=[0.5, 0.3, 0.2],
    cost=[10, 5, 5, 30, 1, 2],
)


def test_a_chain_of_prerequisites_wakes_link_by_link_and_falls_asleep_again() -> None:
    interview = Interview(BANK, "all")
    assert interview.available.tolist() == [True, False, False, True, True, False]
    interview.answer("no", "lights")
    assert interview.available.tolist() == [False, True, False, True, True, False]
    interview.answer("amber", "colour")
    assert interview.available[2]
    interview.answer("yes", "blinks")
    interview.undo(2)
    assert not interview.available[2]
    interview.answer("off", "colour")
    assert not interview.available[2], "off does not wake it"


def test_dont_know_wakes_nothing() -> None:
    interview = Interview(BANK, "all")
    interview.dont_know("lights")
    assert interview.available.tolist() == [False, False, False, True, True, False]
    interview.skip("consent")
    assert not interview.available[5]


def test_a_sleeping_question_cannot_be_answered() -> None:
    interview = Interview(BANK, "all")
    with pytest.raises(BadArgument, match="'colour' can't be asked now"):
        interview.answer("red", "colour")
    interview.answer("yes", "lights")
    with pytest.raises(BadArgument, match="'lights' can't be asked now"):
        interview.answer("no", "lights")


def test_always_ask_comes_before_the_stop_and_wakes_what_it_must() -> None:
    interview = Interview(BANK, {"oracle": "w-ec2", "exploration": "ts", "stop": {"max_questions": 0}})
    assert interview.next == Ask(4)
    interview.answer("yes")
    assert interview.next == Ask(5), "consent woke the call-back, which must be asked too"
    interview.answer("no")
    assert isinstance(interview.next, Decide)
    assert interview.next.rule == "max_questions"


@pytest.mark.parametrize("oracle", sorted(ORACLES))
def test_always_ask_comes_before_any_other_question(oracle: str) -> None:
    for exploration in ("mean", "ts", "eps") if ORACLES[oracle].uses_theta else ("mean",):
        for seed in range(5):
            interview = Interview(
                BANK, {"oracle": oracle, "exploration": exploration, "stop": "never"}, seed=seed
            )
            assert interview.next == Ask(4)
            interview.answer("yes")
            assert interview.next == Ask(5)


def test_always_ask_that_wakes_late_comes_next() -> None:
    questions: list[Question | str] = [
        "dull",
        Question("crash", always_ask=True, ask_if=(("version", (1,)),)),
        "version",
        "telling",
    ]
    problem = Problem.build(questions, ["x", "y"], expected=[[0.5, 0.5], [0.5, 0.5], [0.7, 0.3], [0.9, 0.1]])
    interview = Interview(problem, {"oracle": "w-ig", "exploration": "mean", "stop": "never"})
    assert interview.next == Ask(3)
    interview.answer("yes")
    interview.answer("yes", "version")
    assert interview.next == Ask(1)
    assert interview.explain().candidates[0].question == 1


def test_always_ask_spends_the_budget_before_the_others_do() -> None:
    problem = Problem.build(
        ["telling", Question("consent", always_ask=True)],
        ["x", "y"],
        cost=[6, 5],
        expected=[[0.9, 0.1], [0.5, 0.5]],
    )
    interview = Interview(problem, {"oracle": "w-ig", "exploration": "mean", "stop": {"budget": 10}})
    assert interview.next == Ask(1)
    interview.answer("yes")
    assert isinstance(interview.next, Decide)
    assert interview.next.rule == "budget"
    assert interview.cost_so_far == 5


def test_always_ask_is_asked_even_where_it_exceeds_the_budget() -> None:
    problem = Problem.build([Question("consent", always_ask=True), "dear"], ["x", "y"], cost=[5, 6])
    interview = Interview(problem, {"oracle": "w-ig", "exploration": "mean", "stop": {"budget": 1}})
    assert interview.next == Ask(0)


def test_of_several_always_ask_questions_the_oracle_chooses_the_most_telling() -> None:
    problem = Problem.build(
        [Question("consent", always_ask=True), Question("complaint", always_ask=True), "best"],
        ["x", "y"],
        expected=[[0.5, 0.5], [0.8, 0.2], [0.99, 0.01]],
    )
    interview = Interview(problem, {"oracle": "w-ig", "exploration": "mean", "stop": "never"})
    asked = []
    while isinstance(interview.next, Ask):
        asked.append(interview.next.question)
        interview.answer("yes")
    assert asked == [1, 0, 2]


def test_always_ask_that_stays_asleep_is_not_asked() -> None:
    interview = Interview(BANK, {"oracle": "w-ec2", "exploration": "ts", "stop": {"max_questions": 0}})
    interview.answer("no")
    assert isinstance(interview.next, Decide)


def test_a_typed_number_answers_every_threshold_at_once() -> None:
    interview = Interview(BANK, "all")
    interview.answer(100.0, "ping")
    assert interview.answers[3] == 2
    learned = Posterior.of(BANK).updated(interview.answers, "wifi").threshold_counts(3)
    before = Posterior.of(BANK).threshold_counts(3)
    # Above 20 and above 80: one more alpha each; not above 300: one more beta.
    assert (learned - before)[:, 2].tolist() == [[1, 0], [1, 0], [0, 1]]


def test_steps_say_what_was_proposed_and_what_the_operator_picked() -> None:
    interview = Interview(BANK, "all")
    assert interview.next == Ask(4)
    interview.answer(5, "ping")
    interview.answer("yes")
    interview.dont_know("lights")
    assert [(s.question, s.kind, s.answer, s.proposed) for s in interview.steps] == [
        (3, "answered", 0, 4),
        (4, "answered", 1, 4),
        (0, "unknown", None, 5),
    ]


def test_costs_add_up_step_by_step() -> None:
    cost = np.zeros((2, 2, 2))
    cost[0] = [[1, 2], [3, 4]]
    cost[1] = [[10, 10], [20, 20]]
    problem = Problem.build(["a", "b"], ["x", "y"], cost=cost, expected=[[0.75, 0.25], [0.5, 0.5]])
    interview = Interview(problem, "all")
    interview.answer("yes")
    # The belief is now (0.75, 0.25), and a yes to a costs 2 under x and 4 under y.
    assert interview.cost_so_far == pytest.approx(0.75 * 2 + 0.25 * 4)
    assert interview.cost_if(0) == pytest.approx(2)
    interview.dont_know()
    assert interview.cost_so_far == pytest.approx(2.5 + 0.75 * 10 + 0.25 * 20)
    # A don't know costs what it cost then, whichever outcome is right.
    assert [interview.cost_if(outcome) for outcome in (0, 1)] == pytest.approx([2 + 12.5, 4 + 12.5])
    interview.undo()
    interview.skip()
    assert interview.cost_so_far == pytest.approx(2.5)


def test_asking_everything_costs_what_it_does_under_the_right_outcome_or_under_the_belief() -> None:
    cost = np.zeros((2, 2, 2))
    cost[0] = [[1, 2], [3, 4]]
    cost[1] = [[10, 10], [20, 20]]
    problem = Problem.build(
        ["a", "b"], ["x", "y"], prior=[0.75, 0.25], cost=cost, expected=[[0.75, 0.25], [0.5, 0.5]]
    )
    interview = Interview(problem, "all")
    x, y = 0.25 * 1 + 0.75 * 2 + 10, 0.75 * 3 + 0.25 * 4 + 20
    assert [interview.cost_of_all(outcome) for outcome in (0, 1)] == pytest.approx([x, y])
    assert interview.cost_of_all() == pytest.approx(0.75 * x + 0.25 * y)


def test_stopping_is_a_step_that_can_be_undone() -> None:
    interview = Interview(BANK, "all")
    interview.answer("yes")
    before = interview.next
    interview.stop()
    assert isinstance(interview.next, Decide)
    assert interview.next.rule == "operator"
    with pytest.raises(BadArgument, match="stopped"):
        interview.answer("yes")
    with pytest.raises(BadArgument, match="from 0 to 2, not 3"):
        interview.undo(3)
    interview.undo()
    assert interview.next == before
    assert len(interview.steps) == 1
    interview.stop()
    interview.undo(2)
    assert len(interview.steps) == 0


def test_after_the_decision_the_operator_may_go_on_with_a_question_of_his_own() -> None:
    interview = Interview(BANK, {"oracle": "w-ig", "stop": {"max_questions": 1}})
    interview.answer("no", "consent")
    assert isinstance(interview.next, Decide)
    with pytest.raises(BadArgument, match="no open question"):
        interview.answer("yes")
    interview.answer("yes", "lights")
    assert interview.steps[-1] == Step(0, "answered", 1, None, pytest.approx(10))  # type: ignore[arg-type]  # equal to about 10


def test_changing_an_answer_drops_what_falls_asleep_and_keeps_the_rest() -> None:
    interview = Interview(BANK, "all")
    for question, answer in (("lights", "no"), ("colour", "red"), ("blinks", "yes"), ("ping", 50.0)):
        interview.answer(answer, question)
    dropped = interview.change(0, "yes")
    assert [step.question for step in dropped] == [1, 2]
    assert [(step.question, step.answer) for step in interview.steps] == [(0, 1), (3, 1)]
    assert interview.answers.tolist() == [1, -1, -1, 1, -1, -1]


def test_changing_an_answer_to_dont_know_tells_nothing_any_more() -> None:
    interview = Interview(BANK, "all")
    interview.answer("yes", "lights")
    interview.answer(50.0, "ping")
    interview.change(0, None)
    other = Interview(BANK, "all")
    other.dont_know("lights")
    other.answer(50.0, "ping")
    assert_array_equal(interview.belief, other.belief)
    assert_array_equal(interview.answers, other.answers)


def test_a_change_is_taken_back_with_what_it_dropped_before_any_step_is() -> None:
    interview = Interview(BANK, "all")
    for question, answer in (("lights", "no"), ("colour", "red"), ("ping", 50.0)):
        interview.answer(answer, question)
    before = interview.steps
    interview.change(0, "yes")
    actions = [interview.last_action]
    interview.answer("yes", "consent")
    actions.append(interview.last_action)
    with pytest.raises(BadArgument, match="not the change"):
        interview.revert()
    interview.undo()
    actions.append(interview.last_action)
    interview.revert()
    assert interview.steps == before
    assert [*actions, interview.last_action] == ["change", "step", "change", "step"]


def test_after_a_change_advice_that_was_tried_stays_and_is_taken_back_before_a_step() -> None:
    interview = Interview(BANK, "all")
    for question, answer in (("lights", "no"), ("colour", "red"), ("ping", 50.0)):
        interview.answer(answer, question)
    interview.rule_out(0)
    interview.change(0, "yes")
    assert list(interview.ruled_out) == [0]
    assert interview.last_action == "mark"
    interview.undo()
    assert not interview.ruled_out
    assert len(interview.steps) == 2


def test_an_operator_who_asks_on_is_asked_what_tells_most_until_nothing_that_is_left_tells_any() -> None:
    theta = [[0.9, 0.1], [0.7, 0.3], [0.8, 0.2], [0.5, 0.5]]
    problem = Problem.build(["a", "b", "c", "nothing"], ["x", "y"], expected=theta, worth=1e4)
    interview = Interview(problem, {"oracle": "w-ig", "exploration": "mean", "stop": {"max_questions": 1}})
    interview.answer("yes")
    interview.ask_on(0.99999)
    assert interview.next == Ask(2)
    interview.answer("yes")
    assert interview.next == Ask(1)
    interview.answer("yes")
    assert isinstance(interview.next, Decide)
    assert interview.next.reason == "no question that is left tells any more"


def test_each_undo_takes_back_one_of_several_marks_at_the_same_number_of_steps() -> None:
    interview = Interview(BANK, "all")
    interview.answer("no", "lights")
    interview.rule_out(0)
    interview.rule_out(1)
    interview.stop()
    interview.undo()
    assert (list(interview.ruled_out), interview.is_stopped) == ([0, 1], False)
    interview.undo()
    assert list(interview.ruled_out) == [0]
    interview.undo()
    assert (list(interview.ruled_out), len(interview.steps)) == ([], 1)


def test_skipped_questions_do_not_count_as_asked_and_unknown_ones_do() -> None:
    problem = Problem.build(["a", "b", "c", "d"], ["x", "y"])
    interview = Interview(problem, {"oracle": "all", "stop": {"max_questions": 2}})
    interview.skip()
    interview.dont_know()
    assert interview.next == Ask(2)
    interview.answer("yes")
    assert isinstance(interview.next, Decide)
    assert interview.next.rule == "max_questions"


# -- no hypothesis fits any more --------------------------------------------------------------------------


def test_when_no_hypothesis_fits_the_list_is_made_again_and_the_interview_goes_on() -> None:
    it = made(3, (3,) * 4, 5)
    policy = Policy(ORACLES["w-ec2"], KnownTheta(it.theta, it.prior), Region(), 2, 0.0)
    again = []
    for truth in np.ndindex(*it.sizes):
        interview = Interview(it.problem, policy)
        while isinstance(interview.next, Ask):
            before = interview.situation.listing
            with loud():
                interview.answer(truth[interview.next.question])
            situation = interview.situation
            assert situation.listing is not None
            assert situation.alive is not None
            assert situation.alive.any()
            agreeing = consistent(situation.listing.hypotheses, interview.answers)
            assert_array_equal(situation.alive, agreeing)
            again.append(situation.listing is not before)
        assert interview.next.reason
    assert any(again), "with 2 hypotheses an outcome some answers fit none"
    assert not all(again)


def last_answer_lists_again(interview: Interview, truth: tuple[int, ...], order: tuple[int, ...]) -> bool:
    """Answer in this order, and tell whether the last answer left no hypothesis, so that they were listed again."""
    before = None
    for question in order:
        before = interview.situation.listing
        interview.answer(truth[question], question)
    return interview.situation.listing is not before


def test_the_list_made_again_depends_on_the_answers_and_not_on_the_way() -> None:
    it = made(3, (2, 3, 2, 2), 3)
    policy = Policy(ORACLES["w-ec2"], KnownTheta(it.theta, it.prior), Never(), 1, 0.0)
    seen = 0
    for number in range(24):
        truth = list(np.ndindex(*it.sizes))[number]
        one = Interview(it.problem, policy)
        if not last_answer_lists_again(one, truth, (0, 1, 2)):
            continue
        seen += 1
        other = Interview(it.problem, policy)
        if last_answer_lists_again(other, truth, (2, 0, 1)):
            assert one.situation.listing is not None
            assert other.situation.listing is not None
            assert_array_equal(
                one.situation.listing.hypotheses.answers, other.situation.listing.hypotheses.answers
            )
    assert seen


@pytest.mark.parametrize("oracle", ["w-ec2", "w-ig"])
def test_answers_that_every_outcome_thinks_impossible_do_not_end_in_nan(oracle: str) -> None:
    theta = np.array([[[1.0, 0.0], [1.0, 0.0]]] * 4)
    problem = Problem.build(list("abcd"), ["x", "y"])
    policy = Policy(ORACLES[oracle], KnownTheta(theta), Never(), 5)
    interview = Interview(problem, policy)
    with loud():
        while isinstance(interview.next, Ask):
            interview.answer("yes")
            assert np.isfinite(interview.situation.belief).all()
            assert np.isfinite(interview.belief).all()
            explained = interview.explain()
            assert np.isfinite([c.score for c in explained.candidates]).all()
    assert len(interview.steps) == 4


# -- the edges --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["w-ec2-ts", "w-ig-bucb", "random", "all", "w-ec2-map"])
def test_one_question_and_two_outcomes(name: str) -> None:
    interview = Interview(Problem.build(["a"], ["x", "y"]), name)
    while isinstance(interview.next, Ask):
        interview.answer("yes")
    assert interview.next.belief == pytest.approx(0.5)


def test_an_interview_without_a_seed_is_the_one_with_seed_0() -> None:
    problem = Problem.build(["a", "b"], ["x", "y"])
    without, zero = Interview(problem, "w-ec2-ts"), Interview(problem, "w-ec2-ts", seed=0)
    assert without.seed == 0
    assert_array_equal(without.situation.model.theta, zero.situation.model.theta)


@pytest.mark.parametrize("name", ["w-ec2-ts", "w-ig-bucb", "random", "w-ec2-map"])
def test_with_one_outcome_there_is_nothing_to_ask(name: str) -> None:
    interview = Interview(Problem.build(["a", "b"], ["only"]), name)
    assert isinstance(interview.next, Decide)
    assert interview.next.outcome == 0
    assert interview.next.belief == 1


@pytest.mark.parametrize("name", ["w-ec2-ts", "w-ig-bucb", "w-ec2-mean", "w-ig-map"])
def test_an_outcome_with_a_prior_of_0_is_never_decided_on(name: str) -> None:
    problem = Problem.build(["a", "b", "c"], ["x", "y", "never"], prior=[0.5, 0.5, 0.0])
    for number in range(8):
        interview = Interview(problem, name, seed=number)
        decision = run_to_end(interview, [(number >> i) & 1 for i in range(3)])
        assert decision.outcome != 2
        assert interview.belief[2] == 0


def test_yes_no_beside_nine_answers() -> None:
    nine = Question("nine", tuple(f"a{q}" for q in range(9)))
    problem = Problem.build(["a", nine, "b"], ["x", "y", "z"], cost=[1, 2, 3])
    posterior = Posterior.of(problem).updated(["yes", "a8", "no"], "x").updated(["no", "a3", "yes"], "y")
    for name in ("w-ec2-ts", "w-ec2-bucb", "w-ig-ts", "w-ig-bucb", "dpp"):
        for q in range(9):
            interview = Interview(problem, name, posterior, seed=q)
            with loud():
                run_to_end(interview, np.array([q % 2, q, 1 - q % 2]))
            assert_allclose(interview.belief.sum(), 1)


def test_confidence_1_goes_on_until_everything_is_asked() -> None:
    problem = Problem.build([f"q{i}" for i in range(5)], ["x", "y"])
    interview = Interview(problem, {"oracle": "w-ig", "stop": {"confidence": 1}})
    run_to_end(interview, [1] * 5)
    assert len(interview.steps) == 5
    assert isinstance(interview.next, Decide)
    assert interview.next.rule == "exhausted"


def test_epsilon_1_asks_in_a_random_order() -> None:
    problem = Problem.build([f"q{i}" for i in range(6)], ["x", "y"], cost=[1, 2, 3, 4, 5, 6])
    spec = {"oracle": "w-ig", "exploration": "eps", "epsilon": 1, "stop": "never"}
    orders = set()
    for seed in range(20):
        interview = Interview(problem, spec, seed=seed)
        run_to_end(interview, [1] * 6)
        orders.add(tuple(step.question for step in interview.steps))
    assert len(orders) > 15


def test_epsilon_0_is_greedy() -> None:
    problem = Problem.build([f"q{i}" for i in range(6)], ["x", "y"], cost=[3, 2, 1, 4, 5, 6])
    posterior = Posterior.of(problem).updated([1] * 6, "x").updated([0, 0, 0, 1, 1, 1], "y")
    asked = []
    for spec in ({"exploration": "eps", "epsilon": 0}, {"exploration": "mean"}):
        interview = Interview(problem, {"oracle": "w-ig", "stop": "never", **spec}, posterior, seed=5)
        run_to_end(interview, [1] * 6)
        asked.append([step.question for step in interview.steps])
    assert asked[0] == asked[1]


def test_a_thousand_questions_answered_in_one_interview() -> None:
    rng = np.random.default_rng(0)
    problem = Problem.build(
        [f"q{i}" for i in range(1000)], ["x", "y", "z"], expected=rng.beta(2, 2, (1000, 3)), worth=50
    )
    interview = Interview(problem, "all")
    with loud():
        run_to_end(interview, np.ones(1000, dtype=int))
        assert np.isfinite(interview.belief).all()
    assert interview.belief.sum() == pytest.approx(1)
    assert len(interview.steps) == 1000


# -- what an interview hands out --------------------------------------------------------------------------


def test_a_prior_that_sums_to_1_only_after_rounding_does_no_harm() -> None:
    problem = Problem.build(["a", "b"], ["x", "y", "z"], prior=[0.3333334] * 3)
    interview = Interview(problem, "w-ig-ts")
    assert interview.belief.sum() == pytest.approx(1, abs=1e-12)
    assert np.isfinite(interview.expected_cost_to_come)


@pytest.mark.parametrize(
    "handed_out",
    [
        "belief",
        "answers",
        "available",
    ],
)
def test_what_an_interview_hands_out_can_be_written_on_without_changing_it(handed_out: str) -> None:
    problem = Problem.build(["a", "b"], ["x", "y"])
    interview = Interview(problem, "w-ig-mean")
    before = getattr(interview, handed_out).copy()
    with contextlib.suppress(ValueError):  # read-only is as good as a copy
        getattr(interview, handed_out)[:] = 0
    assert_array_equal(getattr(interview, handed_out), before)
    assert_array_equal(problem.prior, [0.5, 0.5])


def test_an_outcome_with_a_prior_of_0_does_not_keep_the_interview_going() -> None:
    problem = Problem.build(["a", "b", "c"], ["x", "never"], prior=[1, 0])
    theta = np.array([[[0.1, 0.9], [0.9, 0.1]]] * 3)
    interview = Interview(problem, Policy(ORACLES["w-ec2"], KnownTheta(theta), Region(), 2))
    assert isinstance(interview.next, Decide)


def test_contested_hypotheses_apart_are_one_region_for_an_oracle_that_tolerates_errors_too() -> None:
    problem = Problem.build(["a", "b", "c"], ["x", "y"])
    theta = np.array([[[0.1, 0.9], [0.9, 0.1]], *[[[0.45, 0.55], [0.45, 0.55]]] * 2])
    policy = Policy(ORACLES["w-eced"], KnownTheta(theta), Region(), 8, 0.0, "apart")
    situation = Interview(problem, policy).situation
    assert situation.listing is not None
    assert situation.listing.hypotheses.contested.sum() == 8, "both outcomes list all 8"
    assert situation.regions == 1
