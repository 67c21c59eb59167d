"""Show a replay in the terminal: the audit, a table for each way, and cost over time."""

from __future__ import annotations

import math

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from odm_tui.evaluation.replay.estimates import MODEL, Way
from odm_tui.evaluation.replay.replay import ReplayResult
from odm_tui.evaluation.report.line_plot import plot_lines
from odm_tui.formatting import format_count
from odm_tui.text import clean_text


def make_replay_tables(found: ReplayResult, width: int) -> RenderableType:
    """Return everything that a replay found, ready to print."""
    parts: list[RenderableType] = [_read(found)]
    if found.audit is not None:
        parts.append(_audit(found))
    for way in found.ways:
        ranked = f"Cheapest first: {', '.join(way.ranking)}. " if way.ranking else ""
        parts += [Text(""), _way(way), Text(ranked + way.note, style="dim")]
        lines = {
            each.policy: np.array(each.cost_over_time)
            for each in way.policies
            if np.isfinite(each.cost_over_time).all()
        }
        if way.way == MODEL and len(next(iter(lines.values()), ())) > 1:
            parts.append(plot_lines("mean cost over time", lines, width=width, height=8, across="periods"))
    if found.off_policy:
        parts += [Text(""), _off_policy(found)]
    return Group(*parts)


def _read(found: ReplayResult) -> Text:
    tally = found.tally
    read = f"{format_count(tally.interviews, 'interview')} in {format_count(tally.events, 'event')}"
    text = Text(read, style="bold")
    skipped = (
        (tally.torn, "unfinished line", "unfinished lines"),
        (tally.damaged, "damaged or foreign line", "damaged or foreign lines"),
        (tally.misfits, "event out of place", "events out of place"),
        (tally.elsewhere, "interview of another bank", "interviews of other banks"),
        (
            tally.not_confirmed,
            "interview without a confirmed outcome",
            "interviews without a confirmed outcome",
        ),
        (tally.unfinished, "unfinished interview", "unfinished interviews"),
    )
    counts = ", ".join(format_count(count, one, more) for count, one, more in skipped if count)
    if counts:
        text.append(f"\nSkipped: {counts}.", style="not bold")
    if tally.first_damage:
        text.append(f"\n{clean_text(tally.first_damage)}", style="dim")
    return text


def _audit(found: ReplayResult) -> Text:
    audit = found.audit
    assert audit is not None
    text = Text(
        f"\nAudit: {audit.same:,} of {format_count(audit.checked, 'interview')} ask the same questions again."
    )
    for reason, count in audit.reasons.items():
        text.append(f"\n  {count:,} {'differs' if count == 1 else 'differ'}: {reason}.")
    for each in audit.differences[:5]:
        text.append(
            f"\n  {clean_text(each.interview)}, event {each.event}: {clean_text(each.what)}", style="dim"
        )
    return text


def _way(way: Way) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0), title_justify="left")
    table.title = f"What if, by {way.way}: {format_count(way.interviews, 'interview')}"
    table.title_style = "bold"
    table.add_column("policy", no_wrap=True)
    for name in ("cost", "against the log (95 %)", "asked", "right", "regret", "covered"):
        table.add_column(name, justify="right", no_wrap=True)
    for each in way.policies:
        low, high = each.difference_interval
        table.add_row(
            Text(each.policy),
            _number(each.mean_cost),
            f"{_number(each.difference)} ({_number(low)} to {_number(high)})",
            _number(each.mean_questions),
            _number(each.accuracy),
            "" if each.regret is None else _number(each.regret),
            f"{each.coverage:.0%}",
        )
    return table


def _off_policy(found: ReplayResult) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0), title_justify="left")
    table.title = "Mean cost by inverse propensity, theta redrawn"
    table.title_style = "bold"
    table.add_column("policy", no_wrap=True)
    for name in ("weighted", "plain", "doubly robust", "mean weight", "effective", "interviews"):
        table.add_column(name, justify="right", no_wrap=True)
    for each in found.off_policy:
        figures = (
            each.weighted,
            each.plain,
            each.doubly_robust,
            each.mean_weight,
            each.effective_sample_size,
        )
        table.add_row(Text(each.policy), *(_number(value) for value in figures), str(each.interviews))
    return table


def _number(value: float) -> str:
    return f"{value:.3g}" if math.isfinite(value) else "–"
