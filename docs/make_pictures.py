"""Draw every screen in four sizes and a whole interview as a moving picture into ``docs/pictures``; run by ``make pictures``.

The interviews in the pictures are simulated here, with fixed seeds and fixed clocks, so that the pictures change only
when the program or the banks change. Names of screens on the command line draw only these.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import re
import sys
import tempfile
import time
from collections import defaultdict
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
from odm_tui.tui.widgets.call_clock import CallClock
from odm_tui.tui.worker.client import ThreadWorker

PICTURES = Path(__file__).parent / "pictures"
BANK = "home-network"
PHONE = "troubleshooting"
VARIANTS = str(Path(__file__).parents[1] / "tests" / "support" / "terminal" / "variants.toml")
INTERVIEWS = 60
PENDING = 3
"""How many of the last interviews wait for their outcome."""
START_TIME = 1_760_000_000
SIZES = {"small": (60, 20), "usual": (80, 24), "roomy": (100, 32), "large": (200, 60)}
SECONDS_PER_KEY = 7
"""How far the call clock goes with each key."""
FRAME_SECONDS = 2.4
_FONTS = 'font-family: "Fira Code", "DejaVu Sans Mono", Menlo, Consolas, monospace;'


@dataclass(frozen=True)
class Picture:
    """One screen: the keys that lead to it, the bank and the theme."""

    keys: str = ""
    bank: str | None = PHONE
    theme: str = "dark"


FIRST_ANSWERS = "2 n 3 1"
SCREENS = {
    "home": Picture("", None),
    "interview": Picture("2 n y"),
    "choices": Picture(""),
    "number": Picture("2 n 3 o s p e e d enter 4 2", BANK),
    "why": Picture("2 n y w w"),
    "other": Picture("2 n y o"),
    "search": Picture("2 n y slash h o t"),
    "case": Picture("2 n y c T - 4 7 1 1"),
    "change": Picture("2 n y a enter"),
    "red-flag": Picture("2 y"),
    "decision": Picture(f"{FIRST_ANSWERS} d", BANK),
    "runners-up": Picture(f"{FIRST_ANSWERS} d tab", BANK),
    "summary": Picture(f"{FIRST_ANSWERS} d C", BANK),
    "history": Picture("n e t w o r k tab tab f3", None),
    "replay": Picture("n e t w o r k tab tab f3 down down down down enter right right right right", None),
    "learned": Picture("f4", BANK),
    "trend": Picture("f4 2", BANK),
    "telling": Picture("f4 3", BANK),
    "variants": Picture("f4 5", VARIANTS),
    "try": Picture("l u n g f6", None),
    "help": Picture("f1"),
    "commands": Picture("ctrl+p"),
    "settings": Picture("f5"),
}
THEMES = {
    "interview-light": Picture("2 n y", theme="light"),
    "interview-high-contrast": Picture("2 n y", theme="high contrast"),
    "interview-no-colour": Picture("2 n y", theme="no colour"),
}
MOVING = ["c", "T", "-", "4", "7", "1", "1", "enter", "2", "n", "y", "w", "d"]
"""The keys of the moving picture."""


def simulate_interviews(folder: Path) -> None:
    """Simulate sixty interviews with answers drawn from the bank's expectations; the last few are pending."""
    bank = load_bank(BANK)
    rng = np.random.default_rng(5)
    chances = bank.problem.pseudo / bank.problem.pseudo.sum(axis=2, keepdims=True).clip(1e-9)
    for number in range(INTERVIEWS):
        outcome = int(rng.choice(len(bank.outcomes), p=bank.problem.prior))
        pending = number >= INTERVIEWS - PENDING
        case = f"T-46{number}" if pending else None
        session = Session.start(bank, folder, seed=number, operator="desk-4", case=case, clock=_clock(number))
        while (question := session.question) is not None:
            place = bank.problem.positions[question.id]
            answer = int(
                rng.choice(len(question.answers), p=chances[place, outcome, : len(question.answers)])
            )
            session.answer(
                _choose_number(question.thresholds, answer) if question.type == "number" else answer
            )
        if not pending:
            session.confirm(bank.outcomes[outcome].id)
        session.leave()
    session = Session.start(
        load_bank("led"), folder, seed=1, operator="desk-4", case="A-17", clock=_clock(INTERVIEWS)
    )
    session.answer("yes")
    session.leave()


def _clock(number: int) -> Callable[[], float]:
    ticking = itertools.count(START_TIME + number * 7_000)
    return lambda: float(next(ticking))


def _choose_number(thresholds: tuple[float, ...], interval: int) -> float:
    """A number in this interval of the thresholds."""
    if interval == 0:
        return thresholds[0] / 2
    return thresholds[interval - 1] + 1


async def draw(picture: Picture, size: tuple[int, int], folder: Path, each: bool = False) -> list[str]:
    """The screen after the keys as SVG; with ``each``, also before them and after each key."""
    now = [0.0]
    CallClock.time = staticmethod(lambda: now[0])
    options = InterviewOptions(picture.bank, str(folder), seed=3, operator="desk-4")
    app = OdmApp(ThreadWorker(options), picture.theme, Config(Path("~/.config/odm-tui/config.toml")))
    drawn: list[str] = []
    try:
        async with app.run_test(size=size) as pilot:
            for key in ("", *picture.keys.split()):
                if key:
                    await pilot.press(key)
                    now[0] += SECONDS_PER_KEY
                for _ in range(3):
                    await app.workers.wait_for_complete()
                    await pilot.pause()
                for field in app.screen.query(Input):
                    field.cursor_blink = False
                if each:
                    drawn.append(shrink(app.export_screenshot(title="odm-tui")))
            await pilot.pause()
            drawn.append(shrink(app.export_screenshot(title="odm-tui")))
    finally:
        app.worker.close()
    return drawn


