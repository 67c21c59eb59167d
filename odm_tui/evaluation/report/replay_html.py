"""Write a replay as one HTML page without external parts, ready to be mailed."""

from __future__ import annotations

import math
from html import escape

from odm_tui import __version__
from odm_tui.evaluation.replay.estimates import Way
from odm_tui.evaluation.replay.replay import ReplayResult
from odm_tui.evaluation.report.html_parts import make_html_table, open_page
from odm_tui.evaluation.report.replay_terminal import list_off_policy_notes
from odm_tui.formatting import format_count

_COLOURS = ("#1f5fa8", "#b3382c", "#2f7d4f", "#8a6d00", "#7a3fa0", "#007c89", "#555555", "#a0457a")


def render_page(found: ReplayResult) -> str:
    """Return the HTML page of a replay."""
    title = f"Replay of {format_count(found.tally.interviews, 'interview')}: {found.bank.title}"
    parts = [
        *open_page(title),
        *_read(found),
        *_audit(found),
    ]
    for way in found.ways:
        parts += _way(way)
    parts += _off_policy(found)
    parts.append(f'<p class="note">Made by odm-tui {escape(__version__)}.</p></body></html>\n')
    return "\n".join(parts)


def _read(found: ReplayResult) -> list[str]:
    tally = found.tally
    skipped = tally.torn + tally.damaged + tally.misfits
    text = (
        f"<p>Read: {format_count(tally.events, 'event')} from {escape(found.first[:10])} to "
        f"{escape(found.last[:10])} in {escape(', '.join(found.logs))}. Skipped: {format_count(skipped, 'line')} "
        f"({tally.torn:,} unfinished, {tally.damaged:,} damaged or foreign, {tally.misfits:,} out of place), "
        f"{format_count(tally.not_confirmed, 'interview')} without a confirmed outcome, "
        f"{format_count(tally.unfinished, 'unfinished interview')}.</p>"
    )
    return [text]


def _audit(found: ReplayResult) -> list[str]:
    audit = found.audit
    if audit is None:
        return []
    parts = [
        "<h2>Audit</h2>",
        f"<p>The same questions again in {audit.same:,} of {format_count(audit.checked, 'interview')}.</p>",
    ]
    if audit.differences:
        rows = [[each.interview, str(each.event), each.what, each.reason] for each in audit.differences]
        parts.append(make_html_table(["interview", "event", "difference", "reason"], rows))
    return parts


def _way(way: Way) -> list[str]:
    rows, referred = [], any(each.referred > 0 for each in way.policies)
    for each in way.policies:
        low, high = each.difference_interval
        rows.append(
            [
                each.policy,
                _estimate(each.mean_cost, each.cost_interval),
                f"{_number(each.difference)} ({_number(low)} to {_number(high)})",
                _number(each.mean_questions),
                _estimate(each.accuracy, each.accuracy_interval),
                "" if each.regret is None else _number(each.regret),
                _percent(each.coverage),
                *([_percent(each.referred)] if referred else []),
            ]
        )
    header = [
        "policy",
        "cost (95 %)",
        "against the log (95 %)",
        "questions",
        "right (95 %)",
        "regret",
        "coverage",
        *(["referred"] if referred else []),
    ]
    ranking = "" if way.ranking is None else f"Cheapest first: {', '.join(way.ranking)}. "
    return [
        f"<h2>What if, by {escape(way.way)} ({format_count(way.interviews, 'interview')})</h2>",
        f'<p class="note">{escape(ranking + way.note)}</p>',
        make_html_table(header, rows),
        _chart("mean cost", {each.policy: each.cost_over_time for each in way.policies}),
        _chart("questions", {each.policy: each.questions_over_time for each in way.policies}),
        _chart("share of right decisions", {each.policy: each.accuracy_over_time for each in way.policies}),
    ]


def _off_policy(found: ReplayResult) -> list[str]:
    if not found.off_policy:
        return []
    rows = [
        [
            each.policy,
            kind,
            *(
                _estimate(getattr(each, name + suffix), getattr(each, f"{name}{suffix}_interval"))
                for name in ("doubly_robust", "weighted", "plain")
            ),
            _number(getattr(each, f"model{suffix}")),
            _number(each.mean_weight),
            _number(each.effective_sample_size),
            str(each.interviews),
        ]
        for each in found.off_policy
        for kind, suffix in (("cost", ""), ("share right", "_accuracy"))
    ]
    header = [
        "policy",
        "of",
        "doubly robust (95 %)",
        "weighted (95 %)",
        "plain (95 %)",
        "model alone",
        "mean weight",
        "effective",
        "interviews",
    ]
    note = (
        "The logged interviews, weighted by how likely each policy is to hold them with what was known when each began. "
        "The mean weight is 1 in expectation if the logged policy makes all choices of the policy at least sometimes."
    )
    notes = [f'<p class="note">{escape(text)}</p>' for text in (note, *list_off_policy_notes(found))]
    return ["<h2>What if, by weighted interviews</h2>", *notes, make_html_table(header, rows)]


def _estimate(value: float, interval: tuple[float, float]) -> str:
    low, high = interval
    return f"{_number(value)} ({_number(low)} to {_number(high)})"


def _chart(title: str, lines: dict[str, tuple[float, ...]]) -> str:
    """Draw figures over consecutive periods as SVG: one line per policy, its name at the end."""
    values = [value for line in lines.values() for value in line if math.isfinite(value)]
    longest = max((len(line) for line in lines.values()), default=0)
    if not values or longest < 2:
        return ""
    top = max(values) * 1.05 or 1.0
    width, height, left, right = 720, 260, 48, 130
    across = (width - left - right) / (longest - 1)
    parts = [
        f'<svg viewBox="0 0 {width} {height + 30}" role="img" aria-label="{title} over time">',
        f'<line x1="{left}" y1="{height}" x2="{width - right}" y2="{height}" stroke="var(--line)"/>',
        f'<text x="4" y="{height}">0</text><text x="4" y="14">{_number(top)}</text>',
        f'<text x="{left}" y="14" style="font-weight:bold">{title}</text>',
        f'<text x="{left}" y="{height + 22}">earliest interviews</text>',
        f'<text x="{width - right}" y="{height + 22}" text-anchor="end">latest</text>',
    ]
    taken: list[float] = []
    for number, (name, line) in enumerate(lines.items()):
        points = [
            (left + across * i, height - (height - 10) * value / top)
            for i, value in enumerate(line)
            if math.isfinite(value)
        ]
        if not points:
            continue
        colour = _COLOURS[number % len(_COLOURS)]
        drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        at = points[-1][1]
        while any(abs(at - other) < 13 for other in taken):
            at += 13
        taken.append(at)
        parts.append(f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(
            f'<text x="{width - right + 8}" y="{at + 4:.1f}" style="fill:{colour}">{escape(name)}</text>'
        )
    return "".join([*parts, "</svg>"])


def _number(value: float) -> str:
    return f"{value:.3g}" if math.isfinite(value) else "–"


def _percent(value: float) -> str:
    return f"{value:.0%}" if math.isfinite(value) else "–"
