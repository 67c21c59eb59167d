"""What lists show of an interview: the totals of its record, without its events."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from odm_tui.store.interview_record import (
    ABANDONED,
    CONFIRMED,
    PENDING,
    RETRACTED,
    UNFINISHED,
    InterviewRecord,
)

STATUSES = (UNFINISHED, PENDING, CONFIRMED, ABANDONED, RETRACTED)
COLUMNS = (
    *("id", "began", "operator", "scripted", "label", "note", "status", "is_empty", "questions"),
    *("cost", "seconds", "decided", "outcome", "referred", "last_time", "conflicts", "target", "factor"),
)
"""The columns of a summary in the index, in the order of its fields."""
_NUMBER = (int, float)
_NULLABLE = (str, type(None))
_KINDS: tuple[tuple[type, ...], ...] = (
    *((str,), (str,), (str,), (int,), (str,), (str,), (str,), (int,), (int,), _NUMBER, _NUMBER),
    *(_NULLABLE, _NULLABLE, (int,), (str,), (int,), (*_NUMBER, type(None)), _NUMBER),
)


@dataclass(frozen=True, slots=True)
class InterviewSummary:
    """One interview in a list; the names are those of :class:`~odm_tui.store.interview_record.InterviewRecord`."""

    interview: str
    began: str
    operator: str
    scripted: bool
    case: str
    note: str
    status: str
    is_empty: bool
    """Whether lists leave it out."""
    questions: int
    cost: float
    seconds: float
    decided_outcome: str | None
    outcome: str | None
    """The confirmed outcome."""
    referred: bool
    last_time: str
    conflicts: int
    target_cost: float | None = None
    stakes_factor: float = 1.0

    @classmethod
    def of(cls, record: InterviewRecord) -> InterviewSummary:
        """Summarize a record."""
        if record.ending is None:
            record.add_up()
        has_steps = bool(record.questions or (record.ending is None and record.steps))
        labelled = bool(record.case or record.note)
        status = record.status
        return cls(
            record.interview,
            record.began,
            record.operator,
            record.scripted,
            record.case,
            record.note,
            status,
            is_empty(status, has_steps, labelled),
            record.questions,
            record.cost,
            record.seconds,
            record.decided_outcome,
            record.outcome,
            record.referred,
            record.last_time,
            record.conflicts,
            record.target_cost,
            record.stakes_factor,
        )

    @classmethod
    def from_columns(cls, found: Sequence[Any]) -> InterviewSummary:
        """Check what the index has; raise ValueError if that can't be a summary."""
        for name, kind, value in zip(COLUMNS, _KINDS, found, strict=True):
            if type(value) not in kind:
                raise ValueError(f"{name} is {type(value).__name__}")
        if found[6] not in STATUSES:
            raise ValueError("an unknown status")
        id, began, operator, scripted, case, note, status, empty, questions, *rest = found
        cost, seconds, decided, outcome, referred, last_time, conflicts, target, factor = rest
        return cls(
            *(id, began, operator, bool(scripted), case, note, status, bool(empty), questions),
            *(cost, seconds, decided, outcome, bool(referred), last_time, conflicts, target, factor),
        )

    def columns(self) -> tuple[Any, ...]:
        """Return the values of the columns."""
        return (
            *(self.interview, self.began, self.operator, self.scripted, self.case, self.note, self.status),
            *(self.is_empty, self.questions, self.cost, self.seconds, self.decided_outcome, self.outcome),
            *(self.referred, self.last_time, self.conflicts, self.target_cost, self.stakes_factor),
        )


def is_empty(status: str, has_steps: bool, labelled: bool) -> bool:
    """Whether lists leave an interview out; see :attr:`InterviewRecord.is_empty`."""
    return not has_steps and (status in (UNFINISHED, ABANDONED) or (status == PENDING and not labelled))


def search_text(columns: Sequence[Any]) -> str:
    """Return all texts of a summary that lists are searched for, in lower case, but for the time."""
    id, _, operator, _, case, note, status, _, _, _, _, decided, outcome, *_ = columns
    return " ".join((id, operator, case, note, status, decided or "", outcome or "")).casefold()


def pack_spans(spans: Sequence[int]) -> bytes:
    """Encode the places of an interview's lines in the log: offset and end of each run of lines."""
    return struct.pack(f"<{len(spans)}Q", *spans)


def unpack_spans(data: bytes) -> list[int]:
    """Decode what :func:`pack_spans` returns; raise ValueError if it is something else."""
    if len(data) % 16:
        raise ValueError("not the places of lines")
    spans = list(struct.unpack(f"<{len(data) // 8}Q", data))
    if not spans or any(later <= earlier for earlier, later in itertools.pairwise(spans)):
        raise ValueError("not the places of lines")
    return spans
