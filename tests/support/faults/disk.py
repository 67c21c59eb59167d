"""Disks that fail, write too little, or kill the process at a chosen call."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from odm_tui import files

KINDS = ("write", "fsync", "replace", "truncate", "unlink")
KILLS = ("killed before", "killed halfway", "killed after")


class FaultyDisk(files.Disk):
    """Count calls, and inject a fault at the n-th call of a kind.

    ``fault`` is an errno to raise; one of KILLS, to end the process by SIGKILL at that call; or "short", to
    write half of the bytes and fail the next write for lack of space. ``when=None`` only counts. With ``stays``
    all later calls fail too, as on a full disk.
    """

    def __init__(
        self, kind: str = "", when: int | None = None, fault: int | str = errno.EIO, stays: bool = False
    ) -> None:
        self.kind, self.when, self.fault, self.stays = kind, when, fault, stays
        self.calls = dict.fromkeys(KINDS, 0)
        self.fired = False

    def _due(self, kind: str) -> bool:
        self.calls[kind] += 1
        if self.when is None or kind != self.kind:
            return False
        due = self.calls[kind] == self.when or (self.stays and self.calls[kind] > self.when)
        if due and (self.fault == "killed before" or (self.fault == "killed halfway" and kind != "write")):
            os.kill(os.getpid(), signal.SIGKILL)
        self.fired = self.fired or due
        return due

    def _refuse(self) -> None:
        if self.fault in KILLS:
            os.kill(os.getpid(), signal.SIGKILL)
        code = self.fault if isinstance(self.fault, int) else errno.ENOSPC
        raise OSError(code, os.strerror(code))

    def write(self, descriptor: int, data: bytes | memoryview) -> int:
        if self._due("write"):
            if self.fault == "short" and len(data) > 1:
                self.when = self.calls["write"] + 1
                return os.write(descriptor, data[: len(data) // 2])
            if self.fault in KILLS:
                os.write(descriptor, data[: len(data) // 2] if self.fault == "killed halfway" else data)
            self._refuse()
        return super().write(descriptor, data)

    def fsync(self, descriptor: int) -> None:
        if self._due("fsync"):
            if self.fault in KILLS:
                super().fsync(descriptor)
            self._refuse()
        super().fsync(descriptor)

    def replace(self, source: Path, target: Path) -> None:
        if self._due("replace"):
            if self.fault in KILLS:
                super().replace(source, target)
            self._refuse()
        super().replace(source, target)

    def truncate(self, descriptor: int, size: int) -> None:
        if self._due("truncate"):
            self._refuse()
        super().truncate(descriptor, size)

    def unlink(self, path: Path) -> None:
        if self._due("unlink"):
            if self.fault in KILLS:
                super().unlink(path)
            self._refuse()
        super().unlink(path)


class LossyDisk(files.Disk):
    """Track what a power cut would leave: only the bytes and names that were flushed."""

    def __init__(self) -> None:
        self._bytes: dict[int, bytes] = {}
        self._names: dict[Path, int] = {}

    def fsync(self, descriptor: int) -> None:
        super().fsync(descriptor)
        path = Path(f"/proc/self/fd/{descriptor}").readlink()
        if path.is_dir():
            for name in [name for name in self._names if name.parent == path]:
                del self._names[name]
            self._names |= {name: name.stat().st_ino for name in path.iterdir() if name.is_file()}
        else:
            self._bytes[os.fstat(descriptor).st_ino] = path.read_bytes()

    def power_cut(self, into: Path) -> None:
        """Write what a power cut would leave to another folder."""
        into.mkdir(mode=0o700)
        for name, inode in self._names.items():
            (into / name.name).write_bytes(self._bytes.get(inode, b""))


@contextmanager
def in_place(disk: files.Disk) -> Iterator[files.Disk]:
    """Use this disk for all writes inside the ``with`` block."""
    real = files.disk
    files.disk = disk
    try:
        yield disk
    finally:
        files.disk = real
