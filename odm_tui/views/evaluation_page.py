"""Write an evaluation as one HTML page without external parts, ready to be mailed."""

from __future__ import annotations

from html import escape

from odm_tui import __version__
from odm_tui.evaluation.report.html_parts import make_html_table, open_page
from odm_tui.views.evaluation import EvaluationView


def render_evaluation_page(view: EvaluationView) -> str:
    """Return the HTML page of an evaluation."""
    parts = [
        *open_page(f"What interviews are like: {view.title}"),
        f"<p>{escape(view.summary)}</p>",
        *(f'<p class="note">{escape(note)}</p>' for note in view.notes),
    ]
    for number, table in enumerate(view.tables):
        parts += [f"<h2>{escape(table.title)}</h2>", make_html_table(table.header, table.rows)]
        parts += [f'<p class="note">{escape(table.note)}</p>'] if table.note else []
        if number == 1:
            parts.append(_draw_curve(view.curve))
    parts.append(f'<p class="note">Made by odm-tui {escape(__version__)}.</p></body></html>\n')
    return "\n".join(parts)


def _draw_curve(curve: tuple[tuple[float, float, float], ...]) -> str:
    """Draw what was said against how often it was right: on the diagonal they are the same."""
    size, left = 300, 50
    points = [(left + size * said, 20 + size * (1 - right), share) for said, right, share in curve]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points)
    dots = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{3 + 12 * share**0.5:.1f}" fill="#1f5fa8" fill-opacity="0.6"/>'
        for x, y, share in points
    )
    return (
        f'<svg viewBox="0 0 {size + 140} {size + 60}" role="img" aria-label="Said against right" style="max-width:28rem">'
        f'<rect x="{left}" y="20" width="{size}" height="{size}" fill="none" stroke="var(--line)"/>'
        f'<line x1="{left}" y1="{size + 20}" x2="{left + size}" y2="20" stroke="var(--soft)" stroke-dasharray="4"/>'
        f'<polyline points="{line}" fill="none" stroke="#1f5fa8"/>{dots}'
        f'<text x="{left}" y="{size + 40}">said 0 %</text>'
        f'<text x="{left + size}" y="{size + 40}" text-anchor="end">100 %</text>'
        f'<text x="0" y="{size + 20}">0 %</text><text x="0" y="32">right</text></svg>'
    )
