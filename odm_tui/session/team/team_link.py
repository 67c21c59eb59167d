"""Connect an interview with the sync of its team, if it has one; without a team nothing happens."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from odm_tui.errors import Locked, OdmError
from odm_tui.session.team.status import AWAY, BEHIND, SyncStatus

if TYPE_CHECKING:
    from odm_tui.session.session import Session
    from odm_tui.session.team.sync_client import SyncClient

_SAFE = "Your answers are saved on this machine and are sent later."


class TeamLink:
    """The sync beside the interviews of one process; no method ever waits for the store."""

    def __init__(self, store: str | None, folder: Path | None = None, operator: str | None = None) -> None:
        self._client: SyncClient | None = None
        self._open = ""
        self._said: set[str] = set()
        self._was_away = False
        if store is not None and folder is not None:
            from odm_tui.session.pseudonyms import find_pseudonym
            from odm_tui.session.team.sync_client import SyncClient

            try:
                name = find_pseudonym(folder, operator)
            except OdmError:
                name = ""  # a folder that can't be written; the interview itself reports it
            self._client = SyncClient(store, folder, name)

    @classmethod
    def of(cls, store: str | None, state_dir: str | None = None, operator: str | None = None) -> TeamLink:
        """Connect the state folder with a store; None for none."""
        if store is None:
            return cls(None)
        from odm_tui.store.paths import state_folder

        return cls(store, state_folder(state_dir), operator)

    @property
    def has_team(self) -> bool:
        """Whether there is a store."""
        return self._client is not None

    @property
    def status(self) -> SyncStatus | None:
        """How the sync is doing; None without a store."""
        return None if self._client is None else self._client.status

    def follow(self, session: Session | None) -> None:
        """Say which interview is open here now, and that its log may have grown."""
        client = self._client
        if client is None:
            return
        now = "" if session is None or session.has_ended else session.id
        if self._open and self._open != now:
            client.closed(self._open)
        if now and self._open != now and session is not None:
            client.opened(session.bank.log_name, now)
        else:
            client.wake()
        self._open = now

    def check_free(self, bank: str, interview: str) -> None:
        """Raise Locked if somebody else in the team has an interview open."""
        status = self.status
        operator = "" if status is None else status.operator_of(bank, interview)
        if operator:
            raise Locked(f"Interview {interview} is open at {operator}. Take it over when they have left it.")

    def take_notices(self) -> list[str]:
        """What the operator should know and has not been told yet, one sentence each."""
        status = self.status
        if status is None:
            return []
        found = [*status.notices]
        if status.state in (AWAY, BEHIND) and not self._was_away:
            found.append(f"{status.sentence} {_SAFE}")
        self._was_away = status.state in (AWAY, BEHIND)
        found += [
            f"This interview is also open at {operator}; if both go on with it, one of the two counts."
            for operator in status.refused.values()
        ]
        new = [sentence for sentence in found if sentence not in self._said or sentence.endswith(_SAFE)]
        self._said.update(found)
        return new

    def close(self, wait: float = 0.0) -> None:
        """Let the sync send what is left, and go on without it; or wait for it, for some seconds at most."""
        if self._client is not None:
            if wait:
                self._client.wait(wait)
            self._client.close()
