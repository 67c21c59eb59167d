"""What the interview and the decision screen share: requests to the worker, and words about keys that do nothing now."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.message import Message
from textual.screen import Screen

from odm_tui.tui.key_bindings import Action, find_dead_action
from odm_tui.tui.key_guard import KeyGuard
from odm_tui.tui.messages import (
    EvidenceReady,
    InterviewUpdated,
    OpenAnswer,
    OutcomeClicked,
    UnfinishedFound,
    post_result,
)
from odm_tui.tui.widgets.banner import Banner
from odm_tui.tui.widgets.key_bar import KeyBar
from odm_tui.tui.worker.backend import Backend, InterviewAction
from odm_tui.tui.worker.client import WorkerClient
from odm_tui.views.interview import InterviewView, UnfinishedInterview

if TYPE_CHECKING:
    from odm_tui.tui.widgets.call_clock import CallClock

_MOST_OUTCOMES = 9
"""For how many of the likeliest outcomes the evidence is shown."""
TOO_SOON = "That key came too soon after the screen changed; press it again."


class InterviewRequests(Screen[None]):
    """Send every action of the operator to the worker, one at a time."""

    ACTIONS: ClassVar[tuple[Action, ...]] = ()
    worker: WorkerClient
    view: InterviewView | None
    busy: bool

    def __init__(self, worker: WorkerClient, bank: str, view: InterviewView | None, clock: CallClock) -> None:
        super().__init__()
        self.worker, self.bank, self.view, self.clock = worker, bank, view, clock
        self.busy = view is None
        self.key_guard = KeyGuard()

    def perform(self, action: InterviewAction, *values: str | float | None, note: str = "") -> None:
        """Send an action to the worker, unless an earlier one is still being done."""
        if self.busy:
            self.say("The key before is still being worked on.")
            return
        self.busy = True
        self.run_worker(self.update_from(self.worker.run(Backend.perform, action, *values), note))

    def take_answer(self, question: str, answer: str | None) -> None:
        """Take an answer to another question than the one that is shown, or put that question."""
        if not self.busy:
            self.busy = True
            self.run_worker(self.update_from(self.worker.run(Backend.take_answer, question, answer)))

    async def update_from(
        self, work: Awaitable[InterviewView | tuple[UnfinishedInterview, ...]], note: str = ""
    ) -> None:
        """Await the new state of the interview and post it to this screen."""

        def make_message(result: InterviewView | tuple[UnfinishedInterview, ...]) -> Message:
            if isinstance(result, InterviewView):
                return InterviewUpdated(result, note)
            return UnfinishedFound(result)

        await post_result(self, work, make_message)

    # -- words ------------------------------------------------------------------------------------------

    def say(self, word: str) -> None:
        """Say a quiet word in the footer."""
        self.query_one(KeyBar).say(word)

    def is_too_soon(self, seconds: float) -> bool:
        """Whether a key came too soon to be meant; says so."""
        if self.key_guard.is_too_soon(seconds):
            self.say(TOO_SOON)
            return True
        self.query_one(KeyBar).be_quiet()
        return False

    def explain_dead_key(self, event: events.Key) -> None:
        """Say why a key of this screen does nothing now."""
        keymap: dict[str, str] = getattr(self.app, "keymap", {})
        action = find_dead_action(self, self.ACTIONS, event.key, keymap)
        if action is not None and (word := self.describe_dead_key(action)):
            event.stop()
            self.say(word)

    def describe_dead_key(self, action: Action) -> str:
        """Why this command does nothing now."""
        return action.dead

    def show_notices(self, *sentences: str) -> None:
        """Show these sentences in the banner, or hide it if there are none."""
        banner, text = self.query_one(Banner), " ".join(sentences).strip()
        if text:
            banner.show_message(text)
        else:
            banner.clear()

    # -- dialogs that both screens have --------------------------------------------------------------------

    def action_case(self) -> None:
        """Edit the case reference and the note."""
        from odm_tui.tui.dialogs.case import CaseDialog, CaseTexts

        view = self.view
        if view is None:
            return

        def on_texts(texts: CaseTexts | None) -> None:
            if texts is not None and not self.busy and texts != (view.case, view.note):
                self.busy = True
                work = self.worker.run(Backend.file_case, texts.case, texts.note)
                self.run_worker(self.update_from(work, "Case and note are saved."))

        self.app.push_screen(CaseDialog(view.case, view.note, view.needs_case), on_texts)

    def action_evidence(self) -> None:
        """Show which answers speak for and against the likeliest outcomes."""
        self._show_evidence("")

    @on(OutcomeClicked)
    def _handle_outcome(self, event: OutcomeClicked) -> None:
        if self.check_action("evidence", ()):
            self._show_evidence(event.outcome)
        else:
            self.say("There is no answer yet.")

    def _show_evidence(self, outcome: str) -> None:
        """Show the evidence for this outcome; for "", for the decided or the likeliest one. The others follow."""
        view = self.view
        if self.busy or view is None:
            return
        outcome = outcome or (view.decision.outcome if view.decision is not None else "")
        likeliest = [row.id for row in view.bars[:_MOST_OUTCOMES]]
        order = sorted(
            dict.fromkeys([*([outcome] if outcome else ()), *likeliest]), key=lambda id: id != outcome
        )
        work = self.worker.run(Backend.evidence, tuple(order))
        self.run_worker(post_result(self, work, EvidenceReady))

    @on(EvidenceReady)
    def _handle_evidence(self, event: EvidenceReady) -> None:
        from odm_tui.tui.dialogs.evidence import EvidenceDialog

        self.app.push_screen(EvidenceDialog(event.evidence))

    def action_answers(self) -> None:
        """List the answers so far, to change one."""
        from odm_tui.tui.dialogs.change_answer import choose_answer_to_change

        if self.view is not None:
            choose_answer_to_change(self, self.view.steps, self._change)

    @on(OpenAnswer)
    def _handle_open_answer(self, event: OpenAnswer) -> None:
        from odm_tui.tui.dialogs.change_answer import change_answer

        if self.view is not None:
            change_answer(self, self.view.steps, event.step, self._change)

    def _change(self, at: int, answer: str | float | None) -> None:
        self.perform("change", at, answer, note=f"Answer {at + 1} was changed.")
