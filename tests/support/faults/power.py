"""A disk whose power is cut: what was not flushed is forgotten, or a random part of it survives."""

from __future__ import annotations

import fcntl
import os
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from odm_tui import files
from tests.support.faults.disk import in_place


class PowerCutError(BaseException):
    """The power is gone; no error handler of the program sees this as an error of the disk."""


@dataclass(eq=False)
class _File:
    durable: bytes = b""
    pending: list[tuple[int, bytes | None]] = field(default_factory=list)
    """Writes since the last flush: an offset and the bytes there; None for a cut at the offset."""


class PowerCutDisk(files.Disk):
    """Remember what is on the disk itself, and cut the power before the n-th call; ``when=None`` only counts."""

    def __init__(self, folder: Path, when: int | None = None) -> None:
        self.folder, self.when = folder, when
        self.calls = 0
        self.is_off = False
        self._live: dict[str, _File] = {}
        if folder.exists():
            self._live = {path.name: _File(path.read_bytes()) for path in folder.iterdir() if path.is_file()}
        self._names = dict(self._live)
        self._changes: list[tuple[str, str, _File]] = []
        """Changes of names since the folder was last flushed: what happened, the name, and the file."""

    def write(self, descriptor: int, data: bytes | memoryview) -> int:
        self._call()
        self._note_write(descriptor, bytes(data))
        return super().write(descriptor, data)

    def overwrite(self, descriptor: int, data: bytes) -> None:
        self._call()
        self._note_write(descriptor, data)
        super().overwrite(descriptor, data)

    def truncate(self, descriptor: int, size: int) -> None:
        self._call()
        found = self._find(descriptor)
        if found is not None:
            found.pending.append((size, None))
        super().truncate(descriptor, size)

    def fsync(self, descriptor: int) -> None:
        self._call()
        path = Path(f"/proc/self/fd/{descriptor}").readlink()
        if path == self.folder.resolve():
            for name in [path.name for path in self.folder.iterdir() if path.is_file()]:
                self._live.setdefault(name, _File())
            self._names, self._changes = dict(self._live), []
            return
        found = self._find(descriptor)
        if found is not None:
            found.durable, found.pending = path.read_bytes(), []

    def replace(self, source: Path, target: Path) -> None:
        self._call()
        moved = self._live.pop(source.name)
        self._live[target.name] = moved
        self._changes += [("remove", source.name, moved), ("add", target.name, moved)]
        super().replace(source, target)

    def unlink(self, path: Path) -> None:
        self._call()
        super().unlink(path)
        removed = self._live.pop(path.name, None)
        if removed is not None:
            self._changes.append(("remove", path.name, removed))

    def leave(self, into: Path, dice: random.Random | None) -> None:
        """Write what the cut leaves to another folder; with ``dice`` a random part of what was not flushed too."""
        names = dict(self._names)
        for what, name, file in self._changes:
            if dice is not None and dice.random() < 0.5:
                if what == "add":
                    names[name] = file
                elif names.get(name) is file:
                    del names[name]
        into.mkdir(mode=0o700)
        for name, file in names.items():
            if not name.endswith(".open"):
                (into / name).write_bytes(_surviving(file, dice))

    def _call(self) -> None:
        if self.is_off:
            raise PowerCutError
        self.calls += 1
        if self.when is not None and self.calls >= self.when:
            self.is_off = True
            raise PowerCutError

    def _note_write(self, descriptor: int, data: bytes) -> None:
        found = self._find(descriptor)
        if found is not None:
            appends = fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_APPEND
            offset = os.fstat(descriptor).st_size if appends else os.lseek(descriptor, 0, os.SEEK_CUR)
            found.pending.append((offset, data))

    def _find(self, descriptor: int) -> _File | None:
        path = Path(f"/proc/self/fd/{descriptor}").readlink()
        if path.parent != self.folder.resolve():
            return None
        if path.name not in self._live:
            self._live[path.name] = made = _File()
            self._changes.append(("add", path.name, made))
        return self._live[path.name]


def _surviving(file: _File, dice: random.Random | None) -> bytes:
    data = bytearray(file.durable)
    for offset, part in file.pending if dice is not None else ():
        assert dice is not None
        if dice.random() < 0.5:
            continue
        if part is None:
            del data[offset:]
            continue
        kept = part[: dice.randint(0, len(part))] if dice.random() < 0.5 else part
        data.extend(bytes(max(0, offset + len(kept) - len(data))))
        data[offset : offset + len(kept)] = kept
    return bytes(data)


def cut_everywhere(
    prepare: Callable[[Path], None], work: Callable[[Path], None], root: Path, seed: int | None
) -> Iterator[Path]:
    """Do the work again and again, cut the power before each call, and yield the folder that is left each time.

    ``prepare`` fills the folder before. With a ``seed`` a random part of what was not flushed survives.
    """
    root.mkdir(parents=True, exist_ok=True)
    when = 0
    while True:
        when += 1
        folder, left = root / f"{when}-before", root / f"{when}-after"
        prepare(folder)
        disk = PowerCutDisk(folder, when)
        with in_place(disk), suppress(PowerCutError):
            work(folder)
        if not disk.is_off:
            return
        disk.leave(left, None if seed is None else random.Random(seed * 1_000 + when))
        yield left
