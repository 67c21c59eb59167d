"""Views of a finished interview: its cost compared with asking everything, and what was learned from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from odm_tui.formatting import format_count, format_number, format_part, format_percent
from odm_tui.text import clean_text, one_line

if TYPE_CHECKING:
    from odm_tui.engine.posterior import Posterior
    from odm_tui.session import Session


@dataclass(frozen=True, slots=True)
class LearnedAnswer:
    """The probability of one answer given the outcome, before and after learning from it."""

    question: str
    reply: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class SummaryView:
    """The cost of an interview, and what was learned from it."""

    bank: str
    title: str
    unit: str
    interview: str
    outcome: str
    as_decided: bool
    interviews: int
    questions: int
    all_questions: int
    cost: float
    all_cost: float
    lessons: tuple[LearnedAnswer, ...]
    case: str = ""
    note: str = ""
    referred: bool = False
    """Whether the decision was to hand over."""
    usual_questions: float | None = None
    """How many questions the confirmed interviews of this bank took on average, this one included; None for the first."""
    share_before: float = 0.0
    share_after: float = 0.0
    """The share of confirmed interviews that had this outcome, before and after this one; 0 without any."""
    notices: tuple[str, ...] = ()
    """What the operator has to know, such as a state that could not be saved."""

    @property
    def effort(self) -> str:
        """How many questions it took, and how much of the cost of asking everything."""
        questions = format_count(self.questions, "question")
        if self.usual_questions is not None:
            questions += f", your average is {format_number(float(f'{self.usual_questions:.2g}'))}"
        return f"{questions} · {format_part(self.cost, self.all_cost, self.unit)}"

    @property
    def share(self) -> str:
        """How often the outcome is confirmed now; empty if that does not change visibly."""
        before, after = format_percent(self.share_before), format_percent(self.share_after)
        if not self.outcome or not self.share_before or before == after:
            return ""
        return f"this cause is now {after} of calls (was {before})"

    @property
    def sentence(self) -> str:
        """The figures in one line."""
        return " · ".join(filter(None, (self.effort, self.share)))


def summary_view(session: Session, outcome: str | None, name: str) -> SummaryView:
    """Build the summary of an interview."""
    bank, interview = session.bank, session.interview
    posterior = interview.posterior
    mean = posterior.mean()
    place = None if outcome is None else [o.id for o in bank.outcomes].index(outcome)
    lessons: list[LearnedAnswer] = []
    share = 0.0, 0.0
    if place is not None:
        learned = posterior.updated(interview.answers, place)
        after = learned.mean()
        share = _share(posterior, place), _share(learned, place)
        for step in interview.steps:
            if step.answer is None:
                continue
            question = bank.questions[step.question]
            lessons.append(
                LearnedAnswer(
                    one_line(question.text),
                    one_line(question.answers[step.answer].label),
                    float(mean[step.question, place, step.answer]),
                    float(after[step.question, place, step.answer]),
                )
            )
    decision = session.decision
    return SummaryView(
        bank=name,
        title=one_line(bank.title),
        unit=one_line(bank.cost_unit),
        interview=session.id,
        outcome="" if place is None else one_line(bank.outcomes[place].label),
        as_decided=decision is not None and decision.refer is None and decision.outcome.id == outcome,
        referred=decision is not None and decision.refer is not None,
        interviews=int(posterior.interviews) + (place is not None),
        questions=sum(step.kind != "skipped" for step in interview.steps),
        all_questions=len(bank.questions),
        cost=interview.cost_so_far if place is None else interview.cost_if(place),
        all_cost=interview.cost_of_all(place),
        lessons=tuple(lessons),
        case=one_line(session.case),
        note=clean_text(session.note),
        usual_questions=session.mean_questions(),
        share_before=share[0],
        share_after=share[1],
        notices=tuple(one_line(notice) for notice in session.notices),
    )


def _share(posterior: Posterior, outcome: int) -> float:
    """The share of confirmed interviews that had this outcome; 0 without any."""
    total = float(posterior.outcome_counts.sum())
    return float(posterior.outcome_counts[outcome]) / total if total else 0.0
