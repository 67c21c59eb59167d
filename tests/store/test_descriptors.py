"""What is dropped without being closed gives its file descriptors back."""

from __future__ import annotations

import fcntl
import gc
import os
import threading
from pathlib import Path

from filelock import lock_descriptor

from odm_tui.banks import load_bank
from odm_tui.session import Archive, Session
from odm_tui.store.interview_lock import InterviewLock, is_open_elsewhere
from odm_tui.store.locking import Lock
from odm_tui.store.log_writer import Log
from tests.support.faults.interviews import sample_bank
from tests.support.faults.processes import Child
from tests.support.faults.samples import many, paths_in


def open_files() -> set[str]:
    """The names of the files that this process has open."""
    gc.collect()
    found = set()
    for descriptor in Path("/proc/self/fd").iterdir():
        try:
            found.add(str(descriptor.readlink()))
        except FileNotFoundError:
            continue
    return found


def files_in(folder: Path) -> list[str]:
    return sorted(name for name in open_files() if name.startswith(f"{folder}/"))


def test_a_dropped_lock_closes_its_side_file(tmp_path: Path) -> None:
    lock = Lock(tmp_path / "s.lock")
    with lock.held():
        assert files_in(tmp_path)
    del lock
    assert files_in(tmp_path) == []


def test_a_dropped_log_closes_its_file(tmp_path: Path) -> None:
    log = Log(paths_in(tmp_path / "s"))
    log.append(many(1)[0])
    assert files_in(tmp_path)
    del log
    assert files_in(tmp_path) == []


def test_a_dropped_interview_closes_everything_and_can_be_resumed(tmp_path: Path) -> None:
    bank = sample_bank(tmp_path / "bank")
    session = Session.start(bank, tmp_path / "state", seed=1, operator="op")
    id = session.id
    assert files_in(tmp_path / "state")
    del session
    assert files_in(tmp_path / "state") == []
    assert not list((tmp_path / "state").glob(".*.open"))
    Session.resume(bank, id, tmp_path / "state").leave()


def test_a_forked_copy_of_an_interview_does_not_release_it(tmp_path: Path) -> None:
    where = paths_in(tmp_path / "s")
    lock = InterviewLock(where, "abcd1234")
    assert lock.claim()

    def drop(_: object) -> None:
        nonlocal lock
        del lock
        gc.collect()

    Child(drop).outcome()
    assert lock.path.exists()
    assert is_open_elsewhere(where, "abcd1234")
    lock.release()


def test_one_who_only_looks_whether_an_interview_is_open_keeps_nobody_from_opening_it(tmp_path: Path) -> None:
    where = paths_in(tmp_path / "s")
    lock = InterviewLock(where, "abcd1234")
    lock.path.touch()
    looking = os.open(lock.path, os.O_RDWR)
    assert lock_descriptor(looking, blocking=False)
    threading.Timer(0.05, os.close, (looking,)).start()
    assert lock.claim()
    assert not InterviewLock(where, "abcd1234").claim()
    lock.release()


def test_many_can_look_at_the_same_time_whether_an_interview_is_open(tmp_path: Path) -> None:
    where = paths_in(tmp_path / "s")
    lock = InterviewLock(where, "abcd1234")
    lock.path.touch()
    looking = os.open(lock.path, os.O_RDWR)
    fcntl.flock(looking, fcntl.LOCK_SH | fcntl.LOCK_NB)
    assert not is_open_elsewhere(where, "abcd1234")
    os.close(looking)


def test_reading_lists_leaves_nothing_open(tmp_path: Path) -> None:
    bank = load_bank("led")
    Session.start(bank, tmp_path, seed=1, operator="op").leave()
    archive = Archive.of(bank, tmp_path)
    archive.page(10)
    archive.history()
    archive.read_interview(archive.history()[0].interview)
    assert files_in(tmp_path) == []
