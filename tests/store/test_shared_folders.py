"""Shared folders: no planted link is followed, no stranger's folder is used, and a group's files are its own."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from odm_tui import files
from odm_tui.errors import BadData, CannotWrite, OdmError
from odm_tui.session.pseudonyms import find_pseudonym
from odm_tui.store.forget_interview import forget
from odm_tui.store.interview_lock import InterviewLock, remove_unlocked
from odm_tui.store.locking import Lock
from odm_tui.store.log import read_log
from odm_tui.store.log_writer import Log
from odm_tui.store.paths import StatePaths
from odm_tui.store.state_update import read_snapshot, update_state
from tests.support.faults.samples import many, paths_in, rebuilt, sample_index, state_bytes, write

SECRET = b"a line of somebody else\nand one without an end"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret"
    path.write_bytes(SECRET)
    return path


def planted(where: StatePaths, name: str, secret: Path) -> Path:
    link = where.folder / name
    link.unlink(missing_ok=True)
    link.symlink_to(secret)
    return link


def append(where: StatePaths) -> None:
    Log(where).append(many(1, first=50)[0])


def update(where: StatePaths) -> None:
    update_state(where, sample_index())


def forget_one(where: StatePaths) -> None:
    forget(where, ["00000001"], sample_index())


def lock(where: StatePaths) -> None:
    with Lock(where.lock).held():
        pass


def open_interview(where: StatePaths) -> None:
    InterviewLock(where, "00000001").claim()


def salt(where: StatePaths) -> None:
    find_pseudonym(where.folder)


@pytest.mark.parametrize("work", [append, update, forget_one, lock, open_interview, salt])
@pytest.mark.parametrize(
    "name",
    [
        "sample.log.jsonl",
        "sample.log.torn",
        "sample.json",
        "sample.position.json",
        "sample.end.json",
        "sample.json.lock",
        "operators.salt",
        "operators.salt.lock",
        ".sample.00000001.open",
    ],
)
def test_a_planted_link_is_never_followed(
    tmp_path: Path, secret: Path, name: str, work: Callable[[StatePaths], None]
) -> None:
    where = paths_in(tmp_path / "state")
    write(where, many(3))
    state_bytes(where)
    if name == "sample.log.torn":
        where.log.write_bytes(where.log.read_bytes() + b'{"seq":')
    planted(where, name, secret)
    said = f"Can't use {where.folder}"
    try:
        work(where)
    except OdmError as refusal:
        said = str(refusal)
    assert str(where.folder) in said
    assert "\n" not in said
    assert secret.read_bytes() == SECRET
    held = [path for path in where.folder.iterdir() if path.is_file() and not path.is_symlink()]
    assert not [path for path in held if SECRET[:10] in path.read_bytes()]


def test_a_link_in_place_of_the_log_is_not_read(tmp_path: Path, secret: Path) -> None:
    where = paths_in(tmp_path / "state")
    planted(where, where.log.name, secret)
    with pytest.raises(BadData, match="symbolic link"):
        list(read_log(where.log))
    with pytest.raises(BadData, match="symbolic link"):
        read_snapshot(where, sample_index())


def test_a_named_pipe_in_place_of_the_log_does_not_block(tmp_path: Path) -> None:
    where = paths_in(tmp_path / "state")
    os.mkfifo(where.log)
    with pytest.raises(BadData):
        list(read_log(where.log))
    with pytest.raises(CannotWrite):
        append(where)


def test_nothing_is_set_aside_from_a_file_that_is_not_a_log(tmp_path: Path) -> None:
    where = paths_in(tmp_path / "state")
    where.log.write_bytes(SECRET)
    with pytest.raises(BadData, match="not a log"):
        append(where)
    assert where.log.read_bytes() == SECRET
    assert not where.torn.exists()


def test_a_folder_behind_a_link_is_the_users_own_choice(tmp_path: Path) -> None:
    real = paths_in(tmp_path / "real")
    (tmp_path / "link").symlink_to(real.folder)
    linked = StatePaths(tmp_path / "link", real.stem)
    write(linked, many(2))
    assert state_bytes(linked) == rebuilt(real)


@pytest.mark.parametrize(
    ("mode", "group", "refused"),
    [
        (0o777, None, True),
        (0o775, None, True),
        (0o770, None, True),
        (0o755, None, False),
        (0o700, None, False),
        (0o770, "ours", False),
        (0o2770, "ours", False),
        (0o777, "ours", True),
    ],
)
def test_a_strangers_folder_that_others_may_write_to_is_refused(
    tmp_path: Path, mode: int, group: str | None, refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "state"
    folder.mkdir()
    folder.chmod(mode)
    owner = folder.stat()
    monkeypatch.setattr(os, "geteuid", lambda: owner.st_uid + 1)
    monkeypatch.setattr(os, "getegid", lambda: owner.st_gid if group else owner.st_gid + 1)
    monkeypatch.setattr(os, "getgroups", list)
    if owner.st_uid == 0:
        real = Path.stat

        def of_a_stranger(path: Path, **options: bool) -> os.stat_result:
            found = real(path, **options)
            return os.stat_result((*found[:4], 4711, *found[5:])) if path == folder else found

        monkeypatch.setattr(Path, "stat", of_a_stranger)
    if refused:
        with pytest.raises(CannotWrite, match="another user"):
            files.check_folder(folder)
    else:
        files.check_folder(folder)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another group")
def test_new_files_in_a_group_folder_without_setgid_get_its_group(tmp_path: Path) -> None:
    where = paths_in(tmp_path / "state")
    os.chown(where.folder, -1, 4711)
    where.folder.chmod(0o770)
    with Lock(where.lock).held():
        write(where, many(2))
        state_bytes(where)
    lock_of_one = InterviewLock(where, "00000001")
    lock_of_one.claim()
    made = [path.stat() for path in where.folder.iterdir()]
    assert len(made) == 6
    assert {found.st_gid for found in made} == {4711}
    assert {stat.S_IMODE(found.st_mode) for found in made} == {0o660}
    lock_of_one.release()


def test_files_of_interviews_that_no_process_has_open_are_removed(tmp_path: Path) -> None:
    where = paths_in(tmp_path)
    write(where, many(1))
    (tmp_path / ".sample.0000000a.open").touch()
    held = InterviewLock(where, "0000000b")
    assert held.claim()
    remove_unlocked(where)
    assert [path.name for path in tmp_path.glob(".*.open")] == [held.path.name]
    held.release()
    assert not list(tmp_path.glob(".*.open"))
    (tmp_path / ".sample.0000000a.open").touch()
    state_bytes(where)
    assert not list(tmp_path.glob(".*.open"))
