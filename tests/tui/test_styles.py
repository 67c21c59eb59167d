"""The styles of a screen: Textual applies each file to every screen that is open, so no rule may fit another screen."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import odm_tui.tui

TUI = Path(odm_tui.tui.__file__).parent
FILES = sorted((TUI / "screens").glob("*.tcss"))
SOURCES = {path: path.read_text(encoding="utf-8") for path in sorted(TUI.rglob("*.py"))}


def selectors(file: Path) -> list[str]:
    text = re.sub(r"/\*.*?\*/", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
    return [one.strip() for rule in re.findall(r"([^{}]+)\{", text) for one in rule.split(",")]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_rule_for_an_id_fits_only_the_screens_that_load_it(file: Path) -> None:
    for selector in selectors(file):
        if re.match(r"[A-Z]", selector):
            continue  # it names its screen or widget
        for name in re.findall(r"#([\w-]+)", selector):
            strangers = [
                path.name
                for path, source in SOURCES.items()
                if f'id="{name}"' in source and f'"{file.name}"' not in source
            ]
            assert not strangers, (selector, strangers)
