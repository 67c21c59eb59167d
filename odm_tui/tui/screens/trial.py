"""The trial screen: what interviews with a bank are like, on simulated callers or on the rows it was made from."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events, on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Static

from odm_tui.errors import OdmError
from odm_tui.formatting import format_count
from odm_tui.tui.key_bindings import TRIAL, find_dead_action, make_bindings
from odm_tui.tui.messages import RequestFailed
from odm_tui.tui.widgets.banner import Banner
from odm_tui.tui.widgets.drawing import draw_bar, wrap_text
from odm_tui.tui.widgets.key_bar import KeyBar
from odm_tui.tui.widgets.title_bar import TitleBar
from odm_tui.tui.worker.bank_trial import TrialProgress, begin_trial, continue_trial, end_trial
from odm_tui.tui.worker.client import WorkerClient
from odm_tui.views.evaluation import EvaluationView
from odm_tui.views.table_layout import lay_out_table

_WIDEST = 120
"""Lines of text are not longer than this."""


@dataclass
class TrialAdvanced(Message):
    """Some more interviews were held."""

    progress: TrialProgress


class TrialScreen(Screen[None]):
    """Hold interviews in the worker process, a slice after the other, and show the figures as they come."""

    CSS_PATH = "pages.tcss"
    ACTIONS = TRIAL
    BINDINGS = make_bindings(TRIAL)
    AUTO_FOCUS = "VerticalScroll"

    def __init__(self, worker: WorkerClient, bank: str) -> None:
        super().__init__()
        self.worker, self.bank_name = worker, bank
        self.progress: TrialProgress | None = None
        self.figures: EvaluationView | None = None
        self.has_ended = False
        """Whether no more figures will come: the trial is complete, was stopped, or failed."""

    def compose(self) -> ComposeResult:
        """Show the progress above one long page."""
        yield TitleBar("Try this bank")
        yield Static(id="held", markup=False)
        with VerticalScroll(id="page"):
            yield Static(id="figures", markup=False)
        yield Banner()
        yield KeyBar(TRIAL)

    def on_mount(self) -> None:
        """Begin the trial."""
        self.run_worker(self._hold_interviews(), exclusive=True)

    async def _hold_interviews(self) -> None:
        """Ask for one slice after the other until the last figures are there or the operator has stopped."""
        try:
            progress: TrialProgress | None = await self.worker.run(begin_trial, self.bank_name)
            while progress is not None:
                self.post_message(TrialAdvanced(progress))
                if progress.is_complete or self.has_ended:
                    break
                progress = await self.worker.run(continue_trial, progress.number)
        except OdmError as error:
            self.post_message(RequestFailed(str(error)))

    def on_unmount(self) -> None:
        """Forget the interviews."""
        if self.progress is not None:
            self.worker.submit(end_trial, self.progress.number)

    @on(RequestFailed)
    def _handle_failed(self, event: RequestFailed) -> None:
        self._end()
        self.query_one(Banner).show_message(event.sentence, is_error=True)

    @on(TrialAdvanced)
    def _handle_advanced(self, event: TrialAdvanced) -> None:
        self.progress = event.progress
        if event.progress.figures is not None:
            self.figures = event.progress.figures
            self._draw_figures()
        if event.progress.is_complete:
            self._end()
        self._draw_progress()

    def _end(self) -> None:
        self.has_ended = True
        self.refresh_bindings()

    def on_resize(self) -> None:
        """Fit the lines to the new width."""
        self._draw_progress()
        self._draw_figures()

    def _draw_progress(self) -> None:
        progress = self.progress
        if progress is None:
            return
        width = min(self.size.width - 6, _WIDEST)
        held, total = progress.held, progress.interviews
        if not total:
            self.query_one(TitleBar).status = ("preparing",)
            return
        status = format_count(total, "interview") if held == total else f"{held:,} of {total:,} interviews"
        self.query_one(TitleBar).status = (status,)
        filled, rail = draw_bar(held / total, width)
        line = self.query_one("#held", Static)
        line.display = not progress.is_complete
        line.update(Content.assemble((filled, "$accent"), (rail, "$rail")))

    def _draw_figures(self) -> None:
        if self.figures is not None:
            self.query_one(TitleBar).title = f"Try: {self.figures.title}"
            width = min(self.size.width - 6, _WIDEST)
            if self.has_class("-wide"):
                width = min(self.size.width - 14, _WIDEST)
            self.query_one("#figures", Static).update(Content("\n").join(draw_figures(self.figures, width)))

    def action_stop(self) -> None:
        """Stop here; the lines that are finished stay."""
        self._end()
        held = 0 if self.progress is None else self.progress.held
        left = "" if self.figures is not None else " No line was finished, so there are no figures."
        self.query_one(Banner).show_message(f"Stopped after {format_count(held, 'interview')}.{left}")

    def action_back(self) -> None:
        """Stop, and go back to the banks."""
        self._end()
        self.app.pop_screen()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether a command works: Stop needs a trial that goes on."""
        return not self.has_ended if action == "stop" else True

    def on_key(self, event: events.Key) -> None:
        """Say why a dead key does nothing."""
        keymap: dict[str, str] = getattr(self.app, "keymap", {})
        action = find_dead_action(self, TRIAL, event.key, keymap)
        if action is not None and action.dead:
            event.stop()
            self.query_one(KeyBar).say(action.dead)


def draw_figures(view: EvaluationView, width: int) -> list[Content]:
    """The lines of the page: the summary, the tables and the notes; no line is wider than ``width``."""
    lines = [Content(line) for line in wrap_text(view.summary, width)]
    for table in view.tables:
        lines += [Content(""), Content.styled(table.title, "bold $accent")]
        lines += [
            Content.styled(line.text, "$quiet") if line.is_header else Content(line.text)
            for line in lay_out_table(table, width)
        ]
        if table.note:
            lines += [Content.styled(line, "$quiet") for line in wrap_text(table.note, width)]
    for note in view.notes:
        lines += [Content(""), *(Content(line) for line in wrap_text(note, width))]
    return lines
