"""Forget interviews: remove their events from the log and keep only their ids."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator

from odm_tui import files
from odm_tui.errors import CannotWrite
from odm_tui.store.counts import BankIndex
from odm_tui.store.events import Forgotten
from odm_tui.store.log import Log, read_log, renumber_lines, valid_entries
from odm_tui.store.log_codec import encode_event
from odm_tui.store.paths import StatePaths
from odm_tui.store.state_update import Snapshot, update_state


def forget(paths: StatePaths, interviews: Collection[str], index: BankIndex | None = None) -> Snapshot | None:
    """Remove interviews from the log and the state; the caller holds the lock.

    The log is replaced as a whole, so after a crash it has all of them or none. An event with only the id is
    added at the end, so that a merge can't bring the interview back. Torn lines that were set aside and name
    one of the interviews are removed too. Without an ``index`` the state is rebuilt when it is next needed.
    """
    gone = set(interviews)
    log = Log(paths)
    try:
        log.end()  # sets an unfinished last line aside, so that it is searched below
    finally:
        log.close()
    torn = _remove_torn_lines(paths, gone)  # before anything is changed: reading may fail
    with files.naming_errors(paths.folder):
        # The old state counts these interviews. Remove it first, so that no crash can leave it behind.
        for stale in (paths.state, paths.position):
            with contextlib.suppress(FileNotFoundError):
                stale.unlink()
        files.sync_folder(paths.folder)
    files.write_atomically(paths.log, _rewrite_lines(paths, gone))
    if torn is not None:
        files.write_atomically(paths.torn, torn)
    return None if index is None else update_state(paths, index)


def read_forgotten_ids(paths: StatePaths) -> set[str]:
    """Read the ids of all interviews that were forgotten in this folder."""
    return {e.event.interview for e in valid_entries(read_log(paths.log)) if isinstance(e.event, Forgotten)}


def _rewrite_lines(paths: StatePaths, gone: set[str]) -> Iterator[bytes]:
    number = 0
    for line in renumber_lines(paths.log, gone):
        number += 1
        yield line
    for interview in sorted(gone):
        number += 1
        yield encode_event(Forgotten(interview=interview), number)


def _remove_torn_lines(paths: StatePaths, gone: set[str]) -> bytes | None:
    """Return the torn lines that name none of the interviews; None if nothing has to be removed."""
    try:
        lines = paths.torn.read_bytes().split(b"\n")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CannotWrite(
            f"Can't read {paths.torn}: {error.strerror}; "
            "move it out of the way and try again. Nothing was forgotten."
        ) from error
    names = [interview.encode() for interview in gone]
    clean = [line for line in lines if not any(name in line for name in names)]
    return b"\n".join(clean) if len(clean) != len(lines) else None
