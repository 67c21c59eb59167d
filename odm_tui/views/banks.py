"""The list of banks as values: what each holds, and what its past interviews cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from odm_tui.errors import OdmError
from odm_tui.text import clean_text, one_line
from odm_tui.views.interview import UnfinishedInterview, unfinished_view

if TYPE_CHECKING:
    from odm_tui.banks.bank import Bank
    from odm_tui.session import Archive

_MOST_COSTS = 500


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
    pending: int = 0
    """How many interviews were decided and wait for their outcome."""
    unfinished: tuple[UnfinishedInterview, ...] = ()


def bank_row(bank: Bank, name: str) -> BankRow:
    """What a bank holds; ``name`` is what the operator called it."""
    return BankRow(
        name, one_line(bank.title), len(bank.questions), len(bank.outcomes), one_line(bank.cost_unit)
    )


def unusable_row(name: str, error: OdmError) -> BankRow:
    """A bank that can't be used, and why."""
    return BankRow(name, name, mistake=clean_text(str(error)), interviews=0)


def add_history(row: BankRow, archive: Archive, operator: str | None) -> BankRow:
    """Add what past interviews say to a row; reads the log."""
    from odm_tui.session.pseudonyms import find_pseudonym
    from odm_tui.store.interview_record import CONFIRMED, PENDING

    if not archive.paths.log.exists():
        return replace(row, interviews=0)
    try:
        records = archive.history()
        waiting = archive.unfinished(find_pseudonym(archive.paths.folder, operator), records)
    except OdmError as error:
        return replace(row, mistake=clean_text(str(error)), interviews=0)
    ended = [record for record in records if record.status == CONFIRMED]
    return replace(
        row,
        interviews=len(ended),
        costs=tuple(record.cost for record in ended[-_MOST_COSTS:]),
        pending=sum(record.status == PENDING for record in records),
        unfinished=tuple(unfinished_view(record) for record in waiting),
    )
