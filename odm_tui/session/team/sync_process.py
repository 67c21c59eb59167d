"""The process that syncs beside an interview; it is started with ``python -m`` and told everything over its stdin.

One JSON object per line comes in: first the settings, then which interviews are open, whenever that changes; any line
also means that the log may have grown. One status per line goes out. At the end of stdin the process sends what is left,
for some seconds at most, and ends. The address of the store never stands on its command line.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any, BinaryIO

from odm_tui.session.team.status import AWAY, SyncStatus, encode_status
from odm_tui.session.team.sync_loop import SyncLoop

_LAST = 10.0
"""Seconds that sending what is left may take after the end of the interview."""
_BREATH = 0.25
"""Seconds to wait after an answer, while the next question is computed and drawn."""
_SLOW = 4.0
"""Seconds without an answer of the store after which the operator is told."""


class SyncProcess:
    """Listen on one stream, sync, and report on another."""

    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        self._incoming, self._outgoing = incoming, outgoing
        self._wake = threading.Event()
        self._left = threading.Event()
        self._writing = threading.Lock()
        settings = json.loads(incoming.readline())
        self.loop = SyncLoop(
            settings["address"], Path(settings["folder"]), settings["operator"], report=self._report
        )

    def run(self) -> None:
        """Sync until the other side has left and everything is sent."""
        threading.Thread(target=self._listen, daemon=True).start()
        threading.Thread(target=self._watch, daemon=True).start()
        deadline = 0.0
        while True:
            leaving = self._left.is_set()
            if leaving:
                deadline = deadline or time.monotonic() + _LAST
                self.loop.set_open(())
            self._wake.clear()
            status = self.loop.run_pass(at_once=leaving)
            if leaving and (not status.unsent or time.monotonic() > deadline):
                break
            if leaving:
                self._wake.wait(min(self.loop.pause, 0.5))
            elif self._wake.wait(self.loop.pause):
                self._left.wait(_BREATH)
        self.loop.close()

    def _listen(self) -> None:
        for line in self._incoming:
            message: dict[str, Any] = json.loads(line)
            if "open" in message:
                self.loop.set_open([(bank, interview) for bank, interview in message["open"]])
            self._wake.set()
        self._left.set()
        self._wake.set()
        time.sleep(_LAST * 3)
        os._exit(0)  # the store has stopped answering: what is left is sent next time

    def _watch(self) -> None:
        """Tell the operator that the store does not answer: the pass itself can't, while it waits."""
        while True:
            time.sleep(0.5)
            since = self.loop.asking_since
            if since is not None and time.monotonic() - since > _SLOW:
                self._report(
                    self.loop.status._replace(
                        state=AWAY, sentence="The team's store has not answered for some seconds."
                    )
                )

    def _report(self, status: SyncStatus) -> None:
        line = json.dumps(encode_status(status)).encode() + b"\n"
        try:
            with self._writing:
                self._outgoing.write(line)
                self._outgoing.flush()
        except OSError:
            self._left.set()  # nobody listens any more
            self._wake.set()


def main() -> None:
    """Run the process on its standard streams."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(5)  # the interview comes first
    SyncProcess(sys.stdin.buffer, sys.stdout.buffer).run()


if __name__ == "__main__":
    main()
