"""The screen, the plain mode and ``next`` ask the same questions and learn the same state from the same answers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from odm_tui.banks import load_bank
from odm_tui.session import Archive
from odm_tui.store.events import Answered, Unknown
from odm_tui.store.paths import StatePaths
from tests.support.terminal.driving import BANK, at_the_screen

SHEET: dict[str, str | int] = {
    "storm": "yes",
    "lights": "no",
    "colour": "red",
    "paid": "unknown",
    "ping": 250,
}
KEYS = {
    "storm": ["y"],
    "lights": ["n"],
    "colour": ["2"],
    "paid": ["question_mark"],
    "ping": [*"250", "enter"],
}
LINES = {"storm": "y", "lights": "n", "colour": "2", "paid": "?", "ping": "250"}


def asked_in(folder: Path) -> list[str]:
    archive = Archive.of(load_bank(BANK), folder)
    (record,) = archive.history()
    return [
        e.question
        for e in archive.read_interview(record.interview).events
        if isinstance(e, Answered | Unknown)
    ]


def state(folder: Path) -> bytes:
    return StatePaths.of(folder, "desk").state.read_bytes()


def odm_tui(*options: str, lines: str = "") -> str:
    done = subprocess.run(
        [sys.executable, "-m", "odm_tui", *options], input=lines, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


async def on_the_screen(folder: Path, policy: str) -> list[str]:
    async with at_the_screen(folder, seed=7, policy=policy) as operator:
        while operator.screen == "InterviewScreen":
            await operator.press(*KEYS[operator.question])
        await operator.press("o")
        await operator.type("line")
        await operator.press("enter")
    return asked_in(folder)


def in_lines(folder: Path, policy: str, order: list[str]) -> list[str]:
    lines = "\n".join([LINES[question] for question in order] + ["line", ""])
    odm_tui("--bank", BANK, "--state-dir", str(folder), "--seed", "7", "--policy", policy, lines=lines)
    return asked_in(folder)


def from_a_sheet(folder: Path, policy: str) -> list[str]:
    sheet = folder.parent / f"sheet-{folder.name}.json"
    sheet.write_text(json.dumps(SHEET))
    options = ("--answers", str(sheet), "--confirm", "line", "--seed", "7", "--policy", policy)
    odm_tui("--bank", BANK, "--state-dir", str(folder), *options)
    return asked_in(folder)


def through_next(folder: Path, policy: str) -> list[str]:
    given: dict[str, str | int] = {}
    while True:
        options = ("--answers", "-", "--seed", "7", "--policy", policy, "--state-dir", str(folder), "--json")
        step = json.loads(odm_tui("next", "--bank", BANK, *options, lines=json.dumps(given)))
        if step["status"] == "decision":
            return list(given)
        question = step["question"]["id"]
        given[question] = SHEET[question]


@pytest.mark.parametrize("policy", ["w-ec2-ts", "w-ig-ts"])
async def test_the_same_answers_give_the_same_questions_and_the_same_state(
    tmp_path: Path, policy: str
) -> None:
    order = await on_the_screen(tmp_path / "screen", policy)
    assert len(order) > 1
    assert in_lines(tmp_path / "lines", policy, order) == order
    assert from_a_sheet(tmp_path / "sheet", policy) == order
    assert through_next(tmp_path / "next", policy) == order
    assert state(tmp_path / "screen") == state(tmp_path / "lines") == state(tmp_path / "sheet")
