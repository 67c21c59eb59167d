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
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from odm_tui.errors import BadData, CannotWrite

PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700
_ON_WINDOWS = os.name == "nt"
_BINARY = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
"""Open no symbolic link, and don't wait at a named pipe: in a shared folder, anyone may have put one there."""


class Disk:
    """The system calls that change files; tests replace them to inject faults."""

    def write(self, descriptor: int, data: bytes | memoryview) -> int:
        """Write some of the data and return how many bytes were written."""
        return os.write(descriptor, data)

    def overwrite(self, descriptor: int, data: bytes) -> None:
        """Overwrite the beginning of a file that nothing depends on, so that a failure does not matter."""
        os.write(descriptor, data)

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

    def unlink(self, path: Path) -> None:
        """Remove a file."""
        path.unlink()


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
    errno.ELOOP: "it is a symbolic link or no regular file, and none is used inside a state folder; move it away",
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


def check_folder(folder: Path) -> None:
    """Raise CannotWrite if a stranger's folder is open to others, who could replace the files in it.

    Folders of this user, of root and of one of the user's groups are fine.
    """
    if _ON_WINDOWS:
        return
    with naming_errors(folder):
        found = folder.stat()
    if found.st_uid in (os.geteuid(), 0) or not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return
    of_our_group = found.st_gid in {os.getegid(), *os.getgroups()}
    if not of_our_group or found.st_mode & stat.S_IWOTH:
        raise CannotWrite(
            f"{folder} belongs to another user, and others may write to it, so it is not safe for answers. "
            "Choose another folder with --state-dir, or have its owner run 'chmod o-w' on it and give it to your group."
        )


def mode_for(path: Path) -> int:
    """Return the mode of a file: its current one, else 0600, plus the group's rights if its folder is for a group."""
    try:
        return stat.S_IMODE(path.lstat().st_mode)
    except FileNotFoundError:
        folder = path.parent.stat().st_mode
        return PRIVATE_FILE | (folder & (stat.S_IRGRP | stat.S_IWGRP) if _is_for_group(folder) else 0)


def _is_for_group(folder: int) -> bool:
    """Whether the mode of a folder gives it to a group.

    A folder of mode 0755 is just the default. A folder is for a group if others have no access, if the group may
    write, or if it passes its group on to new files.
    """
    return not folder & stat.S_IRWXO or bool(folder & (stat.S_IWGRP | stat.S_ISGID))


def open_to_read(path: Path, buffering: int = -1) -> BinaryIO:
    """Open a regular file for reading; raise OSError for a symbolic link or anything else."""
    return os.fdopen(_open_regular(path, os.O_RDONLY), "rb", buffering)


def read_whole(path: Path) -> bytes | None:
    """Read a regular file; None if there is none. Raise BadData if it can't be read."""
    try:
        with open_to_read(path) as file:
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise cannot_read(path, error) from error


def cannot_read(path: Path, error: OSError) -> BadData:
    """Create the error for a failed read, with the file, the reason and the remedy."""
    if error.errno == errno.ELOOP:
        return BadData(f"Can't read {path}: {_REASONS[errno.ELOOP]}.")
    return BadData(f"Can't read {path}: {error.strerror}; check its permissions.")


def open_to_append(path: Path) -> int:
    """Open a file for appending and reading; create it with the right mode, and flush its folder, if it is new."""
    return _open_or_create(path, os.O_RDWR | os.O_APPEND, durable=True)


def open_to_overwrite(path: Path) -> int:
    """Open a file for reading and writing from its beginning; create it with the right mode if it is new."""
    return _open_or_create(path, os.O_RDWR, durable=False)


def _open_or_create(path: Path, flags: int, *, durable: bool) -> int:
    with contextlib.suppress(FileNotFoundError):
        return _open_regular(path, flags)
    mode = mode_for(path)
    descriptor = _open_regular(path, flags | os.O_CREAT)
    try:
        with contextlib.suppress(
            PermissionError
        ):  # another operator was faster, and the file has its mode already
            set_mode(descriptor, mode)
            _keep_group(descriptor, path)
        if durable:
            sync_folder(path.parent)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _open_regular(path: Path, flags: int) -> int:
    descriptor = os.open(path, flags | _NO_LINKS | _BINARY, PRIVATE_FILE)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
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


def write_atomically(
    path: Path, data: bytes | Iterable[bytes], *, durable: bool = True, follow_links: bool = True
) -> None:
    """Replace a file as a whole: after a crash it has either the old or the new content.

    The file keeps its mode and group, and a symlink keeps its target; without ``follow_links`` it is refused.
    ``durable=False`` skips the flushes, for a file that can be computed again.
    """
    target = path.resolve() if follow_links else path
    temporary = write_guarded(target, data, durable=durable)
    temporary.end_guard()
    put_in_place(temporary.path, target, durable=durable)


