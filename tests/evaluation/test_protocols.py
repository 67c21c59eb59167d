"""The three protocols: what each does that the others do not."""

from __future__ import annotations

import numpy as np
import pytest

from odm_tui.engine.model import Model
from odm_tui.engine.policy import policy_from, policy_names
from odm_tui.engine.problem import Question
from odm_tui.errors import BadArgument
from odm_tui.evaluation.data.dataset import make_dataset
from odm_tui.evaluation.data.datasets import Source
from odm_tui.evaluation.experiment.agents import Regions
from odm_tui.evaluation.experiment.authors_protocol import AuthorsAgent, dpp_questions, given_away
from odm_tui.evaluation.experiment.fast_interview import HypothesisTable
from odm_tui.evaluation.experiment.plan import Unit
from odm_tui.evaluation.experiment.simulation import Protocol, Trace, simulate

ETA = 0.002


def run(name: str, policy: str, protocol: Protocol, regions: Regions = "known", limit: int = 40) -> Trace:
    return simulate(
        Source(name, limit=limit).load(130), policy_from(policy), protocol, regions, ETA, seed=130
    )


@pytest.mark.parametrize("name", ["navigation", "led", "troubleshooting", "breast-cancer"])
def test_under_the_paper_s_formulas_the_policies_come_in_the_paper_s_order(name: str) -> None:
    if name == "breast-cancer":
        pytest.importorskip("sklearn")
    means = [
        np.mean([run_seed(name, policy, seed) for seed in (130, 131)])
        for policy in ("w-ec2-ts", "w-ig-ts", "random", "all")
    ]
    assert means == sorted(means)
    assert len(set(means)) == 4


def run_seed(name: str, policy: str, seed: int) -> float:
    dataset = Source(name, limit=80).load(seed)
    return float(simulate(dataset, policy_from(policy), "paper", "known", ETA, seed).cost.mean())


@pytest.mark.parametrize("regions", ["known", "unknown"])
@pytest.mark.parametrize("policy", [name for name in policy_names() if not name.startswith("lookahead")])
def test_every_policy_runs_under_the_paper_s_protocol(policy: str, regions: Regions) -> None:
    held = run("led", policy, "paper", regions, limit=12)
    assert (held.questions <= 7).all()
    assert ((held.decision >= -1) & (held.decision < 10)).all()


@pytest.mark.parametrize("policy", ["w-ec2-ts", "w-ec2-bucb", "w-ig-bucb", "random", "all", "dpp"])
@pytest.mark.parametrize("protocol", ["authors", "live"])
def test_the_paper_s_policies_run_under_every_protocol(policy: str, protocol: Protocol) -> None:
    held = run("navigation", policy, protocol, "unknown", limit=12)
    assert (held.cost >= 0).all()


@pytest.mark.parametrize("protocol", ["paper", "authors", "live"])
def test_the_same_seed_repeats_a_run(protocol: Protocol) -> None:
    first, again = (run("led", "w-ec2-ts", protocol, "unknown") for _ in range(2))
    assert np.array_equal(first.cost, again.cost)
    assert np.array_equal(first.decision, again.decision)


@pytest.mark.parametrize("regions", ["known", "unknown"])
def test_a_live_interview_always_decides(regions: Regions) -> None:
    assert (run("navigation", "w-ec2-ts", "live", regions).decision >= 0).all()


def test_the_authors_program_always_asks_at_least_once() -> None:
    assert run("navigation", "w-ec2-ts", "authors", "unknown").questions.min() >= 1


def test_the_authors_all_decides_by_the_answer_set_given_away() -> None:
    """With one hypothesis an outcome and everything asked, only the scenario's own answers remain."""
    dataset = Source("led", limit=30, hypotheses=1).load(1)
    agent = AuthorsAgent(dataset, policy_from("all"), "known", ETA, 1)
    model = agent.model()
    agent.model = lambda: model  # type: ignore[method-assign]  # the sample that the check below uses
    for scenario in range(30):
        own = dataset.answers[scenario]
        expected = given_away(agent._known, own, model)  # type: ignore[arg-type]  # regions are known here
        row = expected.find(own)
        assert row is not None
        region = int(expected.region[row])
        assert agent.hold(scenario).decision == (region if region < 10 else -1)


def test_the_answer_set_given_away_goes_to_its_likeliest_outcome_whatever_the_prior() -> None:
    dataset = make_dataset(
        "toy", 0, [Question("x")], ["a", "b"], np.array([[0], [1]]), np.array([0, 1]), np.ones((1, 2)), 1, ""
    )
    model = Model(dataset.problem, np.array([0.99, 0.01]), np.array([[[0.9, 0.1], [0.6, 0.4]]]))
    none = HypothesisTable(np.array([[0]], dtype=np.int8), np.array([0]), 2, np.array([[1.0, 0.0, 1.0]]))
    made = given_away(none, np.array([1], dtype=np.int8), model)
    assert made.region.tolist() == [0, 1]


def test_the_authors_dpp_decides_nothing_unless_it_asks_everything() -> None:
    held = run("led", "dpp", "authors")
    assert (held.decision[held.questions < 7] == -1).all()


def test_the_authors_dpp_draws_the_same_set_from_the_same_answers() -> None:
    seen = np.random.default_rng(2).integers(0, 2, (30, 6)).astype(float)
    assert dpp_questions(seen, 5) == dpp_questions(seen, 5)


def test_the_authors_dpp_takes_each_question_once() -> None:
    seen = np.random.default_rng(2).integers(0, 2, (200, 6)).astype(float)
    assert sorted(dpp_questions(seen, 5)) == list(range(6))


def test_the_authors_program_refuses_more_than_one_threshold() -> None:
    dataset = make_dataset(
        "toy",
        0,
        [Question("x", thresholds=(0.1, 0.9))],
        ["a", "b"],
        np.array([[0], [2]]),
        np.array([0, 1]),
        np.ones((1, 3)),
        1,
        "",
    )
    with pytest.raises(BadArgument, match="--thresholds 1"):
        simulate(dataset, policy_from("all"), "authors", "known", ETA, 0)


def test_the_authors_program_has_no_other_oracle() -> None:
    with pytest.raises(BadArgument, match="no lookahead"):
        run("led", "lookahead-ts", "authors")


def test_more_thresholds_run_under_the_paper_s_formulas() -> None:
    pytest.importorskip("sklearn")
    dataset = Source("breast-cancer", limit=15, thresholds=3).load(1)
    held = simulate(dataset, policy_from("w-ec2-ts"), "paper", "known", ETA, 1)
    assert held.questions.mean() < 30


def test_knowing_theta_costs_less_than_learning_it() -> None:
    unit = Unit(Source("led", limit=300), "w-ig-ts", "paper", "known", ETA, 130)
    assert unit.reference.run().cost.mean() < unit.run().cost.mean()


def test_a_baseline_s_regret_is_measured_against_edge_cutting() -> None:
    unit = Unit(Source("led"), "random", "paper", "known", ETA, 130)
    assert (unit.reference.policy, unit.reference.knows_theta) == ("w-ec2-ts", True)


def test_stakes_reach_the_policy_that_weighs_them() -> None:
    source = Source("navigation", limit=10)
    careless, careful = (
        Unit(source, "lookahead-ts", "live", "unknown", ETA, 130, stakes=stakes).run().questions.mean()
        for stakes in (0.01, 100.0)
    )
    assert careless < careful
