"""Stop rules on standings computed by hand, each with its reason in words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from odm_tui.engine.interview import Ask, Decide, Interview
from odm_tui.engine.model import Model
from odm_tui.engine.problem import Problem
from odm_tui.engine.stopping import MaxQuestions, Progress, stop_rule_from
from odm_tui.errors import BadArgument

# Costs: asking a is 1 for no and 3 for yes, b is 10 whatever the answer.
PROBLEM = Problem.build(["a", "b"], ["x", "y"], cost=[[1, 3], [10, 10]], stakes=20)
THETA = np.array([[[0.25, 0.75], [0.75, 0.25]], [[0.1, 0.9], [0.9, 0.1]]])


def progress(
    belief: tuple[float, float] = (0.5, 0.5),
    asked: int = 0,
    cost: float = 0.0,
    available: tuple[bool, bool] = (True, True),
    regions: int | None = 2,
    problem: Problem = PROBLEM,
) -> Progress:
    model = Model(problem, np.array([0.5, 0.5]), THETA)
    return Progress(model, np.array(belief), asked, cost, np.array(available), regions)


def reason(spec: object, **where: Any) -> str | None:
    return stop_rule_from(spec).reason(progress(**where))


def test_never_has_no_reason() -> None:
    assert reason("never", belief=(1.0, 0.0), asked=99, cost=99, regions=1) is None


@pytest.mark.parametrize(("regions", "stops"), [(2, False), (20, False), (1, True), (None, False)])
def test_region_stops_at_one_region(regions: int | None, stops: bool) -> None:
    why = reason("region", regions=regions)
    assert (why is not None) == stops
    if stops:
        assert why == "every answer set that is still likely leads to the same outcome"


@pytest.mark.parametrize(
    ("level", "belief", "stops"),
    [
        (0.9, (0.89, 0.11), False),
        (0.9, (0.9, 0.1), True),
        (0.9, (0.05, 0.95), True),
        (1.0, (1 - 1e-12, 1e-12), False),
        (1.0, (1.0, 0.0), True),
    ],
)
def test_confidence_stops_at_its_level(level: float, belief: tuple[float, float], stops: bool) -> None:
    assert (reason({"confidence": level}, belief=belief) is not None) == stops


def test_confidence_says_what_was_reached_and_what_was_enough() -> None:
    assert reason({"confidence": 0.9}, belief=(0.93, 0.07)) == (
        "the likeliest outcome has reached 93 %, and 90 % is enough"
    )


def test_a_belief_just_below_1_is_not_called_100_percent() -> None:
    why = reason({"confidence": 0.9}, belief=(0.99999, 0.00001))
    assert why is not None
    assert "over 99.9 %" in why


def test_the_improvement_by_one_question_is_the_rise_of_the_best_guess() -> None:
    # After a the best guess is right with 0.75, after b with 0.9; now with 0.5. The stakes are 20.
    assert_allclose(progress().improvement, [20 * 0.25, 20 * 0.4])
    # With belief (0.8, 0.2): a yes is x (0.6 against 0.05), a no is x too (0.2 against 0.15): no rise.
    assert_allclose(progress(belief=(0.8, 0.2)).improvement, [0.0, 20 * 0.1], atol=1e-12)


def test_the_costs_of_a_standing_are_the_expected_ones() -> None:
    # a costs 1 · P(no) + 3 · P(yes): 2 at (0.5, 0.5); at (1, 0) it is 1 · 0.25 + 3 · 0.75.
    assert_allclose(progress().expected_costs, [2, 10])
    assert_allclose(progress(belief=(1.0, 0.0)).expected_costs, [2.5, 10])


def test_value_goes_on_while_one_question_is_worth_its_cost() -> None:
    # a: 20 · 0.25 = 5 > 2. b: 20 · 0.4 = 8 < 10.
    assert reason("value") is None
    assert reason("value", available=(False, True)) == "more questions would cost more than they would save"


def test_value_without_stakes_takes_a_wrong_decision_to_cost_sixty_questions() -> None:
    problem = Problem.build(["a", "b"], ["x", "y"], cost=[1, 3])
    assert problem.effective_stakes == 120
    assert Problem.build(["a"], ["x", "y"], cost=0).effective_stakes == 1


@pytest.mark.parametrize(
    ("budget", "cost", "stops"),
    [(12, 0, False), (12, 10, False), (12, 10.5, True), (2, 0, False), (1.9, 0, True), (0, 0, True)],
)
def test_budget_stops_when_nothing_fits_any_more(budget: float, cost: float, stops: bool) -> None:
    why = reason({"budget": budget}, cost=cost)
    assert (why is not None) == stops
    if stops:
        assert why == f"no question fits into what is left of the budget of {budget:g}"


def test_budget_leaves_what_is_too_dear_aside() -> None:
    assert stop_rule_from({"budget": 5}).affordable(progress()).tolist() == [True, False]
    assert stop_rule_from({"any": [{"budget": 50}, {"budget": 5}, "region"]}).affordable(
        progress()
    ).tolist() == [
        True,
        False,
    ]


def test_a_budget_that_is_the_exact_sum_of_costs_that_round_is_enough() -> None:
    problem = Problem.build(["a", "b", "c"], ["x", "y"], cost=0.1)
    interview = Interview(problem, {"oracle": "all", "stop": {"budget": 0.3}})
    for _ in range(3):
        interview.answer("yes")
    assert len(interview.steps) == 3


@pytest.mark.parametrize(
    ("count", "asked", "stops"), [(0, 0, True), (3, 2, False), (3, 3, True), (3, 4, True)]
)
def test_max_questions_stops_at_its_count(count: int, asked: int, stops: bool) -> None:
    why = reason({"max_questions": count}, asked=asked)
    assert (why is not None) == stops
    if stops:
        assert why == f"{count} questions have been asked, the most for one interview"


def test_any_gives_the_reason_of_the_first_that_fires() -> None:
    spec = {"any": [{"confidence": 0.9}, {"max_questions": 3}, "region"]}
    assert reason(spec) is None
    assert reason(spec, asked=3, regions=1) == reason({"max_questions": 3}, asked=3)
    assert reason(spec, regions=1) == reason("region", regions=1)


def test_all_waits_for_every_rule_and_gives_every_reason() -> None:
    spec = {"all": [{"confidence": 0.9}, {"max_questions": 3}]}
    assert reason(spec, asked=3) is None
    assert reason(spec, belief=(0.95, 0.05)) is None
    assert reason(spec, belief=(0.95, 0.05), asked=3) == (
        "the likeliest outcome has reached 95 %, and 90 % is enough, and "
        "3 questions have been asked, the most for one interview"
    )


def test_any_and_all_nest() -> None:
    spec = {"any": [{"all": [{"confidence": 0.9}, "region"]}, {"max_questions": 5}]}
    assert reason(spec, belief=(0.95, 0.05)) is None
    assert reason(spec, belief=(0.95, 0.05), regions=1) is not None
    assert reason(spec, asked=5) is not None


def test_only_rules_that_look_at_regions_need_hypotheses() -> None:
    assert stop_rule_from("region").needs_hypotheses
    assert stop_rule_from({"any": [{"confidence": 0.9}, {"all": ["region", "value"]}]}).needs_hypotheses
    assert not stop_rule_from({"any": [{"confidence": 0.9}, "value", {"budget": 3}]}).needs_hypotheses


SPECS: list[Any] = [
    "never",
    "region",
    "value",
    {"confidence": 0.95},
    {"confidence": 1},
    {"budget": 60},
    {"budget": 0},
    {"max_questions": 12},
    {"max_questions": 0},
    {"any": [{"confidence": 0.95}, "region", {"max_questions": 12}]},
    {"all": ["region", {"any": ["value", {"budget": 2.5}]}]},
]


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_a_rule_written_down_is_the_same_rule_when_read_again(spec: Any) -> None:
    assert stop_rule_from(spec).spec() == spec
    assert stop_rule_from(stop_rule_from(spec).spec()) == stop_rule_from(spec)
    assert stop_rule_from(stop_rule_from(spec)) is not None


BAD: list[tuple[object, str]] = [
    ("sometimes", "Unknown stop rule 'sometimes'"),
    ("budget", "'budget' needs a number"),
    ("max_questions", "'max_questions' needs a number"),
    ("any", "'any'"),
    ({"sometimes": 3}, "Unknown stop rule 'sometimes'"),
    ({"region": 3}, "'region'"),
    ({}, "a name or a table with one name"),
    ({"budget": 1, "confidence": 0.9}, "one name"),
    ({"budget": "much"}, "'budget' takes a number, not 'much'"),
    ({"budget": True}, "'budget' takes a number, not True"),
    ({"budget": -1}, "budget must be 0 or more, not -1"),
    ({"budget": float("nan")}, "budget"),
    ({"budget": float("inf")}, "budget"),
    ({"confidence": 0}, "confidence is a belief above 0"),
    ({"confidence": 1.01}, "confidence"),
    ({"confidence": 95}, "confidence"),
    ({"confidence": float("nan")}, "confidence"),
    ({"confidence": None}, "'confidence' takes a number, not None"),
    ({"max_questions": -1}, "max_questions must be a whole number"),
    ({"max_questions": 2.5}, "max_questions must be a whole number"),
    ({"any": []}, "'any' takes a list"),
    ({"any": "region"}, "'any' takes a list"),
    ({"all": {"budget": 3}}, "'all' takes a list"),
    ({"any": ["region", "sometimes"]}, "Unknown stop rule 'sometimes'"),
    ({"any": [["region"]]}, "A stop rule is a name or a table"),
    (None, "A stop rule is a name or a table"),
    (0.95, "A stop rule is a name or a table"),
    (["region"], "A stop rule is a name or a table"),
]


@pytest.mark.parametrize(("spec", "what"), BAD, ids=[str(spec) for spec, _ in BAD])
def test_a_rule_that_makes_no_sense_is_refused_with_what_is_wrong(spec: object, what: str) -> None:
    with pytest.raises(BadArgument, match=what):
        stop_rule_from(spec)


@pytest.mark.parametrize("count", [float("nan"), float("inf")])
def test_max_questions_that_is_no_number_is_refused(count: float) -> None:
    with pytest.raises(BadArgument, match="max_questions"):
        stop_rule_from({"max_questions": count})


def test_a_whole_number_written_as_a_float_is_said_as_a_whole_number() -> None:
    rule = stop_rule_from({"max_questions": 3.0})
    assert isinstance(rule, MaxQuestions)
    assert rule.spec() == {"max_questions": 3}
    assert rule.reason(progress(asked=3)) == "3 questions have been asked, the most for one interview"


@pytest.mark.parametrize("spec", [{"max_questions": 0}, {"budget": 0}, {"confidence": 0.4}])
def test_a_rule_that_holds_from_the_start_asks_nothing(spec: object) -> None:
    interview = Interview(PROBLEM, {"oracle": "w-ec2", "exploration": "ts", "stop": spec})
    assert isinstance(interview.next, Decide)
    assert interview.next.rule == stop_rule_from(spec).name
    assert interview.next.reason


def test_a_budget_of_0_asks_what_is_free() -> None:
    problem = Problem.build(["free", "dear"], ["x", "y"], cost=[0, 1])
    interview = Interview(problem, {"oracle": "w-ig", "exploration": "mean", "stop": {"budget": 0}})
    assert interview.next == Ask(0)
    interview.answer("yes")
    assert isinstance(interview.next, Decide)
    assert interview.next.rule == "budget"
