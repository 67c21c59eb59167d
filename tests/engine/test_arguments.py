"""Every bad argument is refused with one sentence that names what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from odm_tui.banks import load_bank
from odm_tui.engine.exploration import EpsilonGreedy
from odm_tui.engine.hypotheses import Hypotheses
from odm_tui.engine.interview import Interview
from odm_tui.engine.model import Model
from odm_tui.engine.oracles import ORACLES
from odm_tui.engine.policy import policy_from, policy_names
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Problem, Question
from odm_tui.errors import BadArgument

NAN, INF = float("nan"), float("inf")
PROBLEM = Problem.build(["a", Question("b", ("p", "q", "r"))], ["x", "y"])
NUMBER = Problem.build([Question("n", thresholds=(1.0, 2.0)), "a"], ["x", "y"])
Case = tuple[str, Callable[[], object], str]


def build(**changed: object) -> Callable[[], object]:
    return lambda: Problem.build(["a", "b"], ["x", "y"], **changed)  # type: ignore[arg-type]


def interview(**changed: object) -> Callable[[], object]:
    return lambda: Interview(**{"problem": PROBLEM, **changed})  # type: ignore[arg-type]


def ended() -> Interview:
    interview = Interview(PROBLEM)
    interview.stop()
    return interview


PROBLEMS: list[Case] = [
    ("no outcome", lambda: Problem.build(["a"], []), "at least one outcome"),
    ("two questions of one id", lambda: Problem.build(["a", "a"], ["x"]), "Two questions have the id 'a'"),
    ("two outcomes of one id", lambda: Problem.build(["a"], ["x", "x"]), "Two outcomes have the id 'x'"),
    ("prior too short", build(prior=[1.0]), "prior has the shape"),
    ("prior too deep", build(prior=[[0.5, 0.5]]), "prior has the shape"),
    ("prior sums to 0.9", build(prior=[0.5, 0.4]), "prior sums to 0.9"),
    ("prior of zeros", build(prior=[0.0, 0.0]), "prior sums to 0"),
    ("negative prior", build(prior=[1.5, -0.5]), "prior holds a negative"),
    ("NaN prior", build(prior=[NAN, 1.0]), "prior holds NaN"),
    ("prior of words", build(prior=["much", "little"]), "prior is not an array of numbers"),
    ("ragged prior", build(prior=[[0.5], 0.5]), "prior is not an array of numbers"),
    ("negative cost", build(cost=-1), "cost holds a negative"),
    ("negative cost of one answer", build(cost=[[1, 1], [1, -1]]), "cost holds a negative"),
    ("NaN cost", build(cost=NAN), "cost holds NaN"),
    ("infinite cost", build(cost=[1, INF]), "cost holds NaN or infinity"),
    ("cost for three questions", build(cost=[1, 2, 3]), "cost has the shape"),
    ("cost of words", build(cost="dear"), "cost is not an array of numbers"),
    ("expected of another shape", build(expected=[[0.5, 0.5]]), "expected has the shape"),
    ("expected above 1", build(expected=[[0.5, 1.5], [0.5, 0.5]]), "expected must hold probabilities"),
    ("expected below 0", build(expected=[[0.5, -0.5], [0.5, 0.5]]), "expected must hold probabilities"),
    ("NaN expected", build(expected=[[0.5, NAN], [0.5, 0.5]]), "expected must hold probabilities"),
    ("expected that does not sum to 1", build(expected=np.full((2, 2, 2), 0.4)), "expected must sum to 1"),
    (
        "expected and pseudo",
        build(expected=np.full((2, 2), 0.4), pseudo=np.ones((2, 2, 2))),
        "either expected or pseudo",
    ),
    ("pseudo of another shape", build(pseudo=np.ones((2, 2))), "pseudo has the shape"),
    ("pseudo of 0", build(pseudo=np.zeros((2, 2, 2))), "pseudo must be above 0"),
    ("negative pseudo", build(pseudo=-np.ones((2, 2, 2))), "pseudo holds a negative"),
    ("NaN pseudo", build(pseudo=np.full((2, 2, 2), NAN)), "pseudo holds NaN"),
    ("negative stakes", build(stakes=-1), "stakes"),
    ("NaN stakes", build(stakes=NAN), "stakes"),
    ("negative outcome_worth", build(outcome_worth=-1), "outcome_worth"),
    ("infinite outcome_worth", build(outcome_worth=INF), "outcome_worth"),
    (
        "expected for an answer that is not there",
        lambda: Problem.build(
            ["a", Question("b", ("p", "q", "r"))], ["x"], expected=np.full((2, 1, 3), 1 / 3)
        ),
        "expected must be 0 for answers that a question does not have",
    ),
    (
        "pseudo for an answer that is not there",
        lambda: Problem.build(["a", Question("b", ("p", "q", "r"))], ["x"], pseudo=np.ones((2, 1, 3))),
        "must be 0 for answers that a question does not have",
    ),
    (
        "a prerequisite that is no question",
        lambda: Problem.build([Question("a", ask_if=(("zz", (1,)),))], ["x"]),
        "Question 'a': ask_if names 'zz'",
    ),
    (
        "a prerequisite that is itself",
        lambda: Problem.build([Question("a", ask_if=(("a", (1,)),))], ["x"]),
        "Question 'a': ask_if names 'a'",
    ),
    (
        "a prerequisite with an answer that is not there",
        lambda: Problem.build(["b", Question("a", ask_if=(("b", (2,)),))], ["x"]),
        "Question 'a': ask_if names an answer that 'b' does not have",
    ),
    (
        "a prerequisite with no answer",
        lambda: Problem.build(["b", Question("a", ask_if=(("b", ()),))], ["x"]),
        "Question 'a': ask_if",
    ),
]

QUESTIONS: list[Case] = [
    ("one answer", lambda: Question("a", ("yes",)), "number of answers is 1;"),
    ("no answer", lambda: Question("a", ()), "number of answers is 0;"),
    ("101 answers", lambda: Question("a", tuple(map(str, range(101)))), "number of answers is 101;"),
    ("two answers of one name", lambda: Question("a", ("p", "p")), "Question 'a': two answers"),
    ("falling thresholds", lambda: Question("a", thresholds=(2, 1)), "Question 'a': thresholds"),
    ("equal thresholds", lambda: Question("a", thresholds=(1, 1)), "Question 'a': thresholds"),
    ("a NaN threshold", lambda: Question("a", thresholds=(1, NAN)), "Question 'a': thresholds"),
    ("an infinite threshold", lambda: Question("a", thresholds=(1, INF)), "Question 'a': thresholds"),
    ("a number for yes/no", lambda: Question("a").interval(3.0), "Question 'a' does not take a number"),
    ("NaN for a number", lambda: Question("a", thresholds=(1,)).index(NAN), "Question 'a': nan"),
    (
        "an answer that is not there",
        lambda: Question("a").index("maybe"),
        "Question 'a' has no answer 'maybe'",
    ),
    ("an index that is not there", lambda: Question("a").index(2), "Question 'a' has no answer 2"),
    ("a negative index", lambda: Question("a").index(-1), "Question 'a' has no answer -1"),
    ("half an answer", lambda: Question("a").index(0.5), "Question 'a' has no answer 0.5"),
]

POSTERIORS: list[Case] = [
    ("counts of another shape", lambda: Posterior.of(PROBLEM, np.zeros((2, 2, 2))), "counts has the shape"),
    (
        "negative counts",
        lambda: Posterior.of(PROBLEM, -np.ones((2, 2, 3))),
        "counts must be finite and 0 or more",
    ),
    ("NaN counts", lambda: Posterior.of(PROBLEM, np.full((2, 2, 3), NAN)), "counts must be finite"),
    ("counts of an answer not there", lambda: Posterior.of(PROBLEM, np.ones((2, 2, 3))), "counts must be 0"),
    ("outcome counts too short", lambda: Posterior.of(PROBLEM, None, [1.0]), "outcome_counts has the shape"),
    ("negative outcome counts", lambda: Posterior.of(PROBLEM, None, [1.0, -1.0]), "outcome_counts must be"),
    ("negative interviews", lambda: Posterior.of(PROBLEM, interviews=-1), "interviews must be 0 or more"),
    (
        "too few answers",
        lambda: Posterior.of(PROBLEM).updated([1], "x"),
        "number of answers is 1; give one for each of 2 questions",
    ),
    (
        "too many answers",
        lambda: Posterior.of(PROBLEM).updated(np.array([1, 1, 1]), "x"),
        "number of answers is 3; give one for each of 2",
    ),
    (
        "an answer not there",
        lambda: Posterior.of(PROBLEM).updated([2, None], "x"),
        "Question 'a' has no answer 2",
    ),
    (
        "an index not there",
        lambda: Posterior.of(PROBLEM).updated(np.array([2, 0]), "x"),
        "Question 'a' has no answer 2",
    ),
    (
        "below not answered",
        lambda: Posterior.of(PROBLEM).updated(np.array([0, -2]), "x"),
        "Question 'b' has no answer -2",
    ),
    ("a word not there", lambda: Posterior.of(PROBLEM).updated(["maybe", None], "x"), "no answer 'maybe'"),
    ("no sequence", lambda: Posterior.of(PROBLEM).updated(3, "x"), "answers must be a sequence"),
    ("an outcome not there", lambda: Posterior.of(PROBLEM).updated([1, None], "z"), "Unknown outcome 'z'"),
    (
        "an outcome index not there",
        lambda: Posterior.of(PROBLEM).updated([1, None], 2),
        "Unknown outcome '2'",
    ),
    ("a negative outcome", lambda: Posterior.of(PROBLEM).updated([1, None], -1), "Unknown outcome '-1'"),
    ("a level below a half", lambda: Posterior.of(PROBLEM).bounds(0.4), "quantile level"),
    ("a level above 1", lambda: Posterior.of(PROBLEM).bounds(1.1), "quantile level"),
    ("a NaN level", lambda: Posterior.of(PROBLEM).bounds(NAN), "quantile level"),
    ("merging another problem", lambda: Posterior.of(PROBLEM).merged(Posterior.of(NUMBER)), "can be merged"),
]

MODELS: list[Case] = [
    (
        "theta of another shape",
        lambda: Model(PROBLEM, PROBLEM.prior, np.ones((2, 2, 2))),
        "theta has the shape",
    ),
    ("theta above 1", lambda: Model(PROBLEM, PROBLEM.prior, np.full((2, 2, 3), 1.1)), "theta must hold prob"),
    ("NaN theta", lambda: Model(PROBLEM, PROBLEM.prior, np.full((2, 2, 3), NAN)), "theta must hold prob"),
    (
        "prior of another shape",
        lambda: Model(PROBLEM, np.ones(3), np.zeros((2, 2, 3))),
        r"P\(y\) has the shape",
    ),
]

POLICIES: list[Case] = [
    (
        "an unknown name",
        lambda: policy_from("w-ec3-ts"),
        "Unknown policy 'w-ec3-ts'. Did you mean 'w-ec2-ts'",
    ),
    ("an oracle alone that needs exploration", lambda: policy_from("w-ec2"), "Unknown policy 'w-ec2'"),
    ("no name", lambda: policy_from(""), "Unknown policy ''"),
    ("no policy", lambda: policy_from(None), "A policy is a name or a table, not None"),  # type: ignore[arg-type]
    ("an unknown oracle", lambda: policy_from({"oracle": "w-ec3"}), "Unknown oracle 'w-ec3'"),
    ("a list of oracles", lambda: policy_from({"oracle": ["w-ec2"]}), "Unknown oracle"),
    ("an unknown exploration", lambda: policy_from({"exploration": "luck"}), "Unknown exploration 'luck'"),
    (
        "an unknown key",
        lambda: policy_from({"orakel": "w-ec2"}),
        "Unknown key of a policy 'orakel'. Did you mean 'oracle'",
    ),
    ("an unknown stop rule", lambda: policy_from({"stop": "now"}), "Unknown stop rule 'now'"),
    ("no hypotheses", lambda: policy_from({"hypotheses": 0}), "hypotheses is a whole number"),
    ("half a hypothesis", lambda: policy_from({"hypotheses": 1.5}), "hypotheses is a whole number"),
    ("NaN hypotheses", lambda: policy_from({"hypotheses": NAN}), "'hypotheses' of a policy takes a number"),
    (
        "hypotheses as a word",
        lambda: policy_from({"hypotheses": "many"}),
        "'hypotheses' of a policy takes a number",
    ),
    ("far too many hypotheses", lambda: policy_from({"hypotheses": 10**9}), "hypotheses is a whole number"),
    ("eta of 1", lambda: policy_from({"eta": 1}), "eta is from 0 to below 1"),
    ("negative eta", lambda: policy_from({"eta": -0.1}), "eta is from 0 to below 1"),
    ("eta as a word", lambda: policy_from({"eta": "little"}), "'eta' of a policy takes a number"),
    ("epsilon of 2", lambda: policy_from({"exploration": "eps", "epsilon": 2}), "epsilon is a probability"),
    (
        "NaN epsilon",
        lambda: policy_from({"exploration": "eps", "epsilon": NAN}),
        "'epsilon' of a policy takes a number",
    ),
    ("epsilon without eps", lambda: policy_from({"exploration": "ts", "epsilon": 0.1}), "'eps'"),
    ("contested to nobody", lambda: policy_from({"contested": "nobody"}), "contested hypotheses go to"),
    ("an epsilon of its own", lambda: EpsilonGreedy(1.5), "epsilon is a probability"),
]

INTERVIEWS: list[Case] = [
    ("no question", lambda: Interview(Problem.build([], ["x", "y"])), "at least one question"),
    ("a negative seed", interview(seed=-1), "seed"),
    ("an unknown policy", interview(policy="luck"), "Unknown policy 'luck'"),
    (
        "a posterior of another shape",
        interview(posterior=Posterior.of(NUMBER.__class__.build(["a"], ["x"]))),
        "another problem",
    ),
    ("an answer that is not there", lambda: Interview(PROBLEM, "all").answer("maybe"), "no answer 'maybe'"),
    ("a question that is not there", lambda: Interview(PROBLEM).answer("yes", "zz"), "Unknown question 'zz'"),
    ("a question index not there", lambda: Interview(PROBLEM).answer(0, 2), "no question 2"),
    ("a negative question", lambda: Interview(PROBLEM).skip(-1), "no question -1"),
    ("undoing nothing", lambda: Interview(PROBLEM).undo(), "from 0 to 0, not 1"),
    ("asking on to more than certainty", lambda: ended().ask_on(1.5), "at most 1, not 1.5"),
    ("asking on to nothing", lambda: ended().ask_on(0.0), "above 0, at most 1, not 0"),
    ("undoing backwards", lambda: Interview(PROBLEM).undo(-1), "not -1"),
    ("changing nothing", lambda: Interview(PROBLEM).change(0, 1), "There is no step 0"),
    ("seen of another shape", interview(policy="dpp", seen=np.ones((3, 5))), "seen has the shape"),
]


def _other_problem() -> Problem:
    return Problem.build(["c", Question("d", ("p", "q", "r"))], ["u", "v"], cost=99)


def _wrong_regions() -> Hypotheses:
    full = np.ones((3, 1), dtype=bool)
    return Hypotheses(np.zeros((3, 1, 7), dtype=np.int8), full, ~full)


EASILY_MISSED: list[Case] = [
    ("worth of 0", build(expected=np.full((2, 2), 0.5), worth=0), "worth"),
    ("negative worth", build(expected=np.full((2, 2), 0.5), worth=-8), "worth"),
    ("NaN worth", build(expected=np.full((2, 2), 0.5), worth=NAN), "worth"),
    ("counts of words", lambda: Posterior.of(PROBLEM, [["many"]]), "counts"),
    (
        "an answer that wraps around",
        lambda: Posterior.of(PROBLEM).updated(np.array([65536, 0]), "x"),
        "no answer 65536",
    ),
    ("half an outcome", lambda: Posterior.of(PROBLEM).updated([1, None], 0.5), "Unknown outcome '0.5'"),  # type: ignore[arg-type]
    ("no outcome", lambda: Posterior.of(PROBLEM).updated([1, None], None), "Unknown outcome 'None'"),  # type: ignore[arg-type]
    ("no answer to a number question", lambda: Question("n", thresholds=(1.0,)).index(None), "Question 'n'"),  # type: ignore[arg-type]
    ("a list of explorations", lambda: policy_from({"exploration": ["ts"]}), "exploration"),
    (
        "the posterior of another problem",
        interview(posterior=Posterior.of(_other_problem())),
        "another problem",
    ),
    ("regions of another shape", interview(hypotheses=_wrong_regions()), "hypotheses"),
    ("NaN among the answers seen", interview(policy="dpp", seen=[[NAN, 1.0]]), "seen"),
    ("words among the answers seen", interview(policy="dpp", seen=[["yes", "no"]]), "seen"),
    ("half a seed", interview(seed=1.5), "seed"),
    ("half a question", lambda: Interview(PROBLEM).answer(0, 0.5), "no question 0.5"),  # type: ignore[arg-type]
    (
        "a theta that does not sum to 1",
        lambda: Model(PROBLEM, PROBLEM.prior, np.full((2, 2, 3), 0.1)),
        "theta",
    ),
]


ALL = [*PROBLEMS, *QUESTIONS, *POSTERIORS, *MODELS, *POLICIES, *INTERVIEWS, *EASILY_MISSED]


@pytest.mark.parametrize(("call", "what"), [case[1:] for case in ALL], ids=[case[0] for case in ALL])
def test_a_bad_argument_is_refused_and_named(call: Callable[[], object], what: str) -> None:
    with pytest.raises(BadArgument, match=what) as caught:
        call()
    sentence = str(caught.value)
    assert "\n" not in sentence, "one line"
    assert sentence[0].isupper()
    assert sentence.endswith((".", "?"))


@pytest.mark.parametrize("name", policy_names())
def test_every_named_policy_is_read_again_from_its_name_and_from_its_table(name: str) -> None:
    policy = policy_from(name)
    assert policy.name == name
    assert policy_from(policy.spec()) == policy
    assert policy_from(policy) is policy


@pytest.mark.parametrize(
    "spec",
    [
        {"oracle": "w-ec2", "exploration": "eps", "epsilon": 0.3, "stop": {"confidence": 0.9}},
        {"oracle": "w-ig", "exploration": "bucb", "stop": {"any": ["region", {"budget": 3}]}},
        {
            "oracle": "w-ec2",
            "exploration": "ts",
            "stop": "region",
            "hypotheses": 15,
            "eta": 0.05,
            "contested": "apart",
        },
        {"oracle": "all", "stop": {"max_questions": 3}},
        {"oracle": "w-ec2", "exploration": "eps", "epsilon": 1, "stop": "never"},
    ],
    ids=lambda spec: str(spec["oracle"]),
)
def test_a_policy_table_is_read_again_as_it_was_written(spec: dict[str, object]) -> None:
    assert policy_from(spec).spec() == spec


def test_an_epsilon_of_0_stays_0() -> None:
    policy = policy_from({"oracle": "w-ec2", "exploration": "eps", "epsilon": 0})
    assert policy_from(policy.spec()).exploration.epsilon == 0


@pytest.mark.parametrize("oracle", [name for name, oracle in ORACLES.items() if not oracle.uses_theta])
def test_the_table_of_an_oracle_that_ignores_theta_can_be_read_again_with_any_exploration(
    oracle: str,
) -> None:
    policy = policy_from({"oracle": oracle, "exploration": "eps"})
    assert policy_from(policy.spec()).exploration.epsilon == 0.1


def test_a_stop_rule_given_apart_replaces_the_policys_own() -> None:
    assert policy_from("w-ec2-ts", stop={"budget": 3}).stop.spec() == {"budget": 3}
    assert policy_from(policy_from("all"), "region").stop.spec() == "region"


def test_without_a_stop_rule_the_papers_is_taken() -> None:
    assert policy_from({"oracle": "random"}).stop.spec() == "region"
    assert policy_from({"oracle": "all"}).stop.spec() == "never"
    assert policy_from({}).name == "w-ec2-ts"


@pytest.mark.parametrize(
    ("outcomes", "limit"), [(1, 70), (2, 70), (42, 70), (100, 30), (200, 15), (5000, 15)]
)
def test_the_number_of_hypotheses_follows_the_number_of_outcomes(outcomes: int, limit: int) -> None:
    assert policy_from("w-ec2-ts").listing_rule(outcomes).limit == limit
    assert replace(policy_from("w-ec2-ts"), hypotheses=3).listing_rule(outcomes).limit == 3


@pytest.mark.parametrize(
    ("number", "interval"), [(-1e9, 0), (1.0, 0), (1.0000001, 1), (2.0, 1), (2.1, 2), (1e300, 2), (2, 1)]
)
def test_a_number_on_a_threshold_is_not_above_it(number: float, interval: int) -> None:
    assert NUMBER.questions[0].index(number) == interval


def test_thresholds_of_many_digits_can_be_close() -> None:
    assert Question("when", thresholds=(1_700_000_000.1, 1_700_000_000.2, 1_700_000_000.3)).interval(0) == 0


def test_thresholds_that_differ_in_the_twelfth_digit_are_different() -> None:
    question = Question("a", thresholds=(1.00000000001, 1.00000000002))
    assert question.interval(1.000000000015) == 1


def test_costs_may_be_one_number_or_by_question_or_by_answer_or_by_outcome() -> None:
    questions: list[Question | str] = ["a", Question("b", ("p", "q", "r"))]
    for cost in (2.0, [2, 2], np.full((2, 3), 2.0), np.full((2, 2, 3), 2.0)):
        made = Problem.build(questions, ["x", "y"], cost=cost).cost
        assert made.tolist() == [[[2, 2, 0]] * 2, [[2, 2, 2]] * 2]


def test_what_is_said_to_be_certain_is_only_nearly_so() -> None:
    problem = Problem.build(["a"], ["x"], expected=[[1.0]], worth=8)
    assert 0 < problem.pseudo[0, 0, 0] < 0.1
    assert problem.pseudo.sum() == pytest.approx(8)


def test_a_bank_and_a_problem_take_never_for_the_same(tmp_path: Path) -> None:
    bank = tmp_path / "b.toml"
    bank.write_text(
        """
        format = 1
        title = "B"
        [[outcomes]]
        id = "x"
        label = "X"
        [[outcomes]]
        id = "y"
        label = "Y"
        [[questions]]
        id = "a"
        text = "A?"
        type = "choice"
        answers = [{ id = "p", label = "P" }, { id = "q", label = "Q" }, { id = "r", label = "R" }]
        [expected]
        worth = 8
        a = { x = { p = 0.0, q = 0.004, r = 0.996 }, y = { p = 0.0, q = 0.0, r = 1.0 } }
        """,
        encoding="utf-8",
    )
    question = Question("a", ("p", "q", "r"))
    built = Problem.build([question], ["x", "y"], expected=[[[0.0, 0.004, 0.996], [0.0, 0.0, 1.0]]], worth=8)
    assert_array_equal(load_bank(bank).problem.pseudo, built.pseudo)
