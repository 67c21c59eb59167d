"""Print how other forms of ``lookahead-learn`` do in the learning runs of "Near the ceiling".

The last columns name the best form of each line, chosen on the very runs that it is measured on: no choice among these
forms beforehand can expect more. ``--directed`` compares the forms with information-directed sampling instead of the
others, and ends with the way to *full* of each. ``python -m benchmarks.learning_forms --datasets led --stakes 30 60``
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np

from benchmarks.learning_forms.forms import DIRECTED, FORMS, PRODUCT, Form, hold_runs
from benchmarks.results.contenders import format_table
from benchmarks.results.scenario_blocks import DIVISIONS, list_runs
from benchmarks.results.sections.ceiling import BEFORE, NOW, PLANS_OF_FIVE, make_unit
from odm_tui.engine.problem import Floats
from odm_tui.evaluation.data.dataset_sources import canonical_name
from odm_tui.evaluation.experiment.batch.simulation import BatchMember
from odm_tui.evaluation.experiment.batch.units import run_together
from odm_tui.evaluation.experiment.plan import Unit
from odm_tui.evaluation.experiment.settings import Knowledge
from odm_tui.evaluation.intervals import estimate_mean


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table with one line for each data set and each of the stakes, as soon as it is there."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.learning_forms", description=__doc__)
    parser.add_argument("--datasets", nargs="*", choices=list(DIVISIONS), default=list(DIVISIONS))
    parser.add_argument("--stakes", nargs="*", type=float, default=[30.0, 60.0])
    parser.add_argument("--most-runs", type=int)
    parser.add_argument("--most-scenarios", type=int)
    parser.add_argument("--directed", action="store_true")
    given = parser.parse_args(arguments)
    limits = {"most_runs": given.most_runs, "most_scenarios": given.most_scenarios}
    forms = DIRECTED if given.directed else FORMS
    others = [form.name for form in forms if form is not PRODUCT]
    header = ["data set", "stakes", BEFORE, NOW, "full", "more cost", "less right", *others]
    header += ["best of all", "way to full", "of the best"]
    if given.directed:
        header += [f"way: {name}" for name in others]
    print(format_table(header, []))
    for name in given.datasets:
        for stakes in given.stakes:
            print("| " + " | ".join(_line(name, stakes, limits, forms)) + " |", flush=True)


def _line(name: str, stakes: float, limits: dict[str, int | None], forms: Sequence[Form]) -> list[str]:
    """The cells of one line."""
    runs = list_runs(name, DIVISIONS[name], limits)
    blocks = [run.block for run in runs]
    units = [make_unit(run, NOW, stakes) for run in runs]
    before = _values([make_unit(run, BEFORE, stakes) for run in runs], stakes)[0].mean()
    full, full_cost = _values([unit.ceilings[Knowledge.FULL] for unit in units], stakes)
    own, own_cost = _values(units, stakes)
    members = [BatchMember(*unit.prepare(), unit.seed) for unit in units]
    made = {form: hold_runs(members, form, stakes, PLANS_OF_FIVE).value for form in forms}
    if not np.allclose(made[PRODUCT], own):
        raise AssertionError("the product's form must have the product's values")
    best = max(made, key=lambda form: float(made[form].mean()))
    more = float((own_cost - full_cost).mean())
    cells = [canonical_name(name), f"{stakes:g}", f"{before:.2f}", f"{own.mean():.2f}", f"{full.mean():.2f}"]
    cells += [f"{more:.2f}", f"{float((full - own).mean()) - more:.2f}"]
    for form in forms:
        if form is not PRODUCT:
            gap = estimate_mean(made[form] - own, blocks)
            cells.append(f"{gap.value:+.2f} ± {(gap.high - gap.low) / 2:.2f}")
    ways = {
        form: (float(each.mean()) - before) / (float(full.mean()) - before) for form, each in made.items()
    }
    cells += [best.name, f"{ways[PRODUCT]:.2f}", f"{ways[best]:.2f}"]
    if forms is DIRECTED:
        cells += [f"{way:.2f}" for form, way in ways.items() if form is not PRODUCT]
    return cells


def _values(units: Sequence[Unit], stakes: float) -> tuple[Floats, Floats]:
    """The value and the cost of an interview, mean of each run, (runs,) each."""
    traces = dict(run_together(units))
    value = [stakes * traces[unit].accuracy - traces[unit].mean_cost for unit in units]
    return np.array(value), np.array([traces[unit].mean_cost for unit in units])


if __name__ == "__main__":
    main()
