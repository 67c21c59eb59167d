"""Which answers speak for the likeliest outcome, and which against it."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from odm_tui.formatting import format_percent
from odm_tui.tui.dialogs.dialog import Dialog, make_hint
from odm_tui.views.evidence import EvidenceRow, EvidenceView


class EvidenceDialog(Dialog[None]):
    """Show the answers, the strongest first; every key that closes it changes nothing."""

    def __init__(self, evidence: EvidenceView) -> None:
        super().__init__()
        self._evidence = evidence

    def compose(self) -> ComposeResult:
        """Show one answer after another."""
        evidence = self._evidence
        with Vertical(classes="box tall"):
            title = f"What speaks for {evidence.label} ({format_percent(evidence.share)})"
            yield Static(Content(title), classes="heading")
            with VerticalScroll():
                yield Static(draw_evidence(evidence.rows), classes="text")
            yield make_hint("↑↓ scroll", "goes back")


def draw_evidence(rows: tuple[EvidenceRow, ...]) -> Content:
    """One line for the weight of each answer, and one for the answer itself."""
    if not rows:
        return Content.styled("No answer speaks for or against it yet.", "$quiet")
    lines = []
    for row in rows:
        style = "bold $accent" if row.ratio >= 1 else "bold $warning"
        lines.append(Content.assemble((f"{'+' if row.ratio >= 1 else '−'} {row.words}", style)))
        lines.append(Content.assemble(f"  {row.question} ", (row.reply, "bold")))
    return Content("\n").join(lines)
