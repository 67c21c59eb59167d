"""The interview screen: show one question at a time and send the operator's answers to the worker."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress

from textual import events, on
from textual.app import ComposeResult
from textual.message import Message
from textual.screen import Screen

from odm_tui.errors import OdmError
from odm_tui.tui.key_bindings import INTERVIEW, make_bindings
from odm_tui.tui.key_guard import KeyGuard
from odm_tui.tui.messages import (
    AbandonInterview,
    CostForecast,
    DecisionReached,
    ExplanationReady,
    GoHome,
    InterviewUpdated,
    OpenAnswer,
    OtherQuestionsReady,
    RequestFailed,
    StartFailed,
    UnfinishedFound,
    post_result,
)
from odm_tui.tui.widgets.answer_pad import DONT_KNOW, SKIP, AnswerButton, AnswerPad
from odm_tui.tui.widgets.banner import Banner, Notice
from odm_tui.tui.widgets.cost_meter import CostMeter
from odm_tui.tui.widgets.interview_body import InterviewBody
from odm_tui.tui.widgets.key_bar import KeyBar
from odm_tui.tui.widgets.number_entry import NumberEntry
from odm_tui.tui.widgets.question_card import QuestionCard
from odm_tui.tui.widgets.scroll import scroll_page
from odm_tui.tui.widgets.title_bar import TitleBar
from odm_tui.tui.worker.backend import Backend, InterviewAction
from odm_tui.tui.worker.client import WorkerClient
from odm_tui.views.interview import InterviewView, QuestionView, Reply, UnfinishedInterview

_FIRST_QUESTION_WAIT = 0.3
"""Seconds to wait for the first question before an empty screen is drawn; a slow disk or a lock may take longer."""
_SLOW_SAVE = 0.1
"""Seconds after which an answer that is not saved yet is marked as received."""
_DRAW_TIME = 0.03
"""Seconds in which a new question is drawn; the forecast is computed after that."""


async def _wait_for(work: asyncio.Future[None]) -> None:
    await work


class InterviewScreen(Screen[None]):
    """Show the current state of the interview and send every action to the worker."""

    ACTIONS = INTERVIEW
    BINDINGS = make_bindings(INTERVIEW)
    AUTO_FOCUS = ""  # without focus, Enter gives no answer by accident

    def __init__(
        self,
        worker: WorkerClient,
        bank: str,
        view: InterviewView | None = None,
        resume: str | None = None,
        why: bool = False,
        note: str = "",
    ) -> None:
        super().__init__()
        self.resume = resume
        self.worker, self.bank, self.view = worker, bank, view
        self.busy = view is None
        self._body, self._note = InterviewBody(why), note
        self._key_guard = KeyGuard()

    def compose(self) -> ComposeResult:
        """Create the parts of the screen, from top to bottom."""
        yield TitleBar()
        yield self._body
        yield Notice()
        yield Banner()
        yield KeyBar(INTERVIEW)

    async def on_mount(self) -> None:
        """Show the given interview or start one; wait briefly, so that no empty screen is drawn first."""
        if self._body.why_open:
            await self._update_why_panel()
        if self.view is not None:
            self._show_notices(*self.view.notices, self._note)
            await self.show(self.view)
            self._request_explanation()
            return
        self._body.visible = False
        starting = asyncio.ensure_future(self._start())
        await asyncio.wait([starting], timeout=_FIRST_QUESTION_WAIT)
        if starting.done():
            starting.result()
        else:
            self.run_worker(_wait_for(starting))

    # -- starting -------------------------------------------------------------------------------------

    async def _start(self) -> None:
        """Resume the requested interview; else list unfinished ones, or start a new one."""
        resume, self.resume = self.resume, None
        if resume is not None:
            await self._update_from(self.worker.run(Backend.resume, self.bank, resume), self._note)
        else:
            await self._update_from(self.worker.run(Backend.start_or_list_unfinished, self.bank), self._note)

    @on(UnfinishedFound)
    def _offer_resume(self, event: UnfinishedFound) -> None:
        from odm_tui.tui.dialogs.resume import make_resume_dialog

        latest = event.interviews[0].interview

        def on_choice(choice: str | None) -> None:
            if choice == "new":
                self.run_worker(self._update_from(self.worker.run(Backend.start, self.bank)))
            elif choice == "drop":
                self.run_worker(
                    self._update_from(self.worker.run(Backend.abandon_and_start, self.bank, latest))
                )
            elif choice == "resume":
                self.run_worker(self._update_from(self.worker.run(Backend.resume, self.bank, latest)))
            else:
                self.post_message(GoHome())

        self.app.push_screen(make_resume_dialog(event.interviews), on_choice)

    # -- actions and their results ----------------------------------------------------------------------

    def perform(
        self,
        action: InterviewAction,
        *values: str | float | None,
        reply: Reply | None = None,
        note: str = "",
    ) -> None:
        """Send an action to the worker, unless an earlier one is still being done."""
        if self.busy:
            return
        self.busy = True
        if reply is not None:
            self.set_timer(_SLOW_SAVE, lambda: self._mark_if_unsaved(reply))
        self.run_worker(self._update_from(self.worker.run(Backend.perform, action, *values), note))

    def _mark_if_unsaved(self, reply: Reply) -> None:
        """Mark the given answer as received if saving it takes noticeably long."""
        if self.busy:
            self.query_one(AnswerPad).mark(reply)

    async def _update_from(
        self, work: Awaitable[InterviewView | tuple[UnfinishedInterview, ...]], note: str = ""
    ) -> None:
        """Await the new state of the interview and post it to this screen."""

        def make_message(result: InterviewView | tuple[UnfinishedInterview, ...]) -> Message:
            if isinstance(result, InterviewView):
                return InterviewUpdated(result, note)
            return UnfinishedFound(result)

        await post_result(self, work, make_message)

    @on(InterviewUpdated)
    async def _handle_updated(self, event: InterviewUpdated) -> None:
        self.busy = event.view.question is None  # the decision screen replaces this one and takes the keys
        self._show_notices(*event.view.notices, event.note)
        await self.show(event.view)
        self._request_explanation()
        if event.view.question is not None:
            self.run_worker(self._request_forecast(), group="forecast", exclusive=True)

    def _show_notices(self, *sentences: str) -> None:
        """Show these sentences in the banner, or hide it if there are none."""
        banner, text = self.query_one(Banner), " ".join(sentences).strip()
        if text:
            banner.show_message(text)
        else:
            banner.clear()

    async def _request_forecast(self) -> None:
        await asyncio.sleep(_DRAW_TIME)  # computing it at once would delay the drawing
        steps = len(self.view.steps) if self.view else 0
        with suppress(OdmError):  # a lost worker is reported with the next answer
            self.post_message(CostForecast(await self.worker.run(Backend.forecast_cost), steps))

    @on(CostForecast)
    def _handle_forecast(self, event: CostForecast) -> None:
        if self.view is not None and len(self.view.steps) == event.steps:
            self.view = self.view._replace(cost_to_come=event.cost)
            self.query_one(CostMeter).to_come = event.cost

    @on(RequestFailed)
    async def _handle_failed(self, event: RequestFailed) -> None:
        self.busy = False
        self.query_one(Banner).show_message(event.sentence, is_error=True)
        if self.view is not None:
            await self.show(self.view)
        else:
            self.post_message(StartFailed(event.code))

    async def show(self, view: InterviewView) -> None:
        """Show this state of the interview; go to the decision if there is no question."""
        if view.question is None:
            self.post_message(DecisionReached(view))
            return
        with self.app.batch_update():  # all parts change at once
            await self._draw(view, view.question)

    async def _draw(self, view: InterviewView, question: QuestionView) -> None:
        if not self._body.visible:
            self._body.visible = True
        changed = self.view is None or self.view.question != question
        self.view = view
        if changed:
            self._key_guard.restart()
        self.query_one(Notice).show(view.notice)
        title = self.query_one(TitleBar)
        picked = ", your own pick" if view.picked else ""
        title.title = view.title
        title.status = f"question {len(view.steps) + 1}{picked} · interview {view.interviews + 1}"
        await self._body.show(view, question)
        if changed and isinstance(self.focused, AnswerButton):
            self.set_focus(None)
        self.refresh_bindings()

    async def on_resize(self, event: events.Resize) -> None:
        """Fit the answers and the Why panel into the new size."""
        if self._question is not None:
            self.call_after_refresh(self._fit_answers)
            self._request_explanation()

    async def _fit_answers(self) -> None:
        if self._question is not None:
            await self._body.show_answers(self._question)

    # -- answering --------------------------------------------------------------------------------------

    @property
    def _question(self) -> QuestionView | None:
        return self.view.question if self.view else None

    @property
    def _replies(self) -> tuple[Reply, ...]:
        return self._question.replies if self._question else ()

    @property
    def _asks_number(self) -> bool:
        return self._question is not None and self._question.kind == "number"

    @on(AnswerButton.Pressed)
    def _handle_button(self, event: AnswerButton.Pressed) -> None:
        self._give(event.reply)

    def _give(self, reply: Reply) -> None:
        """Give this answer, unless the key came too soon after the question."""
        if self._key_guard.is_too_soon(KeyGuard.ANSWER_DELAY):
            return
        if reply == DONT_KNOW:
            self.perform("dont_know", reply=reply)
        elif reply == SKIP:
            self.perform("skip", reply=reply)
        else:
            self.perform("answer", reply.id, reply=reply)

    def action_reply(self, id: str) -> None:
        """Answer a yes/no question."""
        self._give(next(reply for reply in self._replies if reply.id == id))

    def action_choose(self, at: int) -> None:
        """Give one of the first nine answers of a choice."""
        self._give(self._replies[at])

    def action_dont_know(self) -> None:
        """Answer that the answer is not known."""
        self._give(DONT_KNOW)

    def action_skip(self) -> None:
        """Skip the question."""
        self._give(SKIP)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether a key works for the current question."""
        question = self._question
        if action == "reply":
            return question is not None and question.kind == "yes_no"
        if action == "choose":
            return (
                question is not None
                and question.kind == "choice"
                and int(str(parameters[0])) < len(self._replies)
            )
        if action in ("undo", "answers"):
            return self.view is not None and bool(self.view.steps)
        if action in ("dont_know", "skip", "why", "other", "decide", "abandon"):
            return self.view is not None
        return True

    def on_key(self, event: events.Key) -> None:
        """Send digits to the number field, whatever has the focus."""
        if not self._asks_number or self.busy:
            return
        entry = self.query_one(AnswerPad).entry
        if event.key == "enter" and self.focused is None:
            event.stop()
            self._give_number()
        elif event.character and entry.press(event.character):
            event.stop()

    @on(NumberEntry.Submitted)
    def _give_number(self) -> None:
        if self._key_guard.is_too_soon(KeyGuard.ANSWER_DELAY):
            return
        value = self.query_one(AnswerPad).entry.value()
        if value is not None:
            self.perform("answer", value)

    def on_paste(self, event: events.Paste) -> None:
        """Send a pasted number to the number field."""
        if self._asks_number:
            for character in event.text.strip():
                self.query_one(AnswerPad).entry.press(character)

    # -- other commands -----------------------------------------------------------------------------------

    def action_undo(self) -> None:
        """Delete the last digit, or undo the last answer."""
        if self._asks_number and self.query_one(AnswerPad).entry.delete_last():
            return
        self.perform("undo")

    async def action_why(self) -> None:
        """Open or close the Why panel."""
        self._body.why_open = not self._body.why_open
        await self._update_why_panel()
        self._request_explanation()
        self.call_after_refresh(self._fit_answers)

    async def _update_why_panel(self) -> None:
        await self._body.prepare_why_panel()
        self.set_class(self._body.why_open, "-why")

    def _request_explanation(self) -> None:
        if self._body.why_open:
            self.run_worker(self._explain(), group="why", exclusive=True)

    async def _explain(self) -> None:
        try:
            why = await self.worker.run(Backend.explain_question)
        except OdmError as error:
            self.post_message(RequestFailed(str(error)))
            return
        if why is not None:
            self.post_message(ExplanationReady(why))

    @on(ExplanationReady)
    def _handle_explanation(self, event: ExplanationReady) -> None:
        self._body.explain(event.why, self.view.unit if self.view else "")

    def action_other(self) -> None:
        """List the other questions, to pick one."""
        if not self.busy:
            work = self.worker.run(Backend.other_questions)
            self.run_worker(post_result(self, work, OtherQuestionsReady), group="others", exclusive=True)

    @on(OtherQuestionsReady)
    def _pick_question(self, event: OtherQuestionsReady) -> None:
        from odm_tui.tui.dialogs.filter_list import FilterListDialog, ListItem

        shown = self._question.id if self._question else ""
        items = tuple(
            ListItem(q.id, " ".join(q.text.split()), "shown now" if q.id == shown else "")
            for q in event.questions
        )

        def on_choice(question: str | None) -> None:
            if question is not None:
                self.perform("pick", question)

        self.app.push_screen(FilterListDialog("Ask another question", items), on_choice)

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

    def action_decide(self) -> None:
        """Stop asking and decide now."""
        self.perform("stop")

    def action_abandon(self) -> None:
        """Abandon the interview, after a confirmation."""
        from odm_tui.tui.dialogs.button_dialog import ButtonDialog

        def on_choice(choice: str | None) -> None:
            if choice == "abandon":
                self.post_message(AbandonInterview())

        self.app.push_screen(
            ButtonDialog(
                "Give this interview up?",
                "Nothing is learned from it, and it can't be resumed. To go on later, leave with Ctrl+Q instead.",
                {"keep": "No, go on", "abandon": "Yes, give it up"},
            ),
            on_choice,
        )

    def action_home(self) -> None:
        """Go to the banks; the interview can be resumed there."""
        self.post_message(GoHome())

    def action_scroll_page(self, pages: int) -> None:
        """Scroll a long question."""
        scroll_page(self.query_one(QuestionCard), pages)
