"""Write, flush, replace and truncate files; all writing goes through here, so that tests can inject faults.

A file is either replaced as a whole or appended to; both are on disk when the call returns. If that fails,
:class:`~odm_tui.errors.CannotWrite` says why, and the old content stays.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from odm_tui.errors import CannotWrite

PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700
_ON_WINDOWS = os.name == "nt"


class Disk:
    """The four system calls that change files; tests replace them to inject faults."""

    def write(self, descriptor: int, data: bytes | memoryview) -> int:
        """Write some of the data and return how many bytes were written."""
        return os.write(descriptor, data)

    def fsync(self, descriptor: int) -> None:
        """Return once the file's bytes are on the disk itself."""
        full = _FULL_FSYNC
        if full is not None:  # macOS: a plain fsync leaves the bytes in the drive's cache
            with contextlib.suppress(OSError):
                full(descriptor)
                return
        os.fsync(descriptor)

    def replace(self, source: Path, target: Path) -> None:
        """Rename a finished file to its final name."""
        source.replace(target)

    def truncate(self, descriptor: int, size: int) -> None:
        """Truncate a file to a size."""
        os.ftruncate(descriptor, size)


def _full_fsync() -> Callable[[int], object] | None:
    try:
        import fcntl
    except ImportError:
        return None
    command = getattr(fcntl, "F_FULLFSYNC", None)
    return None if command is None else lambda descriptor: fcntl.fcntl(descriptor, command)


_FULL_FSYNC = _full_fsync()
disk = Disk()

_REASONS = {
    errno.ENOSPC: "the disk is full; free some space and try again",
    errno.EDQUOT: "the disk quota is used up; free some space and try again",
    errno.EFBIG: "the file has reached the size limit; raise the limit or free some space",
    errno.EIO: "the disk reported an input/output error; check the disk before you continue",
    errno.EROFS: "the file system is read-only; choose another folder with --state-dir",
    errno.EACCES: "permission was denied; ask for access or choose another folder with --state-dir",
    errno.EPERM: "permission was denied; ask for access or choose another folder with --state-dir",
}


def cannot_write(path: Path, error: OSError) -> CannotWrite:
    """Create the error for a failed write, with the file, the reason and the remedy."""
    reason = _REASONS.get(error.errno or 0) or f"the system said '{error.strerror or error}'"
    return CannotWrite(f"Can't write {path}: {reason}. Everything saved before is safe.")


@contextlib.contextmanager
def naming_errors(path: Path) -> Iterator[None]:
    """Turn an OSError inside the ``with`` block into CannotWrite for this file."""
    try:
        yield
    except OSError as error:
        raise cannot_write(path, error) from error


def write_all(descriptor: int, data: bytes) -> None:
    """Write all bytes; repeat after a partial write until everything is written or a write fails."""
    rest = memoryview(data)
    while rest:
        written = disk.write(descriptor, rest)
        if written <= 0:
            raise OSError(errno.ENOSPC, "the disk accepts no more bytes")
        rest = rest[written:]


def make_folder(folder: Path) -> None:
    """Create a private folder if it does not exist."""
    with naming_errors(folder):
        if not folder.is_dir():
            folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)


def mode_for(path: Path) -> int:
    """Return the mode of a file: its current one, else 0600, plus the group's rights if its folder is for a group.

    A folder of mode 0755 is just the default. A folder is for a group if others have no access, if the group may
    write, or if it passes its group on to new files.
    """
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        folder = path.parent.stat().st_mode
        for_group = not folder & stat.S_IRWXO or folder & (stat.S_IWGRP | stat.S_ISGID)
        return PRIVATE_FILE | (folder & (stat.S_IRGRP | stat.S_IWGRP) if for_group else 0)


