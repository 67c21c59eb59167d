"""``odm-tui`` without a command: an interview on the screen, in plain lines, or from a file."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from odm_tui.errors import BadArgument

if TYPE_CHECKING:
    from odm_tui.options import InterviewOptions
    from odm_tui.tui.worker.client import WorkerClient


_LOOKS = "240"
"""How often a second Textual looks whether something is to be drawn; a key waits half of that on average."""


def run_interview(options: InterviewOptions) -> None:
    """Hold an interview in the way that fits the options and the terminal."""
    if options.ask_all and options.policy is not None:
        raise BadArgument("--ask-all is a policy of its own; leave out --policy, or --ask-all.")
    scripted = options.answers is not None or options.confirm is not None or options.as_json
    if scripted or options.plain or not can_show_screen():
        from odm_tui.cli.plain.interview import run_plain_interview

        raise SystemExit(run_plain_interview(options))
    raise SystemExit(run_screen_interview(options))


def can_show_screen() -> bool:
    """Whether all three ends are a terminal that can show a screen; Textual draws on the third."""
    ends = (sys.__stdin__, sys.__stdout__, sys.__stderr__)
    terminals = all(end is not None and end.isatty() for end in ends)
    return terminals and os.environ.get("TERM", "dumb") not in ("dumb", "")


def run_screen_interview(options: InterviewOptions) -> int:
    """Open the screen; its exit code."""
    gc.disable()  # for the first second: see OdmApp
    os.environ.setdefault("TEXTUAL_FPS", _LOOKS)
    # The worker loads what the first question needs while the screen's own modules are loaded here.
    worker = _start_worker(options)
    from odm_tui.tui.app import OdmApp

    return OdmApp.open(worker, options.theme)


def _start_worker(options: InterviewOptions) -> WorkerClient:
    """A worker in a process of its own, where the system can make one."""
    if hasattr(os, "fork"):
        from odm_tui.tui.worker.process import ProcessWorker

        with suppress(OSError):  # no process or descriptor left: a thread does the same, only slower
            return ProcessWorker(options)
    from odm_tui.tui.worker.backend import Backend
    from odm_tui.tui.worker.client import ThreadWorker

    worker = ThreadWorker(options)
    worker.submit(Backend.warm_up)
    return worker
