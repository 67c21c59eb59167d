"""What the screens show, as plain values: made from a session in one place, handed down to the widgets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

QuestionKind = Literal["yes_no", "choice", "number"]


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer that can be given: its id in files, its label, and the key that gives it."""

    id: str
    label: str
    key: str


@dataclass(frozen=True, slots=True)
class QuestionView:
    """A question as it is read out."""

    id: str
    text: str
    help: str
    kind: QuestionKind
    replies: tuple[Reply, ...]
    unit: str = ""
    range: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Bar:
    """One outcome and how likely it is, now and before the last answer."""

    id: str
    label: str
    share: float
    before: float


@dataclass(frozen=True, slots=True)
class StepView:
    """One question that was put and what came of it."""

    question: QuestionView
    reply: str
    cost: float
    kind: Literal["answered", "unknown", "skipped"]


@dataclass(frozen=True, slots=True)
class DecisionView:
    """The end: the outcome, how sure, what to do about it, and why asking stopped."""

    outcome: str
    label: str
    share: float
    advice: str
    reason: str


@dataclass(frozen=True, slots=True)
class CandidateView:
    """One question that could be asked: what it would tell, cost and change."""

    text: str
    gain: float
    cost: float
    score: float
    effects: tuple[Effect, ...]


@dataclass(frozen=True, slots=True)
class Effect:
    """What one answer would do: how likely it is, and which outcome would lead, with which share."""

    reply: str
    chance: float
    leader: str
    share: float
    before: float


@dataclass(frozen=True, slots=True)
class WhyView:
    """Why this question: the best few, and what would be asked instead if nothing were to be learned."""

    candidates: tuple[CandidateView, ...]
    explores: bool
    instead: str = ""


@dataclass(frozen=True, slots=True)
class Moment:
    """An interview as it stands: everything that the interview and decision screens show."""

    bank: str
    title: str
    notice: str
    unit: str
    interview: str
    interviews: int
    """How many interviews have been learned from before this one."""
    question: QuestionView | None
    decision: DecisionView | None
    bars: tuple[Bar, ...]
    steps: tuple[StepView, ...]
    cost_so_far: float
    cost_to_come: float
    picked: bool = False
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Lesson:
    """What one answer taught: how likely it was for this outcome, before and after."""

    question: str
    reply: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class SummaryView:
    """What an interview took, and what it taught."""

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
    lessons: tuple[Lesson, ...]


@dataclass(frozen=True, slots=True)
class Interrupted:
    """An interview that waits to be resumed."""

    interview: str
    began: str
    answers: int


@dataclass(frozen=True, slots=True)
class BankRow:
    """A bank in the list of banks."""

    name: str
    title: str
    questions: int = 0
    outcomes: int = 0
    unit: str = ""
    mistake: str = ""
    interviews: int | None = None
    """How many confirmed interviews there are; None while that is not known yet."""
    costs: tuple[float, ...] = ()
    pending: tuple[PendingView, ...] = ()
    interrupted: tuple[Interrupted, ...] = ()


@dataclass(frozen=True, slots=True)
class PendingView:
    """An interview that was decided and waits for its outcome."""

    bank: str
    interview: str
    began: str
    decided: str
    label: str


@dataclass(frozen=True, slots=True)
class PastRow:
    """One interview of the past in the list."""

    interview: str
    began: str
    status: str
    decided: str
    confirmed: str
    questions: int
    cost: float
    operator: str


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """One thing that happened in a past interview, and the beliefs right after it."""

    title: str
    """What happened: the question that was asked, or the event."""
    text: str
    """The answer, or what else there is to say."""
    bars: tuple[Bar, ...]
    answer: bool


@dataclass(frozen=True, slots=True)
class HeatRow:
    """One answer of one question: for each outcome P(answer | outcome), with its 90 % interval."""

    label: str
    cells: tuple[tuple[float, float, float], ...]
    seen: tuple[int, ...]
    """For each outcome, how many interviews have answered this question."""


@dataclass(frozen=True, slots=True)
class Telling:
    """A question and how much it tells about the outcome: bits, and bits per unit of cost."""

    label: str
    bits: float
    cost: float


@dataclass(frozen=True, slots=True)
class LearnedView:
    """What a bank has learned."""

    title: str
    unit: str
    interviews: int
    outcomes: tuple[str, ...]
    rows: tuple[HeatRow, ...]
    telling: tuple[Telling, ...]
    costs: tuple[float, ...]
    """The cost of each confirmed interview, in order."""
    right: tuple[bool, ...]
    """Whether each of them was decided rightly."""
