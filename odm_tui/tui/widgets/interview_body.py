"""The middle of the interview screen: the question, its answers, the reason, and what is known so far."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Container, Vertical

from odm_tui.tui.widgets.answer_pad import AnswerPad
from odm_tui.tui.widgets.answers_so_far import AnswersSoFar
from odm_tui.tui.widgets.belief_bars import BeliefBars
from odm_tui.tui.widgets.interview_layout import BESIDE, InterviewLayout, plan_layout, side_width
from odm_tui.tui.widgets.question_card import QuestionCard
from odm_tui.tui.widgets.reason_panel import ReasonPanel
from odm_tui.views.interview import InterviewView, QuestionView


class KnownPanel(Container):
    """What is known: the likely outcomes and the answers so far."""

    DEFAULT_CSS = """
    KnownPanel {
        layout: horizontal; height: 1fr; padding: 0 2;
        BeliefBars { width: 3fr; height: 1fr; }
        AnswersSoFar { width: 2fr; height: 1fr; margin-left: 2; }
        &.-beside { layout: vertical; padding: 1 2 1 1; border-left: vkey $rail; }
        &.-beside BeliefBars { width: 1fr; height: auto; max-height: 60%; margin-bottom: 1; }
        &.-beside AnswersSoFar { width: 1fr; margin-left: 0; }
        &.-narrow AnswersSoFar, &.-first AnswersSoFar { display: none; }
    }
    """

    def compose(self) -> ComposeResult:
        """Create both lists."""
        yield BeliefBars()
        yield AnswersSoFar()

    def show(self, view: InterviewView) -> None:
        """Show the state of the interview."""
        self.query_one(BeliefBars).bars = view.bars
        answers = self.query_one(AnswersSoFar)
        answers.steps = view.steps
        self.set_class(not view.steps, "-first")


class InterviewBody(Container):
    """Draw the parts in the sizes that were planned; the order never changes."""

    DEFAULT_CSS = """
    InterviewBody { layout: vertical; height: 1fr; width: 100%; }
    InterviewBody.-beside { layout: horizontal; }
    InterviewBody #stage { height: auto; width: 1fr; }
    InterviewBody.-beside #stage { height: 1fr; }
    """

    def __init__(self) -> None:
        super().__init__(id="body")
        self.layout_plan: InterviewLayout | None = None
        self._question: QuestionView | None = None

    def compose(self) -> ComposeResult:
        """Create the parts, from top to bottom."""
        with Vertical(id="stage"):
            yield QuestionCard()
            yield AnswerPad()
            yield ReasonPanel()
        yield KnownPanel()

    async def show(self, view: InterviewView, question: QuestionView) -> None:
        """Show this question and the state of the interview."""
        self._question = question
        self.query_one(QuestionCard).show(question)
        await self.fit()
        self.query_one(KnownPanel).show(view)

    async def fit(self) -> None:
        """Fit all parts into the current size."""
        question = self._question
        size = self.size if self.size.height else self.screen.size.with_height(self.screen.size.height - 2)
        if question is None or not size.width:
            return
        reason = self.query_one(ReasonPanel)
        plan = plan_layout(
            question,
            size.width,
            size.height,
            reason.wanted_rows(size.width >= BESIDE),
            len(self.query_one(BeliefBars).bars) or 8,
            reason.spare_rows(size.width),
        )
        if plan != self.layout_plan:
            self._apply(plan, size.width)
        await self.query_one(AnswerPad).show(question, plan)

    def _apply(self, plan: InterviewLayout, width: int) -> None:
        self.layout_plan = plan
        self.query_one(QuestionCard).fit(plan.card_rows, plan.card_padding, plan.has_border)
        self.set_class(plan.beside, "-beside")
        known = self.query_one(KnownPanel)
        known.set_class(plan.beside, "-beside")
        known.set_class(width < 72, "-narrow")
        known.display = plan.beside or plan.known_rows > 0
        known.styles.width = side_width(width) if plan.beside else "100%"
        pad = self.query_one(AnswerPad)
        pad.styles.margin = (plan.gap if plan.card_padding else 0, 0, 0, 0)
        reason = self.query_one(ReasonPanel)
        reason.display = plan.reason_rows > 0
        reason.styles.height = plan.reason_rows
        reason.styles.margin = (plan.gap, 0)