def open_to_append(path: Path) -> int:
    """Open a file for appending and reading; create it with the right mode, and flush its folder, if it is new."""
    flags = os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    with contextlib.suppress(FileNotFoundError):
        return os.open(path, flags)
    mode = mode_for(path)
    descriptor = os.open(path, flags | os.O_CREAT, PRIVATE_FILE)
    try:
        set_mode(descriptor, mode)
        sync_folder(path.parent)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def append_durably(path: Path, data: bytes) -> None:
    """Append bytes to a file and return once they are on disk."""
    with naming_errors(path):
        descriptor = open_to_append(path)
        try:
            before = os.fstat(descriptor).st_size
            try:
                write_all(descriptor, data)
                disk.fsync(descriptor)
            except OSError:
                with contextlib.suppress(OSError):
                    disk.truncate(descriptor, before)
                raise
        finally:
            os.close(descriptor)


def write_atomically(path: Path, data: bytes | Iterable[bytes], *, durable: bool = True) -> None:
    """Replace a file as a whole: after a crash it has either the old or the new content.

    The file keeps its mode and group, and a symlink keeps its target. ``durable=False`` skips the flushes, for a
    file that can be computed again.
    """
    with naming_errors(path):
        target = path.resolve()
        mode = mode_for(target)
        temporary = target.with_name(f".{target.name}.{secrets.token_hex(6)}.tmp")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        descriptor = os.open(temporary, flags, PRIVATE_FILE)
        try:
            try:
                for part in (data,) if isinstance(data, bytes) else _batches(data):
                    write_all(descriptor, part)
                _keep_group(descriptor, target)
                set_mode(descriptor, mode)
                if durable:
                    disk.fsync(descriptor)
            finally:
                os.close(descriptor)
            disk.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
        if durable:
            sync_folder(target.parent)


def write_new(path: Path, data: bytes) -> None:
    """Write a file that does not exist yet, with the mode that the umask gives; never replace one.

    If the file exists, the cause of the CannotWrite is a FileExistsError. A failed write leaves no file.
    """
    with naming_errors(path):
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        try:
            try:
                write_all(descriptor, data)
                disk.fsync(descriptor)
            finally:
                os.close(descriptor)
        except BaseException:
            with contextlib.suppress(OSError):
                path.unlink()
            raise
        sync_folder(path.parent)


def _batches(parts: Iterable[bytes]) -> Iterator[bytes]:
    batch: list[bytes] = []
    size = 0
    for part in parts:
        batch.append(part)
        size += len(part)
        if size > 1 << 18:
            yield b"".join(batch)
            batch, size = [], 0
    if batch:
        yield b"".join(batch)


def sync_folder(folder: Path) -> None:
    """Return once the names in a folder are on disk, if the system can do that."""
    if _ON_WINDOWS:
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        disk.fsync(descriptor)
    finally:
        os.close(descriptor)


def set_aside(path: Path, word: str) -> Path:
    """Rename a file that can't be used, without overwriting anything, and return its new path."""
    with naming_errors(path):
        for number in range(1, 10_000):
            aside = path.with_name(f"{path.name}.{word}-{number}")
            if not aside.exists():
                disk.replace(path, aside)
                sync_folder(path.parent)
                return aside
    raise CannotWrite(f"Can't set {path} aside: there are 9,999 such files already; remove the old ones.")


def remove_leftovers(path: Path) -> None:
    """Remove temporary files that killed processes left beside a file; the caller holds its lock."""
    target = path.resolve()
    for leftover in target.parent.glob(f".{target.name}.*.tmp"):
        with contextlib.suppress(OSError):
            leftover.unlink()


def set_mode(descriptor: int, mode: int) -> None:
    """Set the mode of an open file, regardless of the umask."""
    if not _ON_WINDOWS and stat.S_IMODE(os.fstat(descriptor).st_mode) != mode:
        os.fchmod(descriptor, mode)


def _keep_group(descriptor: int, target: Path) -> None:
    if _ON_WINDOWS or not target.exists():
        return
    group = target.stat().st_gid
    if os.fstat(descriptor).st_gid != group:
        # A user may not be allowed to give a file to this group; then it keeps the user's own group.
        with contextlib.suppress(PermissionError):
            os.fchown(descriptor, -1, group)
