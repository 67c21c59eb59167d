"""Which answers speak for an outcome, and which against it; the likeliest outcomes one after another."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from odm_tui.formatting import format_percent
from odm_tui.tui.dialogs.dialog import Dialog, make_hint
from odm_tui.views.evidence import EvidenceRow, EvidenceView


class EvidenceDialog(Dialog[None]):
    """Show the answers, the strongest first; every key that closes it changes nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "go(-1)", show=False),
        Binding("right,tab,e", "go(1)", show=False),
    ]

    def __init__(self, evidence: tuple[EvidenceView, ...]) -> None:
        super().__init__()
        self._evidence, self._at = evidence, 0

    def compose(self) -> ComposeResult:
        """Show one answer after another."""
        with Vertical(classes="box tall"):
            yield Static(id="outcome-title", classes="heading", markup=False)
            with VerticalScroll():
                yield Static(id="evidence", classes="text", markup=False)
            ways = "← → another outcome · ↑↓ scroll" if len(self._evidence) > 1 else "↑↓ scroll"
            yield make_hint(ways, "goes back")

    def on_mount(self) -> None:
        """Show the first outcome."""
        self._show()

    def _show(self) -> None:
        evidence = self._evidence[self._at]
        title = f"What speaks for {evidence.label} ({format_percent(evidence.share)})"
        self.query_one("#outcome-title", Static).update(Content(title))
        self.query_one("#evidence", Static).update(draw_evidence(evidence.rows))
        self.query_one(VerticalScroll).scroll_home(animate=False)

    def action_go(self, by: int) -> None:
        """Show another outcome."""
        self._at = (self._at + by) % len(self._evidence)
        self._show()


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
