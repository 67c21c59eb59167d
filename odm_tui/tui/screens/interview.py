"""The interview screen: show one question at a time and send the operator's answers to the worker."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from textual import events, on
from textual.app import ComposeResult

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
    OtherQuestionsReady,
    RequestFailed,
    SearchReady,
    StartFailed,
    UnfinishedFound,
    post_result,
)
from odm_tui.tui.screens.answer_input import AnswerInput
from odm_tui.tui.widgets.answer_pad import AnswerButton, AnswerPad
from odm_tui.tui.widgets.banner import Alert, Banner, Notice
from odm_tui.tui.widgets.call_clock import CallClock
from odm_tui.tui.widgets.interview_body import InterviewBody
from odm_tui.tui.widgets.interview_layout import BESIDE
from odm_tui.tui.widgets.key_bar import KeyBar
from odm_tui.tui.widgets.question_card import QuestionCard
from odm_tui.tui.widgets.reason_panel import EFFECTS, LINE, TABLE, ReasonPanel
from odm_tui.tui.widgets.scroll import scroll_page
from odm_tui.tui.widgets.title_bar import TitleBar, format_progress, format_title
from odm_tui.tui.worker.backend import Backend
from odm_tui.tui.worker.client import WorkerClient
from odm_tui.views.interview import InterviewView, QuestionView

_FIRST_QUESTION_WAIT = 0.3
"""Seconds to wait for the first question before an empty screen is drawn; a slow disk or a lock may take longer."""
_ROOMY = 36
"""From this height on, a wide screen has room for the table of the reason from the start."""
_RETRY = 0.2
"""Seconds after which a forecast that was left for something more urgent is computed again."""
_DRAW_TIME = 0.03
"""Seconds in which a new question is drawn; the forecast and the reason are computed after that."""


async def _wait_for(work: asyncio.Future[None]) -> None:
    await work


class InterviewScreen(AnswerInput):
    """Show the current state of the interview and send every action to the worker."""

    ACTIONS = INTERVIEW
    BINDINGS = make_bindings(INTERVIEW)
    AUTO_FOCUS = ""  # without focus, Enter gives no answer by accident

    def __init__(
        self,
        worker: WorkerClient,
        bank: str,
        clock: CallClock,
        view: InterviewView | None = None,
        resume: str | None = None,
        is_new: bool = False,
        why: bool = False,
        note: str = "",
    ) -> None:
        super().__init__(worker, bank, view, clock)
        self.resume, self.is_new = resume, is_new
        self._body, self._note, self._why = InterviewBody(), note, why
        self._has_asked_for_case = False

    def compose(self) -> ComposeResult:
        """Create the parts of the screen, from top to bottom."""
        yield TitleBar()
        yield Alert()
        yield self._body
        yield Notice()
        yield Banner()
        yield KeyBar(INTERVIEW)

    async def on_mount(self) -> None:
        """Show the given interview or start one; wait briefly, so that no empty screen is drawn first."""
        if self._why:
            self.query_one(ReasonPanel).level = EFFECTS
        elif self.size.width >= BESIDE and self.size.height >= _ROOMY:
            self.query_one(ReasonPanel).level = TABLE
        self.set_interval(1.0, self._show_progress)
        if self.view is not None:
            self.show_notices(*self.view.notices, self._note)
            await self.show(self.view)
            self._request_details()
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
        """Resume the requested interview or start a new one; at the program's start, offer unfinished ones first."""
        resume, self.resume = self.resume, None
        if resume is not None:
            await self.update_from(self.worker.run(Backend.resume, self.bank, resume), self._note)
        elif self.is_new:
            await self.update_from(self.worker.run(Backend.start, self.bank), self._note)
        else:
            await self.update_from(self.worker.run(Backend.start_or_list_unfinished, self.bank), self._note)

    @on(UnfinishedFound)
    def _offer_resume(self, event: UnfinishedFound) -> None:
        from odm_tui.tui.dialogs.resume import make_resume_dialog

        latest = event.interviews[0].interview

        def on_choice(choice: str | None) -> None:
            if choice == "new":
                self.run_worker(self.update_from(self.worker.run(Backend.start, self.bank)))
            elif choice == "drop":
                self.run_worker(
                    self.update_from(self.worker.run(Backend.abandon_and_start, self.bank, latest))
                )
            elif choice == "resume":
                self.run_worker(self.update_from(self.worker.run(Backend.resume, self.bank, latest)))
            else:
                self.post_message(GoHome())

        self.app.push_screen(make_resume_dialog(event.interviews), on_choice)

    # -- showing ----------------------------------------------------------------------------------------

    @on(InterviewUpdated)
    async def _handle_updated(self, event: InterviewUpdated) -> None:
        self.busy = event.view.question is None  # the decision screen replaces this one and takes the keys
        self.show_notices(*event.view.notices, event.note)
        await self.show(event.view)
        if event.view.question is not None:
            self._request_details()
        if event.view.needs_case and not self._has_asked_for_case:
            self._has_asked_for_case = True
            self.action_case()

    @on(RequestFailed)
    async def _handle_failed(self, event: RequestFailed) -> None:
        self.busy = False
        if self.view is not None:
            self.query_one(Banner).show_message(event.sentence, is_error=True)
            await self.show(self.view)
        else:
            self.post_message(StartFailed(event.code, event.sentence))

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
        self.clock.follow(view.interview, view.seconds)
        if changed:
            self.key_guard.restart()
            self.query_one(KeyBar).be_quiet()
            self.query_one(ReasonPanel).why = None
            self.query_one(QuestionCard).border_title = "your own pick" if view.picked else ""
        self.query_one(Notice).show(view.notice)
        self.query_one(Alert).show(view.warnings)
        title = self.query_one(TitleBar)
        title.title = format_title(view)
        self._show_progress()
        await self._body.show(view, question)
        if changed and isinstance(self.focused, AnswerButton):
            self.set_focus(None)
        self.refresh_bindings()

    def _show_progress(self) -> None:
        """Show the number of the question, the cost and the call clock."""
        if self.view is not None:
            self.query_one(TitleBar).status = format_progress(self.view, str(self.clock))

    async def on_resize(self, event: events.Resize) -> None:
        """Fit the parts into the new size."""
        self.call_after_refresh(self._body.fit)

    # -- forecast and reason --------------------------------------------------------------------------------

    def _request_details(self) -> None:
        """Ask for what is shown a little after the question: the cost to come and the reason."""
        self.run_worker(self._compute_details(), group="details", exclusive=True)

    async def _compute_details(self) -> None:
        await asyncio.sleep(_DRAW_TIME)  # computing at once would delay the drawing
        question, steps = self.question, len(self.view.steps) if self.view else 0
        try:
            why = await self.worker.run(Backend.explain_question)
        except OdmError as error:
            if self.query_one(ReasonPanel).level != LINE:  # a lost worker is reported with the next answer
                self.post_message(RequestFailed(str(error)))
            return
        if why is not None and question is not None:
            self.post_message(ExplanationReady(why, question.id))
        await asyncio.sleep(KeyGuard.READING_TIME)
        with suppress(OdmError):
            cost = await self.worker.run(Backend.forecast_cost)
            if cost is None:  # something more urgent came
                self.set_timer(_RETRY, self._request_details)
            else:
                self.post_message(CostForecast(cost, steps))

    @on(CostForecast)
    def _handle_forecast(self, event: CostForecast) -> None:
        if self.view is not None and len(self.view.steps) == event.steps:
            self.view = self.view._replace(cost_to_come=event.cost)
            self._show_progress()

    @on(ExplanationReady)
    async def _handle_explanation(self, event: ExplanationReady) -> None:
        if self.question is None or self.question.id != event.question:
            return
        reason = self.query_one(ReasonPanel)
        reason.why = event.why
        if event.why.explores and self.view is not None and not self.view.picked:
            self.query_one(QuestionCard).border_title = "◆ asked partly to learn"
        if reason.level != LINE:
            await self._body.fit()

    async def action_why(self) -> None:
        """Show the whole reason, then the table, then only the line again."""
        reason = self.query_one(ReasonPanel)
        await self._set_reason((reason.level + 1) % 3)

    async def _set_reason(self, level: int) -> None:
        reason = self.query_one(ReasonPanel)
        reason.level = level
        await self._body.fit()
        if reason.why is None and level in (EFFECTS, TABLE):
            self._request_details()

    # -- other commands -----------------------------------------------------------------------------------

    def action_other(self) -> None:
        """List the other questions, to pick one."""
        if not self.busy:
            work = post_result(self, self.worker.run(Backend.other_questions), OtherQuestionsReady)
            self.run_worker(work, group="others", exclusive=True)

    def action_search(self) -> None:
        """Find questions and answers by words of the caller."""
        if not self.busy:
            work = post_result(self, self.worker.run(Backend.searchable_questions), SearchReady)
            self.run_worker(work, group="others", exclusive=True)

    @on(OtherQuestionsReady)
    def _handle_other_questions(self, event: OtherQuestionsReady) -> None:
        from odm_tui.tui.dialogs.pick_question import pick_question

        if self.view is not None:
            pick_question(self, event.questions, self.question, self.view.unit)

    @on(SearchReady)
    def _handle_search(self, event: SearchReady) -> None:
        from odm_tui.tui.dialogs.pick_question import search_answers

        search_answers(self, event.questions)

    def action_decide(self) -> None:
        """Stop asking and decide now."""
        self.perform("stop")

    def action_refer(self) -> None:
        """Stop asking and hand over."""
        self.perform("refer")

    def action_abandon(self) -> None:
        """Abandon the interview, after a confirmation."""
        from odm_tui.tui.dialogs.button_dialog import ButtonDialog

        def on_choice(choice: str | None) -> None:
            if choice == "abandon":
                self.post_message(AbandonInterview())

        self.app.push_screen(
            ButtonDialog(
                "Abandon this interview?",
                "Nothing is learned from it, and it can't be resumed. To go on later, leave with Ctrl+Q instead.",
                {"keep": "No, go on", "abandon": "Yes, abandon it"},
            ),
            on_choice,
        )

    async def action_home(self) -> None:
        """Close the reason if it is open; else go to the banks, where the interview can be resumed."""
        if self.query_one(ReasonPanel).level != LINE:
            await self._set_reason(LINE)
        else:
            self.post_message(GoHome())

    def action_scroll_page(self, pages: int) -> None:
        """Scroll a long question or its answers."""
        card = self.query_one(QuestionCard)
        scroll_page(card if card.max_scroll_y else self.query_one(AnswerPad).query_one("#replies"), pages)