def shrink(svg: str) -> str:
    """The same picture with about half of the bytes: no fonts from elsewhere, no clipping, short names."""
    svg = re.sub(r"terminal-\d+-", "", svg)
    svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    svg = re.sub(r"font-family: Fira Code[^;]*;", _FONTS, svg)
    svg = re.sub(r'<clipPath id="line-\d+">\s*<rect[^>]*/>\s*</clipPath>', "", svg)
    svg = re.sub(r' clip-path="url\(#line-\d+\)"', "", svg)
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(?<=[\d])\.0(?=")', "", svg)
    svg = svg.replace(' shape-rendering="crispEdges"', "").replace("&#160;", "\u00a0")
    return paint_background(re.sub(r"[ \t]*\n[ \t\n]*", "\n", svg))


def paint_background(svg: str) -> str:
    """Draw the background once instead of behind every piece of text, if one colour fills most of the screen."""
    cells = r'<rect fill="(#\w+)" x="[\d.]+" y="[\d.]+" width="([\d.]+)" height="([\d.]+)"/>'
    areas: defaultdict[str, float] = defaultdict(float)
    for fill, width, height in re.findall(cells, svg):
        areas[fill] += float(width) * float(height)
    screen = re.search(r'<clipPath id="clip-terminal">\s*<rect [^>]*width="([\d.]+)" height="([\d.]+)"', svg)
    if not areas or screen is None:
        return svg
    fill = max(areas, key=areas.__getitem__)
    half = float(screen[1]) * float(screen[2]) / 2
    if areas[fill] < half:  # without colours, only what is marked has a background
        return svg
    svg = re.sub(cells.replace(r"(#\w+)", fill), "", svg)
    whole = f'<rect fill="{fill}" width="100%" height="100%"/>'
    return re.sub(r'(<g transform="translate\(9, 41\)"[^>]*>)', rf"\1{whole}", svg)


def join_frames(frames: list[str]) -> str:
    """One SVG that shows the frames one after another, for ever."""
    first = frames[0]
    start, end = first.index('<g transform="translate(9, 41)"'), first.rindex("</svg>")
    groups = []
    share = 100 / len(frames)
    for at, frame in enumerate(frames):
        body = frame[frame.index('<g transform="translate(9, 41)"') : frame.rindex("</svg>")]
        body = re.sub(r'class="(r\d+)"', rf'class="f{at}\1"', body)
        rules = "".join(f".f{at}{rule}" for rule in re.findall(r"\.(r\d+ \{[^}]*\})", frame))
        delay = f"animation-delay:{at * FRAME_SECONDS:.1f}s"
        groups.append(f'<style>{rules}</style><g class="frame" style="{delay}">{body}</g>')
    whole = len(frames) * FRAME_SECONDS
    rule = (
        f"<style>.frame{{visibility:hidden;animation:show {whole:.1f}s step-end infinite}}"
        f"@keyframes show{{0%{{visibility:visible}}{share:.3f}%{{visibility:hidden}}}}</style>"
    )
    return first[:start] + rule + "\n".join(groups) + first[end:]


def _with_state(states: Path, picture: Picture, size: tuple[int, int], each: bool = False) -> list[str]:
    """Draw a picture with a copy of the simulated interviews."""
    with tempfile.TemporaryDirectory() as home:
        os.environ["HOME"] = home
        folder = Path(home, ".local", "share", "odm-tui")
        folder.mkdir(parents=True)
        for file in states.iterdir():
            (folder / file.name).write_bytes(file.read_bytes())
        return asyncio.run(draw(picture, size, folder, each))


def draw_moving_picture(states: Path) -> str:
    """A whole interview; typing a case is one frame."""
    frames = _with_state(states, Picture(" ".join(MOVING)), SIZES["usual"], each=True)
    kept = [frame for at, frame in enumerate(frames[:-1]) if at == 0 or len(MOVING[at - 1]) > 1 or at > 7]
    return join_frames(kept)


def main() -> None:
    """Draw all pictures, or those that are named."""
    os.environ["TZ"] = "UTC"
    KeyGuard.ANSWER_DELAY = KeyGuard.CONFIRM_DELAY = KeyGuard.READING_TIME = 0.0
    time.tzset()
    PICTURES.mkdir(exist_ok=True)
    wanted = set(sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        states = Path(name)
        simulate_interviews(states)
        for screen, picture in SCREENS.items():
            for size, cells in SIZES.items():
                if not wanted or screen in wanted:
                    (svg,) = _with_state(states, picture, cells)
                    _write(f"{screen}-{size}", svg)
        for screen, picture in THEMES.items():
            if not wanted or screen in wanted:
                _write(screen, _with_state(states, picture, SIZES["usual"])[0])
        if not wanted or "moving" in wanted:
            _write("moving", draw_moving_picture(states))


def _write(name: str, svg: str) -> None:
    (PICTURES / f"{name}.svg").write_text(svg)
    print(f"docs/pictures/{name}.svg  {len(svg) // 1024} KB", flush=True)


if __name__ == "__main__":
    main()
