"""Print how other forms of ``lookahead-learn`` do in the learning runs of "Near the ceiling".

The last columns name the best form of each line, chosen on the very runs that it is measured on: no choice among these
forms beforehand can expect more. ``--directed`` compares the forms with information-directed sampling instead of the
others, ``--audits`` with forms that ask more in the first interviews; both end with the way to *full* of each.
``--prior shared`` holds all of them as banks learn by default. ``--by-time`` says instead when in the run the product is
behind *full*. ``python -m benchmarks.learning_forms --datasets led --stakes 30 60``
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from benchmarks.learning_forms.by_time import write_by_time
from benchmarks.learning_forms.forms import AUDITS, DIRECTED, FORMS, PRODUCT, Form, hold_runs
from benchmarks.results.contenders import format_table
from benchmarks.results.scenario_blocks import DIVISIONS, LearningRun, list_runs
from benchmarks.results.sections.ceiling import BEFORE, NOW, PLANS_OF_FIVE, make_unit
from odm_tui.engine.problem import Floats
from odm_tui.evaluation.data.dataset_sources import canonical_name
from odm_tui.evaluation.experiment.batch.simulation import BatchMember
from odm_tui.evaluation.experiment.batch.units import run_together
from odm_tui.evaluation.experiment.plan import Unit
from odm_tui.evaluation.experiment.settings import Knowledge, Prior
from odm_tui.evaluation.intervals import estimate_mean, estimate_ratio


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table with one line for each data set and each of the stakes, as soon as it is there."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.learning_forms", description=__doc__)
    parser.add_argument("--datasets", nargs="*", choices=list(DIVISIONS), default=list(DIVISIONS))
    parser.add_argument("--stakes", nargs="*", type=float, default=[30.0, 60.0])
    parser.add_argument("--most-runs", type=int)
    parser.add_argument("--most-scenarios", type=int)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--directed", action="store_const", const=DIRECTED, default=FORMS, dest="forms")
    which.add_argument("--audits", action="store_const", const=AUDITS, dest="forms")
    which.add_argument("--by-time", action="store_true")
    parser.add_argument("--prior", choices=["pooled", "shared"], default="pooled")
    parser.add_argument(
        "--streams-from", type=int, default=0, metavar="SEED", help="added to every run's seed"
    )
    parser.add_argument("--only", nargs="*", metavar="FORM", help="of the forms, the product and these")
    given = parser.parse_args(arguments)
    forms = [form for form in given.forms if given.only is None or form.name in (PRODUCT.name, *given.only)]
    limits = {"most_runs": given.most_runs, "most_scenarios": given.most_scenarios}
    lines = (
        (name, stakes, _list_runs(name, limits, given.streams_from))
        for name in given.datasets
        for stakes in given.stakes
    )
    if given.by_time:
        write_by_time(lines, Prior(given.prior))
        return
    others = [form.name for form in forms if form is not PRODUCT]
    header = ["data set", "stakes", BEFORE, NOW, "full", "more cost", "less right", *others]
    header += ["best of all", "way to full", "of the best"]
    if given.forms is not FORMS:
        header += [f"way: {form.name}" for form in forms]
    print(format_table(header, []))
    for name, stakes, runs in lines:
        print(
            "| "
            + " | ".join(_line(name, stakes, runs, forms, Prior(given.prior), ways=given.forms is not FORMS))
            + " |",
            flush=True,
        )


def _list_runs(name: str, limits: dict[str, int | None], streams_from: int) -> list[LearningRun]:
    """The learning runs of "Near the ceiling", or the same scenarios with other random streams."""
    runs = list_runs(name, DIVISIONS[name], limits)
    return [replace(run, seed=run.seed + streams_from) for run in runs]


def _line(
    name: str, stakes: float, runs: Sequence[LearningRun], forms: Sequence[Form], prior: Prior, ways: bool
) -> list[str]:
    """The cells of one line."""
    blocks = [run.block for run in runs]
    units = [make_unit(run, NOW, stakes, prior) for run in runs]
    before, _ = _values([make_unit(run, BEFORE, stakes, prior) for run in runs], stakes)
    full, full_cost = _values([unit.ceilings[Knowledge.FULL] for unit in units], stakes)
    members = [BatchMember(*unit.prepare(), unit.seed) for unit in units]
    figures = {form: hold_runs(members, form, stakes, PLANS_OF_FIVE) for form in forms}
    made = {form: each.value for form, each in figures.items()}
    own, own_cost = made[PRODUCT], figures[PRODUCT].cost
    best = max((form for form in made if not form.shown), key=lambda form: float(made[form].mean()))
    more = float((own_cost - full_cost).mean())
    cells = [
        canonical_name(name),
        f"{stakes:g}",
        f"{before.mean():.2f}",
        f"{own.mean():.2f}",
        f"{full.mean():.2f}",
    ]
    cells += [f"{more:.2f}", f"{float((full - own).mean()) - more:.2f}"]
    for form in forms:
        if form is not PRODUCT:
            gap = estimate_mean(made[form] - own, blocks)
            cells.append(f"{gap.value:+.2f} ± {(gap.high - gap.low) / 2:.2f}")
    parts = {form: estimate_ratio(each - before, full - before, blocks) for form, each in made.items()}
    cells += [best.name, f"{parts[PRODUCT].value:.2f}", f"{parts[best].value:.2f}"]
    if ways:
        cells += [f"{way.value:.2f} ± {(way.high - way.low) / 2:.2f}" for way in parts.values()]
    return cells


def _values(units: Sequence[Unit], stakes: float) -> tuple[Floats, Floats]:
    """The value and the cost of an interview, mean of each run, (runs,) each."""
    traces = dict(run_together(units))
    value = [stakes * traces[unit].accuracy - traces[unit].mean_cost for unit in units]
    return np.array(value), np.array([traces[unit].mean_cost for unit in units])


if __name__ == "__main__":
    main()
