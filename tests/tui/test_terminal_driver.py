"""Stopping and continuing, with the signals in every order in which they can be noticed."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Key

from odm_tui.tui.terminal_driver import RobustDriver


class Process:
    """A driver without a terminal: what it does to screen and process is written down."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.done: list[str] = []
        self.now = 0.0
        self.waiting: list[tuple[SimpleNamespace, Callable[[], None]]] = []
        self.driver = driver = RobustDriver.__new__(RobustDriver)
        handles = SimpleNamespace(time=lambda: self.now, call_later=self._later, call_soon=self._soon)
        driver.__dict__.update(_loop=handles, _stopping=None, _has_stopped=False, _continued_at=float("-inf"))
        driver.__dict__.update(_auto_restart=True, _app=SimpleNamespace(is_running=True), _writer_thread=None)
        monkeypatch.setattr(driver, "suspend_application_mode", lambda: self.done.append("leave"))
        monkeypatch.setattr(driver, "resume_application_mode", lambda: self.done.append("enter"))
        monkeypatch.setattr(os, "kill", lambda _, number: self.done.append(signal.Signals(number).name))

    def _later(self, _: float, run: Callable[[], None]) -> Any:
        return self._soon(run)

    def _soon(self, run: Callable[[], None]) -> Any:
        handle = SimpleNamespace(cancelled=False)
        handle.cancel = lambda: setattr(handle, "cancelled", True)
        self.waiting.append((handle, run))
        return handle

    def step(self) -> None:
        """Run what waits, and not what that adds."""
        ready, self.waiting = self.waiting, []
        for handle, run in ready:
            if not handle.cancelled:
                run()

    def stop(self) -> None:
        """Notice SIGTSTP."""
        self.driver._sigtstp_application()

    def go_on(self) -> None:
        """Notice SIGCONT."""
        self.driver._sigcont_application()


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch) -> Process:
    return Process(monkeypatch)


def test_it_leaves_the_screen_stops_and_comes_back(process: Process) -> None:
    process.stop()
    process.step()
    process.step()
    process.go_on()
    assert process.done == ["leave", "SIGSTOP", "enter"]


def test_continued_before_it_has_stopped_it_does_not_stop(process: Process) -> None:
    process.stop()
    process.go_on()
    process.step()
    process.step()
    assert process.done == ["leave", "enter"]


def test_continued_in_the_moment_of_stopping_it_does_not_stop(process: Process) -> None:
    process.stop()
    process.waiting.append((SimpleNamespace(cancelled=False), process.go_on))
    process.step()
    process.step()
    assert process.done == ["leave", "enter"]


def test_a_stop_that_its_continuation_has_overtaken_stops_nothing(process: Process) -> None:
    process.go_on()
    process.now = 0.1
    process.stop()
    process.step()
    process.step()
    assert process.done == ["enter"]


def test_a_stop_later_than_that_counts(process: Process) -> None:
    process.go_on()
    process.now = 1.0
    process.stop()
    process.step()
    process.step()
    assert process.done == ["enter", "leave", "SIGSTOP"]


def test_stopping_right_after_a_stop_that_was_continued_counts(process: Process) -> None:
    for _ in range(2):
        process.stop()
        process.step()
        process.step()
        process.go_on()
    assert process.done == ["leave", "SIGSTOP", "enter"] * 2


@pytest.mark.parametrize("typed", ["\x1b[1114112;1u", "\x1b[999999999999u", "\x1b[27;5;99999999~"])
def test_keys_are_read_on_after_a_sequence_that_no_key_has(
    typed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = [typed, "y"]
    read: list[str] = []

    def read_keys(_: LinuxDriver) -> None:
        while waiting:
            read.extend(event.key for event in XTermParser().feed(waiting.pop(0)) if isinstance(event, Key))

    monkeypatch.setattr(LinuxDriver, "run_input_thread", read_keys)
    driver = RobustDriver.__new__(RobustDriver)
    driver.__dict__["exit_event"] = Event()
    driver.run_input_thread()
    assert read == ["y"]
