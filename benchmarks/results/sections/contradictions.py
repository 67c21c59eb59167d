"""How often a wrong answer that changes the decision is noticed, and how often right answers raise an alarm."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from benchmarks.contradictions import BankTrial, Ending, best_power, try_bank
from benchmarks.results.contenders import format_interval, format_table, pack
from benchmarks.results.section import Rows, Section, Settings, Work
from odm_tui.evaluation.intervals import estimate_ratio

BANKS = ("home-network", "led", "navigation", "troubleshooting", "breast-cancer", "lung")


def compute(settings: Settings, work: Work) -> Rows:
    """Return false alarms and power by bank."""
    size = settings["seeds_at_once"]
    calls = [
        (try_bank, (name, range(start, min(start + size, settings["seeds"])), settings["callers"]))
        for name in settings["banks"]
        for start in range(0, settings["seeds"], size)
    ]
    made: list[BankTrial] = work.run_calls(calls)
    rows = []
    for name in settings["banks"]:
        parts = [trial for trial, (_, arguments) in zip(made, calls, strict=True) if arguments[0] == name]
        right = [each for part in parts for each in part.right]
        cases = [each for part in parts for each in part.cases]
        rows.append(
            {
                "bank": name,
                "interviews": len(right),
                "errors": sum(part.errors for part in parts),
                "changed": sum(part.changed for part in parts),
                "cases": len(cases),
                "alarms": _share(right),
                "power": _share(cases) if cases else None,
                "best": [best_power(right, cases, level) for level in settings["levels"]] if cases else None,
            }
        )
    return rows


def _share(endings: list[Ending]) -> list[float]:
    """Return the share that was flagged, with its interval over seeds."""
    values = [asdict(each) for each in endings]
    flagged = [each["flagged"] * each["weight"] for each in values]
    return pack(
        estimate_ratio(flagged, [each["weight"] for each in values], [each["seed"] for each in values])
    )


def render(settings: Settings, rows: Rows) -> str:
    """Return the table: ours, and the best possible rule at several rates of false alarms."""
    header = ["bank", "interviews", "errors that change the decision", "could be settled", "false alarms"]
    header += ["found", *(f"best possible at {level:.0%} false alarms" for level in settings["levels"])]
    lines = [_line(settings, row) for row in rows]
    return format_table(header, lines)


def _line(settings: Settings, row: dict[str, Any]) -> list[str]:
    found = [""] * (1 + len(settings["levels"]))
    if row["cases"]:
        found = [format_interval(row["power"]), *(f"{share:.2f}" for share in row["best"])]
    return [
        row["bank"],
        str(row["interviews"]),
        f"{row['changed']} of {row['errors']}",
        str(row["cases"]),
        format_interval(row["alarms"]),
        *found,
    ]


SECTION = Section(
    "contradictions",
    "Wrong answers that are noticed",
    {
        "banks": list(BANKS),
        "seeds": 40,
        "seeds_at_once": 5,
        "callers": 15,
        "levels": [0.01, 0.02, 0.05, 0.1, 0.2],
    },
    {"banks": ["led", "lung"], "seeds": 2, "seeds_at_once": 1, "callers": 4, "levels": [0.05]},
    compute,
    render,
    needs_data=False,
)
