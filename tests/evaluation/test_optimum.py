"""The optimum against cases computed by hand and against every policy there is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from odm_tui.engine.problem import Question
from odm_tui.evaluation.data.dataset import Dataset
from odm_tui.evaluation.data.dataset_sources import Source
from odm_tui.evaluation.experiment import optimum
from odm_tui.evaluation.experiment.optimum import (
    accuracy_given_all,
    find_best_plan,
    find_optimum,
    follow_plan,
)
from odm_tui.evaluation.experiment.plan import Experiment
from odm_tui.evaluation.experiment.runner import run_units
from odm_tui.evaluation.experiment.settings import Prior, Protocol, Regions
from odm_tui.evaluation.report.experiment_results import compute_rows, make_report, rows_to_csv, to_json


def one_question() -> Dataset:
    """Two outcomes, equally often; the one question, which costs 1, is right four times out of five."""
    answers = np.array([[1], [1], [1], [1], [0], [0], [0], [0], [0], [1]])
    labels = np.array([0] * 5 + [1] * 5)
    return Dataset.from_arrays(answers, labels)


def drawn(seed: int, sizes: tuple[int, ...], outcomes: int) -> Dataset:
    rng = np.random.default_rng(seed)
    answers = np.stack([rng.integers(0, size, 12) for size in sizes], axis=1)
    labels = np.concatenate([np.arange(outcomes), rng.integers(0, outcomes, 12 - outcomes)])
    questions = [Question(f"x{i}", tuple(f"a{q}" for q in range(size))) for i, size in enumerate(sizes)]
    width = max(sizes)
    cost = np.where(np.arange(width) < np.array(sizes)[:, None], rng.random((len(sizes), width)), 0.0)
    names = [str(j) for j in range(outcomes)]
    return Dataset.from_arrays(answers, labels, questions=questions, outcomes=names, cost=cost, seed=seed)


Tree = tuple[int, tuple["Tree", ...]] | None
"""A policy written down: None decides; otherwise a question, and what follows each of its answers."""


def trees(sizes: tuple[int, ...], left: frozenset[int]) -> Iterator[Tree]:
    """Every policy over the questions that are left."""
    yield None
    for question in left:
        after = list(trees(sizes, left - {question}))
        for following in product(after, repeat=sizes[question]):
            yield question, following


def evaluate(tree: Tree, dataset: Dataset, joint: np.ndarray) -> tuple[float, float]:
    """(P(right), expected cost) of a policy, joint with having got this far."""
    if tree is None:
        return float(joint.max()), 0.0
    question, following = tree
    cost = 0.0
    right = 0.0
    for answer, after in enumerate(following):
        reached = joint * dataset.theta[question, :, answer]
        cost += float(reached @ dataset.problem.cost[question, :, answer])
        deeper = evaluate(after, dataset, reached)
        right, cost = right + deeper[0], cost + deeper[1]
    return right, cost


def test_a_question_that_is_worth_its_cost_is_asked() -> None:
    best = find_optimum(one_question(), stakes=10.0)
    assert (best.cost, best.questions) == (1.0, 1.0)
    assert best.accuracy == pytest.approx(0.8)
    assert best.value == pytest.approx(7.0)


def test_a_question_that_is_not_worth_its_cost_is_not_asked() -> None:
    # asking: 2 · 0.8 - 1 = 0.6; deciding at once: 2 · 0.5 = 1
    best = find_optimum(one_question(), stakes=2.0)
    assert (best.cost, best.accuracy, best.value, best.questions) == (0.0, 0.5, 1.0, 0.0)


def test_without_stakes_those_of_the_problem_hold() -> None:
    assert find_optimum(one_question()).stakes == 60.0


@given(
    st.integers(0, 10_000), st.sampled_from(((2,), (2, 2), (3, 2), (2, 2, 2))), st.sampled_from((0.5, 3, 30))
)
@settings(max_examples=25)
def test_no_policy_that_can_be_written_down_is_worth_more(
    seed: int, sizes: tuple[int, ...], stakes: float
) -> None:
    dataset = drawn(seed, sizes, 3)
    every = (
        evaluate(tree, dataset, dataset.problem.prior) for tree in trees(sizes, frozenset(range(len(sizes))))
    )
    best = max(stakes * right - cost for right, cost in every)
    found = find_optimum(dataset, stakes)
    assert found.exact
    assert found.value == pytest.approx(best, rel=1e-9)


def test_where_the_optimum_can_t_be_computed_a_bound_above_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dataset = drawn(4, (2, 3, 2), 3)
    exact = find_optimum(dataset, 5.0)
    monkeypatch.setattr(optimum, "MOST_WORK", 40)
    bound = find_optimum(dataset, 5.0)
    assert (exact.kind, bound.kind, bound.error) == ("optimum", "bound", 0.0)
    assert bound.value >= exact.value
    assert bound.accuracy == pytest.approx(find_optimum(dataset, 1e9).accuracy)


def test_answers_drawn_give_the_bound_within_its_standard_error(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = drawn(4, (2, 3, 2), 3)
    exact, none = accuracy_given_all(dataset)
    monkeypatch.setattr(optimum, "MOST_WORK", 0)
    sampled, error = accuracy_given_all(dataset)
    assert none == 0.0
    assert 0 < error < 0.01
    assert abs(sampled - exact) < 4 * error


def test_the_optimal_policy_is_followed_through_the_scenarios() -> None:
    dataset = one_question()
    plan = find_best_plan(dataset, 10.0)
    assert plan is not None
    held = follow_plan(plan, dataset)
    assert held.cost.tolist() == [1.0] * 10
    assert held.right.tolist() == [True] * 4 + [False] + [True] * 4 + [False]


def test_every_row_tells_its_value_and_its_share_of_the_optimum() -> None:
    experiment = Experiment(
        (Source("led", limit=10),),
        ("all",),
        Protocol.LIVE,
        Regions.UNKNOWN,
        (130, 131),
        0.002,
        30.0,
        Prior.POOLED,
    )
    rows = compute_rows(experiment, run_units(list(experiment.units())))
    told = json.loads(to_json(make_report(experiment, rows, "odm-tui experiment led")))["rows"][0]
    best = [find_optimum(Source("led").load(seed), 30.0) for seed in (130, 131)]
    assert told["value"] == pytest.approx(30 * told["accuracy"] - told["mean_cost"])
    assert told["optimum"]["kind"] == "optimum"
    assert told["optimum"]["value"] == pytest.approx(np.mean([each.value for each in best]))
    assert told["ratio_to_optimum"] == pytest.approx(told["value"] / told["optimum"]["value"])
    assert "best_value" in rows_to_csv(rows).splitlines()[0]


def test_there_is_no_share_of_an_optimum_of_nothing() -> None:
    experiment = Experiment(
        (Source("led", limit=3),), ("all",), Protocol.LIVE, Regions.UNKNOWN, (130,), 0.002, 0.0
    )
    (row,) = compute_rows(experiment, run_units(list(experiment.units())))
    assert row.as_dict()["ratio_to_optimum"] is None
