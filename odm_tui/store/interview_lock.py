"""Mark an interview as open in this process, with a lock that ends with the process."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from filelock import lock_descriptor

from odm_tui import files
from odm_tui.errors import BadArgument
from odm_tui.store.log_codec import is_interview_id
from odm_tui.store.paths import StatePaths

_PROBE = 0.3
"""Seconds after which a lock is somebody's who has the interview open, not of one who looks whether it is open."""


class InterviewLock:
    """The lock of one process on one interview; the system releases it when the process ends."""

    def __init__(self, paths: StatePaths, interview: str) -> None:
        self._descriptor: int | None = None
        self._owner = os.getpid()
        self.paths, self.interview = paths, interview
        self.path = presence_file(paths, interview)

    def claim(self) -> bool:
        """Lock the interview; return False if another process has it open."""
        if self._descriptor is not None and self.path.exists():
            return True
        self.release()  # the file was removed together with its folder
        while True:
            with files.naming_errors(self.path):
                files.make_folder(self.path.parent)
                descriptor = files.open_to_overwrite(self.path)
            if not _lock_in_time(descriptor):
                os.close(descriptor)
                return False
            if files.is_still_there(self.path, descriptor):
                self._descriptor, self._owner = descriptor, os.getpid()
                return True
            os.close(descriptor)  # its owner has just removed it: a lock on it would protect nothing

    def release(self) -> None:
        """Release the interview, so that another process can open it."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            files.close_and_remove(self.path, descriptor)

    def __del__(self) -> None:
        """Release an interview that was dropped without being closed; a forked copy only closes its descriptor."""
        if self._descriptor is not None and self._owner != os.getpid():
            os.close(self._descriptor)
            self._descriptor = None
        self.release()


def remove_unlocked(paths: StatePaths) -> None:
    """Remove the files of interviews that no process has open, left behind by killed processes."""
    for path in paths.folder.glob(f".{paths.stem}.*.open"):
        with contextlib.suppress(OSError):
            descriptor = files.open_to_overwrite(path)
            if lock_descriptor(descriptor, blocking=False):
                files.close_and_remove(path, descriptor)
            else:
                os.close(descriptor)


def presence_file(paths: StatePaths, interview: str) -> Path:
    """Return the file that is locked while an interview is open."""
    if not is_interview_id(interview):
        raise BadArgument(f"There is no interview {interview!r}; an id consists of letters and digits.")
    return paths.folder / f".{paths.stem}.{interview}.open"


def _lock_in_time(descriptor: int) -> bool:
    """Lock a file unless it stays locked: whoever looks whether an interview is open locks it for a moment."""
    deadline = time.monotonic() + _PROBE
    while not lock_descriptor(descriptor, blocking=False):
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.001)
    return True


def is_open_elsewhere(paths: StatePaths, interview: str) -> bool:
    """Whether a process has the interview open now."""
    try:
        descriptor = os.open(presence_file(paths, interview), os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return False
    try:
        return not _can_share(descriptor)
    finally:
        os.close(descriptor)


def _can_share(descriptor: int) -> bool:
    """Whether nobody has locked a file for himself; others can look at the same time."""
    try:
        import fcntl
    except ImportError:  # on Windows
        return lock_descriptor(descriptor, blocking=False)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
