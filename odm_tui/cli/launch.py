"""Start an interview in the mode that fits the options and the terminal: on the screen, or in plain lines."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from odm_tui.errors import BadArgument

if TYPE_CHECKING:
    from odm_tui.interview_options import InterviewOptions
    from odm_tui.tui.worker.client import WorkerClient


_FRAMES_PER_SECOND = "240"
"""How often Textual checks whether to draw; on average, a key waits for half of that interval."""

_EXPLORE = ("always", "quiet", "never")


def run_interview(options: InterviewOptions) -> None:
    """Run an interview in the mode that fits the options and the terminal."""
    if options.ask_all and options.policy is not None:
        raise BadArgument("--ask-all can't be combined with --policy. Leave out one of them.")
    if options.explore not in (None, *_EXPLORE):
        from odm_tui.text import unknown_name

        raise BadArgument(unknown_name("value of --explore", options.explore, _EXPLORE))
    from odm_tui.cli.store_lookup import find_store

    options = options._replace(store=find_store(options.store))
    scripted = options.answers is not None or options.confirm is not None or options.as_json
    if scripted or options.plain or not can_show_screen():
        from odm_tui.cli.plain.interview import run_plain_interview

        raise SystemExit(run_plain_interview(options))
    raise SystemExit(run_screen_interview(options))


def can_show_screen() -> bool:
    """Whether stdin, stdout and stderr are a terminal that can show a screen; Textual draws on stderr."""
    streams = (sys.__stdin__, sys.__stdout__, sys.__stderr__)
    is_terminal = all(stream is not None and stream.isatty() for stream in streams)
    return is_terminal and os.environ.get("TERM", "dumb") not in ("dumb", "")


def run_screen_interview(options: InterviewOptions) -> int:
    """Run the app; its exit code."""
    gc.disable()  # OdmApp enables it again after the start
    os.environ.setdefault("TEXTUAL_FPS", _FRAMES_PER_SECOND)
    # The worker loads what the first question needs while this process imports the screens.
    worker = _start_worker(options)
    from odm_tui.tui.app import OdmApp

    return OdmApp.open(worker, options.theme)


def _start_worker(options: InterviewOptions) -> WorkerClient:
    """Start the worker in a process of its own; in a thread if the system can't fork."""
    if hasattr(os, "fork"):
        from odm_tui.tui.worker.process import ProcessWorker

        with suppress(OSError):  # too many processes or open files: use a thread instead, which is slower
            return ProcessWorker(options)
    from odm_tui.tui.worker.backend import Backend
    from odm_tui.tui.worker.client import ThreadWorker

    worker = ThreadWorker(options)
    worker.submit(Backend.warm_up)
    return worker
