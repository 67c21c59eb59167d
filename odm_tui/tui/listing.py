"""The list of banks as values: what each holds, and what its past interviews cost."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from odm_tui.errors import OdmError
from odm_tui.text import clean_text, one_line
from odm_tui.tui.views import Interrupted

if TYPE_CHECKING:
    from odm_tui.tui.clerk import Clerk

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
    interrupted: tuple[Interrupted, ...] = ()


def bank_names(clerk: Clerk) -> list[str]:
    """The names of all banks that can be found, and of the one that was named at the start."""
    from odm_tui.banks import available_banks

    places = available_banks()
    names = [place.name for place in places]
    named = clerk.options.bank
    if named is not None and named not in names:
        with suppress(OdmError):  # the screen that asks for it says so
            if clerk.bank(named).path.resolve() not in [place.path.resolve() for place in places]:
                names.append(named)
    return names


def bank_row(clerk: Clerk, name: str) -> BankRow:
    """What a bank holds; a bank that can't be used says why."""
    try:
        bank = clerk.bank(name)
    except OdmError as error:
        return BankRow(name, name, mistake=clean_text(str(error)), interviews=0)
    return BankRow(
        name, one_line(bank.title), len(bank.questions), len(bank.outcomes), one_line(bank.cost_unit)
    )


def with_history(clerk: Clerk, row: BankRow) -> BankRow:
    """The same with what past interviews say; reads the log."""
    from odm_tui.session.operators import pseudonym
    from odm_tui.store.lives import CONFIRMED, PENDING
    from odm_tui.tui.viewing import interrupted_view

    if row.mistake:
        return row
    archive = clerk.archive(row.name)
    if not archive.places.log.exists():
        return replace(row, interviews=0)
    try:
        lives = archive.history()
        waiting = archive.interrupted(pseudonym(archive.places.folder, clerk.options.operator), lives)
    except OdmError as error:
        return replace(row, mistake=clean_text(str(error)), interviews=0)
    finally:
        archive.close()
    ended = [life for life in lives if life.status == CONFIRMED]
    return replace(
        row,
        interviews=len(ended),
        costs=tuple(life.cost for life in ended[-_MOST_COSTS:]),
        pending=sum(life.status == PENDING for life in lives),
        interrupted=tuple(interrupted_view(life) for life in waiting),
    )
