"""Forgetting an interview: its events leave the log, and only its bare id stays."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator

from odm_tui import files
from odm_tui.errors import CannotWrite
from odm_tui.store.codec import line_of
from odm_tui.store.counts import Subject
from odm_tui.store.events import Forgotten
from odm_tui.store.log import Log, entries, read, renumbered
from odm_tui.store.paths import Places
from odm_tui.store.state_update import Learned, caught_up


def forget(places: Places, interviews: Collection[str], subject: Subject | None = None) -> Learned | None:
    """Take interviews out of the log and the state as if they had never been; needs the lock.

    The log is replaced as a whole, so a crash leaves all of them or none. A tombstone with the bare id goes
    to its end, so that a merge can't bring the interview back. Unfinished lines that were kept aside and
    name one of them go too. Without a ``subject`` the state is made again when it is next needed.
    """
    gone = set(interviews)
    log = Log(places)
    try:
        log.end()  # an unfinished last line is set aside first, where it is looked at below
    finally:
        log.close()
    torn = _torn_without(places, gone)  # read before anything is changed: it may be refused
    with files.refusals_named(places.folder):
        # The old state counts them: it goes first, so that no crash can leave it behind.
        for stale in (places.state, places.position):
            with contextlib.suppress(FileNotFoundError):
                stale.unlink()
        files.sync_folder(places.folder)
    files.write_atomically(places.log, _with_tombstones(places, gone))
    if torn is not None:
        files.write_atomically(places.torn, torn)
    return None if subject is None else caught_up(places, subject)


def forgotten_in(places: Places) -> set[str]:
    """The ids of the interviews that were forgotten here."""
    return {e.event.interview for e in entries(read(places.log)) if isinstance(e.event, Forgotten)}


def _with_tombstones(places: Places, gone: set[str]) -> Iterator[bytes]:
    number = 0
    for line in renumbered(places.log, gone):
        number += 1
        yield line
    for interview in sorted(gone):
        number += 1
        yield line_of(Forgotten(interview=interview), number)


def _torn_without(places: Places, gone: set[str]) -> bytes | None:
    """What stays of the unfinished lines that were kept aside; None if all of it does."""
    try:
        kept = places.torn.read_bytes().split(b"\n")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CannotWrite(
            f"Can't look through {places.torn}: {error.strerror}; "
            "move it out of the way and try again. Nothing was forgotten."
        ) from error
    names = [interview.encode() for interview in gone]
    clean = [line for line in kept if not any(name in line for name in names)]
    return b"\n".join(clean) if len(clean) != len(kept) else None
