"""Start the sync process and hear how it is doing; nothing here ever waits for it."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from odm_tui.session.team.status import SyncStatus, decode_status

_RESTART = 5.0
"""Seconds before a sync process that has died is started again."""
_CHUNK = 1 << 16
_leaving: list[subprocess.Popen[bytes]] = []
"""Processes that send what is left; they are kept until they have ended, so that none stays behind as a zombie."""


class SyncClient:
    """The sync of one state folder, in a process of its own.

    Nothing blocks: what the process does not take now is said again later, and it looks for new events by itself.
    """

    def __init__(
        self, address: str, folder: Path, operator: str = "", clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._settings = {"address": address, "folder": str(folder), "operator": operator}
        self._clock = clock
        self._open: dict[str, str] = {}
        self._heard = b""
        self._status = SyncStatus()
        self._process: subprocess.Popen[bytes] | None = None
        self._started_at = 0.0
        self._unsaid = False
        self._start()

    @property
    def status(self) -> SyncStatus:
        """How the sync was doing when it last said so; a process that has died is started again."""
        self._hear()
        if self._unsaid:
            self._tell()
        process = self._process
        if process is not None and process.poll() is not None and self._clock() - self._started_at > _RESTART:
            self._release()
            self._start()
        return self._status

    @property
    def process_id(self) -> int | None:
        """The id of the process, while it runs."""
        return None if self._process is None or self._process.poll() is not None else self._process.pid

    def wake(self) -> None:
        """Say that the log has grown."""
        self._tell()

    def opened(self, bank: str, interview: str) -> None:
        """Say that an interview is open here."""
        self._open[interview] = bank
        self._tell()

    def closed(self, interview: str) -> None:
        """Say that an interview is not open here any more."""
        if self._open.pop(interview, None) is not None:
            self._tell()

    def close(self) -> None:
        """Let the process send what is left, and end by itself."""
        self._release()

    def wait(self, seconds: float) -> bool:
        """Close, and wait for the process to end; return whether it did."""
        process = self._process
        self._release()
        if process is None:
            return True
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _start(self) -> None:
        self._started_at = self._clock()
        self._heard = b""
        try:
            process = subprocess.Popen(
                [sys.executable, "-m", "odm_tui.session.team.sync_process"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl+C is meant for the interview
                close_fds=True,
            )
        except OSError:
            self._process = None
            return
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        os.set_blocking(process.stdin.fileno(), False)
        os.set_blocking(process.stdout.fileno(), False)
        self._write(json.dumps(self._settings).encode() + b"\n")
        self._tell()

    def _tell(self) -> None:
        message = {"open": [[bank, interview] for interview, bank in self._open.items()]}
        self._unsaid = not self._write(json.dumps(message).encode() + b"\n")

    def _write(self, line: bytes) -> bool:
        process = self._process
        if process is None or process.stdin is None or process.stdin.closed:
            return False
        try:
            return os.write(process.stdin.fileno(), line) == len(
                line
            )  # a pipe takes such a short line whole or not
        except OSError:
            return False

    def _hear(self) -> None:
        process = self._process
        if process is None or process.stdout is None or process.stdout.closed:
            return
        with contextlib.suppress(OSError):
            while chunk := os.read(process.stdout.fileno(), _CHUNK):
                self._heard += chunk
        *lines, self._heard = self._heard.split(b"\n")
        if lines:
            self._status = decode_status(json.loads(lines[-1]))

    def _release(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        _leaving.append(process)
        _leaving[:] = [one for one in _leaving if one.poll() is None]
