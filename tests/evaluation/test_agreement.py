"""Under the authors' protocol, the figures are those of their program, paired by seed.

The full comparison of all data sets is in the soak runs; docs/results.md shows its figures.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from odm_tui.evaluation.data.dataset_sources import Source
from odm_tui.evaluation.experiment.settings import Regions
from odm_tui.evaluation.experiment.simulation import Trace, simulate

SCENARIOS = {"navigation": 300, "led": 300, "fico": 150, "troubleshooting": 100}
COMPARED = ["w-ec2-ts", "w-ig-ts", "random", "all"]
HYBRIDS = ["w-ec2-bucb", "w-ig-bucb", "dpp"]

Reference = dict[tuple[str, str, str, int], dict[str, float]]


@pytest.fixture(scope="module")
def reference(shared_data: Path) -> Reference:
    with (shared_data / "reference_per_seed.csv").open() as lines:
        return {
            (row["setting"], row["dataset"], row["algorithm"].lower(), int(row["seed"])): {
                name: float(row[name]) for name in ("mean_cost", "mean_tests", "accuracy", "share_minus1")
            }
            for row in csv.DictReader(lines)
        }


def held(shared_data: Path, name: str, policy: str, regions: Regions, seed: int) -> Trace:
    source = Source(
        name,
        data=f"{shared_data}/scenarios/{{dataset}}_seed{{seed}}.csv",
        costs=f"{shared_data}/costs/costs_{{dataset}}.csv",
        limit=SCENARIOS[name],
    )
    return simulate(source.load(seed), policy, protocol="authors", regions=regions, seed=seed)


def differences(
    shared_data: Path, reference: Reference, name: str, policy: str, regions: Regions, seeds: range
) -> np.ndarray:
    return np.array(
        [
            held(shared_data, name, policy, regions, seed).cost.mean()
            - reference[regions, name, policy, seed]["mean_cost"]
            for seed in seeds
        ]
    )


def assert_agree(difference: np.ndarray) -> None:
    """Within three standard errors of the paired difference, or within the six digits of the reference."""
    error = difference.std(ddof=1) / np.sqrt(len(difference))
    assert abs(difference.mean()) <= max(3 * error, 1e-5 * 10), difference


@pytest.mark.parametrize("regions", list(Regions))
@pytest.mark.parametrize("policy", COMPARED + HYBRIDS)
@pytest.mark.parametrize("name", ["navigation", "led"])
def test_the_mean_cost_is_the_authors(
    shared_data: Path, reference: Reference, name: str, policy: str, regions: Regions
) -> None:
    seeds = range(130, 135) if policy in COMPARED else range(130, 132)
    assert_agree(differences(shared_data, reference, name, policy, regions, seeds))


@pytest.mark.parametrize(
    ("name", "policy"),
    [
        # A DPP over 74 questions takes minutes: it is part of the soak run.
        pytest.param(name, policy, marks=[pytest.mark.soak] * ((name, policy) == ("troubleshooting", "dpp")))
        for name in ("fico", "troubleshooting")
        for policy in (*COMPARED, *HYBRIDS)
    ],
)
def test_the_mean_cost_is_the_authors_with_many_questions(
    shared_data: Path, reference: Reference, name: str, policy: str
) -> None:
    assert_agree(differences(shared_data, reference, name, policy, Regions.KNOWN, range(130, 132)))


@pytest.mark.parametrize("name", ["navigation", "led"])
def test_asking_everything_costs_the_same_to_rounding(
    shared_data: Path, reference: Reference, name: str
) -> None:
    difference = differences(shared_data, reference, name, "all", Regions.KNOWN, range(130, 135))
    assert np.abs(difference).max() < 1e-5


def test_questions_decisions_and_accuracy_are_the_authors_too(
    shared_data: Path, reference: Reference
) -> None:
    """Fico has no ties among its class means, so that every single decision can be compared."""
    told = reference["known", "fico", "w-ec2-ts", 130]
    ours = held(shared_data, "fico", "w-ec2-ts", Regions.KNOWN, 130)
    assert ours.questions.mean() == pytest.approx(told["mean_tests"], abs=1e-5)
    assert (ours.decision == ours.label).mean() == pytest.approx(told["accuracy"], abs=1e-6)
    assert (ours.decision == -1).mean() == pytest.approx(told["share_minus1"], abs=1e-6)


@pytest.mark.soak
def test_every_reference_row_agrees(shared_data: Path, reference: Reference) -> None:
    for regions, name, policy in sorted({key[:3] for key in reference}):
        assert_agree(differences(shared_data, reference, name, policy, Regions(regions), range(130, 135)))
