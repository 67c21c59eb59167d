"""Experiments: processor time per scenario against the authors' program, including the listing of hypotheses."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from time import perf_counter, process_time

from benchmarks.scenario_files import DATA, source
from benchmarks.simulated_log import write_log
from benchmarks.table import Row
from odm_tui.banks import load_bank
from odm_tui.evaluation.data.dataset_sources import Source
from odm_tui.evaluation.experiment.plan import Experiment
from odm_tui.evaluation.experiment.runner import run_units
from odm_tui.evaluation.experiment.settings import Prior, Protocol, Regions
from odm_tui.evaluation.experiment.simulation import simulate
from odm_tui.evaluation.replay.replay import ReplayOptions, replay

SCENARIOS: Mapping[str, int] = {"compas": 150, "fico": 150, "breastcancer": 80, "led": 300, "navigation": 300}
WANTED: Mapping[str, int] = {"compas": 50, "fico": 80, "breastcancer": 100, "led": 15}
"""How many times faster W-EC² must be."""


def rows(datasets: Sequence[str] = tuple(SCENARIOS)) -> Iterator[Row]:
    """Measure times per scenario against the reference, live interviews, audits, and two cores against one."""
    if DATA.is_dir():
        yield from _against_the_read_reference(datasets)
    yield _live()
    yield _audited()
    yield _two_cores()


def _against_the_read_reference(datasets: Sequence[str]) -> Iterator[Row]:
    theirs = _read_reference()
    for name in datasets:
        count = SCENARIOS[name]
        for policy in ("w-ec2-ts", "w-ec2-bucb", "w-ig-ts", "w-ig-bucb"):
            for regions in Regions:
                reference = theirs.get((regions, name, policy))
                if reference is None:
                    continue
                ours = _seconds(name, policy, regions, count)
                label = f"{policy} on {name}, regions {regions}: {1e3 * ours:.3g} ms per scenario"
                wanted = WANTED.get(name) if policy.startswith("w-ec2") else None
                target = f"at least {wanted}" if wanted else ""
                yield Row(label, reference / ours, "times faster", target)


def _read_reference() -> dict[tuple[str, str, str], float]:
    with (DATA / "reference_timing.csv").open() as lines:
        return {
            (row["setting"], row["dataset"], row["algorithm"].lower()): float(row["s_per_scenario_cpu"])
            for row in csv.DictReader(lines)
            if row["s_per_scenario_cpu"]
        }


def _seconds(name: str, policy: str, regions: Regions, count: int) -> float:
    dataset = source(name, count).load(130)
    best = float("inf")
    for _ in range(3):
        # Processor time, so that other load on the machine does not count.
        started = process_time()
        simulate(dataset, policy, protocol=Protocol.AUTHORS, regions=regions, seed=130)
        best = min(best, process_time() - started)
    return best / count


def _live() -> Row:
    dataset = Source("led", limit=300).load(130)
    run = simulate(dataset, "w-ec2-ts", protocol=Protocol.LIVE, prior=Prior.SEPARATE, seed=130)
    return Row("live interviews of W-EC²-TS on LED, one core", 300 / run.seconds, "interviews per second")


def _audited() -> Row:
    bank = load_bank("led")
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "led.log.jsonl"
        write_log(log, bank, 300, ["w-ec2-ts"])
        started = perf_counter()
        replay(bank, [log], ReplayOptions(()))
        taken = perf_counter() - started
    return Row("logged interviews audited, W-EC²-TS on LED, one core", 300 / taken, "interviews per second")


def _two_cores() -> Row:
    experiment = Experiment(
        (Source("led", limit=300),),
        ("w-ec2-ts", "w-ig-ts"),
        Protocol.PAPER,
        Regions.KNOWN,
        tuple(range(6)),
        0.002,
    )
    units = list(experiment.units())
    taken = []
    with tempfile.TemporaryDirectory() as folder:
        for jobs in (1, 2):
            started = perf_counter()
            run_units(units, folder=Path(folder) / str(jobs), jobs=jobs)
            taken.append(perf_counter() - started)
    return Row(
        f"{len(units)} runs of 300 interviews: two processes against one", taken[0] / taken[1], "times faster"
    )
