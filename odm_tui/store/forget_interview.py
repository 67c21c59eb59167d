"""Forget interviews: remove their events from the log and keep only their ids."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from odm_tui import files
from odm_tui.errors import BadData, CannotWrite
from odm_tui.store.counts import BankIndex
from odm_tui.store.events import Event, Forgotten
from odm_tui.store.integrity.chain import digest_line
from odm_tui.store.log import peek_event, read_lines, read_log, valid_entries
from odm_tui.store.log_codec import decode_event, encode_event, event_body, seal_line
from odm_tui.store.log_writer import Log
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
    files.write_atomically(
        paths.log, renumber_lines(paths.log, gone, (Forgotten(interview=i) for i in sorted(gone)))
    )
    if torn is not None:
        files.write_atomically(paths.torn, torn, follow_links=False)
    return None if index is None else update_state(paths, index)


def read_forgotten_ids(paths: StatePaths) -> set[str]:
    """Read the ids of all interviews that were forgotten in this folder."""
    return {e.event.interview for e in valid_entries(read_log(paths.log)) if isinstance(e.event, Forgotten)}


def renumber_lines(path: Path, without: Collection[str], more: Iterable[Event] = ()) -> Iterator[bytes]:
    """Read the lines of a log without some interviews, with new sequence numbers and a new chain; add more events.

    Damaged lines stay as they are, unless they name one of those interviews.
    """
    unwanted = [identity.encode() for identity in without]
    seq, last = 0, ""
    for line in read_lines(path):
        if not line.whole:
            continue
        seq += 1
        try:
            found = peek_event(line.data)
            if found is None or found[1] in without:
                _, event = decode_event(line.data, "")
                unwanted_line = event.interview in without
            else:
                unwanted_line = False
            data = seal_line(event_body(line.data), seq, last)[:-1]
        except BadData:
            data = line.data
            unwanted_line = any(identity in line.data for identity in unwanted)
        if unwanted_line:
            seq -= 1
            continue
        last = digest_line(data)
        yield data + b"\n"
    for event in more:
        seq += 1
        data = encode_event(event, seq, last)
        last = digest_line(data[:-1])
        yield data


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
