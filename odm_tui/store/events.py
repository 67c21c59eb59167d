"""The events of an interview."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, ClassVar

from odm_tui.errors import BadArgument

REFER = "refer"
"""The rule of a decision to hand over."""

Answer = str | int | float
PolicySpec = str | Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """The fields that all events share: the interview, the event's number in it (from 1), and its time (RFC 3339, UTC).

    ``after`` is the identity of the event before it in the same interview; empty for the first, and in old logs.
    """

    name: ClassVar[str]
    interview: str
    n: int = 0
    time: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Started(Event):
    """An interview began; these values determine its questions."""

    name: ClassVar[str] = "started"
    bank: str
    bank_hash: str
    policy: PolicySpec
    seed: int
    operator: str
    scripted: bool = False
    """Whether a program gave the answers, so that their times say nothing about people."""
    version: str = ""
    """The author's name for the state of the bank, if it has one."""
    target_cost: float | None = None
    """What an interview should cost on average, if there is a target."""
    stakes_factor: float | None = None
    """By what that target has multiplied the stakes of this interview."""
    variants: int = 0
    """How many interviews the variants that it began with were fitted to; 0 if every outcome had one variant."""
    folder: str = ""
    """The name of the state folder in a team's store, if there is one."""
    knew: int = 0
    """The head of the team's store up to which the folder had everything; beyond it, the folder's own earlier events."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filed(Event):
    """The interview was given a case reference, such as a ticket number (None: it was removed)."""

    name: ClassVar[str] = "filed"
    case: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted(Event):
    """The interview was given a note (None: it was removed)."""

    name: ClassVar[str] = "noted"
    note: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(Event):
    """A question was shown; ``proposed`` is the policy's choice if the operator picked another."""

    name: ClassVar[str] = "asked"
    question: str
    proposed: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered(Event):
    """A question was answered with yes, no, a choice's id, or a number."""

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
    """A question was skipped."""

    name: ClassVar[str] = "skipped"
    question: str
    cost: float
    seconds: float
    proposed: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone(Event):
    """The last steps were undone (a stop by the operator counts as one); they stay in the log."""

    name: ClassVar[str] = "undone"
    steps: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed(Event):
    """An earlier answer was replaced (None: not known); ``step`` is its position among the current steps, from 0.

    ``dropped`` lists the questions of later answers that were removed, because they can no longer be asked.
    """

    name: ClassVar[str] = "changed"
    step: int
    question: str
    answer: Answer | None
    cost: float
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reverted(Event):
    """The last change of an answer was taken back; the answers that it dropped are there again."""

    name: ClassVar[str] = "reverted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped(Event):
    """Answers were left out when the interview was resumed, because the bank no longer has their questions."""

    name: ClassVar[str] = "dropped"
    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped(Event):
    """The operator asked for the decision."""

    name: ClassVar[str] = "stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Continued(Event):
    """The operator asked on after the decision, until the belief in one outcome reaches the target."""

    name: ClassVar[str] = "continued"
    target: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried(Event):
    """The advice of an outcome was tried and did not help, so the interview moved on to the next outcome."""

    name: ClassVar[str] = "tried"
    outcome: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided(Event):
    """The interview reached a decision; ``reason`` says why it stopped.

    The rule ``refer`` means that the interview is handed over; the outcome is the one that would be decided otherwise.
    """

    name: ClassVar[str] = "decided"
    outcome: str
    belief: float
    reason: str
    rule: str

    @property
    def refers(self) -> bool:
        """Whether the interview is handed over."""
        return self.rule == REFER


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmed(Event):
    """The right outcome was confirmed; None means that it is none of the bank's outcomes."""

    name: ClassVar[str] = "confirmed"
    outcome: str | None
    operator: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected(Event):
    """A wrong confirmation was replaced by the right outcome."""

    name: ClassVar[str] = "corrected"
    outcome: str | None
    operator: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Abandoned(Event):
    """The interview was abandoned before its outcome was known."""

    name: ClassVar[str] = "abandoned"


@dataclass(frozen=True, slots=True, kw_only=True)
class Retracted(Event):
    """The interview was retracted: nothing is learned from it any more."""

    name: ClassVar[str] = "retracted"
    operator: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Redated(Event):
    """The confirmation was dated by a wrong clock; ``confirmed`` is the right time."""

    name: ClassVar[str] = "redated"
    confirmed: str
    operator: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled(Event):
    """A person chose the branch that this event follows; ``against`` lists the last events of the other branches."""

    name: ClassVar[str] = "settled"
    against: tuple[str, ...]
    operator: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten(Event):
    """The id of a forgotten interview, without any data, so that a merge can't bring it back."""

    name: ClassVar[str] = "forgotten"


STEPS = (Answered, Unknown, Skipped)
EVENTS: Mapping[str, type[Event]] = {
    kind.name: kind
    for kind in (
        *(Started, Filed, Noted, Asked, Answered, Unknown, Skipped, Undone, Changed, Reverted, Dropped),
        *(Stopped, Continued, Tried, Decided, Confirmed, Corrected, Abandoned, Retracted, Redated, Settled),
        Forgotten,
    )
}


def timestamp(seconds: float) -> str:
    """Format a time as RFC 3339 in UTC, with microseconds.

    >>> timestamp(0.25)
    '1970-01-01T00:00:00.250000Z'
    """
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def parse_time(text: str) -> str:
    """Turn a date or an RFC 3339 time into the form of the log; a time without a zone is UTC.

    >>> parse_time("2026-02-03"), parse_time("2026-02-03T10:00:00+01:00")
    ('2026-02-03T00:00:00.000000Z', '2026-02-03T09:00:00.000000Z')
    """
    try:
        found = datetime.fromisoformat(text)
        return timestamp((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        raise BadArgument(
            f"{text!r} is not a time; write it as 2026-02-03 or 2026-02-03T10:00:00Z."
        ) from None
