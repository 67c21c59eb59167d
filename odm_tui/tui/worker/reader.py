"""Read banks and past interviews for the screens that list them, beside the interview and never before it.

Reading a long log can take seconds. So this work has a thread of its own: an answer that comes meanwhile is written,
and the next question shown, before the reading ends.
"""

from __future__ import annotations

from contextlib import closing, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from odm_tui.session import Cursor
    from odm_tui.tui.worker.backend import Backend
    from odm_tui.views.banks import BankRow
    from odm_tui.views.history import HistoryView, ReplayStep
    from odm_tui.views.inbox import InboxRow
    from odm_tui.views.learned import LearnedView


class Reader:
    """Read what is on disk, with the backend's options and banks; the open interview is never touched."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def bank_names(self) -> list[str]:
        """The names of all banks in the search path, and of the bank named on the command line."""
        from odm_tui.banks import available_banks
        from odm_tui.errors import OdmError

        locations = available_banks()
        names = [location.name for location in locations]
        named = self._backend.options.bank
        if named is not None and named not in names:
            with suppress(OdmError):  # reported when a screen requests the bank
                if self._backend.bank(named).path.resolve() not in [
                    location.path.resolve() for location in locations
                ]:
                    names.append(named)
        return names

    def describe_shared_log(self) -> str:
        """Return a sentence about two banks that share one log; empty if there are none."""
        from odm_tui.banks.locations import describe_shared_log

        return describe_shared_log()

    def bank_row(self, name: str) -> BankRow:
        """One row of the list of banks, without its history."""
        from odm_tui.errors import OdmError
        from odm_tui.views.banks import bank_row, unusable_row

        try:
            return bank_row(self._backend.bank(name), name)
        except OdmError as error:
            return unusable_row(name, error)

    def bank_row_with_history(self, row: BankRow) -> BankRow:
        """The same row with the history from the bank's log."""
        from odm_tui.views.banks import add_history

        if row.mistake:
            return row
        with closing(self._backend.archive(row.name)) as archive:
            return add_history(row, archive, self._backend.options.operator)

    def inbox(self, name: str) -> tuple[InboxRow, ...]:
        """The unfinished and pending interviews of a bank, the latest first; this reads the log."""
        from odm_tui.views.inbox import inbox_rows

        with closing(self._backend.archive(name)) as archive:
            return inbox_rows(
                self._backend.bank(name),
                name,
                archive,
                self._backend.options.operator,
                self._backend.team.status,
            )

    def history(
        self,
        name: str,
        pending: bool = False,
        words: str = "",
        before: Cursor | None = None,
        most: int = 0,
    ) -> HistoryView:
        """A page of the interviews of a bank, or of those with these words; at least ``most`` of them."""
        from odm_tui.views import history

        with closing(self._backend.archive(name)) as archive:
            return history.history_view(
                self._backend.bank(name),
                archive,
                pending=pending,
                words=words,
                before=before,
                most=max(most, history.PAGE),
            )

    def replay(self, name: str, interview: str) -> tuple[ReplayStep, ...]:
        """The steps of a past interview."""
        from odm_tui.views.history import replay_steps

        with closing(self._backend.archive(name)) as archive:
            return replay_steps(self._backend.bank(name), archive, interview)

    def learned(self, name: str, operator: str = "") -> LearnedView:
        """What a bank has learned, from all interviews or from those of one operator."""
        from odm_tui.views.learned import learned_view

        with closing(self._backend.archive(name)) as archive:
            return learned_view(self._backend.bank(name), archive, self._backend.options.operator, operator)
