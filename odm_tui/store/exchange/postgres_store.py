"""A team's PostgreSQL database as a store of events."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterator, Sequence

from odm_tui.errors import StoreUnavailable
from odm_tui.store.cursor import Cursor, read_cursor
from odm_tui.store.events import Event, Forgotten
from odm_tui.store.exchange.event_store import EventStore, Page
from odm_tui.store.log_codec import encode_body
from odm_tui.store.team.server import PAGE, TeamServer
from odm_tui.store.team.sync import FORBIDDEN, decode_row

_BATCH = 500


class PostgresStore(EventStore):
    """The events of a team; whoever appends does so under a name of a folder, by default a new one.

    With ``tolerates_operators``, interviews that this user may not erase are collected in ``not_erased``.
    """

    def __init__(
        self, server: TeamServer, folder: str | None = None, *, tolerates_operators: bool = False
    ) -> None:
        self.server = server
        self.folder = folder or secrets.token_hex(8)
        self.not_erased: set[str] = set()
        self._tolerates_operators = tolerates_operators
        self._claimed: set[tuple[str, str]] = set()

    def banks(self) -> list[str]:
        return sorted(bank for bank, head in self.server.heads().items() if head)

    def append(self, bank: str, events: Sequence[Event]) -> int:
        new = 0
        for first in range(0, len(events), _BATCH):
            batch = [(event.interview, encode_body(event)) for event in events[first : first + _BATCH]]
            before = self.server.heads().get(bank, 0)
            heads = self.server.push(bank, self.folder, batch)
            new += sum(head > before and folder == self.folder for head, folder in heads.values())
        return new

    def read(self, bank: str, since: Cursor | None = None) -> Page:
        head = 0 if since is None else read_cursor(since, int)
        last = self.server.heads().get(bank, 0)
        if head > last:
            head = 0  # the database was restored from a backup
        while head < last:
            upto = min(last, head + PAGE)
            rows = self.server.pull(bank, head, upto)
            head = upto
            found = (
                Forgotten(interview=row.interview) if row.body is None else decode_row(row, bank)
                for row in rows
            )
            events = tuple(event for event in found if event is not None)
            if events:
                return Page(events, Cursor(head))
        return Page((), Cursor(head))

    def erase(self, bank: str, interviews: Collection[str]) -> None:
        try:
            self.server.forget(bank, sorted(interviews))
        except StoreUnavailable as error:
            if error.code != FORBIDDEN or not self._tolerates_operators:
                raise
            self.not_erased.update(interviews)

    def claim(self, bank: str, interview: str) -> bool:
        if (bank, interview) not in self._claimed and not self.server.claim(bank, interview):
            return False
        self._claimed.add((bank, interview))
        return True

    def release(self, bank: str, interview: str) -> None:
        if (bank, interview) in self._claimed:
            self._claimed.discard((bank, interview))
            self.server.release(bank, interview)

    def problems(self, bank: str) -> Iterator[str]:
        last = self.server.heads().get(bank, 0)
        for since in range(0, last, PAGE):
            for row in self.server.pull(bank, since, min(last, since + PAGE)):
                if row.body is not None and decode_row(row, bank) is None:
                    yield f"Row {row.head} of {bank!r} is not an event of odm-tui; it is left out everywhere."

    def close(self) -> None:
        self.server.close()
