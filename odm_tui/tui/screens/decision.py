"""The decision screen: show the outcome, its probability and advice, and ask the operator to confirm it."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from odm_tui.formatting import CLEAR, format_percent
from odm_tui.tui.dialogs.change_answer import change_answer, choose_answer_to_change
from odm_tui.tui.dialogs.filter_list import FilterListDialog, ListItem
from odm_tui.tui.key_bindings import DECISION, make_bindings
from odm_tui.tui.key_guard import KeyGuard
from odm_tui.tui.messages import (
    ConfirmLater,
    DecisionReached,
    GoHome,
    InterviewEnded,
    InterviewReopened,
    InterviewUpdated,
    OpenAnswer,
    RequestFailed,
    post_result,
)
from odm_tui.tui.widgets.answer_pad import AnswerButton
from odm_tui.tui.widgets.banner import Banner, Notice
from odm_tui.tui.widgets.drawing import draw_bar
from odm_tui.tui.widgets.interview_body import SidePanel
from odm_tui.tui.widgets.key_bar import KeyBar
from odm_tui.tui.widgets.scroll import scroll_page
from odm_tui.tui.widgets.title_bar import TitleBar
from odm_tui.tui.worker.backend import Backend, InterviewAction
from odm_tui.tui.worker.client import WorkerClient
from odm_tui.views.interview import InterviewView, Reply

_CHOICES = (
    Reply("confirm", "Confirm this outcome", "Enter"),
    Reply("another", "Choose another outcome", "c"),
    Reply("none", "None of these", "N"),
    Reply("later", "Decide later", "l"),
)


class DecisionScreen(Screen[None]):
    """Show the decision and ask whether it is right."""

    ACTIONS = DECISION
    BINDINGS = make_bindings(DECISION)

    def __init__(self, worker: WorkerClient, view: InterviewView) -> None:
        super().__init__()
        self.worker, self.view, self.bank = worker, view, view.bank
        self.busy = False
        self._key_guard = KeyGuard()

    def compose(self) -> ComposeResult:
        """Show the outcome in place of the question, and the side panel as in the interview."""
        decision = self.view.decision
        assert decision is not None
        yield TitleBar(self.view.title, "decision")
        with Horizontal(id="body"):
            with Vertical(id="stage"):
                with VerticalScroll(id="verdict", can_focus=False):
                    yield Static(Content(format_headline(decision.share)), classes="hint")
                    yield Static(Content(decision.label), id="outcome")
                    yield Static(id="sure")
                    if decision.doubt:
                        yield Static(Content.assemble(("! ", "bold $warning"), decision.doubt), id="doubt")
                    yield Static(Content(decision.advice), id="advice")
                    yield Static(Content(f"Why now: {decision.reason}"), classes="hint", id="reason")
                with Vertical(id="ways"):
                    for choice in _CHOICES:
                        flat = "" if choice.id == "confirm" else "-flat"
                        yield AnswerButton.of(choice, f"decision.{choice.id}", classes=flat)
            yield SidePanel()
        yield Notice()
        yield Banner()
        yield KeyBar(DECISION)

    def on_mount(self) -> None:
        """Fill in the side panel and everything that depends on the width."""
        self._key_guard.restart()
        self.query_one(Notice).show(self.view.notice)
        self.query_one(SidePanel).show(self.view)
        if self.view.notices:
            self.query_one(Banner).show_message(" ".join(self.view.notices))
        self.call_after_refresh(self._draw_probability)

    def on_resize(self) -> None:
        """Draw the bar to the new width."""
        self.call_after_refresh(self._draw_probability)

    def _draw_probability(self) -> None:
        decision = self.view.decision
        assert decision is not None
        width = min(self.query_one("#verdict").content_size.width, 60)
        filled, rail = draw_bar(decision.share, max(4, width - 14))
        self.query_one("#sure", Static).update(
            Content.assemble(
                (filled, "$accent"), (rail, "$rail"), (f"  {format_percent(decision.share)} sure", "bold")
            )
        )

    # -- what the operator chooses -------------------------------------------------------------------------

    @on(AnswerButton.Pressed)
    async def _handle_button(self, event: AnswerButton.Pressed) -> None:
        await self.run_action(event.reply.id)

    def action_confirm(self) -> None:
        """Confirm the decided outcome."""
        assert self.view.decision is not None
        self._end(self.view.decision.outcome)

    def action_none(self) -> None:
        """Confirm that none of the bank's outcomes is right."""
        self._end(None)

    def action_another(self) -> None:
        """Choose another outcome from a list and confirm it."""
        items = tuple(ListItem(row.id, row.label, format_percent(row.share)) for row in self.view.bars)

        def on_choice(outcome: str | None) -> None:
            if outcome is not None:
                self._end(outcome)

        start = items[1].id if len(items) > 1 else None
        self.app.push_screen(FilterListDialog("Which outcome was it?", items, start), on_choice)

    def action_later(self) -> None:
        """Leave the interview pending."""
        self.post_message(ConfirmLater())

    def _end(self, outcome: str | None) -> None:
        if not self.busy and not self._key_guard.is_too_soon(KeyGuard.CONFIRM_DELAY):
            self.busy = True
            self.run_worker(post_result(self, self.worker.run(Backend.confirm, outcome), InterviewEnded))

    def action_undo(self) -> None:
        """Undo the last answer and go back to its question."""
        self._perform("undo")

    def _perform(self, action: InterviewAction, *values: str | float | None) -> None:
        if not self.busy:
            self.busy = True
            work = self.worker.run(Backend.perform, action, *values)
            self.run_worker(post_result(self, work, InterviewUpdated))

    @on(InterviewUpdated)
    def _handle_updated(self, event: InterviewUpdated) -> None:
        message = InterviewReopened if event.view.question is not None else DecisionReached
        self.post_message(message(event.view))

    @on(RequestFailed)
    def _handle_failed(self, event: RequestFailed) -> None:
        self.busy = False
        self.query_one(Banner).show_message(event.sentence, is_error=True)

    def action_answers(self) -> None:
        """List the answers so far, to change one."""
        choose_answer_to_change(self, self.view.steps, self._change)

    @on(OpenAnswer)
    def _handle_open_answer(self, event: OpenAnswer) -> None:
        change_answer(self, self.view.steps, event.step, self._change)

    def _change(self, at: int, answer: str | float | None) -> None:
        self._perform("change", at, answer)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether a command works: without an answer, there is none to change."""
        return bool(self.view.steps) if action == "answers" else True

    def action_scroll_page(self, pages: int) -> None:
        """Scroll a long text."""
        scroll_page(self.query_one("#verdict"), pages)

    def action_home(self) -> None:
        """Go to the banks; the outcome can be confirmed there later."""
        self.post_message(GoHome())


def format_headline(share: float) -> str:
    """The line above the outcome.

    >>> format_headline(0.8), format_headline(0.1)
    ('Most likely', 'Not clear; the likeliest of all is')
    """
    return "Most likely" if share >= CLEAR else "Not clear; the likeliest of all is"
