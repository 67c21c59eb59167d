"""Draw every screen into ``docs/pictures``; run by ``make pictures``.

The interviews in the pictures are simulated here, with fixed seeds and a fixed clock, so that the pictures change only
when the program or the banks change.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import re
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from textual.widgets import Input

from odm_tui.banks import load_bank
from odm_tui.interview_options import InterviewOptions
from odm_tui.session import Session
from odm_tui.tui.app import OdmApp
from odm_tui.tui.config import Config
from odm_tui.tui.key_guard import KeyGuard
from odm_tui.tui.worker.client import ThreadWorker

PICTURES = Path(__file__).parent / "pictures"
BANK = "home-network"
INTERVIEWS = 60
START_TIME = 1_760_000_000
DEFAULT_SIZE = (100, 30)
_FONTS = 'font-family: "Fira Code", "DejaVu Sans Mono", Menlo, Consolas, monospace;'


@dataclass(frozen=True)
class Picture:
    """One picture: the keys to press, the bank, the size and the theme."""

    name: str
    keys: str = ""
    bank: str | None = BANK
    size: tuple[int, int] = DEFAULT_SIZE
    theme: str = "dark"


FIRST_ANSWERS = "2 1 1"
ALL = (
    Picture("interview", "2 n y", "troubleshooting"),
    Picture("interview-light", "2 n y", "troubleshooting", theme="light"),
    Picture("interview-high-contrast", "2 n y", "troubleshooting", theme="high contrast"),
    Picture("interview-no-colour", "2 n y", "troubleshooting", theme="no colour"),
    Picture("interview-small", "2 n y", "troubleshooting", (60, 20)),
    Picture("interview-large", "2 n y w", "troubleshooting", (200, 60)),
    Picture("why", "2 n y w", "troubleshooting"),
    Picture("choices", "", BANK),
    Picture("number", f"{FIRST_ANSWERS} o s p e e d enter 4 2", BANK),
    Picture("pick", f"{FIRST_ANSWERS} o", BANK),
    Picture("change", f"{FIRST_ANSWERS} a enter", BANK),
    Picture("decision", f"{FIRST_ANSWERS} d", BANK),
    Picture("decision-light", f"{FIRST_ANSWERS} d", BANK, theme="light"),
    Picture("summary", f"{FIRST_ANSWERS} d enter", BANK),
    Picture("home", "", None),
    Picture("home-light", "", None, theme="light"),
    Picture("history", "n e t w o r k f3", None),
    Picture("replay", "n e t w o r k f3 down enter right right right right", None),
    Picture("learned", "f4", BANK),
    Picture("trend", "f4 2", BANK),
    Picture("telling", "f4 3", BANK),
    Picture("help", "f1", BANK),
    Picture("commands", "ctrl+p", BANK),
    Picture("settings", "f5", BANK),
)


def simulate_interviews(folder: Path) -> None:
    """Simulate sixty interviews with answers drawn from the bank's expectations; leave the last one pending."""
    bank = load_bank(BANK)
    rng = np.random.default_rng(5)
    chances = bank.problem.pseudo / bank.problem.pseudo.sum(axis=2, keepdims=True).clip(1e-9)
    for number in range(INTERVIEWS):
        outcome = int(rng.choice(len(bank.outcomes), p=bank.problem.prior))
        session = Session.start(bank, folder, seed=number, operator="desk-4", clock=_clock(number))
        while (question := session.question) is not None:
            place = bank.problem.positions[question.id]
            answer = int(
                rng.choice(len(question.answers), p=chances[place, outcome, : len(question.answers)])
            )
            session.answer(
                _choose_number(question.thresholds, answer) if question.type == "number" else answer
            )
        if number < INTERVIEWS - 1:
            session.confirm(bank.outcomes[outcome].id)
        session.leave()


def _clock(number: int) -> Callable[[], float]:
    ticking = itertools.count(START_TIME + number * 7_000)
    return lambda: float(next(ticking))


def _choose_number(thresholds: tuple[float, ...], interval: int) -> float:
    """A number in this interval of the thresholds."""
    if interval == 0:
        return thresholds[0] / 2
    return thresholds[interval - 1] + 1


async def draw(picture: Picture, folder: Path) -> str:
    """The picture as SVG."""
    options = InterviewOptions(picture.bank, str(folder), seed=3, operator="desk-4")
    app = OdmApp(ThreadWorker(options), picture.theme, Config(Path("~/.config/odm-tui/config.toml")))
    try:
        async with app.run_test(size=picture.size) as pilot:
            for key in ("", *picture.keys.split()):
                if key:
                    await pilot.press(key)
                for _ in range(3):
                    await app.workers.wait_for_complete()
                    await pilot.pause()
            for field in app.screen.query(Input):
                field.cursor_blink = False
            await pilot.pause()
            svg = app.export_screenshot(title="odm-tui")
    finally:
        app.worker.close()
    svg = re.sub(r"terminal-\d+", "terminal", svg)
    svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    svg = re.sub(r"font-family: Fira Code[^;]*;", _FONTS, svg)
    return re.sub(r"[ \t]+\n", "\n", svg)


def main() -> None:
    """Draw all pictures."""
    os.environ["TZ"] = "UTC"
    KeyGuard.ANSWER_DELAY = KeyGuard.CONFIRM_DELAY = 0.0
    time.tzset()
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as states:
        simulate_interviews(Path(states))
        for picture in ALL:
            with tempfile.TemporaryDirectory() as home:
                os.environ["HOME"] = home
                folder = Path(home, ".local", "share", "odm-tui")
                folder.mkdir(parents=True)
                for file in Path(states).iterdir():
                    (folder / file.name).write_bytes(file.read_bytes())
                (PICTURES / f"{picture.name}.svg").write_text(asyncio.run(draw(picture, folder)))
            print(f"docs/pictures/{picture.name}.svg")


if __name__ == "__main__":
    main()
