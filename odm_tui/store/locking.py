"""Let one process write at a time: a lock on a side file that is never deleted or replaced.

It is a lock of the operating system, which releases it when the process ends. A process that waits gives up
within two seconds with a :class:`~odm_tui.errors.Locked` error and has changed nothing.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from filelock import lock_descriptor, unlock_descriptor

from odm_tui.errors import Locked
from odm_tui.files import check_folder, is_still_there, make_folder, naming_errors, open_to_overwrite

LONGEST_WAIT = 1.3
"""In seconds; together with the time that a command takes to start, the error shows within two seconds."""
_LONGEST_PAUSE = 0.004
_SHORTEST_PAUSE = 0.0003


class Lock:
    """A lock on one file; the descriptor stays open between uses, so that locking takes microseconds."""

    def __init__(self, path: Path, *, longest_wait: float = LONGEST_WAIT) -> None:
        self._descriptor: int | None = None
        self.path = path
        self.longest_wait = longest_wait
        self._threads = threading.Lock()  # the system's lock is per process, this one is for threads

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock during a ``with`` block; never use it twice at a time in one thread."""
        deadline = time.monotonic() + self.longest_wait
        if not self._threads.acquire(timeout=self.longest_wait):
            raise self._too_long()
        try:
            descriptor = self._acquire(deadline)
            try:
                yield
            finally:
                unlock_descriptor(descriptor)
        finally:
            self._threads.release()

    def close(self) -> None:
        """Close the side file; the next use opens it again."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)

    def __del__(self) -> None:
        """Close the side file of a lock that was dropped without being closed."""
        self.close()

    def _acquire(self, deadline: float) -> int:
        with naming_errors(self.path):
            while True:
                descriptor = self._open()
                if lock_descriptor(descriptor, blocking=False):
                    if is_still_there(self.path, descriptor):
                        return descriptor
                    self.close()  # the side file was removed: a lock on it would protect nothing
                    continue
                left = deadline - time.monotonic()
                if left <= 0:
                    raise self._too_long()
                # A process that has waited longer tries more often, so that none waits for ever.
                time.sleep(max(_SHORTEST_PAUSE, _LONGEST_PAUSE * left / self.longest_wait))

    def _open(self) -> int:
        if self._descriptor is None:
            make_folder(self.path.parent)
            check_folder(self.path.parent)
            self._descriptor = open_to_overwrite(self.path)
        return self._descriptor

    def _too_long(self) -> Locked:
        return Locked(
            f"Another process has locked {self.path} for more than {self.longest_wait:g} s. "
            "Nothing was changed; try again when it has finished."
        )
