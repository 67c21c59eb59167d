"""The paper's policies in live interviews with the paper's prior, over learning runs."""

from __future__ import annotations

from benchmarks.results.contenders import QUICK, SETTINGS, Contender, Held, select
from benchmarks.results.main_figures import render_figures, summarise_runs
from benchmarks.results.scenario_blocks import describe_runs
from benchmarks.results.section import Rows, Section, Settings, Work
from odm_tui.evaluation.data.dataset_sources import canonical_name
from odm_tui.evaluation.experiment.settings import Protocol


def compute(settings: Settings, work: Work) -> Rows:
    """Hold live interviews in every learning run."""
    contenders = [Contender(policy, Protocol.LIVE) for policy in settings["policies"]]
    held = Held(work, settings, contenders)
    rows = []
    for name, runs in held.runs.items():
        for contender in select(contenders, name):
            units = [contender.unit(run) for run in runs]
            rows.append(summarise_runs(name, contender.policy, units, held.traces, runs))
    notes = [f"{canonical_name(name)}: {describe_runs(runs)}" for name, runs in held.runs.items()]
    return {"rows": rows, "runs": notes}


def render(settings: Settings, rows: Rows) -> str:
    """Return the table and what the runs were."""
    return f"{render_figures(rows['rows'])}\n\n{'; '.join(rows['runs'])}."


SECTION = Section(
    "live",
    "Real interviews with the paper's policies",
    settings={**SETTINGS, "policies": ["w-ec2-ts", "w-ec2-bucb", "w-ig-ts", "w-ig-bucb", "random", "all"]},
    quick={**QUICK, "policies": ["w-ig-ts", "w-ig-bucb"]},
    compute=compute,
    render=render,
)
