"""The middle of the interview screen: the question and its answers on the left, the state of the interview on the right."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from odm_tui.tui.widgets.answer_pad import AnswerPad
from odm_tui.tui.widgets.answers_so_far import AnswersSoFar
from odm_tui.tui.widgets.belief_bars import BeliefBars
from odm_tui.tui.widgets.cost_meter import CostMeter
from odm_tui.tui.widgets.question_card import QuestionCard
from odm_tui.views.interview import InterviewView, QuestionView, WhyView


class SidePanel(Vertical):
    """The likely outcomes, the cost and the answers so far."""

    def __init__(self) -> None:
        super().__init__(id="side")

    def compose(self) -> ComposeResult:
        """Create the three parts, from top to bottom."""
        yield BeliefBars()
        yield CostMeter()
        yield AnswersSoFar()

    def show(self, view: InterviewView, cost_to_come: float = 0.0) -> None:
        """Show the state of the interview."""
        self.query_one(BeliefBars).bars = view.bars
        meter = self.query_one(CostMeter)
        meter.so_far, meter.to_come, meter.unit = view.cost_so_far, cost_to_come, view.unit
        self.query_one(AnswersSoFar).steps = view.steps


class InterviewBody(Horizontal):
    """Draw the question, its answers, the Why panel and the side panel, each in the space that is available."""

    def __init__(self, why_open: bool = False) -> None:
        super().__init__(id="body")
        self.why_open = why_open

    def compose(self) -> ComposeResult:
        """Create both sides; the Why panel is added when it is first opened."""
        with Vertical(id="stage"):
            yield QuestionCard()
            yield AnswerPad()
        yield SidePanel()

    async def show(self, view: InterviewView, question: QuestionView) -> None:
        """Show this question and the state of the interview."""
        self.query_one(QuestionCard).show(question)
        await self.show_answers(question)
        self.query_one(SidePanel).show(view, view.cost_to_come)

    async def show_answers(self, question: QuestionView) -> None:
        """Fit the answers of this question into the current size."""
        width = self.query_one("#stage").size.width or self.screen.size.width
        await self.query_one(AnswerPad).show(question, self._answer_rows(question), width - 4)

    def _answer_rows(self, question: QuestionView) -> int:
        """The number of rows for the answers that leaves at least three lines for the question."""
        height, narrow = self.screen.size.height, self.screen.has_class("-narrow")
        if self.why_open and height < 30:
            return max(2, min(len(question.replies), height - 14))
        if self.screen.has_class("-high"):  # 16 rows for the question and 8 for everything around it
            return max(5, height - 24 - (14 if self.why_open else 0))
        return min(27, max(3, height - (11 if narrow else 10)))

    async def prepare_why_panel(self) -> None:
        """Add the Why panel, unless it is there already."""
        from odm_tui.tui.widgets.why_panel import WhyPanel

        if not self.query(WhyPanel):
            await self.query_one("#stage").mount(WhyPanel())

    def explain(self, why: WhyView, unit: str) -> None:
        """Show in the Why panel why this question is asked."""
        from odm_tui.tui.widgets.why_panel import WhyPanel

        panel = self.query_one(WhyPanel)
        panel.unit = unit
        panel.room = max(6, min(18, self.screen.size.height - 12))
        panel.why = why
