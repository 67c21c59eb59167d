"""Views of past interviews: the list, and one interview step by step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from odm_tui.formatting import format_count, format_percent, format_sentence, format_time
from odm_tui.text import clean_text, one_line
from odm_tui.views.inbox import matches_words
from odm_tui.views.interview import Bar, answer_text

if TYPE_CHECKING:
    from odm_tui.banks.bank import Bank
    from odm_tui.session import Archive, Cursor, InterviewSummary
    from odm_tui.store.events import Event


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """One interview in the list."""

    interview: str
    began: str
    status: str
    decided: str
    confirmed: str
    questions: int
    cost: float
    operator: str
    case: str = ""
    note: str = ""
    referred: bool = False
    """Whether it was handed over; ``decided`` is then the outcome that would have been decided."""


@dataclass(frozen=True, slots=True)
class HistoryView:
    """A page of the interviews of a bank, the latest first, and the ids and labels of its outcomes."""

    title: str
    unit: str
    outcomes: tuple[tuple[str, str], ...]
    rows: tuple[HistoryRow, ...]
    total: int = 0
    """How many interviews there are on all pages."""
    next: Cursor | None = None
    """Where the next page begins; None on the last one."""


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """One event of a past interview, and the beliefs after it."""

    title: str
    """The question that was asked, or the kind of event."""
    text: str
    """The answer, or details of the event."""
    bars: tuple[Bar, ...]
    answer: bool


_STEPS = ("answered", "unknown", "skipped")


PAGE = 200
"""Interviews on a page of the list."""


def history_view(
    bank: Bank,
    archive: Archive,
    *,
    pending: bool = False,
    words: str = "",
    before: Cursor | None = None,
    most: int = PAGE,
) -> HistoryView:
    """Build a page of the interviews of a bank, or of those that are pending or have these words.

    ``before`` is where the page begins, and ``most`` is how many interviews it may have.
    """
    statuses = ("pending",) if pending else ()
    labels = {outcome.id: outcome.label for outcome in bank.outcomes}

    def matches(record: InterviewSummary) -> bool:
        return not record.is_empty and (not words.strip() or matches_row(_history_row(bank, record), words))

    page = archive.page(most, statuses, words=words, labels=labels, matches=matches, before=before)
    counted = (total for total in archive.totals() if not total.is_empty)
    total = sum(one.count for one in counted if not pending or one.status == "pending")
    rows = tuple(_history_row(bank, record) for record in page.rows)
    outcomes = tuple((outcome.id, one_line(outcome.label)) for outcome in bank.outcomes)
    return HistoryView(one_line(bank.title), one_line(bank.cost_unit), outcomes, rows, total, page.next)


def _history_row(bank: Bank, record: InterviewSummary) -> HistoryRow:
    return HistoryRow(
        record.interview,
        format_time(record.began),
        record.status,
        _label(bank, record.decided_outcome),
        _label(bank, record.outcome),
        record.questions,
        record.cost,
        one_line(record.operator),
        one_line(record.case),
        clean_text(record.note),
        record.referred,
    )


def matches_row(row: HistoryRow, words: str) -> bool:
    """Whether an interview has every word in its case, note, outcome, status, time, operator or id."""
    fields = (
        row.case,
        row.note,
        row.decided,
        row.confirmed,
        row.status,
        row.began,
        row.operator,
        row.interview,
    )
    return matches_words(words, fields)


def _label(bank: Bank, outcome: str | None) -> str:
    if outcome is None:
        return ""
    try:
        return one_line(bank.outcome(outcome).label)
    except KeyError:
        return one_line(outcome)


def replay_steps(bank: Bank, archive: Archive, interview: str) -> tuple[ReplayStep, ...]:
    """Build a past interview, event by event, with the beliefs at that time."""
    from odm_tui.session import replay_interview

    replayed = replay_interview(archive.read_interview(interview), bank)
    steps: list[ReplayStep] = []
    before: dict[str, float] = {}
    for one in replayed:
        title, text = describe_event(one.event, bank, one.belief)
        rows = sorted(one.belief.items(), key=lambda pair: -pair[1])
        bars = tuple(Bar(id, _label(bank, id), share, before.get(id, share)) for id, share in rows)
        before = one.belief
        if title:
            steps.append(ReplayStep(title, text, bars, one.event.name in _STEPS))
    return tuple(steps)


def describe_event(event: Event, bank: Bank, shown: Mapping[str, float] | None = None) -> tuple[str, str]:
    """Describe an event with a title and details; both are empty for events that are not shown.

    ``shown`` are the beliefs after the event as they were shown, by outcome id; without them they are those of the log.
    """
    from odm_tui.store import events

    match event:
        case events.Started():
            return "Started", f"{format_time(event.time)}, by {one_line(event.operator)}"
        case events.Filed():
            return "Case", one_line(event.case or "removed")
        case events.Noted():
            return "Note", clean_text(event.note or "removed")
        case events.Answered() | events.Unknown() | events.Skipped():
            return _describe_step(event, bank)
        case events.Undone():
            return "Undone", f"{format_count(event.steps, 'step')} taken back"
        case events.Changed():
            kind = "unknown" if event.answer is None else "answered"
            text, reply = _describe_answer(event.question, kind, event.answer, bank)
            return f"Changed: {text}", reply
        case events.Reverted():
            return "Undone", "A change of an answer was taken back."
        case events.Continued():
            return "Asked on", f"Until {format_percent(event.target)} sure."
        case events.Tried():
            return f"Tried: {_label(bank, event.outcome)}", "It did not help."
        case events.Stopped():
            return "Stopped", "The operator decided to stop here."
        case events.Decided():
            reason = format_sentence(clean_text(event.reason))
            sure = format_percent((shown or {}).get(event.outcome, event.belief))
            if event.refers:
                return "Handed over", f"{_label(bank, event.outcome)} {sure}. {reason}"
            return f"Decided: {_label(bank, event.outcome)}", f"{sure} sure. {reason}"
        case events.Confirmed() | events.Corrected():
            outcome = _label(bank, event.outcome) or "none of the outcomes"
            return f"{event.name.capitalize()}: {outcome}", format_time(event.time)
        case events.Abandoned():
            return "Abandoned", format_time(event.time)
        case events.Retracted():
            return "Retracted", f"{format_time(event.time)}: nothing is learned from it any more"
    return "", ""


def _describe_step(event: Event, bank: Bank) -> tuple[str, str]:
    from odm_tui.store.events import Answered, Skipped, Unknown

    assert isinstance(event, Answered | Unknown | Skipped)
    kind = (
        "answered" if isinstance(event, Answered) else "unknown" if isinstance(event, Unknown) else "skipped"
    )
    text, reply = _describe_answer(event.question, kind, getattr(event, "answer", None), bank)
    return text, reply


def _describe_answer(question: str, kind: str, answer: object, bank: Bank) -> tuple[str, str]:
    try:
        known = bank.question(question)
    except KeyError:
        return f"{one_line(question)} (no longer in the bank)", one_line(str(answer or kind))
    return one_line(known.text), answer_text(known, kind, answer)
