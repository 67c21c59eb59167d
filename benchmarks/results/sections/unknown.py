"""The paper's formulas with unknown regions: cost, share of right decisions and utility over five seeds."""

from __future__ import annotations

from benchmarks.results.contenders import ETA
from benchmarks.results.main_figures import render_figures, summarise_runs
from benchmarks.results.scenario_blocks import LearningRun
from benchmarks.results.section import Rows, Section, Settings, Work
from benchmarks.results.sections.agreement import COMPARED
from benchmarks.scenario_files import FIRST, SEEDS, source
from odm_tui.evaluation.experiment.plan import Unit
from odm_tui.evaluation.experiment.settings import Protocol, Regions


def compute(settings: Settings, work: Work) -> Rows:
    """Run the paper's protocol with unknown regions on the first scenarios of each file."""
    runs = {
        name: [LearningRun(source(name, settings["scenarios"]), seed, seed) for seed in settings["seeds"]]
        for name in settings["datasets"]
    }
    units = {
        (name, policy): [
            Unit(run.source, policy, Protocol.PAPER, Regions.UNKNOWN, ETA, run.seed) for run in runs[name]
        ]
        for name in runs
        for policy in settings["policies"]
    }
    traces = work.run_units([unit for each in units.values() for unit in each])
    return [summarise_runs(name, policy, made, traces, runs[name]) for (name, policy), made in units.items()]


def render(settings: Settings, rows: Rows) -> str:
    """Return the table."""
    return render_figures(rows)


SECTION = Section(
    "unknown",
    "The paper's formulas with unknown regions",
    settings={"datasets": list(FIRST), "policies": list(COMPARED), "scenarios": 300, "seeds": list(SEEDS)},
    quick={
        "datasets": ["breastcancer"],
        "policies": ["w-ec2-ts", "w-ec2-bucb"],
        "scenarios": 5,
        "seeds": [130, 131],
    },
    compute=compute,
    render=render,
)
