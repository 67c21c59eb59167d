"""Runs in parallel, on a cluster, and after an interruption."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from odm_tui.errors import BadArgument
from odm_tui.evaluation.data.dataset_sources import Source
from odm_tui.evaluation.experiment.plan import Experiment, Unit
from odm_tui.evaluation.experiment.runner import run_units
from odm_tui.evaluation.experiment.settings import Prior, Protocol, Regions
from odm_tui.evaluation.experiment.simulation import Trace
from odm_tui.evaluation.report.experiment_results import (
    compute_curves,
    compute_rows,
    curves_to_csv,
    make_report,
    rows_to_csv,
    to_json,
)


def small() -> Experiment:
    return Experiment(
        (Source("navigation", limit=15), Source("led", limit=10)),
        ("w-ec2-ts", "random"),
        Protocol.PAPER,
        Regions.KNOWN,
        (130, 131),
        0.002,
    )


def same(first: dict[Unit, Trace], second: dict[Unit, Trace]) -> bool:
    return first.keys() == second.keys() and all(
        np.array_equal(first[unit].cost, second[unit].cost) for unit in first
    )


def test_every_unit_and_what_its_regret_is_measured_against_runs_once() -> None:
    units = list(small().units())
    # two data sets × two seeds × (two policies and one oracle that knows theta)
    assert len(units) == len(set(units)) == 12


def test_parallel_runs_give_what_one_process_gives(tmp_path: Path) -> None:
    units = list(small().units())
    alone = run_units(units, folder=tmp_path / "a")
    assert same(alone, run_units(units, folder=tmp_path / "b", jobs=2))


def test_a_run_that_was_interrupted_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    units = list(small().units())
    ran: list[Unit] = []
    run = Unit.run

    def interrupted_after_five(unit: Unit) -> Trace:
        if len(ran) == 5:
            raise KeyboardInterrupt
        ran.append(unit)
        return run(unit)

    monkeypatch.setattr(Unit, "run", interrupted_after_five)
    with pytest.raises(KeyboardInterrupt):
        run_units(units, folder=tmp_path)
    assert len(list(tmp_path.glob("*.npz"))) == 5

    def noted(unit: Unit) -> Trace:
        ran.append(unit)
        return run(unit)

    monkeypatch.setattr(Unit, "run", noted)
    finished = run_units(units, folder=tmp_path)
    monkeypatch.setattr(Unit, "run", run)
    assert len(ran) == len(units)
    assert same(finished, {unit: unit.run() for unit in units})


def test_results_that_can_t_be_read_are_made_again(tmp_path: Path) -> None:
    units = list(small().units())[:1]
    whole = run_units(units, folder=tmp_path)
    (kept,) = tmp_path.glob("*.npz")
    kept.write_bytes(kept.read_bytes()[:100])
    assert same(run_units(units, folder=tmp_path), whole)


def test_another_file_of_scenarios_is_another_unit(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    unit = Unit(Source("toy", data=str(path)), "all", Protocol.PAPER, Regions.KNOWN, 0.002, 1)
    path.write_text("a,label\n0,0\n1,1\n")
    before = unit.key
    path.write_text("a,label\n1,0\n0,1\n")
    assert unit.key != before


def test_another_prior_or_time_to_plan_is_another_unit() -> None:
    unit = Unit(Source("led"), "lookahead-ts", Protocol.LIVE, Regions.UNKNOWN, 0.002, 130)
    others = (
        replace(unit, prior=Prior.POOLED),
        replace(unit, prior=Prior.SHARED),
        replace(unit, milliseconds=50.0),
        replace(unit, stakes=30.0),
    )
    assert len({unit.key, *(other.key for other in others)}) == 5


def test_each_prior_changes_what_interviews_cost() -> None:
    unit = Unit(
        Source("troubleshooting", limit=20), "lookahead-ts", Protocol.LIVE, Regions.UNKNOWN, 0.002, 130
    )
    costs = [replace(unit, prior=prior).run().cost.tolist() for prior in Prior]
    assert all(cost not in costs[:place] for place, cost in enumerate(costs))


@pytest.mark.parametrize("prior", [Prior.POOLED, Prior.SHARED])
def test_the_authors_program_has_separate_priors_only(prior: Prior) -> None:
    with pytest.raises(BadArgument, match="separate priors only"):
        Unit(Source("led"), "w-ec2-ts", Protocol.AUTHORS, Regions.KNOWN, 0.002, 130, prior=prior)


def test_progress_is_told_from_what_was_kept_to_the_end(tmp_path: Path) -> None:
    units = list(small().units())[:3]
    run_units(units[:1], folder=tmp_path)
    told: list[tuple[int, int]] = []
    run_units(units, folder=tmp_path, progress=lambda done, of: told.append((done, of)))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_a_dask_cluster_of_two_workers_gives_the_same_results(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    units = list(small().units())[:4]
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
    ) as cluster:
        away = run_units(units, folder=tmp_path / "a", backend="dask", scheduler=cluster.scheduler_address)
    assert same(away, run_units(units, folder=tmp_path / "b"))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"backend": "threads"}, "Unknown backend 'threads'"),
        ({"scheduler": "tcp://x:1"}, "--backend dask"),
        ({"backend": "dask"}, "--scheduler"),
    ],
)
def test_a_wrong_backend_is_refused(tmp_path: Path, options: dict[str, str], said: str) -> None:
    with pytest.raises(BadArgument, match=said):
        run_units([], folder=tmp_path, **options)  # type: ignore[arg-type]


def test_the_report_says_what_is_needed_to_repeat_the_run(tmp_path: Path) -> None:
    experiment = small()
    traces = run_units(list(experiment.units()), folder=tmp_path)
    rows = compute_rows(experiment, traces)
    told = make_report(experiment, rows, "odm-tui experiment navigation led")
    assert told["experiment"]["seeds"] == [130, 131]
    assert told["experiment"]["sources"][0]["dataset"] == "navigation"
    assert {"odm-tui", "python", "numpy", "scipy"} <= told["versions"].keys()
    assert '"mean_cost"' in to_json(told)
    assert len(rows_to_csv(rows).splitlines()) == 1 + 2 * 2 * 2
    curves = compute_curves(experiment, experiment.sources[0], traces)
    assert len(curves_to_csv([curves]).splitlines()) == 1 + 2 * 15
    assert curves.cost["random"][-1] == pytest.approx(rows[1].as_dict()["mean_cost"])
    assert curves.regret["random"][-1] == pytest.approx(rows[1].as_dict()["regret"])
