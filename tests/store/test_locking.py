"""One process writes at a time; one that waits too long gets an error and has changed nothing."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from odm_tui.errors import CannotWrite, Locked
from odm_tui.store.locking import Lock

HOLDER = """
import sys, time
from pathlib import Path
from odm_tui.store.locking import Lock
with Lock(Path(sys.argv[1])).held():
    print("held", flush=True)
    sys.stdin.read()
"""


def holder(path: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_second_process_is_refused_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.json.lock"
    with holder(path) as process:
        with pytest.raises(Locked) as refusal, Lock(path, longest_wait=0.05).held():
            pass
        process.communicate()
    assert str(path) in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_killed_process_gives_the_lock_back(tmp_path: Path) -> None:
    path = tmp_path / "a.json.lock"
    with holder(path) as process:
        process.kill()
        process.communicate()
        with Lock(path, longest_wait=0.05).held():
            assert path.exists()


def test_two_locks_in_one_process_exclude_each_other(tmp_path: Path) -> None:
    path = tmp_path / "a.json.lock"
    with Lock(path).held(), pytest.raises(Locked), Lock(path, longest_wait=0.01).held():
        pass


def test_threads_that_share_a_lock_take_turns(tmp_path: Path) -> None:
    lock = Lock(tmp_path / "a.json.lock")
    inside: list[int] = []
    most: list[int] = []

    def work() -> None:
        for _ in range(50):
            with lock.held():
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 1


def test_the_side_file_stays_and_is_private(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.json.lock"
    with Lock(path).held():
        pass
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_side_file_that_was_removed_is_made_anew_and_still_excludes(tmp_path: Path) -> None:
    path = tmp_path / "a.json.lock"
    lock = Lock(path, longest_wait=0.01)
    with lock.held():
        pass
    path.unlink()
    with Lock(path).held(), pytest.raises(Locked), lock.held():
        pass


def test_a_folder_that_can_not_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(CannotWrite), Lock(tmp_path / "file" / "a.lock").held():
        pass
