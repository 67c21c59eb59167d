"""The list of banks as values: what each holds, and what its past interviews cost."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from odm_tui.errors import OdmError
from odm_tui.text import clean_text, one_line
from odm_tui.tui.words import day_and_time

if TYPE_CHECKING:
    from odm_tui.banks.model import Bank
    from odm_tui.store.lives import Life
    from odm_tui.tui.clerk import Clerk

_MOST_COSTS = 500


@dataclass(frozen=True, slots=True)
class PendingView:
    """An interview that was decided and waits for its outcome."""

    bank: str
    interview: str
    began: str
    decided: str
    label: str


@dataclass(frozen=True, slots=True)
class LeftView:
    """An interview that was left half-way; ``at`` tells which of two began later."""

    interview: str
    began: str
    answers: int
    at: str


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
    pending: tuple[PendingView, ...] = ()
    interrupted: tuple[LeftView, ...] = ()


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
    from odm_tui.store.lives import CONFIRMED, PENDING
    from odm_tui.tui.resuming import interrupted

    if row.mistake:
        return row
    archive = clerk.archive(row.name)
    if not archive.places.log.exists():
        return replace(row, interviews=0)
    try:
        lives = archive.history()
        waiting = interrupted(clerk.bank(row.name), clerk.options.state_dir, clerk.options.operator)
    except OdmError as error:
        return replace(row, mistake=clean_text(str(error)), interviews=0)
    finally:
        archive.close()
    ended = [life for life in lives if life.status == CONFIRMED]
    bank = clerk.bank(row.name)
    return replace(
        row,
        interviews=len(ended),
        costs=tuple(life.cost for life in ended[-_MOST_COSTS:]),
        pending=tuple(pending_view(life, bank) for life in lives if life.status == PENDING),
        interrupted=tuple(
            LeftView(life.interview, day_and_time(life.began), life.put, life.began) for life in waiting
        ),
    )


def pending_view(life: Life, bank: Bank) -> PendingView:
    """An interview that waits for its outcome."""
    decided = life.verdict or ""
    try:
        label = one_line(bank.outcome(decided).label)
    except KeyError:
        label = decided
    return PendingView(bank.name, life.interview, day_and_time(life.began), decided, label)
