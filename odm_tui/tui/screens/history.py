"""The history screen: the past interviews of a bank; find, open, confirm, correct or retract one."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from odm_tui.errors import OdmError
from odm_tui.formatting import format_count
from odm_tui.tui.dialogs.button_dialog import ButtonDialog
from odm_tui.tui.dialogs.filter_list import FilterListDialog, ListItem
from odm_tui.tui.key_bindings import HISTORY, make_bindings
from odm_tui.tui.messages import RequestFailed, StartInterview, post_result
from odm_tui.tui.widgets.banner import Banner
from odm_tui.tui.widgets.history_table import HistoryColumns, draw_header, draw_interview
from odm_tui.tui.widgets.key_bar import KeyBar
from odm_tui.tui.widgets.marked_list import MarkedList
from odm_tui.tui.widgets.title_bar import TitleBar
from odm_tui.tui.worker.backend import Backend
from odm_tui.tui.worker.client import WorkerClient
from odm_tui.tui.worker.reader import Reader
from odm_tui.views.history import HistoryRow, HistoryView, matches_row

if TYPE_CHECKING:
    from odm_tui.session import Cursor

_NONE = "none"
_NEAR_END = 20
"""Rows before the last one at which the next page is read."""


@dataclass
class HistoryLoaded(Message):
    """The interviews of the bank, read from its log."""

    history: HistoryView
    note: str = ""


@dataclass
class PageLoaded(Message):
    """Interviews that have the words of the filter, or those after the ones that are listed (``continues``)."""

    history: HistoryView
    words: str
    continues: bool


class HistoryScreen(Screen[None]):
    """List the interviews of one bank, the latest first."""

    CSS_PATH = "lists.tcss"
    ACTIONS = HISTORY
    BINDINGS = make_bindings(HISTORY)
    AUTO_FOCUS = "OptionList"

    def __init__(self, worker: WorkerClient, bank: str, pending: bool = False) -> None:
        super().__init__()
        self.worker, self.bank_name, self.pending = worker, bank, pending
        self.rows: tuple[HistoryRow, ...] = ()
        self.history = HistoryView("", "", (), ())
        self._found: HistoryView | None = None
        """What the worker found for the filter; None while the interviews with its words are among those read."""
        self._is_reading = False

    def compose(self) -> ComposeResult:
        """Show the list below its column names; the filter is hidden until it is asked for."""
        yield TitleBar("History")
        yield Input(
            placeholder="type a case, a note, an outcome or a day", id="filter", select_on_focus=False
        )
        yield Static(id="columns", markup=False)
        yield MarkedList(id="past", markup=False)
        yield Banner()
        yield KeyBar(HISTORY)

    def on_mount(self) -> None:
        """Read the interviews."""
        self.query_one(Input).display = False
        self.run_worker(self._read())

    async def _read(self, note: str = "") -> None:
        work = self.worker.read(Reader.history, self.bank_name, self.pending, "", None, len(self.rows))
        await post_result(self, work, lambda history: HistoryLoaded(history, note))

    async def _read_page(self, words: str, before: Cursor | None) -> None:
        """Read a page of the interviews that the screen does not have yet."""
        work = self.worker.read(Reader.history, self.bank_name, self.pending, words, before)
        await post_result(self, work, lambda history: PageLoaded(history, words, before is not None))

    @on(PageLoaded)
    def _handle_page(self, event: PageLoaded) -> None:
        self._is_reading = False
        if event.words != self.query_one(Input).value.strip():
            return  # the filter has changed meanwhile
        found = event.history
        if event.continues:
            before = self.history if self._found is None else self._found
            known = {row.interview for row in before.rows}
            new = tuple(row for row in found.rows if row.interview not in known)
            found = replace(found, rows=(*before.rows, *new))
        if event.words:
            self._found = found
        else:
            self.history = found
        self._show()

    @on(HistoryLoaded)
    def _handle_loaded(self, event: HistoryLoaded) -> None:
        self.history = event.history
        self._filter()
        if event.note:
            self.query_one(Banner).show_message(event.note)
        elif not self.rows and not self.query_one(Input).value:
            self.query_one(Banner).show_message(
                "Nothing is pending." if self.pending else "No interviews yet."
            )

    @on(Input.Changed)
    def _filter(self) -> None:
        """Show the interviews that match the filter, those on other pages too."""
        self._found = None
        words = self.query_one(Input).value.strip()
        if words and self.history.next is not None:
            self.run_worker(self._read_page(words, None), group="filter", exclusive=True)
        self._show()

    def _show(self) -> None:
        words = self.query_one(Input).value.strip()
        listed = self.history if self._found is None else self._found
        found = [row for row in listed.rows if matches_row(row, words)] if words else list(listed.rows)
        self.rows = tuple(found)
        bar = self.query_one(TitleBar)
        bar.title = f"{self.history.title}: {'pending outcomes' if self.pending else 'history'}"
        of = f"the latest {len(found):,} of " if listed.next is not None else ""
        of = f"{len(found):,} of " if words and not of else of
        bar.status = (of + format_count(self.history.total, "interview"),)
        if words and not found and listed.next is None:
            self.query_one(KeyBar).say(f"Nothing matches “{words}”; Esc empties the filter.")
        else:
            self.query_one(KeyBar).be_quiet()
        self._draw()

    @on(RequestFailed)
    def _handle_failed(self, event: RequestFailed) -> None:
        self.query_one(Banner).show_message(event.sentence, is_error=True)

    def on_resize(self) -> None:
        """Fit the columns to the new width."""
        self._draw()

    def _draw(self) -> None:
        width = min(self.size.width - 10, 140)
        options = self.query_one(OptionList)
        at = options.highlighted or 0
        columns = HistoryColumns.at(width, self.rows, self.history.unit)
        self.query_one("#columns", Static).update(Content.styled(draw_header(columns), "$quiet"))
        options.set_options(
            Option(draw_interview(row, columns, self.history.unit), row.interview) for row in self.rows
        )
        if self.rows:
            options.highlighted = min(at, len(self.rows) - 1)
        self.refresh_bindings()

    # -- commands -----------------------------------------------------------------------------------------

    @property
    def labels(self) -> dict[str, str]:
        """What Enter does now, for the key bar: in the filter, it goes to the list."""
        if self.is_mounted and self.query_one(Input).has_focus:
            return {"history.open": "To the list"}
        return {"history.open": "Decision"} if self.pending else {}

    @property
    def marked(self) -> HistoryRow | None:
        """The marked interview."""
        at = self.query_one(OptionList).highlighted
        return self.rows[at] if at is not None and at < len(self.rows) else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether a command works for the marked interview."""
        row = self.marked if self.is_mounted else None
        if action == "confirm":
            return row is not None and row.status in ("pending", "confirmed", "retracted")
        if action == "retract":
            return row is not None and row.status in ("pending", "confirmed")
        if action == "open":
            return row is not None
        return True

    @on(OptionList.OptionHighlighted)
    def _moved(self, event: OptionList.OptionHighlighted) -> None:
        self.refresh_bindings()
        listed = self.history if self._found is None else self._found
        is_near_end = event.option_index >= len(self.rows) - _NEAR_END
        if is_near_end and listed.next is not None and not self._is_reading:
            self._is_reading = True
            words = self.query_one(Input).value.strip() if self._found is not None else ""
            self.run_worker(self._read_page(words, listed.next))

    @on(OptionList.OptionSelected)
    def _selected(self) -> None:
        self.action_open()

    @on(Input.Submitted)
    def _handle_found(self) -> None:
        self.query_one(OptionList).focus()

    def action_find(self) -> None:
        """Open the filter."""
        field = self.query_one(Input)
        field.display = True
        field.focus()

    def action_move(self, by: int) -> None:
        """Move the mark while the filter has the focus."""
        options = self.query_one(OptionList)
        if options.highlighted is not None:
            options.highlighted = min(max(options.highlighted + by, 0), options.option_count - 1)

    def action_open(self) -> None:
        """Replay the marked interview; resume it if it is unfinished, or if pending ones are listed to be confirmed."""
        from odm_tui.tui.screens.replay import ReplayScreen

        row = self.marked
        if row is None:
            return
        if self.pending:
            self.post_message(StartInterview(self.bank_name, row.interview))
            return
        if row.status != "unfinished":
            self.app.push_screen(ReplayScreen(self.worker, self.bank_name, row))
            return

        def on_choice(choice: str | None) -> None:
            if choice == "resume":
                self.post_message(StartInterview(self.bank_name, row.interview))
            elif choice == "replay":
                self.app.push_screen(ReplayScreen(self.worker, self.bank_name, row))

        answers = {"resume": "Go on with it", "replay": "Look at it"}
        self.app.push_screen(
            ButtonDialog("This interview is unfinished", f"It began on {row.began}.", answers), on_choice
        )

    def action_confirm(self) -> None:
        """Confirm or correct the outcome of the marked interview."""
        row = self.marked
        if row is None:
            return
        items = (
            *(ListItem(id, label) for id, label in self.history.outcomes),
            ListItem(_NONE, "None of these"),
        )
        marked = next((item.id for item in items if item.text == (row.confirmed or row.decided)), None)
        if row.status == "confirmed" and not row.confirmed:
            marked = _NONE

        def on_choice(outcome: str | None) -> None:
            if outcome is not None:
                self._confirm(row, None if outcome == _NONE else outcome)

        self.app.push_screen(FilterListDialog("Which outcome was the right one?", items, marked), on_choice)

    def _confirm(self, row: HistoryRow, outcome: str | None) -> None:
        if row.status == "pending":
            work = self.worker.run(Backend.confirm_past, self.bank_name, row.interview, outcome)
            if outcome is None:
                note = "Confirmed with none of these outcomes: nothing is learned from it."
            else:
                note = "Confirmed, and learned from."
        else:
            work = self.worker.run(Backend.correct_past, self.bank_name, row.interview, outcome)
            if outcome is None:
                note = "Corrected to none of these outcomes: nothing is learned from it any more."
            else:
                note = "Corrected: the counts were moved to this outcome."
        self._read_after(work, note)

    def action_retract(self) -> None:
        """Retract the marked interview, after a confirmation."""
        row = self.marked
        if row is None:
            return

        def on_choice(choice: str | None) -> None:
            if choice == "retract":
                work = self.worker.run(Backend.retract_past, self.bank_name, row.interview)
                self._read_after(work, "Retracted: its counts were removed.")

        answers = {"keep": "No, keep it", "retract": "Yes, retract it"}
        text = "Its counts are removed exactly. To count it again, confirm it again."
        self.app.push_screen(ButtonDialog("Retract this interview?", text, answers), on_choice)

    def _read_after(self, work: Awaitable[None], note: str) -> None:
        """Read the interviews again after this work, and show the note."""

        async def run() -> None:
            try:
                await work
            except OdmError as error:
                self.post_message(RequestFailed(str(error)))
                await self._read()  # another window may have changed it
            else:
                await self._read(note)

        self.run_worker(run())

    def action_back(self) -> None:
        """Close the filter if it is open; else go back to the previous screen."""
        field = self.query_one(Input)
        if field.display:
            field.value = ""
            field.display = False
            self.query_one(OptionList).focus()
        else:
            self.app.pop_screen()
