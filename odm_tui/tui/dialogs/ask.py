"""A question with a few named answers, such as whether to give an interview up."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from odm_tui.tui.dialogs.dialog import Dialog, hint
from odm_tui.tui.widgets.marked_list import MarkedList


class ButtonDialog(Dialog[str]):
    """Comes back with the id of the answer chosen, or None for "leave it as it is"."""

    def __init__(self, title: str, text: str, answers: dict[str, str]) -> None:
        super().__init__()
        self._title, self._text, self._answers = title, text, answers

    def compose(self) -> ComposeResult:
        """Title, text, answers."""
        with Vertical(classes="box"):
            yield Static(Content(self._title), classes="heading")
            yield Static(Content(self._text), classes="text")
            yield MarkedList(
                *(Option(Content(label), id) for id, label in self._answers.items()), markup=False
            )
            yield hint("Enter chooses", "leaves it as it is")

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_id)
