"""The references *full* and *theta known*."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from odm_tui.engine.policy import policy_from
from odm_tui.engine.posterior import Posterior
from odm_tui.errors import BadArgument
from odm_tui.evaluation.data.dataset import Dataset
from odm_tui.evaluation.data.dataset_sources import Source
from odm_tui.evaluation.experiment.batch.units import has_numba, run_together
from odm_tui.evaluation.experiment.live_protocol import LiveAgent
from odm_tui.evaluation.experiment.plan import Unit
from odm_tui.evaluation.experiment.settings import Knowledge, Prior, Protocol, Regions
from odm_tui.evaluation.experiment.simulation import apply_settings, make_agent, simulate
from odm_tui.evaluation.report.reference_shares import describe_share


def sample(scenarios: int = 60, seed: int = 3) -> Dataset:
    rng = np.random.default_rng(seed)
    theta = rng.beta(0.5, 0.5, (6, 3))
    labels = rng.integers(0, 3, scenarios)
    answers = (rng.random((scenarios, 6)) < theta[:, labels].T).astype(np.int8)
    return Dataset.from_arrays(answers, labels, cost=rng.random((6, 2)))


def test_full_learns_every_answer_and_pays_for_what_it_asks() -> None:
    dataset, policy = apply_settings(sample(), policy_from("lookahead-mean"), Prior.POOLED, 10.0, False)
    agent = make_agent(dataset, policy, Protocol.LIVE, Regions.UNKNOWN, 0.002, 1, Knowledge.FULL)
    assert isinstance(agent, LiveAgent)
    expected = Posterior.of(dataset.problem)
    for scenario in range(len(dataset.labels)):
        held = agent.hold(scenario)
        agent.learn(scenario, held)
        expected = expected.updated(dataset.answers[scenario].astype(np.int16), int(dataset.labels[scenario]))
    assert np.array_equal(agent.posterior.counts, expected.counts)
    trace = simulate(sample(), "lookahead-mean", protocol="live", stakes=10.0, knowledge="full")
    assert trace.questions.mean() < 6
    assert trace.cost.max() < dataset.mean_cost.sum(axis=0).max()


def test_theta_known_decides_by_theta_from_the_first_interview() -> None:
    dataset = sample()
    trace = simulate(dataset, "lookahead-mean", protocol="live", stakes=1000.0, knowledge="known")
    theta = np.clip(dataset.theta, 1e-5, 1 - 1e-5)
    joint = np.log(dataset.problem.prior) + sum(
        np.log(theta[i][:, dataset.answers[:, i]].T) for i in range(6)
    )
    # At such stakes it asks until the rest can hardly change the decision.
    assert (trace.decision == joint.argmax(axis=1)).mean() > 0.97
    by_mean = simulate(dataset, "lookahead-mean", protocol="live", stakes=1000.0, knows_theta=True)
    assert (by_mean.decision != trace.decision).any()


def test_other_protocols_have_no_references() -> None:
    unit = Unit(Source("led"), "w-ec2-ts", Protocol.PAPER, Regions.KNOWN, 0.002, 1)
    assert unit.ceilings == {}
    with pytest.raises(BadArgument, match="protocol live"):
        replace(unit, knowledge=Knowledge.FULL)


def test_shares_are_paired_by_run() -> None:
    runs, reference = np.array([1.0, 4.0, 2.0, 6.0]), np.array([2.0, 5.0, 3.0, 7.0])
    told = describe_share(runs.tolist(), reference.tolist())
    share = 13 / 17
    residual = runs - share * reference
    half = 3.182446 * residual.std(ddof=1) / 2 / 4.25
    assert told["share"] == pytest.approx(share)
    assert told["interval"] == pytest.approx([share - half, share + half])
    assert describe_share([1.0], [2.0]) == {"value": 2.0, "share": 0.5, "interval": None}
    assert describe_share([1.0, 2.0], [0.0, 0.0])["share"] is None


@pytest.mark.skipif(not has_numba(), reason="the extra fast (numba) is not installed")
@pytest.mark.parametrize("knowledge", [Knowledge.FULL, Knowledge.KNOWN])
def test_references_in_step_are_those_one_by_one(knowledge: Knowledge) -> None:
    source = Source("led", limit=40)
    units = [
        Unit(source, "lookahead-ts", Protocol.LIVE, Regions.UNKNOWN, 0.002, seed, 10.0, prior=Prior.POOLED)
        for seed in (1, 2)
    ]
    together = dict(run_together([unit.ceilings[knowledge] for unit in units]))
    for unit in units:
        alone, batched = unit.ceilings[knowledge].run(), together[unit.ceilings[knowledge]]
        for name in ("cost", "questions", "decision"):
            assert np.array_equal(getattr(alone, name), getattr(batched, name)), name
        assert np.allclose(alone.belief, batched.belief, rtol=1e-9, atol=0)
