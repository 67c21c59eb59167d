"""Show the results of an experiment as tables in the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from odm_tui.evaluation.experiment.settings import Knowledge
from odm_tui.evaluation.report.experiment_results import Row
from odm_tui.evaluation.report.reference_shares import NAMES
from odm_tui.formatting import format_count


def make_tables(rows: Sequence[Row]) -> RenderableType:
    """Return one table per data set with the figures of section 6, one line per policy, in 80 columns."""
    first = rows[0]
    seeds = format_count(len(first.seeds), "seed")
    title = f"Protocol {first.protocol}, regions {first.regions}, {seeds}"
    parts: list[RenderableType] = [Text(title, style="bold")]
    for dataset in dict.fromkeys(row.dataset for row in rows):
        chosen = [row for row in rows if row.dataset == dataset]
        parts += [
            Text(f"\n{dataset}, {format_count(chosen[0].scenarios, 'scenario')}"),
            _table(chosen),
            *_values(chosen),
        ]
    return Group(*parts)


def _table(rows: Sequence[Row]) -> Table:
    made = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    made.add_column("policy", no_wrap=True)
    for name in ("cost ± std", "/All", "real", "asked", "right", "undec", "util", "regret", "µs/q"):
        made.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        figures = row.as_dict()
        made.add_row(
            Text(row.policy),
            f"{figures['mean_cost']:.3f} ± {figures['std_cost']:.3f}",
            f"{figures['ratio_to_all']:.3f}",
            f"{figures['realised_cost']:.3f}",
            f"{figures['mean_questions']:.2f}",
            f"{figures['accuracy']:.2f}",
            f"{figures['undecided']:.2f}",
            f"{figures['utility']:.2f}",
            f"{figures['regret']:.1f}",
            f"{figures['microseconds_per_question']:.0f}",
        )
    return made


def _values(rows: Sequence[Row]) -> list[RenderableType]:
    """Return the table of values at the stakes, with the best possible value in the last line."""
    results = [row.as_dict() for row in rows]
    best = results[0]["optimum"]
    stakes, refer = results[0]["stakes"], rows[0].refer_cost
    handed = "" if refer is None else f" + {stakes - refer:.4g} × undecided"
    title = Text(f"\nvalue = {stakes:.4g} (stakes) × right{handed} − cost", style="bold")
    made = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    made.add_column("policy", no_wrap=True)
    references = {NAMES[Knowledge(name)]: name for name in results[0]["references"]}
    for name in ("cost", "right", "value", f"/{best['kind']}", *(f"/{name}" for name in references)):
        made.add_column(name, justify="right", no_wrap=True)
    for each in results:
        share = "" if each["ratio_to_optimum"] is None else f"{each['ratio_to_optimum']:.3f}"
        figures = (f"{each['mean_cost']:.3f}", f"{each['accuracy']:.3f}", f"{each['value']:.3f}")
        shares = (_share(each["references"][key]) for key in references.values())
        made.add_row(Text(each["policy"]), *figures, share, *shares)
    for name, key in references.items():
        made.add_row(name, "", "", f"{results[0]['references'][key]['value']:.3f}", "", style="bold")
    if refer is not None:
        return [title, made]  # the optimum is that of policies that always decide
    cost = f"{best['cost']:.3f}" if best["kind"] == "optimum" else "for free"
    made.add_row(best["kind"], cost, f"{best['accuracy']:.3f}", f"{best['value']:.3f}", "", style="bold")
    return [title, made]


def _share(reference: Mapping[str, Any]) -> str:
    """Return a share of a reference with its interval, such as ``.912 (.89–.93)``."""
    if reference["share"] is None:
        return ""
    share = f"{reference['share']:.3f}"
    if reference["interval"] is None:
        return share
    low, high = reference["interval"]
    return f"{share} ({low:.2f}…{high:.2f})"


def make_coverage_table(rows: Sequence[Row]) -> Table:
    """Return how many interviews decide, how often these are right, and how often the surest of them are."""
    made = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    made.add_column("data set", no_wrap=True)
    made.add_column("policy", no_wrap=True)
    for name in ("decided", "right", "util", *(f"{share} %" for share in SHARES)):
        made.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        figures = row.as_dict()
        right = figures["right_of_decided"]
        surest = {round(100 * point.coverage): f"{point.right:.2f}" for point in row.coverage}
        made.add_row(
            Text(row.dataset),
            Text(row.policy),
            f"{figures['coverage']:.2f}",
            "" if right is None else f"{right:.2f}",
            f"{figures['utility']:.2f}",
            *(surest.get(share, "") for share in SHARES),
        )
    return made


SHARES = (20, 40, 60, 80, 100)
"""The coverages in the table, in percent."""
COVERAGE_LEGEND = (
    "decided: the share of interviews that decide; right: the share of right ones among them; util: 2 right, -1 wrong, "
    "0 undecided; 20 % … 100 %: the share of right ones among the surest decisions, so many of all interviews; --json "
    "has the whole curve with its utility"
)
LEGEND = (
    "cost: by the data's theta, at the right outcome; /All: share of the cost of asking everything; real: the "
    "cost of the answers given; asked: questions; right, undec: shares of right and undecided interviews; util: 2 "
    "right, -1 wrong, 0 undecided; regret: the sum, against the oracle that knows theta; µs/q: microseconds per "
    "question; optimum: the best policy under the data's theta and P(y), with answers independent given the outcome; "
    "bound: a value that no policy exceeds, with all answers for free; full, theta known: the references of live interviews: a lookahead that sees all answers after the "
    "interview, and one that knows theta; their shares with 95 % intervals over seeds"
)
