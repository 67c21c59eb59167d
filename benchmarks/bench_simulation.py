"""Simulated live interviews: held in step by compiled functions, against one by one."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import perf_counter, process_time

from benchmarks.scenario_files import DATA, FIRST, SEEDS, source
from benchmarks.table import Row
from odm_tui.engine.oracles.lookahead import Lookahead
from odm_tui.engine.policy import policy_from
from odm_tui.evaluation.data.dataset_sources import Source
from odm_tui.evaluation.experiment.batch.simulation import BatchMember, plan_depth, simulate_together
from odm_tui.evaluation.experiment.batch.units import run_together
from odm_tui.evaluation.experiment.plan import MILLISECONDS, Unit
from odm_tui.evaluation.experiment.runner import run_units
from odm_tui.evaluation.experiment.settings import Protocol, Regions
from odm_tui.evaluation.experiment.simulation import simulate

ETA = 0.002
TOGETHER = 40
"""How many seeds are held in step: as many as the tables of docs/results.md have."""
SHALLOW = 0.3
"""Milliseconds for a plan of five questions, on LED and on compas."""
ROUNDS = 3
BEFORE = {
    ("led", "lookahead-ts"): 567,
    ("compas", "lookahead-ts"): 146,
    ("led", "w-ec2-ts"): 724,
    ("compas", "w-ec2-ts"): 655,
}
"""Interviews a second on one core of this kind of machine before interviews were held in step."""


def rows() -> Iterator[Row]:
    """Interviews a second of both ways on one core, and two processes against one."""
    for name in ("led", "compas") if DATA.is_dir() else ("led",):
        yield from _compared(name, "lookahead-ts", MILLISECONDS)
        yield from _compared(name, "lookahead-ts", SHALLOW)
        yield from _compared(name, "w-ec2-ts", MILLISECONDS)
    yield _two_processes()


def _compared(name: str, policy: str, milliseconds: float) -> Iterator[Row]:
    members = _members(name, policy, milliseconds)
    simulate_together(members[:1], Regions.UNKNOWN, ETA)  # compiled here, if it was not before
    one_by_one = in_step = float("inf")
    for round_ in range(ROUNDS):
        # In turns, and by processor time: whatever else runs on the machine takes as much from both.
        started = process_time()
        held = members[round_]
        simulate(held.dataset, held.policy, protocol="live", prior="separate", eta=ETA, seed=held.seed)
        one_by_one = min(one_by_one, process_time() - started)
        started = process_time()
        simulate_together(members, Regions.UNKNOWN, ETA)
        in_step = min(in_step, (process_time() - started) / len(members))
    problem, length = members[0].dataset.problem, len(members[0].dataset.labels)
    planned = ""
    if policy.startswith("lookahead"):
        planned = f", plans of {plan_depth(*problem.shape[:2], milliseconds)}"
    label = f"{policy} on {name}{planned}"
    yield Row(f"{label}: one by one", length / one_by_one, "interviews a second")
    yield Row(f"{'':4}{TOGETHER} seeds in step, one core", length / in_step, "interviews a second")
    yield Row(f"{'':4}in step against one by one", one_by_one / in_step, "times faster", "at least 10")
    before = BEFORE.get((name, policy))
    if before is not None and milliseconds == MILLISECONDS:
        label = f"{'':4}in step against {before} interviews a second of the first version"
        yield Row(label, length / in_step / before, "times faster", "at least 10")


def _members(name: str, policy: str, milliseconds: float) -> list[BatchMember]:
    """Each scenario file several times, each time with another seed for what is drawn."""
    made = policy_from(policy)
    if isinstance(made.oracle, Lookahead):
        made = replace(made, oracle=Lookahead(milliseconds))
    files = source(name, FIRST[name]) if DATA.is_dir() else Source(name, limit=FIRST[name])
    datasets = [files.load(seed) for seed in SEEDS]
    return [BatchMember(datasets[seed % len(SEEDS)], made, seed) for seed in range(TOGETHER)]


def _two_processes() -> Row:
    """The same long run in one process and in two; the time of starting them counts."""
    units = [
        Unit(Source("led"), policy, Protocol.LIVE, Regions.UNKNOWN, ETA, seed, stakes)
        for policy in ("lookahead-ts", "lookahead-sts")
        for stakes in (10.0, 30.0, 60.0)
        for seed in range(6 * TOGETHER)
    ]
    list(run_together(units[:1]))  # compiled here, if it was not before
    taken = []
    with tempfile.TemporaryDirectory() as folder:
        for jobs in (1, 2):
            started = perf_counter()
            run_units(units, folder=Path(folder) / str(jobs), jobs=jobs)
            taken.append(perf_counter() - started)
    label = f"{len(units)} runs of 1,000 lookahead interviews on LED, {taken[0]:.0f} s in one process"
    return Row(f"{label}: two processes", taken[0] / taken[1], "times faster", "at least 1.8")
