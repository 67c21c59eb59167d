"""Compare the utility of ours with that of asking everything by the paper's rule."""

from __future__ import annotations

from typing import Any

from benchmarks.results.contenders import (
    EVERYTHING,
    QUICK,
    SETTINGS,
    Contender,
    Held,
    format_difference,
    format_table,
    pack,
)
from benchmarks.results.section import Rows, Section, Settings, Work
from benchmarks.results.sections.goals import describe
from odm_tui.evaluation.data.dataset_sources import canonical_name
from odm_tui.evaluation.experiment.settings import Prior, Protocol

COMPARED = tuple(
    Contender(policy, Protocol.LIVE, Prior.SHARED, stakes)
    for policy in ("lookahead-ts", "lookahead-sts")
    for stakes in (None, 60.0)
)
"""Chosen beforehand: the most useful setting of many would look better than it is."""


def compute(settings: Settings, work: Work) -> Rows:
    """Return the difference of each of ours to asking everything."""
    held = Held(work, settings, (EVERYTHING, *COMPARED))
    rows = []
    for name in held.runs:
        everything = held.figures(name, EVERYTHING)
        for contender in COMPARED:
            own = held.figures(name, contender)
            row: dict[str, Any] = {
                "dataset": name,
                "all": [everything.mean("utility").value, everything.mean("cost").value],
                "ours": describe(contender, own),
            }
            for kind in ("utility", "careful"):
                row[kind] = own.mean(kind).value
                row[f"{kind}_gap"] = pack(own.difference(kind, everything))
            rows.append(row)
    return rows


def render(settings: Settings, rows: Rows) -> str:
    """Return the table."""
    header = [
        "data set",
        "ours",
        "All, paper's rule: utility (cost)",
        "utility",
        "difference",
        "careful utility",
        "difference",
    ]
    lines = [
        [
            canonical_name(row["dataset"]),
            row["ours"],
            f"{row['all'][0]:.2f} ({row['all'][1]:.2f})",
            f"{row['utility']:.2f}",
            format_difference(row["utility_gap"]),
            f"{row['careful']:.2f}",
            format_difference(row["careful_gap"]),
        ]
        for row in rows
    ]
    return format_table(header, lines, texts=2)


SECTION = Section("usefulness", "As useful as asking everything", SETTINGS, QUICK, compute, render)
