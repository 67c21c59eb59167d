"""Show the results of an experiment as tables in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from odm_tui.evaluation.report.results import Row


def make_tables(rows: Sequence[Row]) -> RenderableType:
    """The figures of section 6: a table a data set, one line a policy; 80 columns are enough."""
    first = rows[0]
    seeds = len(first.seeds)
    what = f"Protocol {first.protocol}, regions {first.regions}, {seeds} seed{'s' if seeds > 1 else ''}"
    parts: list[RenderableType] = [Text(what, style="bold")]
    for dataset in dict.fromkeys(row.dataset for row in rows):
        chosen = [row for row in rows if row.dataset == dataset]
        parts += [Text(f"\n{dataset}, {chosen[0].scenarios} scenarios"), _table(chosen), *_values(chosen)]
    return Group(*parts)


def _table(rows: Sequence[Row]) -> Table:
    made = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    made.add_column("policy", no_wrap=True)
    for name in ("cost ± std", "/All", "real", "asked", "right", "undec", "util", "regret", "µs/q"):
        made.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        told = row.as_dict()
        made.add_row(
            Text(row.policy),
            f"{told['mean_cost']:.3f} ± {told['std_cost']:.3f}",
            f"{told['ratio_to_all']:.3f}",
            f"{told['realised_cost']:.3f}",
            f"{told['mean_questions']:.2f}",
            f"{told['accuracy']:.2f}",
            f"{told['undecided']:.2f}",
            f"{told['utility']:.2f}",
            f"{told['regret']:.1f}",
            f"{told['microseconds_per_question']:.0f}",
        )
    return made


def _values(rows: Sequence[Row]) -> list[RenderableType]:
    """What each policy is worth at the stakes, beside the best that any could be worth."""
    told = [row.as_dict() for row in rows]
    best = told[0]["optimum"]
    title = Text(f"\nvalue = {told[0]['stakes']:.4g} (stakes) × right − cost", style="bold")
    made = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    made.add_column("policy", no_wrap=True)
    for name in ("cost", "right", "value", f"/{best['kind']}"):
        made.add_column(name, justify="right", no_wrap=True)
    for each in told:
        share = "" if each["ratio_to_optimum"] is None else f"{each['ratio_to_optimum']:.3f}"
        figures = (f"{each['mean_cost']:.3f}", f"{each['accuracy']:.3f}", f"{each['value']:.3f}")
        made.add_row(Text(each["policy"]), *figures, share)
    cost = f"{best['cost']:.3f}" if best["kind"] == "optimum" else "for free"
    made.add_row(best["kind"], cost, f"{best['accuracy']:.3f}", f"{best['value']:.3f}", "", style="bold")
    return [title, made]


LEGEND = (
    "cost: by the data's theta, at the right outcome; /All: share of what asking everything costs; real: the "
    "cost of the answers given; asked: questions; right, undec: shares of decisions; util: 2 right, -1 wrong, "
    "0 undecided; regret: summed, against the oracle that knows theta; µs/q: microseconds a question; optimum: the "
    "best policy under the data's theta and P(y), answers independent given the outcome; bound: what none exceeds, "
    "all answers for free"
)
