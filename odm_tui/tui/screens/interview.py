"""The interview: one question, one glance, one key, next question."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.screen import Screen

from odm_tui.errors import OdmError
from odm_tui.tui.actions import INTERVIEW, bindings
from odm_tui.tui.key_guard import KeyGuard
from odm_tui.tui.messages import (
    DecisionReached,
    Explained,
    Forecast,
    GiveUp,
    GoHome,
    Moved,
    NeverBegun,
    OpenStep,
    Others,
    Refused,
    Waiting,
)
from odm_tui.tui.widgets.answer_pad import DONT_KNOW, SKIP, AnswerPad, Target
from odm_tui.tui.widgets.answers_so_far import AnswersSoFar
from odm_tui.tui.widgets.banner import Banner, Notice
from odm_tui.tui.widgets.belief_bars import BeliefBars
from odm_tui.tui.widgets.cost_meter import CostMeter
from odm_tui.tui.widgets.key_bar import KeyBar
from odm_tui.tui.widgets.number_entry import NumberEntry
from odm_tui.tui.widgets.paging import turn_page
from odm_tui.tui.widgets.question_card import QuestionCard
from odm_tui.tui.widgets.title_bar import TitleBar
from odm_tui.tui.worker.backend import Act, Backend
from odm_tui.tui.worker.client import WorkerClient
from odm_tui.views.interview import InterviewView, Reply, UnfinishedInterview

_PATIENCE = 0.3
"""Seconds that the first drawing waits for the first question; a slow disk or a lock may take longer."""


_SLOW = 0.1
"""Seconds after which a key that has had no effect yet is shown as heard."""

_DRAWN = 0.03
"""Seconds after which a question is on the screen, and there is time for the rest."""


async def _finished(work: asyncio.Future[None]) -> None:
    await work


class InterviewScreen(Screen[None]):
    """Shows where the interview stands, and hands what the operator does to the worker."""

    ACTIONS = INTERVIEW
    BINDINGS = bindings(INTERVIEW)
    AUTO_FOCUS = ""  # Enter must never give an answer that nobody chose

    def __init__(
        self,
        worker: WorkerClient,
        bank: str,
        moment: InterviewView | None = None,
        resume: str | None = None,
        why: bool = False,
        note: str = "",
    ) -> None:
        super().__init__()
        self.resume = resume
        self.worker, self.bank, self.moment = worker, bank, moment
        self.busy = moment is None
        self._why_open, self._note = why, note
        self._key_guard = KeyGuard()

    def compose(self) -> ComposeResult:
        """The question and its answers on the left, what follows from them on the right."""
        yield TitleBar()
        with Horizontal(id="body"):
            with Vertical(id="stage"):
                yield QuestionCard()
                yield AnswerPad()
            with Vertical(id="side"):
                yield BeliefBars()
                yield CostMeter()
                yield AnswersSoFar()
        yield Notice()
        yield Banner()
        yield KeyBar(INTERVIEW)

    async def on_mount(self) -> None:
        """Show what is there, or begin; wait a moment for it, so that an empty screen is not drawn first."""
        if self._why_open:
            await self._open_why()
        if self.moment is not None:
            self._tell(*self.moment.notices, self._note)
            await self.show(self.moment)
            self._explain()
            return
        self.query_one("#body").visible = False
        beginning = asyncio.ensure_future(self._begin())
        await asyncio.wait([beginning], timeout=_PATIENCE)
        if beginning.done():
            beginning.result()
        else:
            self.run_worker(_finished(beginning))

    # -- beginning ------------------------------------------------------------------------------------

    async def _begin(self) -> None:
        """Resume what was asked for; else look for interviews to resume; else start a new one."""
        resume, self.resume = self.resume, None
        if resume is not None:
            await self._work(self.worker.run(Backend.resume, self.bank, resume), self._note)
        else:
            await self._work(self.worker.run(Backend.begin, self.bank), self._note)

    @on(Waiting)
    def _offer_to_resume(self, event: Waiting) -> None:
        from odm_tui.tui.dialogs.resume import resume_dialog

        latest = event.interrupted[0]

        def answered(choice: str | None) -> None:
            if choice == "new":
                self.run_worker(self._work(self.worker.run(Backend.start, self.bank)))
            elif choice == "drop":
                self.run_worker(
                    self._work(self.worker.run(Backend.start_instead, self.bank, latest.interview))
                )
            elif choice == "resume":
                self.run_worker(self._work(self.worker.run(Backend.resume, self.bank, latest.interview)))
            else:
                self.post_message(GoHome())

        self.app.push_screen(resume_dialog(event.interrupted), answered)

    # -- one turn ---------------------------------------------------------------------------------------

    def act(self, act: Act, *values: str | float | None, reply: Reply | None = None, note: str = "") -> None:
        """Have something done in the interview; keys pressed meanwhile are not taken."""
        if self.busy:
            return
        self.busy = True
        if reply is not None:
            self.set_timer(_SLOW, lambda: self._still_saving(reply))
        self.run_worker(self._work(self.worker.run(Backend.turn, act, *values), note))

    def _still_saving(self, reply: Reply) -> None:
        """Show that the key was heard, where keeping the answer takes longer than the eye notices."""
        if self.busy:
            self.query_one(AnswerPad).mark(reply)

    async def _work(
        self, work: Awaitable[InterviewView | tuple[UnfinishedInterview, ...]], note: str = ""
    ) -> None:
        try:
            found = await work
        except OdmError as error:
            self.post_message(Refused(str(error), error.exit_code))
            return
        self.post_message(Moved(found, note) if isinstance(found, InterviewView) else Waiting(found))

    @on(Moved)
    async def _moved(self, event: Moved) -> None:
        self.busy = event.moment.question is None  # the decision comes instead, and takes the keys
        self._tell(*event.moment.notices, event.note)
        await self.show(event.moment)
        self._explain()
        if event.moment.question is not None:
            self.run_worker(self._find_forecast(), group="forecast", exclusive=True)

    def _tell(self, *sentences: str) -> None:
        """Show what there is to tell, or take away what was told before."""
        banner, told = self.query_one(Banner), " ".join(sentences).strip()
        if told:
            banner.tell(told)
        else:
            banner.clear()

    async def _find_forecast(self) -> None:
        await asyncio.sleep(_DRAWN)  # it would only hold up the drawing
        steps = len(self.moment.steps) if self.moment else 0
        with suppress(OdmError):  # whoever answers is told
            self.post_message(Forecast(await self.worker.run(Backend.forecast), steps))

    @on(Forecast)
    def _forecast(self, event: Forecast) -> None:
        if self.moment is not None and len(self.moment.steps) == event.steps:
            self.moment = self.moment._replace(cost_to_come=event.cost)
            self.query_one(CostMeter).to_come = event.cost

    @on(Refused)
    async def _refused(self, event: Refused) -> None:
        self.busy = False
        self.query_one(Banner).tell(event.sentence, bad=True)
        if self.moment is not None:
            await self.show(self.moment)
        else:
            self.post_message(NeverBegun(event.code))

    async def show(self, moment: InterviewView) -> None:
        """Show where the interview stands now."""
        if moment.question is None:
            self.post_message(DecisionReached(moment))
            return
        with self.app.batch_update():  # so that the parts of one moment are never seen apart
            await self._draw(moment)

    async def _draw(self, moment: InterviewView) -> None:
        assert moment.question is not None
        if not self.query_one("#body").visible:
            self.query_one("#body").visible = True
        changed = self.moment is None or self.moment.question != moment.question
        self.moment = moment
        if changed:
            self._key_guard.shown()
        self.query_one(Notice).show(moment.notice)
        title = self.query_one(TitleBar)
        picked = ", your own pick" if moment.picked else ""
        title.title = moment.title
        title.status = f"question {len(moment.steps) + 1}{picked} · interview {moment.interviews + 1}"
        self.query_one(QuestionCard).show(moment.question)
        await self._show_answers()
        self.query_one(BeliefBars).bars = moment.bars
        meter = self.query_one(CostMeter)
        meter.so_far, meter.to_come, meter.unit = moment.cost_so_far, moment.cost_to_come, moment.unit
        self.query_one(AnswersSoFar).steps = moment.steps
        if changed and isinstance(self.focused, Target):
            self.set_focus(None)
        self.refresh_bindings()

    async def _show_answers(self) -> None:
        assert self.moment is not None
        assert self.moment.question is not None
        pad = self.query_one(AnswerPad)
        await pad.show(
            self.moment.question, self._room(), (self.query_one("#stage").size.width or self.size.width) - 4
        )

    def _room(self) -> int:
        """How many rows the answers may take, so that at least three lines of the question are in sight."""
        height, narrow = self.size.height, self.has_class("-narrow")
        if self._why_open and height < 30:
            return max(2, min(len(self._replies), height - 14))
        if self.has_class("-high"):  # the question has 16 rows there, and what is around it 8
            return max(5, height - 24 - (14 if self._why_open else 0))
        return min(27, max(3, height - (11 if narrow else 10)))

    async def on_resize(self, event: events.Resize) -> None:
        """Fit the answers and the Why panel into the new size."""
        if self.moment is not None and self.moment.question is not None:
            self.call_after_refresh(self._show_answers)
            self._explain()

    # -- answering --------------------------------------------------------------------------------------

    @on(Target.Given)
    def _given(self, event: Target.Given) -> None:
        self._reply(event.reply)

    def _reply(self, reply: Reply) -> None:
        if self._key_guard.too_soon(KeyGuard.READ):
            return
        if reply == DONT_KNOW:
            self.act("dont_know", reply=reply)
        elif reply == SKIP:
            self.act("skip", reply=reply)
        else:
            self.act("answer", reply.id, reply=reply)

    def action_reply(self, id: str) -> None:
        """Yes or no."""
        self._reply(next(reply for reply in self._replies if reply.id == id))

    def action_choose(self, at: int) -> None:
        """One of up to nine answers."""
        self._reply(self._replies[at])

    def action_dont_know(self) -> None:
        """Nobody knows."""
        self._reply(DONT_KNOW)

    def action_skip(self) -> None:
        """Pass it over."""
        self._reply(SKIP)

    @property
    def _replies(self) -> tuple[Reply, ...]:
        question = self.moment.question if self.moment else None
        return question.replies if question else ()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Which keys mean something for the question at hand."""
        question = self.moment.question if self.moment else None
        if action == "reply":
            return question is not None and question.kind == "yes_no"
        if action == "choose":
            return (
                question is not None
                and question.kind == "choice"
                and int(str(parameters[0])) < len(self._replies)
            )
        if action in ("undo", "answers"):
            return self.moment is not None and bool(self.moment.steps)
        if action in ("dont_know", "skip", "why", "other", "decide", "abandon"):
            return self.moment is not None
        return True

    def on_key(self, event: events.Key) -> None:
        """Digits go to the number field, whatever has the focus."""
        question = self.moment.question if self.moment else None
        if question is None or question.kind != "number" or self.busy:
            return
        entry = self.query_one(AnswerPad).entry
        if event.key == "enter" and self.focused is None:
            event.stop()
            self._give_number()
        elif event.character and entry.press(event.character):
            event.stop()

    @on(NumberEntry.Submitted)
    def _give_number(self) -> None:
        if self._key_guard.too_soon(KeyGuard.READ):
            return
        value = self.query_one(AnswerPad).entry.value()
        if value is not None:
            self.act("answer", value)

    def on_paste(self, event: events.Paste) -> None:
        """A pasted number goes to the number field."""
        question = self.moment.question if self.moment else None
        if question is not None and question.kind == "number":
            for character in event.text.strip():
                self.query_one(AnswerPad).entry.press(character)

    # -- around the question ------------------------------------------------------------------------------

    def action_undo(self) -> None:
        """Take back the last digit, or the last answer."""
        question = self.moment.question if self.moment else None
        if question is not None and question.kind == "number" and self.query_one(AnswerPad).entry.rub_out():
            return
        self.act("undo")

    async def action_why(self) -> None:
        """Open or close the Why panel."""
        self._why_open = not self._why_open
        await self._open_why()
        self._explain()
        self.call_after_refresh(self._show_answers)

    async def _open_why(self) -> None:
        from odm_tui.tui.widgets.why_panel import WhyPanel

        if not self.query(WhyPanel):
            await self.query_one("#stage").mount(WhyPanel())
        self.set_class(self._why_open, "-why")

    def _explain(self) -> None:
        if self._why_open:
            self.run_worker(self._find_why(), group="why", exclusive=True)

    async def _find_why(self) -> None:
        try:
            why = await self.worker.run(Backend.why)
        except OdmError as error:
            self.post_message(Refused(str(error)))
            return
        if why is not None:
            self.post_message(Explained(why))

    @on(Explained)
    def _explained(self, event: Explained) -> None:
        from odm_tui.tui.widgets.why_panel import WhyPanel

        panel = self.query_one(WhyPanel)
        panel.unit = self.moment.unit if self.moment else ""
        panel.room = max(6, min(18, self.size.height - 12))
        panel.why = event.why

    def action_other(self) -> None:
        """Pick another question."""
        if not self.busy:
            self.run_worker(self._find_others(), group="others", exclusive=True)

    async def _find_others(self) -> None:
        try:
            self.post_message(Others(await self.worker.run(Backend.others)))
        except OdmError as error:
            self.post_message(Refused(str(error)))

    @on(Others)
    def _choose_other(self, event: Others) -> None:
        from odm_tui.tui.dialogs.choose import Choose, Item

        shown = self.moment.question.id if self.moment and self.moment.question else ""
        items = tuple(
            Item(q.id, " ".join(q.text.split()), "shown now" if q.id == shown else "")
            for q in event.questions
        )

        def picked(question: str | None) -> None:
            if question is not None:
                self.act("pick", question)

        self.app.push_screen(Choose("Ask another question", items), picked)

    def action_answers(self) -> None:
        """Choose an earlier answer, to change it."""
        from odm_tui.tui.dialogs.steps import choose_step

        if self.moment is not None:
            choose_step(self, self.moment.steps, self._change)

    @on(OpenStep)
    def _opened(self, event: OpenStep) -> None:
        from odm_tui.tui.dialogs.steps import change_step

        if self.moment is not None:
            change_step(self, self.moment.steps, event.step, self._change)

    def _change(self, at: int, answer: str | float | None) -> None:
        self.act("change", at, answer, note=f"Answer {at + 1} was changed.")

    def action_decide(self) -> None:
        """Stop asking."""
        self.act("stop")

    def action_abandon(self) -> None:
        """Give the interview up, after asking."""
        from odm_tui.tui.dialogs.ask import ButtonDialog

        def answered(choice: str | None) -> None:
            if choice == "abandon":
                self.post_message(GiveUp())

        self.app.push_screen(
            ButtonDialog(
                "Give this interview up?",
                "Nothing is learned from it, and it can't be resumed. To go on later, leave with Ctrl+Q instead.",
                {"keep": "No, go on", "abandon": "Yes, give it up"},
            ),
            answered,
        )

    def action_home(self) -> None:
        """Back to the banks; the interview waits there."""
        self.post_message(GoHome())

    def action_turn_page(self, pages: int) -> None:
        """Scroll a long question."""
        turn_page(self.query_one(QuestionCard), pages)
