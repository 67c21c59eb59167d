"""The home screen: the list of banks, with unfinished and pending interviews above it."""

from __future__ import annotations

from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from odm_tui.errors import OdmError
from odm_tui.formatting import format_cost, format_count
from odm_tui.tui.key_bindings import HOME, make_bindings
from odm_tui.tui.messages import RequestFailed, ShowPending, StartInterview
from odm_tui.tui.widgets.banner import Banner
from odm_tui.tui.widgets.drawing import align_right, draw_sparkline, fit_text
from odm_tui.tui.widgets.key_bar import KeyBar
from odm_tui.tui.widgets.marked_list import MarkedList
from odm_tui.tui.widgets.title_bar import TitleBar
from odm_tui.tui.worker.backend import Backend, LeftInterview
from odm_tui.tui.worker.client import WorkerClient
from odm_tui.views.banks import BankRow
from odm_tui.views.interview import UnfinishedInterview


@dataclass
class BanksListed(Message):
    """The rows of the list of banks, as far as they have been read."""

    rows: tuple[BankRow, ...]


class HomeScreen(Screen[None]):
    """List the banks, and the interviews that can be resumed or confirmed."""

    CSS_PATH = "lists.tcss"
    ACTIONS = HOME
    BINDINGS = make_bindings(HOME)
    AUTO_FOCUS = "Input"

    def __init__(
        self, worker: WorkerClient, note: str = "", left: LeftInterview | None = None, failed: bool = False
    ) -> None:
        super().__init__()
        self.worker, self.note, self.left, self.failed = worker, note, left, failed
        self.rows: tuple[BankRow, ...] = ()
        self._open_messages: list[Message] = []
        """The message to post for each line of the upper list."""

    def compose(self) -> ComposeResult:
        """Show the filter, the unfinished and pending interviews, and the banks."""
        yield TitleBar("odm-tui", "choose a bank, then ask")
        yield Input(placeholder="type to filter the banks", id="filter", select_on_focus=False)
        yield MarkedList(id="open", markup=False)
        yield Static(id="columns", markup=False)
        yield MarkedList(id="banks", markup=False)
        yield Banner()
        yield KeyBar(HOME)

    def on_mount(self) -> None:
        """Hide the upper list until it has lines, and show the note."""
        self.query_one("#open").display = False
        self._move_mark_to_focus()
        if self.note:
            self.query_one(Banner).show_message(self.note, is_error=self.failed)

    def on_screen_resume(self) -> None:
        """Read the banks, also after another screen was closed: an outcome may have been confirmed there."""
        self.run_worker(self._read(), exclusive=True)

    async def _read(self) -> None:
        """Read the banks, then their logs; show each all at once, so that lines do not move under the mouse."""
        try:
            names = await self.worker.run(Backend.bank_names)
            rows = [await self.worker.run(Backend.bank_row, name) for name in names]
            if not self.rows:
                self.post_message(BanksListed(tuple(rows)))
            full_rows = [await self.worker.run(Backend.bank_row_with_history, row) for row in rows]
            self.post_message(BanksListed(tuple(full_rows)))
        except OdmError as error:
            self.post_message(RequestFailed(str(error)))

    @on(RequestFailed)
    def _handle_failed(self, event: RequestFailed) -> None:
        self.query_one(Banner).show_message(event.sentence, is_error=True)

    @on(BanksListed)
    def _handle_listed(self, event: BanksListed) -> None:
        self.rows = event.rows
        self._draw()

    def on_resize(self) -> None:
        """Fit the columns to the new width."""
        self._draw()

    @on(Input.Changed)
    def _handle_filter(self, event: Input.Changed) -> None:
        self._draw()

    def _draw(self) -> None:
        width = min(self.size.width - 10, 130)
        words = self.query_one(Input).value.casefold().split()
        shown = [r for r in self.rows if all(w in f"{r.name} {r.title}".casefold() for w in words)]
        banks = self.query_one("#banks", OptionList)
        marked = banks.highlighted_option.id if banks.highlighted_option else None
        self.query_one("#columns", Static).update(Content.styled(draw_header(width), "$quiet"))
        banks.set_options(Option(draw_bank(row, width), row.name) for row in shown)
        if shown:
            banks.highlighted = next((i for i, row in enumerate(shown) if row.name == marked), 0)
        open_items = self.query_one("#open", OptionList)
        at = open_items.highlighted or 0
        open_items.set_options(self._open_options(width))
        open_items.display = bool(open_items.option_count)
        if open_items.display:
            open_items.highlighted = min(at, open_items.option_count - 1)
        self.refresh_bindings()

    def _open_options(self, width: int) -> list[Option]:
        """One line per unfinished interview, the latest first, and one per bank with pending interviews."""
        lines = []
        self._open_messages = []
        for row, one in self._unfinished:
            text = f"{row.title}: interrupted on {one.began} after {format_count(one.answers, 'answer')}"
            lines.append(_draw_open_item("resume", text, width))
            self._open_messages.append(StartInterview(row.name, one.interview))
        for row in self.rows:
            if row.pending:
                text = f"{row.title}: {format_count(row.pending, 'outcome')} to be confirmed"
                lines.append(_draw_open_item("confirm", text, width))
                self._open_messages.append(ShowPending(row.name))
        return [Option(line) for line in lines]

    @property
    def _unfinished(self) -> list[tuple[BankRow, UnfinishedInterview]]:
        """All unfinished interviews: the one that was just left, then the latest first."""
        just_left = self.left.interview if self.left else ""
        found = [(row, one) for row in self.rows for one in row.unfinished]
        return sorted(found, key=lambda pair: (pair[1].interview == just_left, pair[1].at), reverse=True)

    def on_descendant_focus(self) -> None:
        """Show the mark in the list that Enter acts on."""
        self._move_mark_to_focus()

    def _move_mark_to_focus(self) -> None:
        open_items = self.query_one("#open", MarkedList)
        open_items.marks = open_items.has_focus
        self.query_one("#banks", MarkedList).marks = not open_items.has_focus

    # -- choosing ---------------------------------------------------------------------------------------

    @property
    def bank(self) -> str | None:
        """The current bank: the marked one."""
        return self.marked if self.is_mounted else None

    @property
    def marked(self) -> str | None:
        """The name of the marked bank."""
        option = self.query_one("#banks", OptionList).highlighted_option
        return option.id if option else None

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        if event.option_list.id == "banks":
            self._start(event.option_id or "")
        else:
            self.post_message(self._open_messages[event.option_index])

    @on(Input.Submitted)
    def _submitted(self) -> None:
        self.action_start()

    def action_start(self) -> None:
        """Start an interview with the marked bank."""
        if self.marked is not None:
            self._start(self.marked)

    def _start(self, name: str) -> None:
        row = next(row for row in self.rows if row.name == name)
        if row.mistake:
            self.query_one(Banner).show_message(row.mistake, is_error=True)
        else:
            self.post_message(StartInterview(name))

    def action_move(self, by: int) -> None:
        """Move the mark while the filter keeps the focus."""
        banks = self.query_one("#banks", OptionList)
        if banks.option_count:
            banks.highlighted = ((banks.highlighted or 0) + by) % banks.option_count

    def action_resume(self) -> None:
        """Resume the interview that was just left, else the latest unfinished one."""
        if self._unfinished:
            row, one = self._unfinished[0]
            self.post_message(StartInterview(row.name, one.interview))

    def action_pending(self) -> None:
        """Show the pending interviews of the bank of the interview that was just left, else of the first bank."""
        banks = [row.name for row in self.rows if row.pending]
        if banks:
            just_left = self.left.bank if self.left else ""
            self.post_message(ShowPending(just_left if just_left in banks else banks[0]))

    def action_clear(self) -> None:
        """Empty the filter."""
        self.query_one(Input).value = ""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether a command works: Resume and Pending need an interview."""
        if action == "resume":
            return bool(self._unfinished)
        if action == "pending":
            return any(row.pending for row in self.rows)
        return True


@dataclass(frozen=True, slots=True)
class BankColumns:
    """The widths of the columns: on narrow terminals, two are joined and the trend is left out."""

    title: int
    joined: bool
    trend: int

    @classmethod
    def at(cls, width: int) -> BankColumns:
        """The columns for this width."""
        joined = width < 96
        trend = 0 if width < 64 else 10 if joined else min(30, width - 86)
        numbers = (9 + 7) if joined else (11 + 10 + 12)
        return cls(max(14, width - numbers - 16 - (trend + 2 if trend else 0)), joined, trend)

    def row(self, title: str, questions: str, outcomes: str, interviews: str, cost: str) -> str:
        """One line of text, without the trend."""
        text = fit_text(title, self.title)
        if self.joined:
            size = f"{questions} × {outcomes}" if outcomes else questions
            return text + align_right(size, 9) + align_right(interviews, 7) + align_right(cost, 16)
        return (
            text
            + align_right(questions, 11)
            + align_right(outcomes, 10)
            + align_right(interviews, 12)
            + align_right(cost, 16)
        )


def draw_header(width: int) -> str:
    """The names of the columns."""
    columns = BankColumns.at(width)
    names = ("size", "", "held") if columns.joined else ("questions", "outcomes", "interviews")
    return columns.row("Bank", *names, "mean cost") + ("  trend" if columns.trend else "")


def draw_bank(row: BankRow, width: int) -> Content:
    """One bank in one line."""
    columns = BankColumns.at(width)
    if row.mistake:
        text = "can't be used: Enter says why"
        return Content.assemble(
            (fit_text(row.name, columns.title), "$quiet"),
            ("  ! ", "bold $error"),
            fit_text(text, width - columns.title - 4),
        )
    interviews, mean = "…", "…"
    if row.interviews is not None:
        interviews = f"{row.interviews:,}"
        mean = format_cost(float(f"{sum(row.costs) / len(row.costs):.3g}"), row.unit) if row.costs else "–"
    text = columns.row(
        row.title, str(row.questions), str(row.outcomes), interviews, fit_text(mean, 15).rstrip()
    )
    return Content.assemble(
        (text[: columns.title], "bold"),
        text[columns.title :],
        (f"  {draw_sparkline(row.costs, columns.trend)}" if columns.trend else "", "$accent"),
    )


def _draw_open_item(verb: str, text: str, width: int) -> Content:
    return Content.assemble((f"{verb}  ", "bold $accent"), fit_text(text, width - len(verb) - 2))
