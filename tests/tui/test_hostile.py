"""No text of a bank is read as markup or as a control sequence, on any screen of a real terminal."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.terminal.hostile import CONTROL, PAYLOADS, write_hostile_bank
from tests.support.terminal.terminal import Terminal, odm_tui

ESCAPE, F1, F3, F4, F5, F6 = "\x1b", "\x1bOP", "\x1bOR", "\x1bOS", "\x1b[15~", "\x1b[17~"
CTRL_P, RIGHT = "\x10", "\x1b[C"


def attacks_in(written: bytes) -> list[str]:
    """The payloads that reached the terminal: whole ones, and any sequence that odm-tui never sends."""
    found = [repr(payload) for payload in CONTROL if payload.encode("utf-8") in written]
    systems = re.findall(rb"\x1b\](\d+;?[^\x07\x1b]{0,20})", written)
    found += [
        f"OSC {data!r}" for data in systems if not data.startswith(b"22;")
    ]  # the pointer's shape is ours
    if b"\xc2\x9b" in written or b"\xc2\x9d" in written or b"\xc2\x90" in written:
        found.append("a C1 control character")
    if re.search(rb"\x1b(?:c|_|\^|X|#8|\(0)", written):
        found.append("an escape sequence that resets or draws")
    return found


def test_there_are_forty_payloads_and_the_bank_holds_all_of_them(tmp_path: Path) -> None:
    import tomllib

    text = repr(tomllib.loads(write_hostile_bank(tmp_path).read_text(encoding="utf-8")))
    assert len(PAYLOADS) == 40
    assert [payload for payload in PAYLOADS if repr(payload)[1:-1] not in text] == []


def test_no_control_byte_of_a_bank_reaches_the_terminal_on_any_screen(tmp_path: Path) -> None:
    bank = write_hostile_bank(tmp_path)
    options = ("--bank", str(bank), "--state-dir", str(tmp_path / "state"), "--operator", "x", "--seed", "1")
    with Terminal(odm_tui(*options), tmp_path, size=(110, 40)) as terminal:
        terminal.wait_for("question 1")
        terminal.press("w", then=" → ")
        terminal.press("w", then="usefulness")
        terminal.press("w", gone="usefulness")
        for number in range(2, 8):
            terminal.press("?", then=f"question {number}")
        terminal.press("o", then="Ask another question")
        terminal.press(ESCAPE, gone="Ask another question")
        terminal.press("a", then="Change an earlier answer")
        terminal.press("\r", then="Change answer")
        terminal.press(ESCAPE, gone="Change answer")
        terminal.press(F1, then="Everywhere")
        terminal.press(ESCAPE, gone="Everywhere")
        terminal.press(CTRL_P, then="Search for")
        terminal.press(ESCAPE, gone="Search for")
        terminal.press(F5, then="Settings")
        terminal.press(ESCAPE, then="question 7")
        terminal.press(F4, then="heat map")
        terminal.press("3", then="bits")
        terminal.press("2", then="Right decisions")
        terminal.press("5", then="Form1")
        terminal.press(ESCAPE, then="question 7")
        terminal.press("d", then="sure")
        terminal.press("o", then="Which outcome was it?")
        terminal.press(ESCAPE, gone="Which outcome was it?")
        terminal.press("C", then="compared with asking everything")
        terminal.press(F3, then="confirmed")
        terminal.press("\r", then="Interview of")
        terminal.press(RIGHT * 9, then="Confirmed")
        terminal.press(ESCAPE, then="began")
        terminal.press(ESCAPE, then="compared with asking everything")
        terminal.press(ESCAPE, then="type a case")
        terminal.press(F6, then="callers simulated")
        terminal.press(ESCAPE, then="type a case")
        assert attacks_in(terminal.bytes) == []


def test_markup_of_a_bank_is_shown_as_it_is_written(tmp_path: Path) -> None:
    bank = tmp_path / "markup.toml"
    bank.write_text(
        'format = 1\ntitle = "T"\n'
        '[[outcomes]]\nid = "a"\nlabel = "[red]A[/red]"\n[[outcomes]]\nid = "b"\nlabel = "B"\n'
        '[[questions]]\nid = "q"\ntext = "Is it [@click=app.quit]so[/] or [/]?"\n'
    )
    arguments = odm_tui("--bank", str(bank), "--state-dir", str(tmp_path / "s"), "--ask-all")
    with Terminal(arguments, tmp_path) as terminal:
        terminal.wait_for("Is it [@click=app.quit]so[/] or [/]?")
        terminal.wait_for("[red]A[/red]")


@pytest.mark.parametrize("option", ["--plain", "--json"])
def test_no_control_byte_of_a_bank_is_printed_in_the_plain_mode(tmp_path: Path, option: str) -> None:
    bank = write_hostile_bank(tmp_path)
    arguments = odm_tui("--bank", str(bank), "--state-dir", str(tmp_path / "state"), "--seed", "1", option)
    answers = "w\n" + "?\n" * 30 + "\n"
    done = subprocess.run([sys.executable, *arguments], input=answers.encode(), capture_output=True)
    assert done.returncode == 0
    written = done.stdout + done.stderr
    assert b"\x1b" not in written
    assert attacks_in(written) == []
    assert not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", written)
