"""Send a bank's events to a team's store, and take in those of others.

Every step can be repeated: after a crash, a lost connection or a full disk the next pass goes on where this one ended.
Events are taken in like in a merge: what the log has already is left out, and what counts follows from the set.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from odm_tui.errors import BadData, Locked, StoreUnavailable
from odm_tui.store.events import Event, Forgotten, Started
from odm_tui.store.forget_interview import forget, holding_copy
from odm_tui.store.integrity.log_end import find_lost_end
from odm_tui.store.locking import Lock
from odm_tui.store.log import Position, read_lines
from odm_tui.store.log_codec import decode_event, encode_body, seal_line
from odm_tui.store.log_writer import Log
from odm_tui.store.paths import StatePaths
from odm_tui.store.team.digest import digest_body
from odm_tui.store.team.ledger import GONE, NOT_ALLOWED, REFUSED, Ledger, LedgerLine, opened_ledger
from odm_tui.store.team.membership import Intent, Membership, read_membership, write_membership
from odm_tui.store.team.server import PAGE, StoredRow, TeamServer

_BATCH = 500
"""Events that are sent at a time."""
_LARGEST_BATCH = 1 << 21
"""In bytes."""
_PATIENCE = 30.0
"""Seconds to wait for the bank's lock: operators come first, and this process has time."""
_DATA_ERRORS = ("22", "23")
"""The first digits of PostgreSQL's codes for values that it does not accept."""
FORBIDDEN = "42501"


@dataclass
class SyncResult:
    """What one pass has done, and what the operator should know."""

    sent: int = 0
    taken: int = 0
    forgotten: int = 0
    unsent: int = 0
    busy: bool = False
    """Whether another process is syncing this folder."""
    notices: list[str] = field(default_factory=list)


