"""Views of the list of banks: the contents of each bank, and the cost of its past interviews."""

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
    """How many confirmed interviews there are; None until the log has been read."""
    costs: tuple[float, ...] = ()
    pending: int = 0
    """How many interviews are pending."""
    unfinished: tuple[UnfinishedInterview, ...] = ()
    last_used: str = ""
    """When the last interview of this bank began, as in the log."""


def bank_row(bank: Bank, name: str) -> BankRow:
    """Build the row of a bank; ``name`` is the name that the operator used."""
    return BankRow(
        name, one_line(bank.title), len(bank.questions), len(bank.outcomes), one_line(bank.cost_unit)
    )


def unusable_row(name: str, error: OdmError) -> BankRow:
    """Build the row of a bank that can't be loaded, with the error."""
    return BankRow(name, name, mistake=clean_text(str(error)), interviews=0)


def add_history(row: BankRow, archive: Archive, operator: str | None) -> BankRow:
    """Add the counts and costs of past interviews to a row; in a log of any length this takes milliseconds."""
    from odm_tui.session.pseudonyms import find_pseudonym
    from odm_tui.store.interview_record import CONFIRMED, PENDING

    if not archive.paths.log.exists():
        return replace(row, interviews=0)
    try:
        totals = archive.totals()
        latest = archive.page(_MOST_COSTS, [CONFIRMED]).rows
        unfinished = archive.unfinished(find_pseudonym(archive.paths.folder, operator))
    except OdmError as error:
        return replace(row, mistake=clean_text(str(error)), interviews=0)
    return replace(
        row,
        interviews=sum(total.count for total in totals if total.status == CONFIRMED),
        costs=tuple(record.cost for record in reversed(latest)),
        pending=sum(total.count for total in totals if total.status == PENDING and not total.is_empty),
        unfinished=tuple(unfinished_view(record) for record in unfinished),
        last_used=max((total.last_began for total in totals), default=""),
    )
