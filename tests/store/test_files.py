"""Files have either their old or their new content, are private, and every failed write is one sentence."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from odm_tui import files
from odm_tui.errors import CannotWrite
from tests.support.faults.disk import FaultyDisk, in_place


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_is_private_in_a_private_folder(tmp_path: Path) -> None:
    files.make_folder(tmp_path / "state")
    files.write_atomically(tmp_path / "state" / "a.json", b"x")
    assert (mode(tmp_path / "state"), mode(tmp_path / "state" / "a.json")) == (0o700, 0o600)


@pytest.mark.parametrize(
    ("folder", "file"),
    [(0o700, 0o600), (0o750, 0o640), (0o770, 0o660), (0o755, 0o600), (0o775, 0o660), (0o2755, 0o640)],
)
def test_a_new_file_gives_the_group_what_its_folder_gives_it(tmp_path: Path, folder: int, file: int) -> None:
    tmp_path.chmod(folder)
    files.write_atomically(tmp_path / "a.json", b"x")
    os.close(files.open_to_append(tmp_path / "a.log"))
    assert (mode(tmp_path / "a.json"), mode(tmp_path / "a.log")) == (file, file)


def test_a_replaced_file_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"old")
    path.chmod(0o664)
    files.write_atomically(path, b"new")
    assert (path.read_bytes(), mode(path)) == (b"new", 0o664)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files away")
def test_a_replaced_file_keeps_its_group(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"old")
    os.chown(path, -1, 12345)
    files.write_atomically(path, b"new")
    assert path.stat().st_gid == 12345


def test_a_symlink_stays_a_symlink_and_its_target_is_replaced(tmp_path: Path) -> None:
    target, link = tmp_path / "real.json", tmp_path / "link.json"
    target.write_bytes(b"old")
    link.symlink_to(target)
    files.write_atomically(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_a_disk_that_takes_few_bytes_at_a_time_gets_all_of_them(tmp_path: Path) -> None:
    class Slow(files.Disk):
        def write(self, descriptor: int, data: bytes | memoryview) -> int:
            return os.write(descriptor, data[:3])

    with in_place(Slow()):
        files.write_atomically(tmp_path / "a", b"0123456789")
    assert (tmp_path / "a").read_bytes() == b"0123456789"


@pytest.mark.parametrize("kind", ["write", "fsync", "replace"])
@pytest.mark.parametrize("fault", [errno.ENOSPC, errno.EIO, errno.EROFS, errno.EACCES])
def test_a_refused_replacement_leaves_the_old_file_and_no_litter(
    tmp_path: Path, kind: str, fault: int
) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"old")
    with in_place(FaultyDisk(kind, 1, fault)), pytest.raises(CannotWrite) as refusal:
        files.write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
    assert str(path) in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("fault", [errno.ENOSPC, errno.EIO, "short"])
def test_a_refused_append_leaves_what_was_there(tmp_path: Path, fault: int | str) -> None:
    path = tmp_path / "a.log"
    files.append_durably(path, b"old\n")
    with in_place(FaultyDisk("write", 1, fault)), pytest.raises(CannotWrite):
        files.append_durably(path, b"new line\n")
    assert path.read_bytes() == b"old\n"


def test_what_is_set_aside_never_overwrites_what_was_set_aside_before(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    for content in (b"1", b"2"):
        path.write_bytes(content)
        files.set_aside(path, "set-aside")
    kept = sorted(p.name for p in tmp_path.iterdir())
    assert kept == ["a.json.set-aside-1", "a.json.set-aside-2"]
    assert (tmp_path / kept[0]).read_bytes() == b"1"


def test_the_leftovers_of_a_killed_process_are_removed(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    (tmp_path / ".a.json.0123.tmp").write_bytes(b"half")
    (tmp_path / ".b.json.0123.tmp").write_bytes(b"not ours")
    files.remove_leftovers(path)
    assert [p.name for p in tmp_path.iterdir()] == [".b.json.0123.tmp"]


def test_a_temporary_file_that_is_swept_before_it_is_locked_is_created_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, opened = tmp_path / "a.json", os.open
    swept: list[str] = []

    def open_and_sweep(name: Any, flags: int, *args: Any) -> int:
        descriptor = opened(name, flags, *args)
        if flags & os.O_EXCL and len(swept) < 2:
            swept.append(Path(name).name)
            monkeypatch.setattr(os, "open", opened)
            files.remove_leftovers(path)
            monkeypatch.setattr(os, "open", open_and_sweep)
        return descriptor

    monkeypatch.setattr(os, "open", open_and_sweep)
    files.write_atomically(path, b"new\n")
    assert len(swept) == 2
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [("a.json", b"new\n")]


def test_what_is_being_swept_is_not_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, locked = tmp_path / "a.json", files._try_lock
    tries: list[bool] = []

    def lock(descriptor: int) -> bool:
        tries.append(len(tries) > 0 and locked(descriptor))
        return tries[-1]

    monkeypatch.setattr(files, "_try_lock", lock)
    files.write_guarded(path, b"new\n").remove()
    assert tries == [False, True]
