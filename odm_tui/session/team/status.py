"""What the sync with a team's store is doing, as plain values for any face."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from odm_tui.store.team.address import presence_key

STARTING, WORKING, AWAY, BEHIND = "starting", "working", "away", "behind"
"""The states of the sync: not connected yet; fine; the store can't be used; this machine can't take events in."""


class SyncStatus(NamedTuple):
    """The state of the sync; ``sentence`` says what is wrong, if anything is."""

    state: str = STARTING
    sentence: str = ""
    unsent: int = 0
    """Events that the store does not have yet."""
    taken: int = 0
    """Events of others that were taken in since the start."""
    present: Mapping[int, str] = {}
    """The operators of all open interviews, by :func:`presence_key`."""
    refused: Mapping[str, str] = {}
    """Interviews that are open here although someone else has them open, with that operator."""
    notices: tuple[str, ...] = ()
    passes: int = 0
    """How often everything was sent and taken in since the start."""

    @property
    def mark(self) -> str:
        """The mark in the header: a few words, or none if all is well."""
        waiting = f" · {self.unsent} unsent" if self.unsent else ""
        if self.state == AWAY:
            return f"store away{waiting}"
        if self.state == BEHIND:
            return f"sync held up{waiting}"
        return "team" if self.state == WORKING else ""

    def operator_of(self, bank: str, interview: str) -> str:
        """The operator who has an interview open somewhere in the team; empty if nobody has."""
        return self.present.get(presence_key(bank, interview), "")


def encode_status(status: SyncStatus) -> dict[str, Any]:
    """A status as a JSON object."""
    return {
        **status._asdict(),
        "present": {str(key): name for key, name in status.present.items()},
        "refused": dict(status.refused),
    }


def decode_status(found: Mapping[str, Any]) -> SyncStatus:
    """The status of a JSON object."""
    values = dict(found)
    values["present"] = {int(key): str(name) for key, name in values["present"].items()}
    values["notices"] = tuple(values["notices"])
    return SyncStatus(**values)
