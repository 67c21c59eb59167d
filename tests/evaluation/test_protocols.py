"""The three protocols: what each does that the others do not."""

from __future__ import annotations

import numpy as np
import pytest

from odm_tui.engine.model import Model
from odm_tui.engine.policy import policy_from, policy_names
from odm_tui.engine.problem import Question
from odm_tui.errors import BadArgument
from odm_tui.evaluation.data.dataset import Dataset
from odm_tui.evaluation.data.dataset_sources import Source
from odm_tui.evaluation.experiment.authors_protocol import AuthorsAgent, add_own_answers, draw_dpp_questions
from odm_tui.evaluation.experiment.fast_interview import HypothesisTable
from odm_tui.evaluation.experiment.plan import Unit
from odm_tui.evaluation.experiment.settings import Prior, Protocol, Regions
from odm_tui.evaluation.experiment.simulation import Trace, apply_settings, simulate

ETA = 0.002


def run(
    name: str, policy: str, protocol: Protocol, regions: Regions = Regions.KNOWN, limit: int = 40
) -> Trace:
    dataset = Source(name, limit=limit).load(130)
    return simulate(dataset, policy, protocol=protocol, regions=regions, seed=130)


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
    return simulate(dataset, policy, seed=seed).mean_cost


@pytest.mark.parametrize("regions", list(Regions))
@pytest.mark.parametrize("policy", [name for name in policy_names() if not name.startswith("lookahead")])
def test_every_policy_runs_under_the_paper_s_protocol(policy: str, regions: Regions) -> None:
    held = run("led", policy, Protocol.PAPER, regions, limit=12)
    assert (held.questions <= 7).all()
    assert ((held.decision >= -1) & (held.decision < 10)).all()


@pytest.mark.parametrize("policy", ["w-ec2-ts", "w-ec2-bucb", "w-ig-bucb", "random", "all", "dpp"])
@pytest.mark.parametrize("protocol", [Protocol.AUTHORS, Protocol.LIVE])
def test_the_paper_s_policies_run_under_every_protocol(policy: str, protocol: Protocol) -> None:
    held = run("navigation", policy, protocol, Regions.UNKNOWN, limit=12)
    assert (held.cost >= 0).all()


@pytest.mark.parametrize("protocol", list(Protocol))
def test_the_same_seed_repeats_a_run(protocol: Protocol) -> None:
    first, again = (run("led", "w-ec2-ts", protocol, Regions.UNKNOWN) for _ in range(2))
    assert np.array_equal(first.cost, again.cost)
    assert np.array_equal(first.decision, again.decision)


@pytest.mark.parametrize("regions", list(Regions))
def test_a_live_interview_always_decides(regions: Regions) -> None:
    assert (run("navigation", "w-ec2-ts", Protocol.LIVE, regions).decision >= 0).all()


def test_the_authors_program_always_asks_at_least_once() -> None:
    assert run("navigation", "w-ec2-ts", Protocol.AUTHORS, Regions.UNKNOWN).questions.min() >= 1


def test_the_authors_all_decides_by_the_answer_set_given_away() -> None:
    """With one hypothesis an outcome and everything asked, only the scenario's own answers remain."""
    dataset = Source("led", limit=30, hypotheses=1).load(1)
    agent = AuthorsAgent(dataset, policy_from("all"), Regions.KNOWN, ETA, 1)
    model = agent.model()
    agent.model = lambda: model  # type: ignore[method-assign]  # the sample that the check below uses
    for scenario in range(30):
        own = dataset.answers[scenario]
        expected = add_own_answers(agent._known, own, model)  # type: ignore[arg-type]  # regions are known here
        row = expected.find(own)
        assert row is not None
        region = int(expected.region[row])
        assert agent.hold(scenario).decision == (region if region < 10 else -1)


def test_the_answer_set_given_away_goes_to_its_likeliest_outcome_whatever_the_prior() -> None:
    dataset = Dataset.from_arrays([[0], [1]], [0, 1], hypotheses=1)
    model = Model(dataset.problem, np.array([0.99, 0.01]), np.array([[[0.9, 0.1], [0.6, 0.4]]]))
    none = HypothesisTable(np.array([[0]], dtype=np.int8), np.array([0]), 2, np.array([[1.0, 0.0, 1.0]]))
    made = add_own_answers(none, np.array([1], dtype=np.int8), model)
    assert made.region.tolist() == [0, 1]


