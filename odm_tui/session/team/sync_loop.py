"""Keep a state folder in step with a team's store: connect, send, take in, and try again later if something fails."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Collection
from pathlib import Path

from odm_tui.errors import OdmError, StoreUnavailable
from odm_tui.session.team.administration import find_banks
from odm_tui.session.team.status import AWAY, BEHIND, WORKING, SyncStatus
from odm_tui.store.locking import Lock
from odm_tui.store.paths import StatePaths
from odm_tui.store.team.address import presence_key
from odm_tui.store.team.ledger import opened_ledger
from odm_tui.store.team.server import TeamServer
from odm_tui.store.team.sync import BankSync

POLL = 2.0
"""Seconds between two looks at the store."""
_LONGEST_PAUSE = 30.0
"""Seconds between two attempts to connect, at most."""
_LONGEST_TURN = 30.0
"""Seconds for which another process of this folder may sync before the operator is told."""
OpenInterview = tuple[str, str]
"""A bank and an interview that is open here."""
_HELD_UP = (
    "Another odm-tui has been syncing this folder for more than 30 s, and nothing else is sent meanwhile. "
    "If it is stopped, let it go on or end it; every answer is saved on this machine."
)


class SyncLoop:
    """Sync all banks of a folder, pass by pass; no method raises because of a store that is away."""

    def __init__(
        self,
        address: str,
        folder: Path,
        operator: str = "",
        report: Callable[[SyncStatus], None] = lambda status: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.address, self.folder, self.operator = address, folder, operator
        self.status = SyncStatus()
        self.open: frozenset[OpenInterview] = frozenset()
        self._report = report
        self._clock = clock
        self._server: TeamServer | None = None
        self._claimed: set[OpenInterview] = set()
        self._syncs: dict[str, BankSync] = {}
        self._failures = 0
        self._not_before = 0.0
        self._busy_since: float | None = None
        """Since when another process has the turn to sync."""

    def close(self) -> None:
        """Close the connection and the files."""
        self._disconnect()
        for sync in self._syncs.values():
            sync.close()
        self._syncs.clear()

    def set_open(self, interviews: Collection[OpenInterview]) -> None:
        """Say which interviews are open here, so that others see it."""
        self.open = frozenset(interviews)

    @property
    def asking_since(self) -> float | None:
        """Since when the store has not answered a question; None if nothing is asked."""
        server = self._server
        return None if server is None else server.asking_since

    @property
    def pause(self) -> float:
        """Seconds until the next pass is due."""
        return min(POLL, max(0.0, self._not_before - self._clock())) if self._failures else POLL

    def run_pass(self, *, at_once: bool = False) -> SyncStatus:
        """Do one pass, and report how it went; after a failed connection, wait first unless ``at_once``."""
        if self._server is None and self._failures and not at_once and self._clock() < self._not_before:
            self._set(unsent=self._count_unsent())
            return self.status
        try:
            self._pass()
        except StoreUnavailable as error:
            self._fail(AWAY, str(error))
        except OdmError as error:
            self._fail(BEHIND, f"Events of the team can't be taken in now: {error}")
        except Exception as error:  # whatever it is, the interview goes on, and the next pass tries again
            self._fail(BEHIND, f"The sync failed ({type(error).__name__}); it is tried again.")
        return self.status

    def _pass(self) -> None:
        if self._server is None:
            self._server = TeamServer(self.address, self.operator)
        server = self._server
        self._claim(server)
        heads = server.heads()
        sent_everything = True
        notices: list[str] = []
        taken = unsent = 0
        for bank, paths in self._find_banks(heads).items():
            result = self._sync(bank, paths).run(server, heads.get(bank, 0), lambda: self._claim(server))
            taken += result.taken
            unsent += result.unsent
            notices += result.notices
            sent_everything = sent_everything and not result.busy
        present = server.present()
        self._failures = 0
        if sent_everything:
            self._busy_since = None
        elif self._busy_since is None:
            self._busy_since = self._clock()
        held_up = self._busy_since is not None and self._clock() - self._busy_since > _LONGEST_TURN
        self._set(
            state=BEHIND if held_up else WORKING,
            sentence=_HELD_UP if held_up else "",
            unsent=unsent,
            taken=self.status.taken + taken,
            present={key: name for key, name in present.items() if not self._is_ours(key)},
            notices=tuple(dict.fromkeys(notices)),
            passes=self.status.passes + sent_everything,
        )

    def _find_banks(self, heads: Collection[str]) -> dict[str, StatePaths]:
        found = {name: StatePaths.of(self.folder, name) for name in heads}
        return {**find_banks(self.folder), **found}

    def _sync(self, bank: str, paths: StatePaths) -> BankSync:
        if bank not in self._syncs:
            self._syncs[bank] = BankSync(paths, bank)
        return self._syncs[bank]

    def _claim(self, server: TeamServer) -> None:
        """Mark the interviews that are open here, and free those that are not any more."""
        for bank, interview in self._claimed - self.open:
            server.release(bank, interview)
            self._claimed.discard((bank, interview))
        refused = {}
        for bank, interview in self.open - self._claimed:
            if server.claim(bank, interview):
                self._claimed.add((bank, interview))
            else:
                refused[interview] = server.present().get(presence_key(bank, interview), "?")
        if refused != dict(self.status.refused):
            self._set(refused=refused)

    def _is_ours(self, key: int) -> bool:
        return any(presence_key(bank, interview) == key for bank, interview in self._claimed)

    def _fail(self, state: str, sentence: str) -> None:
        self._disconnect()
        self._failures += 1
        self._not_before = self._clock() + min(_LONGEST_PAUSE, 0.5 * 2 ** min(self._failures, 8))
        self._set(state=state, sentence=sentence, unsent=self._count_unsent(), present={}, refused={})

    def _disconnect(self) -> None:
        if self._server is not None:
            self._server.close()
        self._server = None
        self._claimed.clear()

    def _count_unsent(self) -> int:
        """Count what waits on this machine, without the store."""
        unsent = 0
        for bank, paths in find_banks(self.folder).items():
            with contextlib.suppress(Exception):  # a full disk, a locked log: it is counted later
                turn = Lock(paths.team_lock, longest_wait=0.0)
                with contextlib.closing(turn), turn.held(), opened_ledger(paths) as ledger:
                    self._sync(bank, paths).read_log(ledger)
                    unsent += ledger.count_unsent()
        return unsent

    def _set(self, **changes: object) -> None:
        changed = self.status._replace(**changes)  # type: ignore[arg-type]
        if changed != self.status:
            self.status = changed
            self._report(changed)
