"""The decision screen: show the outcome, its probability and advice, and ask the operator to confirm it."""

from __future__ import annotations

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container, Grid, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from odm_tui.formatting import format_percent
from odm_tui.tui.dialogs.filter_list import FilterListDialog, ListItem
from odm_tui.tui.dialogs.runners_up import RunnersUpDialog, draw_runner_up
from odm_tui.tui.key_bindings import DECISION, Action, key_for, make_bindings
from odm_tui.tui.key_guard import KeyGuard
from odm_tui.tui.messages import (
    ConfirmLater,
    DecisionReached,
    GoHome,
    InterviewEnded,
    InterviewReopened,
    InterviewUpdated,
    RequestFailed,
    SummaryCopied,
    post_result,
)
from odm_tui.tui.screens.interview_requests import InterviewRequests
from odm_tui.tui.widgets.answer_pad import AnswerButton
from odm_tui.tui.widgets.banner import Alert, Banner, Notice
from odm_tui.tui.widgets.call_clock import CallClock
from odm_tui.tui.widgets.drawing import draw_bar, fit_text
from odm_tui.tui.widgets.interview_body import KnownPanel
from odm_tui.tui.widgets.interview_layout import BESIDE, side_width
from odm_tui.tui.widgets.key_bar import KeyBar
from odm_tui.tui.widgets.scroll import ScrollCard, scroll_page
from odm_tui.tui.widgets.title_bar import TitleBar, format_title
from odm_tui.tui.worker.backend import Backend
from odm_tui.tui.worker.client import WorkerClient
from odm_tui.views.interview import DecisionView, InterviewView, Reply

_SURE_CHOICES = (
    Reply("enter", "Confirm", "Enter"),
    Reply("later", "Confirm later", "l"),
    Reply("another", "Another outcome", "o"),
    Reply("none", "None of these", "N"),
)
_GUESS_CHOICES = (
    Reply("enter", "Choose outcome", "Enter"),
    Reply("later", "Confirm later", "l"),
    Reply("confirm", "Confirm this guess", "C"),
    Reply("none", "None of these", "N"),
)
_REFERRAL = (
    Reply("enter", "Hand over now", "Enter"),
    Reply("another", "The outcome is known", "o"),
    Reply("none", "None of these", "N"),
)

_SHORT_DOUBT = "One answer does not fit the others"
_NOT_AFTER_UNDO = ("ask_on", "tried", "undo", "answers", "case", "refer", "later")
"""What can't be done any more once a confirmation was taken back."""


class VerdictCard(ScrollCard):
    """The outcome and its advice."""

    paging = "decision"


