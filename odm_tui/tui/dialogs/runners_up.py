"""The next likely outcomes, each with its advice; Enter confirms the marked one."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from odm_tui.formatting import format_percent
from odm_tui.tui.dialogs.dialog import Dialog, make_hint
from odm_tui.tui.widgets.marked_list import MarkedList
from odm_tui.views.interview import RunnerUp


class RunnersUpDialog(Dialog[str]):
    """Return the id of the outcome to confirm, or None to go back."""

    def __init__(self, outcomes: tuple[RunnerUp, ...]) -> None:
        super().__init__()
        self._outcomes = outcomes

    def compose(self) -> ComposeResult:
        """Show each outcome with its probability and advice."""
        with Vertical(classes="box tall"):
            yield Static(Content("Runners-up: what to try next"), classes="heading")
            yield MarkedList(
                *(Option(draw_runner_up(one), one.outcome) for one in self._outcomes), markup=False
            )
            yield make_hint("Enter confirms this one", "goes back")

    @on(OptionList.OptionSelected)
    def _handle_choice(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_id)


def draw_runner_up(one: RunnerUp) -> Content:
    """The outcome and its probability, then the advice."""
    head = Content.assemble((one.label, "bold"), (f"  {format_percent(one.share)}", "$quiet"))
    return Content("\n").join([head, Content(one.advice)]) if one.advice else head
