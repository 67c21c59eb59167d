"""The decision: the outcome, how sure, what to do about it, and why asking stopped."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from odm_tui.errors import OdmError
from odm_tui.formatting import CLEAR, format_percent
from odm_tui.tui.actions import DECISION, bindings
from odm_tui.tui.dialogs.choose import Choose, Item
from odm_tui.tui.dialogs.steps import change_step, choose_step
from odm_tui.tui.key_guard import KeyGuard
from odm_tui.tui.messages import DecisionReached, Ended, GoHome, Moved, OpenStep, PutOff, Refused, Reopened
from odm_tui.tui.widgets.answer_pad import Target
from odm_tui.tui.widgets.answers_so_far import AnswersSoFar
from odm_tui.tui.widgets.banner import Banner, Notice
from odm_tui.tui.widgets.belief_bars import BeliefBars
from odm_tui.tui.widgets.cost_meter import CostMeter
from odm_tui.tui.widgets.drawing import bar
from odm_tui.tui.widgets.key_bar import KeyBar
from odm_tui.tui.widgets.paging import turn_page
from odm_tui.tui.widgets.title_bar import TitleBar
from odm_tui.tui.worker.backend import Act, Backend
from odm_tui.tui.worker.client import WorkerClient
from odm_tui.views.interview import InterviewView, Reply

_WAYS = (
    Reply("confirm", "Confirm this outcome", "Enter"),
    Reply("another", "Choose another outcome", "c"),
    Reply("none", "None of these", "N"),
    Reply("later", "Decide later", "l"),
)


class DecisionScreen(Screen[None]):
    """Shows what the interview came to, and asks whether it is right."""

    ACTIONS = DECISION
    BINDINGS = bindings(DECISION)

    def __init__(self, worker: WorkerClient, moment: InterviewView) -> None:
        super().__init__()
        self.worker, self.moment, self.bank = worker, moment, moment.bank
        self.busy = False
        self._key_guard = KeyGuard()

    def compose(self) -> ComposeResult:
        """The outcome where the question was, the rest where it was before."""
        decision = self.moment.decision
        assert decision is not None
        yield TitleBar(self.moment.title, "decision")
        with Horizontal(id="body"):
            with Vertical(id="stage"):
                with VerticalScroll(id="verdict", can_focus=False):
                    yield Static(Content(headline(decision.share)), classes="hint")
                    yield Static(Content(decision.label), id="outcome")
                    yield Static(id="sure")
                    if decision.doubt:
                        yield Static(Content.assemble(("! ", "bold $warning"), decision.doubt), id="doubt")
                    yield Static(Content(decision.advice), id="advice")
                    yield Static(Content(f"Why now: {decision.reason}"), classes="hint", id="reason")
                with Vertical(id="ways"):
                    for way in _WAYS:
                        flat = "" if way.id == "confirm" else "-flat"
                        yield Target.of(way, f"decision.{way.id}", classes=flat)
            with Vertical(id="side"):
                yield BeliefBars()
                yield CostMeter()
                yield AnswersSoFar()
        yield Notice()
        yield Banner()
        yield KeyBar(DECISION)

    def on_mount(self) -> None:
        """Fill in what depends on the width."""
        self._key_guard.shown()
        self.query_one(Notice).show(self.moment.notice)
        self.query_one(BeliefBars).bars = self.moment.bars
        meter = self.query_one(CostMeter)
        meter.so_far, meter.unit = self.moment.cost_so_far, self.moment.unit
        self.query_one(AnswersSoFar).steps = self.moment.steps
        if self.moment.notices:
            self.query_one(Banner).tell(" ".join(self.moment.notices))
        self.call_after_refresh(self._draw_sure)

    def on_resize(self) -> None:
        """Draw the bar to the new width."""
        self.call_after_refresh(self._draw_sure)

    def _draw_sure(self) -> None:
        decision = self.moment.decision
        assert decision is not None
        width = min(self.query_one("#verdict").content_size.width, 60)
        filled, rail = bar(decision.share, max(4, width - 14))
        self.query_one("#sure", Static).update(
            Content.assemble(
                (filled, "$accent"), (rail, "$rail"), (f"  {format_percent(decision.share)} sure", "bold")
            )
        )

    # -- what the operator says -------------------------------------------------------------------------

    @on(Target.Given)
    async def _given(self, event: Target.Given) -> None:
        await self.run_action(event.reply.id)

    def action_confirm(self) -> None:
        """It is the one."""
        assert self.moment.decision is not None
        self._end(self.moment.decision.outcome)

    def action_none(self) -> None:
        """None of the bank's outcomes."""
        self._end(None)

    def action_another(self) -> None:
        """Another outcome, found by typing."""
        items = tuple(Item(row.id, row.label, format_percent(row.share)) for row in self.moment.bars)

        def chosen(outcome: str | None) -> None:
            if outcome is not None:
                self._end(outcome)

        start = items[1].id if len(items) > 1 else None
        self.app.push_screen(Choose("Which outcome was it?", items, start), chosen)

    def action_later(self) -> None:
        """Not known yet."""
        self.post_message(PutOff())

    def _end(self, outcome: str | None) -> None:
        if not self.busy and not self._key_guard.too_soon(KeyGuard.DECIDE):
            self.busy = True
            self.run_worker(self._confirm(outcome))

    async def _confirm(self, outcome: str | None) -> None:
        try:
            self.post_message(Ended(await self.worker.run(Backend.confirm, outcome)))
        except OdmError as error:
            self.post_message(Refused(str(error)))

    def action_undo(self) -> None:
        """Back to the last question."""
        self._act("undo")

    def _act(self, act: Act, *values: str | float | None) -> None:
        if not self.busy:
            self.busy = True
            self.run_worker(self._turn(act, *values))

    async def _turn(self, act: Act, *values: str | float | None) -> None:
        try:
            self.post_message(Moved(await self.worker.run(Backend.turn, act, *values)))
        except OdmError as error:
            self.post_message(Refused(str(error)))

    @on(Moved)
    def _moved(self, event: Moved) -> None:
        again = Reopened if event.moment.question is not None else DecisionReached
        self.post_message(again(event.moment))

    @on(Refused)
    def _refused(self, event: Refused) -> None:
        self.busy = False
        self.query_one(Banner).tell(event.sentence, bad=True)

    def action_answers(self) -> None:
        """Choose an earlier answer, to change it."""
        choose_step(self, self.moment.steps, self._change)

    @on(OpenStep)
    def _opened(self, event: OpenStep) -> None:
        change_step(self, self.moment.steps, event.step, self._change)

    def _change(self, at: int, answer: str | float | None) -> None:
        self._act("change", at, answer)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without an answer there is none to change."""
        return bool(self.moment.steps) if action == "answers" else True

    def action_turn_page(self, pages: int) -> None:
        """Scroll a long text."""
        turn_page(self.query_one("#verdict"), pages)

    def action_home(self) -> None:
        """Back to the banks; the decision waits there."""
        self.post_message(GoHome())


def headline(share: float) -> str:
    """What stands above the outcome.

    >>> headline(0.8), headline(0.1)
    ('Most likely', 'Not clear; the likeliest of all is')
    """
    return "Most likely" if share >= CLEAR else "Not clear; the likeliest of all is"
