"""The value of each candidate for the default at stakes 30: stakes × right − cost."""

from __future__ import annotations

from benchmarks.results.contenders import (
    QUICK,
    RIVAL,
    SETTINGS,
    Contender,
    Held,
    format_difference,
    format_interval,
    format_table,
    pack,
    select,
)
from benchmarks.results.section import Rows, Section, Settings, Work
from odm_tui.evaluation.data.dataset_sources import canonical_name
from odm_tui.evaluation.experiment.settings import Prior, Protocol
from odm_tui.evaluation.intervals import estimate_mean

DEFAULT = Contender("lookahead-ts", Protocol.LIVE, Prior.SHARED, 30.0)
OTHERS = (
    Contender("lookahead-sts", Protocol.LIVE, Prior.SHARED, 30.0),
    Contender("w-eced-ts", Protocol.LIVE, Prior.SHARED, 30.0),
    Contender("w-ec2-ts", Protocol.LIVE, Prior.SHARED),
    Contender("all", Protocol.LIVE, Prior.SHARED),
    RIVAL,
)


def compute(settings: Settings, work: Work) -> Rows:
    """Return the value of the default and the differences of the others, by data set."""
    stakes = settings["stakes"]
    held = Held(work, settings, (DEFAULT, *OTHERS))
    rows = []
    for name in held.runs:
        own = held.figures(name, DEFAULT)
        gaps = {
            other: held.figures(name, other).value(stakes) - own.value(stakes)
            for other in select(OTHERS, name)
        }
        rows.append(
            {
                "dataset": name,
                "value": pack(estimate_mean(own.value(stakes), own.blocks)),
                "gaps": [
                    pack(estimate_mean(gaps[other], own.blocks)) if other in gaps else None
                    for other in OTHERS
                ],
            }
        )
    return rows


def render(settings: Settings, rows: Rows) -> str:
    """Return the table."""
    names = [f"{other.policy}, {other.rule}: difference" for other in OTHERS]
    lines = [
        [
            canonical_name(row["dataset"]),
            format_interval(row["value"]),
            *("" if gap is None else format_difference(gap) for gap in row["gaps"]),
        ]
        for row in rows
    ]
    return format_table(["data set", DEFAULT.policy, *names], lines)


SECTION = Section(
    "values", "Which policy is the default", {**SETTINGS, "stakes": 30.0}, QUICK, compute, render
)
