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
        if any(each.reason is None for each in found.off_policy):
            parts += [Text(""), _off_policy(found), Text(""), _weights(found)]
        parts += [Text(""), *(Text(note, style="dim") for note in list_off_policy_notes(found))]
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
        f"\nAudit: the same questions again in {audit.same:,} of {format_count(audit.checked, 'interview')}."
    )
    for reason, count in audit.reasons.items():
        text.append(f"\n  {count:,} {'differs' if count == 1 else 'differ'}: {reason}.")
    for each in audit.differences[:5]:
        text.append(
            f"\n  {clean_text(each.interview)}, event {each.event}: {clean_text(each.what)}", style="dim"
        )
    return text


def _way(way: Way) -> Table:
    table = _table(f"What if, by {way.way}: {format_count(way.interviews, 'interview')}")
    referred = any(each.referred > 0 for each in way.policies)
    names = ["cost", "against the log (95 %)", "asked", "right", "regret", "covered"]
    for name in names + ["referred"] * referred:
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
            *([_number(each.referred)] if referred else []),
        )
    return table


def _off_policy(found: ReplayResult) -> Table:
    table = _table("What if, by weighted interviews: mean cost and share right (95 %)")
    for name in ("of", "doubly robust", "weighted", "plain"):
        table.add_column(name, justify="left" if name == "of" else "right", no_wrap=True)
    for each in found.off_policy:
        if each.reason is not None:
            continue
        for kind, suffix in (("cost", ""), ("right", "_accuracy")):
            cells = (
                _with_interval(getattr(each, name + suffix), getattr(each, f"{name}{suffix}_interval"))
                for name in ("doubly_robust", "weighted", "plain")
            )
            table.add_row(Text(each.policy if kind == "cost" else ""), kind, *cells)
    return table


def _weights(found: ReplayResult) -> Table:
    table = _table("Basis of these estimates")
    for name in ("against the log (95 %)", "model", "mean weight", "effective", "interviews"):
        table.add_column(name, justify="right", no_wrap=True)
    for each in found.off_policy:
        low, high = each.difference_interval
        table.add_row(
            Text(each.policy),
            f"{_number(each.difference)} ({_number(low)} to {_number(high)})",
            _number(each.model),
            _number(each.mean_weight),
            _number(each.effective_sample_size),
            str(each.interviews),
        )
    return table


def list_off_policy_notes(found: ReplayResult) -> list[str]:
    """Return sentences: which estimates are withheld and why, which interviews are left out, what the model knows."""
    notes = [
        f"{each.policy} is withheld: {each.reason}" for each in found.off_policy if each.reason is not None
    ]
    left_out = found.off_policy[0].left_out if found.off_policy else {}
    if left_out:
        told = "; ".join(f"{count:,}: {reason}" for reason, count in left_out.items())
        notes.append(f"Interviews left out: {told}.")
    if any(each.reason is None for each in found.off_policy):
        notes.append(found.off_policy[0].answers_used)
    return notes


def _table(title: str) -> Table:
    """Return an empty table whose first column is the policy."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0), title_justify="left")
    table.title = title
    table.title_style = "bold"
    table.add_column("policy", no_wrap=True)
    return table


def _with_interval(value: float, interval: tuple[float, float]) -> str:
    low, high = interval
    return f"{_number(value)} ({_number(low)}–{_number(high)})"


def _number(value: float) -> str:
    return f"{value:.3g}" if math.isfinite(value) else "–"
