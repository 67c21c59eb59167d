"""The headline: a target for the mean cost, a tenth below what W-EC²-TS costs, beside W-EC²-TS by the paper's rule."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.results.contenders import (
    QUICK,
    RIVAL,
    SETTINGS,
    RunFigures,
    format_difference,
    format_interval,
    format_table,
    pack,
)
from benchmarks.results.scenario_blocks import DIVISIONS, LearningRun, describe_runs, list_runs
from benchmarks.results.section import Rows, Section, Settings, Work
from benchmarks.results.sections.ceiling import NOW, make_unit
from odm_tui.engine.interview import Interview
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.regret import run_to_end
from odm_tui.engine.target import find_move, stakes_factor
from odm_tui.evaluation.data.dataset_sources import canonical_name
from odm_tui.evaluation.intervals import estimate_mean


def hold_out_of_reach(run: LearningRun, settings: Settings, target: float, clips: bool) -> list[float]:
    """Hold interviews whose target is out of reach, then some with one that is not; return what the latter cost.

    Without ``clips`` an interview at a limit of the stakes goes on moving them, as a plain sum would.
    """
    whole, policy = make_unit(run, settings["policy"], settings["start"]).prepare()
    posterior, costs = Posterior.of(whole.problem), []
    seeds = np.random.default_rng(run.seed).integers(0, 2**31, size=len(whole.labels))
    for at, label in enumerate(whole.labels):
        aimed = settings["far"] if at < settings["out_of_reach"] else target
        problem = replace(whole.problem, target_cost=aimed)
        interview = Interview(problem, policy, posterior, int(seeds[at]))
        run_to_end(interview, whole.answers[at])
        asked = np.flatnonzero(interview.answers >= 0)
        cost = float(whole.problem.cost[asked, label, interview.answers[asked]].sum())
        move = find_move(cost, aimed, stakes_factor(posterior.moved)) if clips else (aimed - cost) / aimed
        moved = posterior.moved + move
        posterior = replace(posterior.updated(interview.answers, int(label)), moved=moved)
        costs.append(cost)
    return costs[settings["out_of_reach"] :]


def compute(settings: Settings, work: Work) -> Rows:
    """Return the figures of all data sets, and of a target that was out of reach."""
    return {"targets": _compare(settings, work), "windup": _wind_up(settings, work)}


def _wind_up(settings: Settings, work: Work) -> list[dict[str, Any]]:
    name = settings["windup_dataset"]
    runs = list_runs(name, DIVISIONS[name], settings)
    target = settings["near"]
    calls = [(hold_out_of_reach, (run, settings, target, clips)) for clips in (True, False) for run in runs]
    costs = np.array(work.run_calls(calls)).reshape(2, len(runs), -1)
    half = costs.shape[-1] // 2
    blocks = [run.block for run in runs]
    return [
        {
            "rule": rule,
            "first": pack(estimate_mean(costs[at, :, :half].mean(axis=1), blocks)),
            "second": pack(estimate_mean(costs[at, :, half:].mean(axis=1), blocks)),
            "interviews": half,
        }
        for at, rule in enumerate(("the rule of the product", "a plain sum"))
    ]


def _compare(settings: Settings, work: Work) -> list[dict[str, Any]]:
    """Run W-EC²-TS, then the default with the target that follows from its cost; return both and the differences."""
    rows: list[dict[str, Any]] = []
    for name in settings["datasets"]:
        runs = list_runs(name, DIVISIONS[name], settings)
        blocks = [run.block for run in runs]
        theirs = [RIVAL.unit(run) for run in runs]
        traces = work.run_units(theirs)
        rival = RunFigures.of((traces[unit] for unit in theirs), blocks)
        target = settings["share"] * float(np.mean([traces[unit].realised.mean() for unit in theirs]))
        fresh = [replace(run, seed=run.seed + settings["first_seed"]) for run in runs]
        ours = [replace(make_unit(run, NOW, settings["start"]), target_cost=target) for run in fresh]
        held = work.run_units(ours)
        own = RunFigures.of((held[unit] for unit in ours), blocks)
        rows.append(
            {
                "dataset": name,
                "runs": describe_runs(runs),
                "target": target,
                "rival": [pack(rival.mean("cost")), pack(rival.mean("right"))],
                "own": [pack(own.mean("cost")), pack(own.mean("right"))],
                "cost_gap": pack(own.difference("cost", rival)),
                "right_gap": pack(own.difference("right", rival)),
            }
        )
    return rows


def render(settings: Settings, rows: Rows) -> str:
    """Return the table."""
    header = [
        "data set",
        "runs",
        "target",
        "W-EC²-TS: cost",
        "right",
        f"{NOW} with the target: cost",
        "right",
        "cost: difference",
        "right: difference",
    ]
    lines = [
        [
            canonical_name(row["dataset"]),
            row["runs"],
            f"{row['target']:.3f}",
            *map(format_interval, (*row["rival"], *row["own"])),
            format_difference(row["cost_gap"]),
            format_difference(row["right_gap"]),
        ]
        for row in rows["targets"]
    ]
    table = format_table(header, lines, texts=2)
    return f"{table}\n\n{_render_windup(settings, rows['windup'])}"


def _render_windup(settings: Settings, rows: list[dict[str, Any]]) -> str:
    count = rows[0]["interviews"]
    header = [
        "moves of the stakes",
        f"cost of the next {count} interviews",
        f"of the {count} after these",
        "target",
    ]
    lines = [
        [row["rule"], format_interval(row["first"]), format_interval(row["second"]), f"{settings['near']:g}"]
        for row in rows
    ]
    return format_table(header, lines)


SECTION = Section(
    "target",
    "A target for the cost",
    {
        **SETTINGS,
        "share": 0.9,
        "start": 5.0,
        "first_seed": 70_000,
        "windup_dataset": "led",
        "policy": "lookahead-ts",
        "far": 1000.0,
        "near": 1.0,
        "out_of_reach": 150,
    },
    {**QUICK, "out_of_reach": 2},
    compute,
    render,
)
