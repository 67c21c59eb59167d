"""The banks: filter by typing, Enter starts; what was interrupted or left open stands on top."""

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
from odm_tui.tui.actions import HOME, make_bindings
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
    """What is known of the banks by now."""

    rows: tuple[BankRow, ...]


class HomeScreen(Screen[None]):
    """All banks, and what waits to be finished."""

    CSS_PATH = "lists.tcss"
    ACTIONS = HOME
    BINDINGS = make_bindings(HOME)
    AUTO_FOCUS = "Input"

    def __init__(self, worker: WorkerClient, note: str = "", left: LeftInterview | None = None) -> None:
        super().__init__()
        self.worker, self.note, self.left = worker, note, left
        self.rows: tuple[BankRow, ...] = ()
        self._ways: list[Message] = []
        """What comes of choosing each of the lines on top."""

    def compose(self) -> ComposeResult:
        """Filter, what waits, banks."""
        yield TitleBar("odm-tui", "choose a bank, then ask")
        yield Input(placeholder="type to filter the banks", id="filter", select_on_focus=False)
        yield MarkedList(id="waiting", markup=False)
        yield Static(id="columns", markup=False)
        yield MarkedList(id="banks", markup=False)
        yield Banner()
        yield KeyBar(HOME)

    def on_mount(self) -> None:
        """Begin with the banks alone."""
        self.query_one("#waiting").display = False
        self._marks_follow_focus()
        if self.note:
            self.query_one(Banner).show_message(self.note)

    def on_screen_resume(self) -> None:
        """Read, and read again after another screen was above: an outcome may have been confirmed there."""
        self.run_worker(self._read(), exclusive=True)

    async def _read(self) -> None:
        """First what the banks hold, then what the logs tell, each in one go: a list that grows moves under the mouse."""
        try:
            names = await self.worker.run(Backend.bank_names)
            rows = [await self.worker.run(Backend.bank_row, name) for name in names]
            if not self.rows:
                self.post_message(BanksListed(tuple(rows)))
            told = [await self.worker.run(Backend.bank_row_with_history, row) for row in rows]
            self.post_message(BanksListed(tuple(told)))
        except OdmError as error:
            self.post_message(RequestFailed(str(error)))

    @on(RequestFailed)
    def _refused(self, event: RequestFailed) -> None:
        self.query_one(Banner).show_message(event.sentence, is_error=True)

    @on(BanksListed)
    def _listed(self, event: BanksListed) -> None:
        self.rows = event.rows
        self._draw()

    def on_resize(self) -> None:
        """Fit the columns to the new width."""
        self._draw()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self._draw()

    def _draw(self) -> None:
        width = min(self.size.width - 10, 130)
        words = self.query_one(Input).value.casefold().split()
        shown = [r for r in self.rows if all(w in f"{r.name} {r.title}".casefold() for w in words)]
        banks = self.query_one("#banks", OptionList)
        kept = banks.highlighted_option.id if banks.highlighted_option else None
        self.query_one("#columns", Static).update(Content.styled(draw_header(width), "$quiet"))
        banks.set_options(Option(draw_bank(row, width), row.name) for row in shown)
        if shown:
            banks.highlighted = next((i for i, row in enumerate(shown) if row.name == kept), 0)
        waiting = self.query_one("#waiting", OptionList)
        at = waiting.highlighted or 0
        waiting.set_options(self._waiting(width))
        waiting.display = bool(waiting.option_count)
        if waiting.display:
            waiting.highlighted = min(at, waiting.option_count - 1)
        self.refresh_bindings()

    def _waiting(self, width: int) -> list[Option]:
        """A line for each interview that was left, the latest first, and one for each bank with pending outcomes."""
        lines = []
        self._ways = []
        for row, one in self._interrupted:
            text = f"{row.title}: interrupted on {one.began} after {format_count(one.answers, 'answer')}"
            lines.append(_draw_open_item("resume", text, width))
            self._ways.append(StartInterview(row.name, one.interview))
        for row in self.rows:
            if row.pending:
                text = f"{row.title}: {format_count(row.pending, 'outcome')} to be confirmed"
                lines.append(_draw_open_item("confirm", text, width))
                self._ways.append(ShowPending(row.name))
        return [Option(line) for line in lines]

    @property
    def _interrupted(self) -> list[tuple[BankRow, UnfinishedInterview]]:
        """All interviews that were left half-way: the one just left, then those that began last."""
        just_left = self.left.interview if self.left else ""
        found = [(row, one) for row in self.rows for one in row.unfinished]
        return sorted(found, key=lambda pair: (pair[1].interview == just_left, pair[1].at), reverse=True)

    def on_descendant_focus(self) -> None:
        """The mark is where Enter acts."""
        self._marks_follow_focus()

    def _marks_follow_focus(self) -> None:
        waiting = self.query_one("#waiting", MarkedList)
        waiting.marks = waiting.has_focus
        self.query_one("#banks", MarkedList).marks = not waiting.has_focus

    # -- choosing ---------------------------------------------------------------------------------------

    @property
    def bank(self) -> str | None:
        """The bank at hand is the marked one."""
        return self.marked if self.is_mounted else None

    @property
    def marked(self) -> str | None:
        """The bank that is marked."""
        option = self.query_one("#banks", OptionList).highlighted_option
        return option.id if option else None

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        if event.option_list.id == "banks":
            self._begin(event.option_id or "")
        else:
            self.post_message(self._ways[event.option_index])

    @on(Input.Submitted)
    def _submitted(self) -> None:
        self.action_start()

    def action_start(self) -> None:
        """Start with the marked bank."""
        if self.marked is not None:
            self._begin(self.marked)

    def _begin(self, name: str) -> None:
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
        """Go on with the interview that was just left, else with the one that began last."""
        if self._interrupted:
            row, one = self._interrupted[0]
            self.post_message(StartInterview(row.name, one.interview))

    def action_pending(self) -> None:
        """Confirm what was left open; the bank of the interview that was just left goes first."""
        waiting = [row.name for row in self.rows if row.pending]
        if waiting:
            just_left = self.left.bank if self.left else ""
            self.post_message(ShowPending(just_left if just_left in waiting else waiting[0]))

    def action_clear(self) -> None:
        """Empty the filter."""
        self.query_one(Input).value = ""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Resume and pending only where there is something."""
        if action == "resume":
            return bool(self._interrupted)
        if action == "pending":
            return any(row.pending for row in self.rows)
        return True


@dataclass(frozen=True, slots=True)
class BankColumns:
    """How wide the columns are at a given width: narrow terminals join two and leave the trend out."""

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
        said = "can't be used: Enter says why"
        return Content.assemble(
            (fit_text(row.name, columns.title), "$quiet"),
            ("  ! ", "bold $error"),
            fit_text(said, width - columns.title - 4),
        )
    held, mean = "…", "…"
    if row.interviews is not None:
        held = f"{row.interviews:,}"
        mean = format_cost(float(f"{sum(row.costs) / len(row.costs):.3g}"), row.unit) if row.costs else "–"
    text = columns.row(row.title, str(row.questions), str(row.outcomes), held, fit_text(mean, 15).rstrip())
    return Content.assemble(
        (text[: columns.title], "bold"),
        text[columns.title :],
        (f"  {draw_sparkline(row.costs, columns.trend)}" if columns.trend else "", "$accent"),
    )


def _draw_open_item(verb: str, text: str, width: int) -> Content:
    return Content.assemble((f"{verb}  ", "bold $accent"), fit_text(text, width - len(verb) - 2))
