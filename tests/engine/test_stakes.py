"""Stakes by pair of decided and true outcome, and the cost of referring."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from odm_tui.engine.exploration import KnownTheta
from odm_tui.engine.interview import Ask, Decide, Interview
from odm_tui.engine.lookahead.dynamic_program import make_plan
from odm_tui.engine.oracles.lookahead import Lookahead
from odm_tui.engine.policy import Policy
from odm_tui.engine.problem import Floats, Problem
from odm_tui.engine.stakes import Stakes
from odm_tui.engine.stopping import Value
from odm_tui.errors import BadArgument
from tests.support.literal import planning
from tests.support.literal.instances import made

few = st.sampled_from(((2,), (2, 2), (3, 2), (2, 2, 2), (2, 3, 2)))


def random_stakes(rng: np.random.Generator, outcomes: int) -> Stakes:
    """Random losses: some decisions have their own, some losses are 0, and referring may be possible."""
    missed = rng.choice([0.0, 1.0, 5.0, 40.0], size=outcomes)
    rows = np.flatnonzero(rng.random(outcomes) < 0.4)
    losses = rng.choice([0.0, 2.0, 9.0, 60.0], size=(len(rows), outcomes))
    losses[np.arange(len(rows)), rows] = 0.0
    refer = None if rng.random() < 0.5 else float(rng.choice([0.0, 1.0, 6.0, 100.0]))
    return Stakes(missed, rows, losses, refer)


def random_belief(rng: np.random.Generator, outcomes: int) -> Floats:
    belief = rng.dirichlet(np.full(outcomes, 0.5))
    return np.asarray(belief / belief.sum())


@given(st.integers(0, 10_000), st.integers(1, 6))
@settings(max_examples=200)
def test_values_and_decisions_are_those_of_the_whole_table(seed: int, outcomes: int) -> None:
    rng = np.random.default_rng(seed)
    stakes, belief = random_stakes(rng, outcomes), random_belief(rng, outcomes)
    losses = [sum(p * c for p, c in zip(belief, row, strict=True)) for row in stakes.table.tolist()]
    assert_allclose([stakes.expected_loss(belief, d) for d in range(outcomes)], losses, atol=1e-9)
    assert losses[stakes.decide(belief)] <= min(losses) + 1e-9
    cheapest = min(losses) if stakes.refer is None else min(*losses, stakes.refer)
    assert_allclose(stakes.most - stakes.worths(belief), cheapest, atol=1e-9)
    assert stakes.should_refer(belief) == (stakes.refer is not None and stakes.refer < min(losses) - 1e-9)
    # Joint probabilities have a joint value.
    assert_allclose(stakes.worths(np.stack([belief, belief * 0.25])), stakes.worths(belief) * [1, 0.25])


@given(st.integers(0, 10_000), few, st.integers(1, 4))
@settings(max_examples=100)
def test_a_plan_under_stakes_by_pair_is_worth_what_the_literal_recursion_says(
    seed: int, sizes: tuple[int, ...], outcomes: int
) -> None:
    rng = np.random.default_rng(seed)
    it, stakes = made(seed, sizes, outcomes), random_stakes(rng, outcomes)
    plan = make_plan(it.prior, it.theta, (it.cost * it.theta).sum(axis=-1), stakes, it.sizes)
    theta = [it.theta[i, :, :size].tolist() for i, size in enumerate(sizes)]
    cost = [it.cost[i, :, :size].tolist() for i, size in enumerate(sizes)]
    table = stakes.table.tolist()
    literal = planning.value(it.prior.tolist(), theta, cost, table, refer=stakes.refer)
    # The largest loss may belong to no pair at all; values differ by that constant only.
    gap = stakes.most - float(stakes.table.max())
    assert_allclose(plan.values[0] - gap, literal, rtol=1e-9, atol=1e-9)
    for i, worth in enumerate(plan.worths()):
        expected = planning.worth(i, it.prior.tolist(), theta, cost, table, refer=stakes.refer)
        assert_allclose(worth - gap, expected, rtol=1e-9, atol=1e-9)


@given(st.integers(0, 10_000), st.integers(1, 6), st.sampled_from((0.0, 0.5, 30.0)))
@settings(max_examples=100)
def test_one_number_is_worth_the_same_as_a_table_of_it(seed: int, outcomes: int, number: float) -> None:
    belief = random_belief(np.random.default_rng(seed), outcomes)
    alike = Stakes.equal(number, outcomes)
    table = Stakes.by_pair(alike.table)
    assert alike.worths(belief) == number * belief.max()
    assert alike.decide(belief) == int(belief.argmax())
    assert_allclose(table.most - table.worths(belief), alike.most - alike.worths(belief), atol=1e-12)


def sorted_or_screened(stakes: float | Stakes) -> Interview:
    """An interview about a rare outcome, with one vague and one telling question."""
    problem = Problem.build(
        ["cough", "scan"],
        ["harmless", "cancer"],
        prior=[0.95, 0.05],
        expected=[[0.3, 0.7], [0.1, 0.95]],
        worth=1000,
        cost=[1, 20],
        stakes=stakes,
    )
    return Interview(problem, "lookahead-mean")


def test_a_screening_bank_asks_and_decides_differently_from_a_sorting_one() -> None:
    sorting, screening = sorted_or_screened(60), sorted_or_screened(Stakes.by_pair([[0, 5000], [300, 0]]))
    # Sorting: the rare outcome is not worth a question. Screening: it is worth the scan.
    decision = sorting.next
    assert isinstance(decision, Decide)
    assert decision.outcome == 0
    for question in ("cough", "scan"):
        screening.answer("yes", question)
        sorting.answer("yes", question)
    for interview, outcome in ((sorting, "cancer"), (screening, "cancer")):
        assert isinstance(interview.next, Decide)
        assert interview.problem.outcomes[interview.next.outcome] == outcome
    # A vague yes alone: harmless is far likelier, but missing a cancer costs too much.
    sorting, screening = sorted_or_screened(60), sorted_or_screened(Stakes.by_pair([[0, 5000], [300, 0]]))
    assert isinstance(screening.next, Ask)
    for interview, outcome in ((sorting, "harmless"), (screening, "cancer")):
        interview.answer("yes", "cough")
        interview.stop()
        decision = interview.next
        assert isinstance(decision, Decide)
        assert interview.problem.outcomes[decision.outcome] == outcome
        assert decision.belief == interview.belief[decision.outcome]


def test_an_interview_refers_where_that_costs_less_than_the_best_decision() -> None:
    for refer, expected in ((3.0, True), (7.0, False), (None, False)):
        problem = Problem.build(
            ["a"], ["x", "y"], prior=[0.6, 0.4], expected=[[0.5, 0.5]], stakes=15, refer_cost=refer
        )
        decision = Interview(problem, "lookahead-mean").next
        assert isinstance(decision, Decide)
        assert (decision.refer, decision.outcome) == (expected, 0)  # deciding x costs 15 · 0.4 = 6


def test_a_question_is_not_asked_where_referring_is_cheaper_than_asking_and_deciding() -> None:
    for refer, asks in ((None, True), (2.0, False)):
        problem = Problem.build(
            ["a"], ["x", "y"], expected=[[0.9, 0.1]], worth=1000, cost=1, stakes=20, refer_cost=refer
        )
        assert isinstance(Interview(problem, "lookahead-mean").next, Ask) == asks


@pytest.mark.parametrize("seed", range(4))
def test_following_the_plan_costs_what_it_says_with_losses_and_referrals_counted(seed: int) -> None:
    it = made(seed, (2, 2, 3), 3)
    rng = np.random.default_rng(seed)
    stakes = Stakes.by_pair(rng.uniform(2, 30, (3, 3)) * (1 - np.eye(3)))
    problem = Problem.build(
        it.problem.questions, it.problem.outcomes, prior=it.prior, cost=it.cost, stakes=stakes, refer_cost=2.5
    )
    total = 0.0
    for answers in product(*(range(size) for size in it.sizes)):
        chances = it.prior * np.prod([it.theta[i, :, q] for i, q in enumerate(answers)], axis=0)
        policy = Policy(Lookahead(), KnownTheta(it.theta, it.prior), Value())
        interview = Interview(problem, policy)
        while isinstance(interview.next, Ask):
            question = interview.next.question
            total += float(chances @ it.cost[question, :, answers[question]])
            interview.answer(answers[question])
        belief = it.prior.copy()
        for step in interview.steps:
            belief = belief * it.theta[step.question, :, step.answer]
        belief /= belief.sum()
        losses = stakes.table @ belief
        total += float(chances.sum()) * min(2.5, float(losses.min()))
    plan = make_plan(it.prior, it.theta, (it.cost * it.theta).sum(axis=-1), problem.decision_stakes, it.sizes)
    assert_allclose(stakes.most - total, plan.values[0], rtol=1e-9)


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: Stakes.by_pair([[0, 1]]), "square"),
        (lambda: Stakes.by_pair([[1, 1], [1, 0]]), "right decision"),
        (lambda: Stakes.by_pair([[0, -1], [1, 0]]), "0 or more"),
        (lambda: Stakes.equal(float("nan"), 2), "finite"),
        (lambda: Problem.build(["a"], ["x", "y", "z"], stakes=Stakes.equal(1, 2)), "2 outcomes, not of 3"),
        (lambda: Problem.build(["a"], ["x", "y"], refer_cost=-1), "refer_cost"),
    ],
)
def test_stakes_that_make_no_sense_are_refused(make: object, word: str) -> None:
    assert callable(make)
    with pytest.raises(BadArgument, match=word):
        make()