@dataclass
class GuardedFile:
    """A temporary file that is locked, so that nobody takes it for a leftover and removes it."""

    path: Path
    descriptor: int | None

    def end_guard(self) -> None:
        """Unlock the file. Hold the lock of what it replaces, until it was renamed or removed."""
        descriptor, self.descriptor = self.descriptor, None
        if descriptor is not None:
            os.close(descriptor)

    def remove(self) -> None:
        """Remove the file, unless it was renamed."""
        self.end_guard()
        with contextlib.suppress(OSError):
            self.path.unlink()


def write_guarded(target: Path, data: bytes | Iterable[bytes], *, durable: bool = True) -> GuardedFile:
    """Write what will replace a file to a temporary file beside it, which stays locked; see :func:`put_in_place`."""
    with naming_errors(target):
        if target.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        mode = mode_for(target)
        temporary = _create_temporary(target)
        try:
            assert temporary.descriptor is not None
            for part in (data,) if isinstance(data, bytes) else _batches(data):
                write_all(temporary.descriptor, part)
            _keep_group(temporary.descriptor, target)
            set_mode(temporary.descriptor, mode)
            if durable:
                disk.fsync(temporary.descriptor)
        except BaseException:
            temporary.remove()
            raise
        return temporary


def _create_temporary(target: Path) -> GuardedFile:
    """Create a file and lock it; one that another process has removed before it was locked is created again."""
    while True:
        path = target.with_name(f".{target.name}.{secrets.token_hex(6)}.tmp")
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | _BINARY, PRIVATE_FILE)
        if _try_lock(descriptor) and is_still_there(path, descriptor):
            return GuardedFile(path, descriptor)
        os.close(descriptor)


def put_in_place(temporary: Path, target: Path, *, durable: bool = True) -> None:
    """Rename a temporary file to its final name; if that fails, remove it."""
    with naming_errors(target):
        try:
            disk.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
        if durable:
            sync_folder(target.parent)


@contextlib.contextmanager
def kept_open(*paths: Path) -> Iterator[None]:
    """Keep files open, so that the system frees the space of those that are removed only afterwards: that takes long.

    Windows removes no open file, so there this does nothing.
    """
    with contextlib.ExitStack() as kept:
        for path in () if _ON_WINDOWS else paths:
            with contextlib.suppress(OSError):
                kept.enter_context(open_to_read(path))
        yield


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
            if not os.path.lexists(aside):
                disk.replace(path, aside)
                sync_folder(path.parent)
                return aside
    raise CannotWrite(f"Can't set {path} aside: there are 9,999 such files already; remove the old ones.")


def remove_leftovers(path: Path) -> None:
    """Remove temporary files that killed processes left beside a file; the caller holds its lock.

    A file that is still being written or guarded is locked and stays.
    """
    for leftover in path.parent.glob(f".{path.name}.*.tmp"):
        with contextlib.suppress(OSError):
            descriptor = _open_regular(leftover, os.O_RDWR)
            if _try_lock(descriptor):
                close_and_remove(leftover, descriptor)
            else:
                os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    from filelock import lock_descriptor

    return lock_descriptor(descriptor, blocking=False)


def is_still_there(path: Path, descriptor: int) -> bool:
    """Whether a name still belongs to an open file."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def close_and_remove(path: Path, descriptor: int) -> None:
    """Close a locked file and remove it, while it is still locked where the system removes open files."""
    if _ON_WINDOWS:
        os.close(descriptor)
    with contextlib.suppress(OSError):
        if _ON_WINDOWS or is_still_there(path, descriptor):
            path.unlink()
    if not _ON_WINDOWS:
        os.close(descriptor)


def set_mode(descriptor: int, mode: int) -> None:
    """Set the mode of an open file, regardless of the umask."""
    if not _ON_WINDOWS and stat.S_IMODE(os.fstat(descriptor).st_mode) != mode:
        os.fchmod(descriptor, mode)


def _keep_group(descriptor: int, target: Path) -> None:
    """Give a file the group of the file that it replaces, or of its folder if the folder is for a group."""
    if _ON_WINDOWS:
        return
    try:
        group = target.lstat().st_gid
        if os.fstat(descriptor).st_ino == target.lstat().st_ino:
            raise FileNotFoundError  # the file itself is new
    except FileNotFoundError:
        folder = target.parent.stat()
        if not _is_for_group(folder.st_mode):
            return
        group = folder.st_gid
    if os.fstat(descriptor).st_gid != group:
        # A user may not be allowed to give a file to this group; then it keeps the user's own group.
        with contextlib.suppress(PermissionError):
            os.fchown(descriptor, -1, group)
