"""What the screens show, as plain values: made from a session in one place, handed down to the widgets.

They are named tuples and not dataclasses, which take six times as long to load: the first question waits
for this module.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

QuestionKind = Literal["yes_no", "choice", "number"]


class Reply(NamedTuple):
    """One answer that can be given: its id in files, its label, and the key that gives it."""

    id: str
    label: str
    key: str


class QuestionView(NamedTuple):
    """A question as it is read out."""

    id: str
    text: str
    help: str
    kind: QuestionKind
    replies: tuple[Reply, ...]
    unit: str = ""
    range: tuple[float, float] | None = None


class Bar(NamedTuple):
    """One outcome and how likely it is, now and before the last answer."""

    id: str
    label: str
    share: float
    before: float


class StepView(NamedTuple):
    """One question that was put and what came of it."""

    question: QuestionView
    reply: str
    cost: float
    kind: Literal["answered", "unknown", "skipped"]


class DecisionView(NamedTuple):
    """The end: the outcome, how sure, what to do about it, and why asking stopped."""

    outcome: str
    label: str
    share: float
    advice: str
    reason: str
    doubt: str
    """An answer that the others speak against, in words; empty if there is none."""


class CandidateView(NamedTuple):
    """One question that could be asked: what it would tell, cost and change."""

    text: str
    gain: float
    cost: float
    score: float
    effects: tuple[Effect, ...]
    shown: bool = False
    """Whether it is the one that is asked now."""


class Effect(NamedTuple):
    """What one answer would do: how likely it is, and which outcome would lead, with which share."""

    reply: str
    chance: float
    leader: str
    share: float
    before: float


class WhyView(NamedTuple):
    """Why this question: the best few, and what would be asked instead if nothing were to be learned."""

    candidates: tuple[CandidateView, ...]
    explores: bool
    instead: str = ""


class Moment(NamedTuple):
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


class Interrupted(NamedTuple):
    """An interview that waits to be resumed."""

    interview: str
    began: str
    answers: int
    at: str
    """The time of the log at which it began: it tells which of two began later."""