def test_the_authors_dpp_decides_nothing_unless_it_asks_everything() -> None:
    held = run("led", "dpp", Protocol.AUTHORS)
    assert (held.decision[held.questions < 7] == -1).all()


def test_the_authors_dpp_draws_the_same_set_from_the_same_answers() -> None:
    seen = np.random.default_rng(2).integers(0, 2, (30, 6)).astype(float)
    assert draw_dpp_questions(seen, 5) == draw_dpp_questions(seen, 5)


def test_the_authors_dpp_takes_each_question_once() -> None:
    seen = np.random.default_rng(2).integers(0, 2, (200, 6)).astype(float)
    assert sorted(draw_dpp_questions(seen, 5)) == list(range(6))


def test_the_authors_program_refuses_more_than_one_threshold() -> None:
    dataset = Dataset.from_arrays(
        [[0], [2]], [0, 1], questions=[Question("x", thresholds=(0.1, 0.9))], hypotheses=1
    )
    with pytest.raises(BadArgument, match="--thresholds 1"):
        simulate(dataset, "all", protocol="authors")


def test_the_authors_program_has_no_other_oracle() -> None:
    with pytest.raises(BadArgument, match="no lookahead"):
        run("led", "lookahead-ts", Protocol.AUTHORS)


def test_more_thresholds_run_under_the_paper_s_formulas() -> None:
    pytest.importorskip("sklearn")
    dataset = Source("breast-cancer", limit=15, thresholds=3).load(1)
    held = simulate(dataset, "w-ec2-ts", seed=1)
    assert held.questions.mean() < 30


def test_knowing_theta_costs_less_than_learning_it() -> None:
    unit = Unit(Source("led", limit=300), "w-ig-ts", Protocol.PAPER, Regions.KNOWN, ETA, 130)
    assert unit.reference.run().cost.mean() < unit.run().cost.mean()


def test_a_baseline_s_regret_is_measured_against_edge_cutting() -> None:
    unit = Unit(Source("led"), "random", Protocol.PAPER, Regions.KNOWN, ETA, 130)
    assert (unit.reference.policy, unit.reference.knows_theta) == ("w-ec2-ts", True)


def test_stakes_reach_the_policy_that_weighs_them() -> None:
    source = Source("navigation", limit=10)
    careless, careful = (
        Unit(source, "lookahead-ts", Protocol.LIVE, Regions.UNKNOWN, ETA, 130, stakes=stakes)
        .run()
        .questions.mean()
        for stakes in (0.01, 100.0)
    )
    assert careless < careful


def test_a_protocol_brings_its_own_regions_and_prior() -> None:
    dataset = Source("led", limit=20).load(1)
    by_default = simulate(dataset, "w-ec2-ts", protocol="live", seed=3)
    named = simulate(dataset, "w-ec2-ts", protocol="live", regions="unknown", prior="shared", seed=3)
    assert by_default.cost.tolist() == named.cost.tolist()
    for prior in ("separate", "pooled"):
        other = simulate(dataset, "w-ec2-ts", protocol="live", prior=prior, seed=3)
        assert by_default.cost.tolist() != other.cost.tolist()


@pytest.mark.parametrize(
    ("prior", "pooled", "shared"),
    [(Prior.SEPARATE, False, False), (Prior.POOLED, True, False), (Prior.SHARED, True, True)],
)
def test_shared_priors_are_pooled_too_for_questions_that_have_more_answers(
    prior: Prior, pooled: bool, shared: bool
) -> None:
    dataset = Source("led", limit=5).load(1)
    changed, _ = apply_settings(dataset, policy_from("w-ec2-ts"), prior, None, False)
    assert (changed.problem.pooled, changed.problem.shared) == (pooled, shared)


def test_a_misspelt_protocol_gets_a_proposal() -> None:
    with pytest.raises(BadArgument, match=r"Did you mean 'live'\?"):
        simulate(Source("led", limit=2).load(1), "all", protocol="lives")
