"""The top line: the title on the left, the status on the right."""

from __future__ import annotations

from rich.cells import cell_len
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from odm_tui.formatting import format_amount
from odm_tui.tui.widgets.drawing import fit_text
from odm_tui.views.interview import InterviewView


class TitleBar(Widget):
    """Title and status in one line: the longest form of the status that leaves room for the title."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    TitleBar { dock: top; height: 1; padding: 0 2; background: $panel; }
    """

    title: reactive[str] = reactive("")
    status: reactive[tuple[str, ...]] = reactive(())
    """The forms of the status, the longest first."""
    mark: reactive[str] = reactive("")
    """What the sync with the team's store says; empty without a team."""

    def __init__(self, title: str = "", *status: str) -> None:
        super().__init__()
        self.set_reactive(TitleBar.title, title)
        self.set_reactive(TitleBar.status, status)

    def on_mount(self) -> None:
        """Show the mark of the screens before."""
        self.mark = getattr(self.app, "team_mark", "")

    def render(self) -> Content:
        """Draw title and status."""
        width = self.content_size.width
        forms = self.status or (("",) if self.mark else ())
        if self.mark:
            forms = tuple(f"{form} · {self.mark}" if form else self.mark for form in forms)
        status = next(
            (form for form in forms if cell_len(self.title) + 2 + cell_len(form) <= width),
            next((form for form in reversed(forms) if cell_len(form) * 2 <= width), self.mark),
        )
        room = width - cell_len(status) - (2 if status else 0)
        return Content.assemble(
            (fit_text(self.title, room), "bold"), (f"  {status}" if status else "", "$quiet")
        )


def format_title(view: InterviewView) -> str:
    """The title of the bank, and the case if there is one."""
    return f"{view.title} · {view.case}" if view.case else view.title


def format_progress(view: InterviewView, clock: str) -> tuple[str, ...]:
    """The status of an interview, the longest form first: the question's number, the cost, and the call clock."""
    number = f"question {len(view.steps) + 1}"
    to_come = float(f"{max(view.cost_to_come, 0.0):.2g}")  # a forecast is no more precise than that
    cost, coming = format_amount(view.cost_so_far, view.unit), format_amount(to_come, view.unit)
    forms = [f"{number} · {cost} · {clock}", f"{number} · {clock}"]
    if to_come > 0:
        forms.insert(0, f"{number} · {cost}, about {coming} to come · {clock}")
    return tuple(forms)
