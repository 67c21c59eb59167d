"""``odm-tui`` without a command: an interview on the screen, in plain lines, or from a file."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from odm_tui.errors import BadArgument

if TYPE_CHECKING:
    from odm_tui.tui.worker.backend import Options
    from odm_tui.tui.worker.client import WorkerClient


_LOOKS = "240"
"""How often a second Textual looks whether something is to be drawn; a key waits half of that on average."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the command line asks for."""

    bank: str | None = None
    state_dir: str | None = None
    policy: str | None = None
    seed: int | None = None
    operator: str | None = None
    ask_all: bool = False
    plain: bool = False
    answers: str | None = None
    confirm: str | None = None
    as_json: bool = False
    theme: str | None = None
    resume: str | None = None

    @property
    def policy_name(self) -> str | None:
        """The policy to hold interviews with; None leaves it to the bank."""
        return "all" if self.ask_all else self.policy


def run_interview(wishes: Wishes) -> None:
    """Hold an interview in the way that fits the wishes and the terminal."""
    if wishes.ask_all and wishes.policy is not None:
        raise BadArgument("--ask-all is a policy of its own; leave out --policy, or --ask-all.")
    scripted = wishes.answers is not None or wishes.confirm is not None or wishes.as_json
    if scripted or wishes.plain or not has_screen():
        from odm_tui.cli.plain.interview import run_plain_interview

        raise SystemExit(run_plain_interview(wishes))
    raise SystemExit(run_on_screen(wishes))


def has_screen() -> bool:
    """Whether all three ends are a terminal that can show a screen; Textual draws on the third."""
    ends = (sys.__stdin__, sys.__stdout__, sys.__stderr__)
    terminals = all(end is not None and end.isatty() for end in ends)
    return terminals and os.environ.get("TERM", "dumb") not in ("dumb", "")


def run_on_screen(wishes: Wishes) -> int:
    """Open the screen; its exit code."""
    from odm_tui.tui.worker.backend import Options

    gc.disable()  # for the first second: see OdmApp
    os.environ.setdefault("TEXTUAL_FPS", _LOOKS)
    options = Options(
        wishes.bank, wishes.state_dir, wishes.policy_name, wishes.seed, wishes.operator, wishes.resume
    )
    worker = _worker(
        options
    )  # loads what the first question needs, while the screen's own modules are loaded here
    from odm_tui.tui.app import OdmApp

    return OdmApp.open(worker, wishes.theme)


def _worker(options: Options) -> WorkerClient:
    """A worker in a process of its own, where the system can make one."""
    if hasattr(os, "fork"):
        from odm_tui.tui.worker.process import ProcessWorker

        with suppress(
            OSError
        ):  # no process or descriptor is to be had: a thread does as well, if not as soon
            return ProcessWorker(options)
    from odm_tui.tui.worker.backend import Backend
    from odm_tui.tui.worker.client import ThreadWorker

    worker = ThreadWorker(options)
    worker.tell(Backend.warm_up)
    return worker
