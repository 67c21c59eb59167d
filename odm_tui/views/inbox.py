"""Views of the cases that wait for someone: unfinished interviews and those without a confirmed outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from odm_tui.formatting import format_count, format_time
from odm_tui.text import clean_text, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from odm_tui.banks.bank import Bank
    from odm_tui.session import Archive, InterviewSummary
    from odm_tui.session.team.status import SyncStatus


class InboxRow(NamedTuple):
    """One unfinished or pending interview of any bank."""

    bank: str
    """The bank's name, as the operator named it."""
    title: str
    interview: str
    status: str
    """``unfinished`` (it can be resumed) or ``pending`` (its outcome can be confirmed)."""
    began: str
    answers: int
    decided: str
    """The label of the decided outcome; empty while it is unfinished."""
    case: str
    note: str
    at: str
    """The time of the last event as in the log, for sorting."""
    operator: str = ""
    """Who began it, if that was somebody else in the team."""
    open_by: str = ""
    """Who has it open now, somewhere in the team."""
    is_open_elsewhere: bool = False
    """Whether another window on this machine has it open now."""

    @property
    def is_mine(self) -> bool:
        """Whether this operator began it."""
        return not self.operator

    @property
    def text(self) -> str:
        """The row in one line: what waits, and since when."""
        what = self.decided or format_count(self.answers, "answer")
        return " · ".join(part for part in (self.case, self.title, what, self.began, self.note) if part)


def inbox_rows(
    bank: Bank, name: str, archive: Archive, operator: str | None = None, team: SyncStatus | None = None
) -> tuple[InboxRow, ...]:
    """Build the waiting interviews of a bank, the latest first; the unfinished ones of this operator only.

    With a team, those of all operators, with who has them open. Interviews without an answer are left out, and so are
    unfinished ones that are open in another window of this machine; a decision that is open there is marked.
    """
    from odm_tui.session.pseudonyms import find_pseudonym
    from odm_tui.store.interview_lock import is_open_elsewhere
    from odm_tui.store.interview_record import PENDING, UNFINISHED

    if not archive.paths.log.exists():
        return ()
    records = archive.history(UNFINISHED, PENDING)
    own = find_pseudonym(archive.paths.folder, operator)
    waiting = archive.unfinished(own if team is None else None, records)
    waiting += [record for record in records if record.status == PENDING and not record.is_empty]
    rows = (
        _inbox_row(bank, name, record)._replace(
            is_open_elsewhere=is_open_elsewhere(archive.paths, record.interview)
        )
        for record in waiting
    )
    if team is None:
        return sort_inbox(rows)
    return sort_inbox(
        row._replace(
            operator="" if record.operator == own else one_line(record.operator),
            open_by=one_line(team.operator_of(bank.log_name, record.interview)),
        )
        for row, record in zip(rows, waiting, strict=True)
    )


def _inbox_row(bank: Bank, name: str, record: InterviewSummary) -> InboxRow:
    decided = record.decided_outcome
    try:
        label = "" if decided is None else bank.outcome(decided).label
    except KeyError:
        label = decided or ""
    return InboxRow(
        name,
        one_line(bank.title),
        record.interview,
        record.status,
        format_time(record.began),
        record.questions,
        one_line(label),
        one_line(record.case),
        one_line(record.note),
        record.last_time,
    )


def sort_inbox(rows: Iterable[InboxRow]) -> tuple[InboxRow, ...]:
    """Sort the waiting interviews of all banks, the latest first."""
    return tuple(sorted(rows, key=lambda row: (row.at, row.interview), reverse=True))


def matches_words(words: str, fields: Sequence[str | None]) -> bool:
    """Whether every word is in one of the fields, in upper or lower case.

    >>> matches_words("4711 batt", ["T-4711", "Worn battery"]), matches_words("4712", ["T-4711"])
    (True, False)
    """
    text = "\n".join(clean_text(field or "") for field in fields).casefold()
    return all(word in text for word in words.casefold().split())


def filter_inbox(rows: Iterable[InboxRow], words: str) -> tuple[InboxRow, ...]:
    """Keep the rows that have every word in their case, note, bank, outcome, status or id."""
    return tuple(
        row
        for row in rows
        if matches_words(
            words,
            (
                *(row.case, row.note, row.bank, row.title, row.decided, row.status, row.interview),
                *(row.operator, row.open_by),
            ),
        )
    )
