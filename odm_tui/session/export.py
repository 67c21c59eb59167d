"""Export interviews, answers and learned probabilities as table rows."""

from __future__ import annotations

from odm_tui.banks.bank import Bank
from odm_tui.session.archive import Archive
from odm_tui.session.statistics import heat_map
from odm_tui.store.events import Answered, Skipped, Unknown
from odm_tui.store.log import read_log, valid_entries

Rows = tuple[list[str], list[list[object]]]


def interview_rows(archive: Archive) -> Rows:
    """Return one row per interview."""
    header = [
        "interview",
        "began",
        "operator",
        "status",
        "questions",
        "cost",
        "seconds",
        "decided",
        "confirmed",
        "case",
        "note",
        "referred",
    ]
    rows: list[list[object]] = [
        [
            *(record.interview, record.began, record.operator, record.status),
            *(record.questions, record.cost, record.seconds, record.decided_outcome, record.outcome),
            *(record.case or None, record.note or None),
            "yes" if record.referred else "no",
        ]
        for record in archive.history()
    ]
    return header, rows


def answer_rows(archive: Archive) -> Rows:
    """Return one row per answer, including those that were undone or changed later."""
    header = ["interview", "n", "time", "kind", "question", "answer", "cost", "seconds", "proposed"]
    rows: list[list[object]] = [
        [
            *(event.interview, event.n, event.time, event.name, event.question),
            *(
                event.answer if isinstance(event, Answered) else None,
                event.cost,
                event.seconds,
                event.proposed,
            ),
        ]
        for event in (entry.event for entry in valid_entries(read_log(archive.paths.log)))
        if isinstance(event, Answered | Unknown | Skipped)
    ]
    return header, rows


def knowledge_rows(archive: Archive, bank: Bank) -> Rows:
    """Return one row per question, answer and outcome: P(answer | outcome), its standard deviation, and its count."""
    posterior = archive.posterior(archive.read_snapshot().counts)
    rows: list[list[object]] = [
        [question, answer, outcome, round(cell.mean, 6), round(cell.spread, 6), cell.seen]
        for question, answers in heat_map(bank, posterior).items()
        for answer, cells in answers.items()
        for outcome, cell in cells.items()
    ]
    return ["question", "answer", "outcome", "mean", "standard_deviation", "answers"], rows
