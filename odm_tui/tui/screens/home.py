"""The home screen: an inbox of unfinished and pending interviews of all banks, and the banks."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from odm_tui.errors import OdmError
from odm_tui.formatting import format_count
from odm_tui.tui.key_bindings import HOME, find_dead_action, make_bindings
from odm_tui.tui.messages import RequestFailed, ShowPending, StartInterview, TryBank
from odm_tui.tui.widgets.bank_table import draw_bank, draw_header
from odm_tui.tui.widgets.banner import Banner
from odm_tui.tui.widgets.inbox import case_width, draw_case, is_named_case
from odm_tui.tui.widgets.key_bar import KeyBar
from odm_tui.tui.widgets.marked_list import MarkedList
from odm_tui.tui.widgets.title_bar import TitleBar
from odm_tui.tui.worker.backend import LeftInterview
from odm_tui.tui.worker.client import WorkerClient
from odm_tui.tui.worker.reader import Reader
from odm_tui.views.banks import BankRow
from odm_tui.views.inbox import InboxRow, filter_inbox, matches_words, sort_inbox

_BESIDE = 130
"""From this width on, the inbox stands beside the banks instead of above them."""
_MOST_CASES = 500
"""The largest number of cases in the list; a filter finds the others."""


@dataclass
class BanksListed(Message):
    """The banks and their open cases, as far as they have been read."""

    rows: tuple[BankRow, ...]
    cases: tuple[InboxRow, ...] = ()
    note: str = ""
    is_whole: bool = False
    """Whether the logs were read too, so that what is not listed is not there."""


class HomeScreen(Screen[None]):
    """List the open cases and the banks; one mark moves through both lists, and typing filters both."""

    CSS_PATH = "lists.tcss"
    ACTIONS = HOME
    BINDINGS = make_bindings(HOME)
    AUTO_FOCUS = "Input"

    def __init__(
        self,
        worker: WorkerClient,
        note: str = "",
        left: LeftInterview | None = None,
        last_bank: str = "",
        failed: bool = False,
    ) -> None:
        super().__init__()
        self.worker, self.note, self.left, self.failed = worker, note, left, failed
        self.rows: tuple[BankRow, ...] = ()
        self.cases: tuple[InboxRow, ...] = ()
        self._shown_cases: list[InboxRow] = []
        self._marks_case = False
        self._bank_to_mark, self._marks_latest = last_bank, not last_bank
        self._filtered_by = ""
        self._mine_only = self._is_reading = self._is_stale = False
        self._has_read = self._starts_when_read = False

    @property
    def _has_team(self) -> bool:
        return self.worker.options.store is not None

    def refresh_cases(self) -> None:
        """Read the cases again: the team has brought some, or opened or left one."""
        self._is_stale = self._is_reading  # then they are read once more
        if not self._is_reading:
            self.run_worker(self._read())

    def compose(self) -> ComposeResult:
        """Show the filter, the inbox and the banks."""
        yield TitleBar(
            "odm-tui", "Enter starts or goes on · type to find a case or a bank", "choose, then Enter"
        )
        yield Input(
            placeholder="type a case, a note, an outcome or a bank", id="filter", select_on_focus=False
        )
        with Container(id="lists"):
            with Vertical(id="inbox", classes="card") as inbox:
                inbox.border_title = "Inbox"
                yield MarkedList(id="open", markup=False)
            with Vertical(id="bank-card", classes="card") as banks:
                banks.border_title = "Banks"
                yield Static(id="columns", markup=False)
                yield MarkedList(id="banks", markup=False)
        yield Banner()
        yield KeyBar(HOME)

    def on_mount(self) -> None:
        """Hide the inbox until it has lines, and show the note."""
        self.query_one("#inbox").display = False
        for choices in self.query(MarkedList):
            choices.can_focus = False  # the filter keeps the focus, so that typing always finds
        self._show_mark()
        if self.note:
            self.query_one(Banner).show_message(self.note, is_error=self.failed)

    def on_screen_resume(self) -> None:
        """Read the banks, also after another screen was closed: an outcome may have been confirmed there."""
        self.run_worker(self._read(), exclusive=True)

    async def _read(self) -> None:
        """Read the banks, then their logs; show each all at once, so that lines do not move under the mouse."""
        self._is_reading = True
        try:
            names = await self.worker.read(Reader.bank_names)
            rows = [await self.worker.read(Reader.bank_row, name) for name in names]
            if not self.rows:
                self.post_message(BanksListed(tuple(rows)))
            full_rows = [await self.worker.read(Reader.bank_row_with_history, row) for row in rows]
            cases = [
                case
                for row in full_rows
                if not row.mistake and (row.pending or row.unfinished or self._has_team)
                for case in await self.worker.read(Reader.inbox, row.name)
            ]
            note = await self.worker.read(Reader.describe_shared_log)
            self.post_message(BanksListed(tuple(full_rows), sort_inbox(cases), note, is_whole=True))
        except OdmError as error:
            self.post_message(RequestFailed(str(error)))
        finally:
            self._is_reading = False
        if self._is_stale:
            self.refresh_cases()

    @on(RequestFailed)
    def _handle_failed(self, event: RequestFailed) -> None:
        self.query_one(Banner).show_message(event.sentence, is_error=True)

    @on(BanksListed)
    def _handle_listed(self, event: BanksListed) -> None:
        is_first = not any(row.last_used for row in self.rows)
        self.rows, self.cases = event.rows, self._put_just_left_first(event.cases)
        latest = max(self.rows, key=lambda row: row.last_used, default=None)
        if is_first and self._marks_latest and latest is not None and latest.last_used:
            self._bank_to_mark = latest.name
        if event.note and not self.note:
            self.note = event.note
            self.query_one(Banner).show_message(event.note)
        is_first_whole, self._has_read = (
            event.is_whole and not self._has_read,
            self._has_read or event.is_whole,
        )
        if is_first_whole:
            self._filtered_by = ""  # a reference that was typed meanwhile is marked now
        self._draw()
        if is_first_whole and self._starts_when_read:
            self.action_start()

    def _put_just_left_first(self, cases: tuple[InboxRow, ...]) -> tuple[InboxRow, ...]:
        just_left = self.left.interview if self.left else ""
        return tuple(sorted(cases, key=lambda case: case.interview != just_left))

    def on_resize(self) -> None:
        """Fit the lists to the new size."""
        self.call_after_refresh(self._draw)

    @on(Input.Changed)
    def _handle_filter(self) -> None:
        self._starts_when_read = False
        self._draw()

    # -- drawing ------------------------------------------------------------------------------------------

    def _draw(self) -> None:
        words = self.query_one(Input).value
        beside = self.size.width >= _BESIDE and bool(self.cases)
        self.set_class(beside, "-beside")
        self._draw_cases(words, beside)
        self._draw_banks(words, beside)
        if words != self._filtered_by:
            self._filtered_by = words
            self._mark_best_match(words)
        self._show_mark()
        self.refresh_bindings()

    def _draw_cases(self, words: str, beside: bool) -> None:
        width = (self.size.width // 2 if beside else self.size.width) - 10
        cases = [case for case in self.cases if case.is_mine or not self._mine_only]
        self._shown_cases = list(filter_inbox(cases, words))[:_MOST_CASES]
        options, reference = self.query_one("#open", OptionList), case_width(self._shown_cases)
        at = options.highlighted or 0
        options.set_options(Option(draw_case(case, width, reference)) for case in self._shown_cases)
        inbox = self.query_one("#inbox")
        inbox.display = bool(self._shown_cases) or (self._mine_only and bool(self.cases))
        whose = (" · mine" if self._mine_only else " · the whole team") if self._has_team else ""
        inbox.border_title = f"Inbox · {format_count(len(self._shown_cases), 'case')}{whose}"
        inbox.styles.max_height = (
            "1fr" if beside else max(4, min(len(self._shown_cases) + 2, self.size.height // 2 - 2))
        )
        if self._shown_cases:
            options.highlighted = min(at, len(self._shown_cases) - 1)
        else:
            self._marks_case = False

    def _draw_banks(self, words: str, beside: bool) -> None:
        width = min((self.size.width // 2 if beside else self.size.width) - 10, 130)
        banks = self.query_one("#banks", OptionList)
        shown = [row for row in self.rows if matches_words(words, (row.name, row.title))]
        marked = self._bank_to_mark or self.marked
        self.query_one("#columns", Static).update(Content.styled(draw_header(width), "$quiet"))
        banks.set_options(Option(draw_bank(row, width), row.name) for row in shown)
        self.query_one("#bank-card").display = bool(shown) or not self._shown_cases
        if shown:
            banks.highlighted = next((i for i, row in enumerate(shown) if row.name == marked), 0)
            if any(row.name == self._bank_to_mark for row in shown):
                self._bank_to_mark = ""
        elif self._shown_cases:
            self._marks_case = True
        elif words.strip() and self._has_read:
            self.query_one(KeyBar).say(f"Nothing matches “{words.strip()}”; Esc empties the filter.")

    def _mark_best_match(self, words: str) -> None:
        """Mark the case whose reference was typed; else the first bank that matches."""
        if not words.strip():
            self._marks_case = False
            return
        self.query_one(KeyBar).be_quiet() if self._shown_cases or self.marked else None
        named = next((i for i, case in enumerate(self._shown_cases) if is_named_case(case, words)), None)
        self._marks_case = named is not None or (self.marked is None and bool(self._shown_cases))
        if named is not None:
            self.query_one("#open", OptionList).highlighted = named

    def _show_mark(self) -> None:
        self.query_one("#open", MarkedList).marks = self._marks_case
        self.query_one("#banks", MarkedList).marks = not self._marks_case

    # -- choosing ---------------------------------------------------------------------------------------

    @property
    def bank(self) -> str | None:
        """The bank of the marked line."""
        if not self.is_mounted:
            return None
        case = self._marked_case
        return case.bank if case is not None else self.marked

    @property
    def labels(self) -> dict[str, str]:
        """What Enter does now, for the key bar."""
        return {"home.start": "Go on"} if self._marked_case is not None else {}

    @property
    def marked(self) -> str | None:
        """The name of the marked bank."""
        option = self.query_one("#banks", OptionList).highlighted_option
        return option.id if option else None

    @property
    def _marked_case(self) -> InboxRow | None:
        if not self._marks_case:
            return None
        at = self.query_one("#open", OptionList).highlighted
        if at is None or at >= len(self._shown_cases):
            return None
        return self._shown_cases[at]

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        if event.option_list.id == "banks":
            self._start(event.option_id or "")
        else:
            self._open_case(self._shown_cases[event.option_index])

    @on(Input.Submitted)
    def _submitted(self) -> None:
        self.action_start()

    def action_start(self) -> None:
        """Go on with the marked case, or start an interview with the marked bank."""
        if self.query_one(Input).value != self._filtered_by:
            self._draw()  # text typed ahead of Enter counts
        case = self._marked_case
        if case is not None:
            self._open_case(case)
        elif self.marked is not None:
            self._start(self.marked)
        elif not self._has_read:
            self._starts_when_read = True
            self.query_one(KeyBar).say("The cases are still being read …")
        else:
            self.query_one(KeyBar).say("Nothing is marked; Esc empties the filter.")

    def _open_case(self, case: InboxRow) -> None:
        self.post_message(StartInterview(case.bank, case.interview))

    def _start(self, name: str) -> None:
        row = next(row for row in self.rows if row.name == name)
        if row.mistake:
            self.query_one(Banner).show_message(row.mistake, is_error=True)
        else:
            self.post_message(StartInterview(name))

    def action_move(self, by: int) -> None:
        """Move the mark through the inbox and the banks, while the filter keeps the focus."""
        self._bank_to_mark = ""
        cases, banks = self.query_one("#open", OptionList), self.query_one("#banks", OptionList)
        many, all_lines = len(self._shown_cases), len(self._shown_cases) + banks.option_count
        if not all_lines:
            return
        at = (cases.highlighted or 0) if self._marks_case else many + (banks.highlighted or 0)
        at = (at + by) % all_lines
        self._marks_case = at < many
        if self._marks_case:
            cases.highlighted = at
        else:
            banks.highlighted = at - many
        self._show_mark()
        self.refresh_bindings()

    def action_switch(self) -> None:
        """Move the mark between the inbox and the banks."""
        self._marks_case = not self._marks_case and bool(self._shown_cases)
        self._show_mark()
        self.refresh_bindings()

    def action_resume(self) -> None:
        """Resume the interview that was just left, else the latest unfinished one."""
        case = next((case for case in self.cases if case.status == "unfinished" and case.is_mine), None)
        if case is not None:
            self._open_case(case)

    def action_pending(self) -> None:
        """Show the pending interviews of the bank of the marked line."""
        if self.bank is not None:
            self.post_message(ShowPending(self.bank))

    def action_try_bank(self) -> None:
        """Show what interviews with the bank of the marked line are like."""
        if self.bank is not None:
            self.post_message(TryBank(self.bank))

    def action_mine(self) -> None:
        """Show this operator's cases only, or those of the whole team."""
        self._mine_only = not self._mine_only
        self._draw()

    def action_clear(self) -> None:
        """Empty the filter."""
        self.query_one(Input).value = ""
        self.query_one(KeyBar).be_quiet()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether a command works: Resume needs an unfinished interview, Pending one of the marked bank."""
        if action == "resume":
            return any(case.status == "unfinished" and case.is_mine for case in self.cases)
        if action == "pending":
            return any(row.pending for row in self.rows if row.name == self.bank)
        if action == "try_bank":
            return any(not row.mistake for row in self.rows if row.name == self.bank)
        if action == "mine":
            return self._has_team
        if action == "switch":
            return bool(self._shown_cases)
        return True

    def on_key(self, event: events.Key) -> None:
        """Say why a dead key does nothing."""
        keymap: dict[str, str] = getattr(self.app, "keymap", {})
        action = find_dead_action(self, HOME, event.key, keymap)
        if action is not None and action.dead:
            event.stop()
            self.query_one(KeyBar).say(action.dead)
