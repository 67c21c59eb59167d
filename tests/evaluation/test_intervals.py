"""Intervals over learning runs: they cover what they say, also where runs share their scenarios."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.results.contenders import RunFigures, format_difference
from benchmarks.results.scenario_blocks import DIVISIONS, LONG, list_runs
from odm_tui.engine.problem import Floats
from odm_tui.evaluation.experiment.simulation import Trace
from odm_tui.evaluation.intervals import ClusterEstimate, estimate_mean, estimate_ratio

TRIALS = 2000


def _draw(rng: np.random.Generator, blocks: int, streams: int) -> tuple[Floats, list[int]]:
    """Draw runs whose block matters as much as everything else together."""
    effect = rng.normal(0.0, 1.0, blocks)[:, None]
    values = 3.0 + effect + rng.normal(0.0, 1.0, (blocks, streams))
    return values.ravel(), [block for block in range(blocks) for _ in range(streams)]


@pytest.mark.parametrize(("blocks", "streams"), [(40, 1), (20, 2), (6, 7), (5, 8)])
def test_intervals_over_clusters_cover_95_percent(blocks: int, streams: int) -> None:
    rng = np.random.default_rng(5)
    covered = 0
    for _ in range(TRIALS):
        found = estimate_mean(*_draw(rng, blocks, streams))
        covered += found.low <= 3.0 <= found.high
    assert covered / TRIALS == pytest.approx(0.95, abs=0.015)


def test_intervals_that_ignore_the_blocks_cover_too_little() -> None:
    rng = np.random.default_rng(6)
    covered = 0
    for _ in range(TRIALS // 4):
        values, _ = _draw(rng, 6, 7)
        found = estimate_mean(values, range(len(values)))
        covered += found.low <= 3.0 <= found.high
    assert covered / (TRIALS // 4) < 0.85


def test_intervals_of_ratios_cover() -> None:
    rng = np.random.default_rng(7)
    covered = 0
    for _ in range(TRIALS):
        below, clusters = _draw(rng, 20, 2)
        below = 10.0 + below
        above = 0.5 * below + rng.normal(0.0, 0.3, len(below))
        found = estimate_ratio(above, below, clusters)
        covered += found.low <= 0.5 <= found.high
    assert covered / TRIALS == pytest.approx(0.95, abs=0.02)


def test_one_cluster_has_no_interval() -> None:
    found = estimate_mean([1.0, 2.0], ["same", "same"])
    assert found.value == 1.5
    assert np.isnan([found.low, found.high]).all()
    assert not found.excludes(0.0)


def test_clusters_of_different_sizes_weigh_by_their_runs() -> None:
    found = estimate_mean([1.0, 1.0, 4.0], ["a", "a", "b"])
    assert found.value == pytest.approx(2.0)
    # Cluster sums of the residuals: -2 and 2, so the error is sqrt(8 · 2) / 3; one degree of freedom.
    assert found.high - found.value == pytest.approx(12.706 * 4 / 3, rel=1e-4)


def test_every_table_of_ours_has_at_least_40_runs_of_disjoint_scenarios() -> None:
    for name, division in (*DIVISIONS.items(), *LONG.items()):
        runs = list_runs(name, division)
        assert len(runs) == division.runs >= 40
        assert len({run.block for run in runs}) == division.clusters
        assert len({run.seed for run in runs}) == len(runs)
        used: dict[tuple[str | None, int], int] = {}
        for run in runs:
            limit = run.source.limit
            assert limit is not None
            for scenario in range(run.source.skip, run.source.skip + limit):
                assert used.setdefault((run.source.data, scenario), run.block) == run.block


def test_a_difference_is_called_noise_unless_its_interval_excludes_0() -> None:
    assert format_difference([-0.5, -0.9, -0.1]) == "-0.500 [-0.900, -0.100]"
    assert format_difference([-0.5, -0.9, 0.0]).endswith("(noise)")
    assert not ClusterEstimate(0.5, 0.0, 1.0).excludes(0.0)


def test_figures_of_the_second_half_leave_out_the_first() -> None:
    held = Trace(
        cost=np.array([9.0, 9.0, 1.0, 3.0]),
        realised=np.zeros(4),
        questions=np.zeros(4, dtype=np.int32),
        decision=np.array([0, 0, 1, -1], dtype=np.int32),
        label=np.array([1, 1, 1, 1], dtype=np.int32),
        belief=np.array([0.9, 0.9, 0.3, np.nan]),
        seconds=0.0,
    )
    made = RunFigures.of([held, held], [0, 1], 0.5)
    assert [each.tolist() for each in (made.cost, made.right, made.utility)] == [[2, 2], [0.5, 0.5], [1, 1]]
    assert made.careful.tolist() == [0, 0]
    assert made.value(10.0).tolist() == [3.0, 3.0]
    whole = RunFigures.of([held, held], [0, 1])
    assert made.difference("cost", whole).value == pytest.approx(-3.5)