class DecisionScreen(InterviewRequests):
    """Show the decision and ask whether it is right."""

    CSS_PATH = "decision.tcss"
    ACTIONS = DECISION
    BINDINGS = make_bindings(DECISION)
    AUTO_FOCUS = ""  # Enter belongs to the screen, whatever was clicked before

    view: InterviewView

    def __init__(self, worker: WorkerClient, view: InterviewView, clock: CallClock) -> None:
        super().__init__(worker, view.bank, view, clock)

    @property
    def decision(self) -> DecisionView:
        """The decision that is shown."""
        assert self.view.decision is not None
        return self.view.decision

    @property
    def is_guess(self) -> bool:
        """Whether there is too little evidence for Enter to confirm the outcome."""
        return self.decision.refer is None and not self.decision.sure_enough

    @property
    def labels(self) -> dict[str, str]:
        """What Enter and asking on do now, for the key bar."""
        names = {"decision.ask-on": self._ask_on_label}
        if self.decision.refer is not None:
            return {**names, "decision.enter": "Hand over"}
        return {**names, "decision.enter": "Choose"} if self.is_guess else names

    @property
    def _ask_on_label(self) -> str:
        """What asking on aims at."""
        return f"Ask on to {format_percent(self.decision.next_target)}"

    @property
    def can_refer(self) -> bool:
        """Whether the interview can be handed over and is not yet."""
        return bool(self.view.can_refer) and self.decision.refer is None and not self.decision.flag

    @property
    def _choices(self) -> tuple[Reply, ...]:
        if self.decision.refer is not None:
            return _REFERRAL
        choices: tuple[Reply, ...] = _GUESS_CHOICES if self.is_guess else _SURE_CHOICES
        choices += (Reply("tried", "Tried, no help", "t"), Reply("ask_on", self._ask_on_label, "m"))
        choices = tuple(choice for choice in choices if self.check_action(choice.id, ()))
        return (*choices, Reply("refer", self.view.can_refer, "r")) if self.can_refer else choices

    def compose(self) -> ComposeResult:
        """Show the outcome in place of the question, then what can be done, then what is known."""
        decision, refer = self.decision, self.decision.refer
        yield TitleBar(format_title(self.view), "red flag" if decision.flag else "decision")
        yield Alert(id="flag")
        yield Alert()
        with Container(id="body"):
            with Vertical(id="stage"):
                with VerdictCard(id="verdict") as card:
                    card.border_title = format_headline(self.is_guess) if refer is None else "Hand over"
                    yield Static(Content(decision.label if refer is None else refer.label), id="outcome")
                    if refer is not None:
                        yield Static(Content(f"Otherwise: {decision.label}"), classes="hint")
                    yield Static(id="sure")
                    if decision.doubt:
                        yield Static(id="doubt")
                    if not decision.flag:  # nothing may stand beside what to do at once
                        yield Static(Content(decision.advice if refer is None else refer.advice), id="advice")
                    if decision.tried:
                        tried = f"Tried, no help: {', '.join(decision.tried)}."
                        yield Static(Content(tried), classes="hint", id="tried")
                    yield Static(Content(decision.reason), classes="hint", id="reason")
                with Grid(id="ways"):
                    for choice in self._choices:
                        classes = "" if choice.id in ("enter", "later") else "-quiet"
                        yield AnswerButton.of(
                            choice, f"decision.{choice.id.replace('_', '-')}", classes=classes
                        )
                if decision.runners_up and not decision.flag:
                    with VerticalScroll(id="others", can_focus=False):
                        yield Static(Content("What else it may be"), classes="heading")
                        for one in decision.runners_up:
                            yield Static(draw_runner_up(one), classes="runner-up")
            yield KnownPanel()
        yield Notice()
        yield Banner()
        yield KeyBar(DECISION)

    def on_mount(self) -> None:
        """Fill in what is known and everything that depends on the width."""
        self.key_guard.restart()
        self.query_one(Notice).show(self.view.notice)
        for alert in self.query(Alert):
            if alert.id == "flag":
                flag = format_flag(self.decision)
                alert.show((flag,) if flag else (), stops=True)
            else:
                alert.show(self.view.warnings)
        self.query_one(KnownPanel).show(self.view)
        self.show_notices(*self.view.notices)
        self._fit()

    def on_resize(self) -> None:
        """Fit the parts to the new size."""
        self._fit()

    def _fit(self) -> None:
        width = self.size.width
        beside = width >= BESIDE
        self.set_class(beside, "-beside")
        known = self.query_one(KnownPanel)
        known.set_class(beside, "-beside")
        known.set_class(width < 72, "-narrow")
        known.styles.width = side_width(width) if beside else "100%"
        self.call_after_refresh(self._draw_verdict)

    def _draw_verdict(self) -> None:
        """Draw what depends on the width of the card; a low screen has one line for the contradiction."""
        width = self.query_one("#verdict").content_size.width
        if self.decision.doubt:
            text = self.decision.doubt
            if not self.has_class("-high"):
                keymap: dict[str, str] = getattr(self.app, "keymap", {})
                key = f" · {key_for('decision.doubt', keymap)} More"
                text = fit_text(_SHORT_DOUBT, max(1, width - 2 - len(key))).rstrip() + key
            self.query_one("#doubt", Static).update(Content.assemble(("! ", "bold $warning"), text))
        width = min(width, 60)
        share = self.decision.share
        filled, rail = draw_bar(share, max(4, width - 14))
        self.query_one("#sure", Static).update(
            Content.assemble(
                (filled, "$accent"), (rail, "$rail"), (f"  {format_percent(share)} sure", "bold")
            )
        )

    # -- what the operator chooses -------------------------------------------------------------------------

    @on(AnswerButton.Pressed)
    async def _handle_button(self, event: AnswerButton.Pressed) -> None:
        await self.run_action(event.reply.id)

    def action_enter(self) -> None:
        """Confirm the outcome, or hand over; without enough evidence, choose one from the list instead."""
        if self.decision.refer is not None:
            if not self.is_too_soon(KeyGuard.CONFIRM_DELAY):
                self.post_message(ConfirmLater())
        elif self.is_guess:
            if not self.is_too_soon(KeyGuard.CONFIRM_DELAY):
                self._choose(start=0)
        else:
            self.action_confirm()

    def action_confirm(self) -> None:
        """Confirm the decided outcome."""
        self._end(self.decision.outcome)

    def action_none(self) -> None:
        """Confirm that none of the bank's outcomes is right."""
        self._end(None)

    def action_another(self) -> None:
        """Choose another outcome from a list and confirm it."""
        self._choose(start=1)

    def _choose(self, start: int) -> None:
        items = tuple(ListItem(row.id, row.label, format_percent(row.share)) for row in self.view.bars)

        def on_choice(outcome: str | None) -> None:
            if outcome is not None:
                self._confirm(outcome)

        marked = items[start].id if len(items) > start else None
        self.app.push_screen(
            FilterListDialog("Which outcome was it?", items, marked, confirms=True), on_choice
        )

    def action_copy(self) -> None:
        """Copy the call for the ticket."""
        self.run_worker(post_result(self, self.worker.run(Backend.save_call_summary), SummaryCopied))

    @on(SummaryCopied)
    def _handle_copied(self, event: SummaryCopied) -> None:
        self.app.copy_to_clipboard(event.summary.text)
        self.say(f"Copied; also in {event.summary.path}")

    def action_runners_up(self) -> None:
        """Show the next likely outcomes with their advice."""

        def on_choice(outcome: str | None) -> None:
            if outcome is not None:
                self._confirm(outcome)

        self.app.push_screen(RunnersUpDialog(self.decision.runners_up), on_choice)

    def action_doubt(self) -> None:
        """Show which answer contradicts the others, and what follows without it."""
        from odm_tui.tui.dialogs.button_dialog import ButtonDialog

        def on_choice(choice: str | None) -> None:
            if choice == "change":
                self.action_answers()

        ways = {"keep": "Leave it as it is", "change": "Change an earlier answer"}
        if not self.check_action("answers", ()):
            del ways["change"]
        self.app.push_screen(ButtonDialog(f"{_SHORT_DOUBT}.", self.decision.doubt, ways), on_choice)

    def action_ask_on(self) -> None:
        """Ask on until the decision is surer."""
        self.perform("ask_on")

    def action_tried(self) -> None:
        """Note that the advice was tried and did not help, and go on to the next outcome."""
        if not self.is_too_soon(KeyGuard.ANSWER_DELAY):
            self.perform("rule_out", note=f"{self.decision.label}: tried, did not help.")

    def action_later(self) -> None:
        """Leave the interview pending."""
        self.post_message(ConfirmLater())

    def _end(self, outcome: str | None) -> None:
        if not self.busy and not self.is_too_soon(KeyGuard.CONFIRM_DELAY):
            self._confirm(outcome)

    def _confirm(self, outcome: str | None) -> None:
        self.busy = True
        self.run_worker(post_result(self, self.worker.run(Backend.confirm, outcome), InterviewEnded))

    def action_refer(self) -> None:
        """Hand over instead of deciding."""
        self.perform("refer")

    def action_undo(self) -> None:
        """Take back what was done last and go back to its question."""
        self.perform("undo")

    @on(InterviewUpdated)
    def _handle_updated(self, event: InterviewUpdated) -> None:
        message = InterviewReopened if event.view.question is not None else DecisionReached
        self.post_message(message(event.view))

    @on(RequestFailed)
    def _handle_failed(self, event: RequestFailed) -> None:
        self.busy = False
        self.query_one(Banner).show_message(event.sentence, is_error=True)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether a command works now."""
        if self.view.is_taken_back and action in _NOT_AFTER_UNDO:
            return False
        if action == "refer":
            return self.can_refer
        if action == "ask_on":
            return self.decision.can_ask_on
        if action == "tried":
            return bool(self.decision.runners_up) and not self.decision.flag
        if action == "doubt":
            return bool(self.decision.doubt)
        if action == "runners_up":
            return bool(self.decision.runners_up)
        if action == "undo":
            return self.view.can_undo
        return bool(self.view.steps) if action in ("answers", "evidence") else True

    def describe_dead_key(self, action: Action) -> str:
        """Why this command does nothing now."""
        if self.view.is_taken_back and action.does in _NOT_AFTER_UNDO:
            return "The confirmation was taken back: confirm an outcome, or leave it."
        if self.decision.flag and action.does in ("ask_on", "tried"):
            return "A red flag has ended this interview; u takes its answer back."
        return action.dead

    def on_key(self, event: events.Key) -> None:
        """Say why a dead key does nothing."""
        self.explain_dead_key(event)

    def action_scroll_page(self, pages: int) -> None:
        """Scroll a long text."""
        scroll_page(self.query_one("#verdict"), pages)

    def action_home(self) -> None:
        """Go to the home screen; the outcome can be confirmed there later."""
        self.post_message(GoHome())


def format_flag(decision: DecisionView) -> str:
    """What to do at once, and why; empty without a red flag."""
    return f"{decision.flag}: {decision.flag_advice}" if decision.flag_advice else decision.flag


def format_headline(is_guess: bool) -> str:
    """The title of the card.

    >>> format_headline(False), format_headline(True)
    ('Most likely', 'Not certain. Best guess:')
    """
    return "Not certain. Best guess:" if is_guess else "Most likely"
