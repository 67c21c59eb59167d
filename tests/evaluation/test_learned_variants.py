"""Experiments with policies that learn hidden variants of outcomes, and the cubes on which that matters."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from typer.testing import CliRunner

from odm_tui.cli.app import app
from odm_tui.engine.policy import policy_from
from odm_tui.engine.variants.cases import LearningCases
from odm_tui.engine.variants.fit import fit_variants
from odm_tui.errors import BadArgument
from odm_tui.evaluation.data.dataset import Dataset
from odm_tui.evaluation.data.dataset_sources import Source
from odm_tui.evaluation.data.generated import BLOCK, context_cube, cube
from odm_tui.evaluation.experiment.batch.units import batch_key
from odm_tui.evaluation.experiment.live_protocol import LiveAgent
from odm_tui.evaluation.experiment.plan import WITH_VARIANTS, Unit
from odm_tui.evaluation.experiment.settings import Protocol, Regions
from odm_tui.evaluation.experiment.simulation import simulate

ETA = 0.002


@pytest.fixture(scope="module")
def interacting() -> Dataset:
    """Two answers are equal or not, and that is the outcome, nine times in ten."""
    rng = np.random.default_rng(2)
    labels, left = rng.integers(0, 2, 220), rng.integers(0, 2, 220)
    right = np.where(rng.random(220) < 0.9, left ^ labels, left ^ labels ^ 1)
    answers = np.stack([left, right, rng.integers(0, 2, 220)], axis=1)
    return Dataset.from_arrays(answers, labels, cost=0.1)


def test_until_150_interviews_a_policy_that_learns_variants_does_as_the_other_one(
    interacting: Dataset,
) -> None:
    one, chosen = (
        simulate(interacting, "all", protocol="live", stakes=10, seed=1, learns_variants=learns)
        for learns in (False, True)
    )
    assert_array_equal(one.belief[:150], chosen.belief[:150])
    assert (one.decision[150:] == one.label[150:]).mean() < 0.7
    assert (chosen.decision[150:] == chosen.label[150:]).mean() > 0.8


def test_variants_are_fitted_to_what_the_interviews_asked(interacting: Dataset) -> None:
    agent = LiveAgent(interacting, policy_from("w-ig-ts"), Regions.UNKNOWN, ETA, 1, learns_variants=True)
    asked = np.full((175, 3), -1, dtype=np.int16)
    for scenario in range(175):
        held = agent.hold(scenario)
        agent.learn(scenario, held)
        asked[scenario, list(held.asked)] = interacting.answers[scenario, list(held.asked)]
        assert (agent.posterior.variants is None) or scenario >= 149
    cases = LearningCases.of(interacting.problem, asked, interacting.labels[:175])
    expected, found = fit_variants(cases), agent.posterior.variants
    assert (expected is None) == (found is None)
    if expected is not None and found is not None:
        assert_array_equal(found.counts, expected.counts)


def test_only_live_interviews_learn_variants(interacting: Dataset) -> None:
    with pytest.raises(BadArgument, match="live"):
        simulate(interacting, "w-ig-ts", protocol="paper", learns_variants=True)


def test_a_unit_with_variants_is_held_one_by_one_and_has_results_of_its_own() -> None:
    plain = Unit(Source("led", limit=20), "w-ec2-ts", Protocol.LIVE, Regions.UNKNOWN, ETA, 1)
    varied = Unit(Source("led", limit=20), f"w-ec2-ts{WITH_VARIANTS}", Protocol.LIVE, Regions.UNKNOWN, ETA, 1)
    assert batch_key(varied) is None
    assert plain.key != varied.key
    assert varied.reference == plain.reference
    assert_array_equal(varied.run().questions, plain.run().questions)  # no variants before 150 interviews


def test_an_experiment_with_variants_has_a_row_with_and_one_without() -> None:
    words = ["experiment", "led", "--policy", "w-ig-ts", "--protocol", "live", "--variants"]
    result = CliRunner().invoke(app, [*words, "--seeds", "1", "--limit", "20", "--jobs", "1", "--json"])
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)["rows"]
    assert [row["policy"] for row in rows][:2] == ["w-ig-ts", f"w-ig-ts{WITH_VARIANTS}"]


def test_the_code_of_a_cube_is_in_three_questions_of_each_outcome() -> None:
    data = cube(1, 0, 5, scenarios=20_000)
    assert data.problem.shape == (20, 8, 3)
    for outcome in range(8):
        for bit in range(3):
            high = data.theta[outcome + bit, outcome, 2]
            assert high > 0.6 if outcome >> bit & 1 else high < 0.05
    noise = data.theta[BLOCK:]
    assert np.ptp(noise, axis=1).max() < 0.06


def test_the_context_alone_tells_nothing_about_the_outcome() -> None:
    data = context_cube(1, 0, 5, scenarios=20_000)
    assert data.problem.shape == (33, 8, 3)
    assert np.ptp(data.theta[:3], axis=1).max() < 0.06
    # In the block that the context names, the code is there; in the others it is noise.
    first = data.answers[:, 0] == 2
    for outcome in (1, 6):
        mine = data.labels == outcome
        for bit in range(3):
            column = data.answers[:, 3 + outcome + bit] == 2
            named, other = column[mine & first].mean(), column[mine & ~first].mean()
            assert (named > 0.6) if outcome >> bit & 1 else (named < 0.05)
            assert 0.15 < other < 0.3


@pytest.mark.parametrize("name", ["cube", "context-cube"])
def test_the_cubes_are_data_sets_by_name(name: str) -> None:
    data = Dataset.load(name, seed=3, limit=50)
    again = Dataset.load(name, seed=3, limit=50)
    assert (data.name, len(data.labels)) == (name, 50)
    assert_array_equal(data.answers, again.answers)
