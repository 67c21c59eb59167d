"""What the benchmark of the evaluation prints, as a table."""

from __future__ import annotations

from benchmarks.bench_evaluation import SCENARIOS
from benchmarks.bench_evaluation import rows as measure
from benchmarks.results.contenders import format_table
from benchmarks.results.section import Rows, Section, Settings, Work


def compute(settings: Settings, work: Work) -> Rows:
    """Measure, one core at a time."""
    return [
        {"name": row.name, "measured": row.measured, "unit": row.unit, "target": row.target}
        for row in measure(settings["datasets"])
    ]


def render(settings: Settings, rows: Rows) -> str:
    """Return the table."""
    lines = [[row["name"], f"{row['measured']:.3g} {row['unit']}", row["target"]] for row in rows]
    return format_table(["", "", ""], lines)


SECTION = Section("speed", "Speed", {"datasets": list(SCENARIOS)}, {"datasets": []}, compute, render)
