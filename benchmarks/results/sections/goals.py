"""Where ours costs less and is right more often than W-EC²-TS by the paper's rule."""

from __future__ import annotations

from benchmarks.results.contenders import (
    OURS,
    QUICK,
    RIVAL,
    SETTINGS,
    Contender,
    Held,
    RunFigures,
    format_table,
    select,
)
from benchmarks.results.section import Rows, Section, Settings, Work
from odm_tui.evaluation.data.dataset_sources import canonical_name


def compute(settings: Settings, work: Work) -> Rows:
    """Return the settings of ours that are better in both, beyond noise and not."""
    held = Held(work, settings, (RIVAL, *OURS))
    rows = []
    for name in held.runs:
        rival = held.figures(name, RIVAL)
        surely: list[str] = []
        perhaps: list[str] = []
        for contender in select(OURS, name):
            own = held.figures(name, contender)
            cost, right = own.difference("cost", rival), own.difference("right", rival)
            if cost.value < 0 < right.value:
                (surely if cost.high < 0 < right.low else perhaps).append(describe(contender, own))
        rows.append(
            {
                "dataset": name,
                "rival": [rival.mean("cost").value, rival.mean("right").value],
                "surely": surely,
                "perhaps": perhaps,
            }
        )
    return rows


def describe(contender: Contender, own: RunFigures) -> str:
    """Return a contender with its stakes, cost and share of right decisions."""
    figures = f"{own.mean('cost').value:.3f} / {own.mean('right').value:.3f}"
    return f"{contender.policy} at {contender.stakes_text} ({figures})"


def render(settings: Settings, rows: Rows) -> str:
    """Return the table."""
    header = [
        "data set",
        "W-EC²-TS, paper's rule: cost / right",
        "both better, beyond noise",
        "both better, but not beyond noise",
    ]
    lines = [
        [
            canonical_name(row["dataset"]),
            f"{row['rival'][0]:.3f} / {row['rival'][1]:.3f}",
            ", ".join(row["surely"]) or "none",
            ", ".join(row["perhaps"]) or "none",
        ]
        for row in rows
    ]
    return format_table(header, lines, texts=4)


SECTION = Section("goals", "Cheaper and more often right", SETTINGS, QUICK, compute, render)
