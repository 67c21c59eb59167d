"""The themes: every one can be chosen, and every text can be read in it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from textual.color import Color
from textual.widgets import OptionList

from odm_tui.tui.themes import OWN_THEMES, READABLE, THEME_NAMES, contrast, find_theme
from tests.support.terminal.driving import at_the_screen

COLOURED = [name for name in THEME_NAMES if not find_theme(name).ansi]


@pytest.mark.parametrize("name", COLOURED)
def test_every_text_of_a_theme_can_be_read_on_every_ground(name: str) -> None:
    theme = find_theme(name)
    colours = {**theme.to_color_system().generate(), **theme.variables}
    for text in ("foreground", "quiet", "accent", "warning", "error"):
        for ground in ("background", "surface", "panel"):
            assert contrast(Color.parse(colours[text]), Color.parse(colours[ground])) >= READABLE - 0.1, (
                text,
                ground,
            )
    cursor = Color.parse(colours["block-cursor-background"])
    assert contrast(Color.parse(colours["block-cursor-foreground"]), cursor) >= READABLE


async def test_a_theme_of_textual_is_chosen_in_the_settings_and_kept(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("f5")
        operator.app.screen.query_one("#themes", OptionList).highlighted = THEME_NAMES.index("nord")
        await operator.press("enter")
        assert operator.app.theme == "nord"
        assert operator.app.theme_variables["quiet"] == find_theme("nord").variables["quiet"]
        await operator.press("escape", "f2")
        assert operator.app.theme == next(iter(OWN_THEMES))
        await operator.press("f5")
        operator.app.screen.query_one("#themes", OptionList).highlighted = THEME_NAMES.index(
            "solarized-light"
        )
        await operator.press("enter")
    assert tomllib.loads((tmp_path / "config.toml").read_text())["theme"] == "solarized-light"


@pytest.mark.parametrize("theme", ["ansi-dark", "ansi-light", "textual-light", "dracula"])
async def test_the_screens_are_drawn_in_themes_of_textual(tmp_path: Path, theme: str) -> None:
    async with at_the_screen(tmp_path, theme=theme) as operator:
        await operator.press("question_mark", "w", "w", "f4", "2", "escape", "d")
        assert operator.screen == "DecisionScreen"
