"""Give an interview a case reference and a note."""

from __future__ import annotations

from typing import NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from odm_tui.tui.dialogs.dialog import Dialog, make_hint

_LONGEST_CASE, _LONGEST_NOTE = 64, 500


class CaseTexts(NamedTuple):
    """A case reference and a note; empty ones remove what was there."""

    case: str
    note: str


class CaseDialog(Dialog[CaseTexts]):
    """Return both texts, or None to leave them as they are."""

    def __init__(self, case: str, note: str, is_required: bool = False) -> None:
        super().__init__()
        self._case, self._note, self._is_required = case, note, is_required

    def compose(self) -> ComposeResult:
        """Show one field for each text."""
        title = "This bank asks for a case reference" if self._is_required else "Case and note"
        with Vertical(classes="box"):
            yield Static(Content(title), classes="heading")
            yield Static(Content("Case reference"), classes="hint")
            yield Input(
                self._case,
                placeholder="such as T-4711",
                id="case",
                max_length=_LONGEST_CASE,
                select_on_focus=False,
            )
            yield Static(Content("Note"), classes="hint")
            yield Input(
                " ".join(self._note.split()),
                placeholder="anything that helps to find it again",
                id="note",
                max_length=_LONGEST_NOTE,
                select_on_focus=False,
            )
            yield make_hint("Enter saves · Tab goes to the note", "leaves it as it is")

    @on(Input.Submitted)
    def _save(self) -> None:
        case, note = self.query_one("#case", Input).value, self.query_one("#note", Input).value
        if self._is_required and not case.strip():
            self.query_one("#case", Input).focus()
            return
        self.dismiss(CaseTexts(case.strip(), note.strip()))
