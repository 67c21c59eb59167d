"""Forgetting an interview: its events leave the log, and only its bare id stays."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator

from odm_tui import files
from odm_tui.errors import CannotWrite
from odm_tui.store.codec import encode_event
from odm_tui.store.counts import BankIndex
from odm_tui.store.events import Forgotten
from odm_tui.store.log import Log, read_log, renumber_lines, valid_entries
from odm_tui.store.paths import StatePaths
from odm_tui.store.state_update import Snapshot, update_state


def forget(paths: StatePaths, interviews: Collection[str], index: BankIndex | None = None) -> Snapshot | None:
    """Take interviews out of the log and the state as if they had never been; needs the lock.

    The log is replaced as a whole, so a crash leaves all of them or none. A tombstone with the bare id goes
    to its end, so that a merge can't bring the interview back. Unfinished lines that were kept aside and
    name one of them go too. Without a ``index`` the state is made again when it is next needed.
    """
    gone = set(interviews)
    log = Log(paths)
    try:
        log.end()  # an unfinished last line is set aside first, where it is looked at below
    finally:
        log.close()
    torn = _torn_without(paths, gone)  # read before anything is changed: it may be refused
    with files.naming_errors(paths.folder):
        # The old state counts them: it goes first, so that no crash can leave it behind.
        for stale in (paths.state, paths.position):
            with contextlib.suppress(FileNotFoundError):
                stale.unlink()
        files.sync_folder(paths.folder)
    files.write_atomically(paths.log, _with_tombstones(paths, gone))
    if torn is not None:
        files.write_atomically(paths.torn, torn)
    return None if index is None else update_state(paths, index)


def read_forgotten_ids(paths: StatePaths) -> set[str]:
    """The ids of the interviews that were forgotten here."""
    return {e.event.interview for e in valid_entries(read_log(paths.log)) if isinstance(e.event, Forgotten)}


def _with_tombstones(paths: StatePaths, gone: set[str]) -> Iterator[bytes]:
    number = 0
    for line in renumber_lines(paths.log, gone):
        number += 1
        yield line
    for interview in sorted(gone):
        number += 1
        yield encode_event(Forgotten(interview=interview), number)


def _torn_without(paths: StatePaths, gone: set[str]) -> bytes | None:
    """What stays of the unfinished lines that were kept aside; None if all of it does."""
    try:
        kept = paths.torn.read_bytes().split(b"\n")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CannotWrite(
            f"Can't look through {paths.torn}: {error.strerror}; "
            "move it out of the way and try again. Nothing was forgotten."
        ) from error
    names = [interview.encode() for interview in gone]
    clean = [line for line in kept if not any(name in line for name in names)]
    return b"\n".join(clean) if len(clean) != len(kept) else None