class BankSync:
    """Sync one bank of one state folder with a team's store."""

    def __init__(
        self, paths: StatePaths, bank: str, patience: float | None = None, turn_patience: float = 0.0
    ) -> None:
        self.paths, self.bank = paths, bank
        self.lock = Lock(paths.lock, longest_wait=_PATIENCE if patience is None else patience)
        self.turn = Lock(paths.team_lock, longest_wait=turn_patience)
        self.log = Log(paths)
        self._settled: object = None
        """The store's head and the log's size and time after a pass that left nothing to do."""

    def close(self) -> None:
        """Close the files."""
        self.log.close()
        self.lock.close()
        self.turn.close()

    def run(
        self, server: TeamServer, head: int | None = None, after_page: Callable[[], None] = lambda: None
    ) -> SyncResult:
        """Send everything that the store lacks and take in what the log lacks; ``head`` is the store's, if known.

        All of it may take long; ``after_page`` is called now and then.
        """
        result = SyncResult()
        if head is not None and self._settled == (head, self._log_version()):
            return result
        self._settled = None
        with contextlib.ExitStack() as stack:
            try:
                stack.enter_context(self.turn.held())
            except Locked:
                result.busy = True
                return result
            ledger = stack.enter_context(opened_ledger(self.paths))
            membership = self._join(server, ledger)
            self.read_log(ledger)
            if ledger.count_refused().get(NOT_ALLOWED) and server.may_forget():
                ledger.retry_refused(NOT_ALLOWED)
            while True:
                if ledger.has_lost:
                    membership = self._begin_again(membership)
                    ledger.note_search()
                self._send(server, ledger, membership, result, after_page)
                # Since the caller asked for it, another process of this folder may have taken in more.
                is_old = head is None or head < membership.head
                last = server.heads().get(self.bank, 0) if head is None or is_old else head
                head = None
                if (
                    last < membership.head
                ):  # the store was restored from a backup: it may lack what it once had
                    ledger.forget_store()
                    membership = self._begin_again(membership)
                    continue
                if membership.head >= last:
                    break
                membership = self._take(server, ledger, membership, last, result)
                self.read_log(ledger)
                after_page()
            result.unsent = ledger.count_unsent()
            self._describe_refused(ledger, result)
            if not result.unsent and not result.notices:
                self._settled = (membership.head, self._log_version())
        return result

    def _log_version(self) -> object:
        """A value that changes whenever the log does."""
        try:
            found = self.paths.log.stat()
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns

    # -- the store of the folder ----------------------------------------------------------------------

    def _join(self, server: TeamServer, ledger: Ledger) -> Membership:
        found = read_membership(self.paths)
        if (
            found is not None
            and found.store == server.id
            and found.bank == self.bank
            and found.intent is None
        ):
            return found
        with self.lock.held():
            found = read_membership(self.paths)
            if found is not None and found.store == server.id and found.bank == self.bank:
                found = found.settle(self.paths)
            else:
                ledger.forget_store()
                found = Membership.join(server.id, self.bank)
            write_membership(self.paths, found)
        return found

    def _begin_again(self, membership: Membership) -> Membership:
        """Take everything in again: this log, or the store, has lost events that it once had."""
        with self.lock.held():
            found = replace(membership.settle(self.paths), head=0)
            write_membership(self.paths, found)
        return found

    # -- sending --------------------------------------------------------------------------------------

    def read_log(self, ledger: Ledger) -> None:
        """Bring the index up to date; it notes whether the log has lost events."""
        if self.log.position is None:
            known = ledger.position
            if known.bytes and known.holds_in(self.paths.log):
                self.log.position = known  # so that finding the end, under the lock, reads only what is new
        with self.lock.held():
            # Under the lock every line is on disk: an append that fails takes its lines back before it lets go.
            end = self._log_end()
        ledger.read_log(end)

    def _log_end(self) -> Position:
        return self.log.end() if self.paths.log.exists() else Position()

    def _send(
        self,
        server: TeamServer,
        ledger: Ledger,
        membership: Membership,
        result: SyncResult,
        after_page: Callable[[], None],
    ) -> None:
        while lines := ledger.unsent(_BATCH):
            tombstones = [line for line in lines if line.is_tombstone]
            if tombstones:
                self._send_tombstones(server, ledger, tombstones)
            events = list(self._bodies([line for line in lines if not line.is_tombstone]))
            if events:
                self._push(server, ledger, membership, events, result)
                after_page()
            elif not tombstones:
                if not ledger.position.holds_in(self.paths.log):
                    return  # the log was rewritten at this moment: the next pass reads it again
                # It was damaged since it was read, and must not hold up those after it.
                ledger.note_heads([(lines[0].digest, REFUSED, "")])

    def _bodies(self, lines: Sequence[LedgerLine]) -> Iterator[tuple[LedgerLine, bytes]]:
        size = 0
        for line in lines:
            found = next(read_lines(self.paths.log, Position(line.offset)), None)
            try:
                body = (
                    b"" if found is None or not found.whole else encode_body(decode_event(found.data, "")[1])
                )
            except BadData:
                body = b""
            if not body or digest_body(body) != line.digest:
                return
            size += len(body)
            if size > _LARGEST_BATCH and size != len(body):
                return
            yield line, body

    def _push(
        self,
        server: TeamServer,
        ledger: Ledger,
        membership: Membership,
        events: Sequence[tuple[LedgerLine, bytes]],
        result: SyncResult,
    ) -> None:
        try:
            heads = server.push(
                self.bank, membership.folder, [(line.interview, body) for line, body in events]
            )
        except StoreUnavailable as error:
            if not error.code.startswith(_DATA_ERRORS):
                raise
            if len(events) > 1:  # one of them is not accepted: find it, and send the others
                middle = len(events) // 2
                self._push(server, ledger, membership, events[:middle], result)
                self._push(server, ledger, membership, events[middle:], result)
                return
            ledger.note_heads([(events[0][0].digest, REFUSED, "")])
            return
        ledger.note_heads((line.digest, *heads.get(line.digest, (GONE, ""))) for line, _ in events)
        result.sent += sum(line.digest in heads for line, _ in events)
        gone = {line.interview for line, _ in events if line.digest not in heads}
        if gone:
            self._forget(ledger, sorted(gone), result)
            self.read_log(ledger)

    def _send_tombstones(self, server: TeamServer, ledger: Ledger, lines: Sequence[LedgerLine]) -> None:
        try:
            server.forget(self.bank, [line.interview for line in lines])
            head = GONE
        except StoreUnavailable as error:
            if error.code != FORBIDDEN:
                raise
            head = NOT_ALLOWED
        ledger.note_heads((line.digest, head, "") for line in lines)

    def _describe_refused(self, ledger: Ledger, result: SyncResult) -> None:
        refused = ledger.count_refused()
        if refused.get(NOT_ALLOWED):
            result.notices.append(
                f"{refused[NOT_ALLOWED]} interviews of {self.bank!r} were forgotten here but not in the team's store: your "
                "user may not forget there. Ask someone with the role odm_tui_admin to forget them too."
            )
        if refused.get(REFUSED):
            result.notices.append(
                f"{refused[REFUSED]} events of {self.bank!r} were not accepted by the team's store; they stay here. "
                "'odm-tui state verify' lists problems of the log."
            )

    # -- taking in ------------------------------------------------------------------------------------

    def _take(
        self, server: TeamServer, ledger: Ledger, membership: Membership, last: int, result: SyncResult
    ) -> Membership:
        """Take in the next rows, at most a page."""
        upto = min(last, membership.head + PAGE)
        rows = server.pull(self.bank, membership.head, upto)
        gone = {row.interview for row in rows if row.body is None}
        if len(ledger.forgotten_among(gone)) < len(gone):
            # Those of later pages too: each time, the whole log is written again.
            self._forget(ledger, server.forgotten(self.bank, membership.head, last), result)
            self.read_log(ledger)
        new: list[tuple[StoredRow, Event, bytes]] = []
        known: list[tuple[bytes, int, str]] = []
        offered: set[bytes] = set()
        for row in rows:
            if row.body is None or row.interview in gone:
                continue
            digest = digest_body(row.body)
            event = None if digest in offered else decode_row(row, self.bank)
            if event is None:
                continue  # another program wrote it: it is left out here as on every other machine
            offered.add(digest)
            known.append((digest, row.head, row.folder))
            new.append((row, event, digest))
        while True:
            forgotten = ledger.forgotten_among({row.interview for row, _, _ in new})
            new = [found for found in new if found[0].interview not in forgotten and not ledger.has(found[2])]
            with self.lock.held():
                end, read = self._log_end(), ledger.position
                if (end.bytes, end.mark) == (read.bytes, read.mark):
                    lost = find_lost_end(self.paths)
                    if lost and lost not in result.notices:
                        result.notices.append(lost)
                    membership = self._append(membership, new, upto)
                    break
            # Another process has written meanwhile: it may have forgotten one of these interviews, or merged them.
            self.read_log(ledger)
        result.taken += len(new)
        self.read_log(ledger)
        ledger.note_heads(known)
        return membership

    def _append(
        self, membership: Membership, new: Sequence[tuple[StoredRow, Event, bytes]], upto: int
    ) -> Membership:
        """Append the events; the caller holds the lock. What is written before says what the log has after a crash."""
        if new:
            start = self.log.end().bytes
            rows = tuple((digest.hex(), row.head) for row, _, digest in new)
            membership = replace(membership, intent=Intent(start, upto, rows))
            write_membership(self.paths, membership)
            self.log.append([event for _, event, _ in new])
            membership = membership.settle(self.paths)
        else:
            membership = replace(membership, head=upto)
        write_membership(self.paths, membership)
        return membership

    def _forget(self, ledger: Ledger, interviews: Sequence[str], result: SyncResult) -> None:
        """Forget interviews here too, because somebody has forgotten them in the store."""
        present, forgotten = ledger.present_among(interviews), ledger.forgotten_among(interviews)
        absent = [name for name in dict.fromkeys(interviews) if name not in present | forgotten]
        if present:
            with holding_copy(self.paths, present, self.lock.held) as prepared:
                self.log.close()
                self.log.position = None
                forget(self.paths, present, prepared=prepared)
        if absent:
            with self.lock.held():
                self.log.append([Forgotten(interview=name) for name in absent])
        result.forgotten += len(present)


def decode_row(row: StoredRow, bank: str) -> Event | None:
    """The event of a row; None if it is not one, or not one of this bank: anybody who may send may send anything."""
    if row.body is None:
        return None
    try:
        _, event = decode_event(seal_line(row.body, 1)[:-1], "")
    except (BadData, ValueError):
        return None
    if encode_body(event) != row.body:  # written in another way than odm-tui writes it
        return None
    if event.interview != row.interview or isinstance(event, Forgotten):
        return None
    return None if isinstance(event, Started) and event.bank != bank else event
