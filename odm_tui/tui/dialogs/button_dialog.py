"""A dialog with a question and a few answers, such as whether to abandon an interview."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from odm_tui.tui.dialogs.dialog import Dialog, make_hint
from odm_tui.tui.widgets.marked_list import MarkedList


class ButtonDialog(Dialog[str]):
    """Return the id of the chosen answer, or None if the dialog was cancelled."""

    def __init__(self, title: str, text: str, answers: dict[str, str]) -> None:
        super().__init__()
        self._title, self._text, self._answers = title, text, answers

    def compose(self) -> ComposeResult:
        """Show title, text and answers."""
        with Vertical(classes="box"):
            yield Static(Content(self._title), classes="heading")
            yield Static(Content(self._text), classes="text")
            yield MarkedList(
                *(Option(Content(label), id) for id, label in self._answers.items()), markup=False
            )
            yield make_hint("Enter chooses", "leaves it as it is")

    @on(OptionList.OptionSelected)
    def _handle_choice(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_id)
