"""The settings screen: theme, Why panel, questions to learn, the operator's pseudonym, and the paths of files."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from odm_tui.tui.config import AS_THE_BANK_SAYS
from odm_tui.tui.key_bindings import SETTINGS, make_bindings
from odm_tui.tui.messages import SettingChanged
from odm_tui.tui.themes import THEME_NAMES
from odm_tui.tui.widgets.banner import Banner
from odm_tui.tui.widgets.key_bar import KeyBar
from odm_tui.tui.widgets.marked_list import MarkedList
from odm_tui.tui.widgets.title_bar import TitleBar

_EXPLORE_WORDS = {
    AS_THE_BANK_SAYS: "as the bank says",
    "always": "always, as the policy does",
    "quiet": "not while one outcome leads clearly",
    "never": "never",
}


class SettingsScreen(Screen[None]):
    """Show the settings; every change takes effect at once and is written to the config file."""

    CSS_PATH: ClassVar = ["pages.tcss", "settings.tcss"]
    ACTIONS = SETTINGS
    BINDINGS = make_bindings(SETTINGS)
    AUTO_FOCUS = ""  # see on_mount

    def __init__(
        self,
        theme: str,
        why: bool,
        operator: str,
        files: dict[str, str],
        why_key: str = "w",
        explore: str = AS_THE_BANK_SAYS,
    ) -> None:
        super().__init__()
        self._why_key, self._explore = why_key, explore
        self._theme, self._why, self._operator, self._files = theme, why, operator, files

    def compose(self) -> ComposeResult:
        """Show the settings, then the paths of files."""
        yield TitleBar("Settings", "Enter takes a choice · Tab goes on")
        with VerticalScroll(id="page", can_focus=False):
            yield Static(Content("Theme"), classes="heading")
            yield MarkedList(*(Option(name, name) for name in THEME_NAMES), id="themes", markup=False)
            yield Static(Content("Why panel"), classes="heading")
            choices = (
                Option(f"closed until asked for ({self._why_key})", "no"),
                Option("open from the start", "yes"),
            )
            yield MarkedList(*choices, id="why", markup=False)
            yield Static(Content("Questions asked to learn, from the next call on"), classes="heading")
            yield MarkedList(
                *(Option(words, name) for name, words in _EXPLORE_WORDS.items()), id="explore", markup=False
            )
            yield Static(Content("Operator's pseudonym in the log"), classes="heading")
            yield Input(
                self._operator,
                placeholder="made up for you; type another, then Enter",
                id="operator",
                max_length=64,
            )
            yield Static(Content("Files"), classes="heading")
            for name, path in self._files.items():
                yield Static(Content.assemble((f"{name:<14}", "$quiet"), path), classes="text")
        yield Banner()
        yield KeyBar(SETTINGS)

    def on_mount(self) -> None:
        """Mark the current values, and take the keys without scrolling the first heading away."""
        self.query_one("#themes", OptionList).focus(scroll_visible=False)
        self.query_one("#themes", OptionList).highlighted = THEME_NAMES.index(self._theme)
        self.query_one("#why", OptionList).highlighted = int(self._why)
        self.query_one("#explore", OptionList).highlighted = list(_EXPLORE_WORDS).index(self._explore)

    def on_descendant_focus(self) -> None:
        """Show the mark in the list that Enter acts on."""
        for choices in self.query(MarkedList):
            choices.marks = choices.has_focus

    @on(OptionList.OptionSelected)
    def _handle_choice(self, event: OptionList.OptionSelected) -> None:
        if event.option_list.id == "themes":
            self.post_message(SettingChanged("theme", event.option_id or "dark"))
        elif event.option_list.id == "explore":
            self.post_message(SettingChanged("explore", event.option_id or AS_THE_BANK_SAYS))
        else:
            self.post_message(SettingChanged("why", event.option_id == "yes"))

    @on(Input.Submitted)
    def _handle_operator(self, event: Input.Submitted) -> None:
        if event.value.strip():
            self.post_message(SettingChanged("operator", event.value.strip()))

    def show_message(self, text: str, is_error: bool = False) -> None:
        """Show whether a setting was saved."""
        self.query_one(Banner).show_message(text, is_error)

    def action_back(self) -> None:
        """Go back to the previous screen."""
        self.app.pop_screen()
