"""Everything that can happen in an interview, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, ClassVar

Answer = str | int | float
PolicySpec = str | Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What all events have: whose interview, the event's number in it (from 1), and when (RFC 3339, UTC)."""

    name: ClassVar[str]
    interview: str
    n: int = 0
    time: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Started(Event):
    """An interview began; with these values every question of it can be found again."""

    name: ClassVar[str] = "started"
    bank: str
    bank_hash: str
    policy: PolicySpec
    seed: int
    operator: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(Event):
    """A question was shown; ``proposed`` is the one the policy chose, where the operator took another."""

    name: ClassVar[str] = "asked"
    question: str
    proposed: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered(Event):
    """A question was answered: with yes or no, a choice's id, or the number that was typed."""

    name: ClassVar[str] = "answered"
    question: str
    answer: Answer
    cost: float
    seconds: float
    proposed: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown(Event):
    """The answer to a question is not known."""

    name: ClassVar[str] = "unknown"
    question: str
    cost: float
    seconds: float
    proposed: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped(Event):
    """A question was passed over."""

    name: ClassVar[str] = "skipped"
    question: str
    cost: float
    seconds: float
    proposed: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone(Event):
    """The last steps were taken back (a stop by the operator counts as one); they stay in the log."""

    name: ClassVar[str] = "undone"
    steps: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed(Event):
    """An earlier answer was replaced (None: it is not known); ``step`` counts the steps that stand, from 0.

    ``dropped`` are the questions of later steps that had to go, because their question is asleep now.
    """

    name: ClassVar[str] = "changed"
    step: int
    question: str
    answer: Answer | None
    cost: float
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped(Event):
    """Answers were left out when the interview went on, because the bank no longer has their questions."""

    name: ClassVar[str] = "dropped"
    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped(Event):
    """The operator wanted the decision now."""

    name: ClassVar[str] = "stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided(Event):
    """The interview came to a decision; ``reason`` says in words why it stopped."""

    name: ClassVar[str] = "decided"
    outcome: str
    belief: float
    reason: str
    rule: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmed(Event):
    """The right outcome is known; None means that it was none of the bank's."""

    name: ClassVar[str] = "confirmed"
    outcome: str | None
    operator: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected(Event):
    """The confirmation was wrong; this is the right outcome."""

    name: ClassVar[str] = "corrected"
    outcome: str | None
    operator: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Abandoned(Event):
    """The interview was given up before its outcome was known."""

    name: ClassVar[str] = "abandoned"


@dataclass(frozen=True, slots=True, kw_only=True)
class Retracted(Event):
    """Nothing is to be learned from this interview any more."""

    name: ClassVar[str] = "retracted"
    operator: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten(Event):
    """All that is left of a forgotten interview: its bare id, so that a merge can't bring it back."""

    name: ClassVar[str] = "forgotten"


STEPS = (Answered, Unknown, Skipped)
EVENTS: Mapping[str, type[Event]] = {
    kind.name: kind
    for kind in (
        *(Started, Asked, Answered, Unknown, Skipped, Undone, Changed, Dropped, Stopped, Decided),
        *(Confirmed, Corrected, Abandoned, Retracted, Forgotten),
    )
}


def timestamp(seconds: float) -> str:
    """A moment as RFC 3339 in UTC, with microseconds.

    >>> timestamp(0.25)
    '1970-01-01T00:00:00.250000Z'
    """
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
