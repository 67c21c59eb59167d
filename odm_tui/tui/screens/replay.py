"""The replay screen: go through a past interview step by step, with the beliefs at each step."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from odm_tui.formatting import format_percent
from odm_tui.tui.key_bindings import REPLAY, make_bindings
from odm_tui.tui.messages import RequestFailed, post_result
from odm_tui.tui.widgets.banner import Banner
from odm_tui.tui.widgets.belief_bars import BeliefBars
from odm_tui.tui.widgets.drawing import align_right, fit_text
from odm_tui.tui.widgets.key_bar import KeyBar
from odm_tui.tui.widgets.scroll import scroll_page
from odm_tui.tui.widgets.title_bar import TitleBar
from odm_tui.tui.worker.client import WorkerClient
from odm_tui.tui.worker.reader import Reader
from odm_tui.views.history import HistoryRow, ReplayStep


@dataclass
class ReplayLoaded(Message):
    """All steps of the interview."""

    steps: tuple[ReplayStep, ...]


class ReplayScreen(Screen[None]):
    """Show the steps on the left and the beliefs after the marked step on the right."""

    CSS_PATH = "lists.tcss"
    ACTIONS = REPLAY
    BINDINGS = make_bindings(REPLAY)
    AUTO_FOCUS = "OptionList"

    def __init__(self, worker: WorkerClient, bank: str, row: HistoryRow) -> None:
        super().__init__()
        self.worker, self.bank_name, self.row = worker, bank, row
        self.steps: tuple[ReplayStep, ...] = ()

    def compose(self) -> ComposeResult:
        """Show the marked step, the list of steps and the beliefs."""
        title = " · ".join(filter(None, (self.row.case, f"Interview of {self.row.began}", self.row.note)))
        yield TitleBar(title, self.row.status)
        with Horizontal(id="body"):
            with Vertical(id="stage"):
                with VerticalScroll(id="event", can_focus=False):
                    yield Static(id="what", markup=False)
                    yield Static(id="detail", markup=False)
                yield OptionList(id="steps", markup=False)
            with Vertical(id="side"):
                yield BeliefBars()
        yield Banner()
        yield KeyBar(REPLAY)

    def on_mount(self) -> None:
        """Read the steps of the interview."""
        work = self.worker.read(Reader.replay, self.bank_name, self.row.interview)
        self.run_worker(post_result(self, work, ReplayLoaded))

    @on(RequestFailed)
    def _handle_failed(self, event: RequestFailed) -> None:
        self.query_one(Banner).show_message(event.sentence, is_error=True)

    @on(ReplayLoaded)
    def _handle_loaded(self, event: ReplayLoaded) -> None:
        self.steps = event.steps
        self._draw()

    def on_resize(self) -> None:
        """Fit the lines to the new width."""
        self.call_after_refresh(self._draw)

    def _draw(self) -> None:
        options = self.query_one(OptionList)
        at, width = options.highlighted or 0, options.size.width - 6
        if not self.steps or width < 12:
            return
        options.set_options(Option(draw_step(at, step, width)) for at, step in enumerate(self.steps))
        options.highlighted = at

    @on(OptionList.OptionHighlighted)
    def _show_step(self, event: OptionList.OptionHighlighted) -> None:
        step = self.steps[event.option_index]
        self.query_one("#what", Static).update(Content(step.title))
        self.query_one("#detail", Static).update(
            Content(f"Answer: {step.text}" if step.answer else step.text)
        )
        self.query_one(BeliefBars).bars = step.bars

    def action_step(self, by: int) -> None:
        """Go forward or back by this many steps."""
        options = self.query_one(OptionList)
        if options.option_count:
            options.highlighted = min(max((options.highlighted or 0) + by, 0), options.option_count - 1)

    def action_scroll_page(self, pages: int) -> None:
        """Scroll a long text."""
        scroll_page(self.query_one("#event"), pages)

    def action_back(self) -> None:
        """Go back to the list."""
        self.app.pop_screen()


def draw_step(at: int, step: ReplayStep, width: int) -> Content:
    """One line for one step: the question, the reply, and the probability of the leading outcome after it.

    Both may be cut: the marked step stands above the list in full.
    """
    share = align_right(format_percent(step.bars[0].share), 6)
    room = max(6, width - 4 - len(share))
    reply = fit_text(step.text, room // 2).rstrip() if step.answer else ""
    title = fit_text(step.title, room - cell_len(reply) - 1) + " "
    style = "" if step.answer else "$quiet"
    return Content.assemble((align_right(str(at), 3) + " ", "$quiet"), (title, style), (reply, "bold"), share)
