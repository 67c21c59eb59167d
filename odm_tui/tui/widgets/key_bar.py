"""The bottom line: the keys that work now, in the user's keymap; a click on one runs its command."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len
from textual import events
from textual.actions import parse
from textual.content import Content
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget

from odm_tui.tui.key_bindings import EVERYWHERE, Action, format_key, key_for
from odm_tui.tui.widgets.drawing import fit_text


@dataclass(frozen=True, slots=True)
class KeyHint:
    """One key with its label and its action."""

    key: str
    label: str
    does: str
    rank: int

    @property
    def width(self) -> int:
        """The width in cells, with the space after it."""
        return cell_len(self.key) + 1 + cell_len(self.label) + 2


_WORD_TIME = 4.0
"""Seconds for which a word about a key stays in the bar."""


def fit_hints(hints: list[KeyHint], width: int) -> list[KeyHint]:
    """As many hints as fit, in their order; those with the highest rank number are left out first."""
    shown = list(hints)
    while shown and sum(hint.width for hint in shown) > width:
        worst = max(hint.rank for hint in shown)
        if worst < 0:
            break
        shown.remove([hint for hint in shown if hint.rank == worst][-1])
    return shown


def list_hints(screen: Screen[Any], actions: tuple[Action, ...]) -> list[KeyHint]:
    """The keys that work now and belong in the bar: those of the screen, then those of every screen.

    A screen may have ``labels`` of its own for commands that do something else now.
    """
    keymap: Mapping[str, str] = getattr(screen.app, "keymap", {})
    names: Mapping[str, str] = getattr(screen, "labels", {})
    is_covered = screen.app.screen is not screen  # by a dialog, which takes the keys
    hints = [KeyHint(format_key("escape"), "Back", "", 1)] if is_covered else []
    for action in EVERYWHERE if is_covered else (*actions, *EVERYWHERE):
        _, name, parameters = parse(action.does)
        node = screen if action in actions else screen.app
        if action.rank and node.check_action(name, parameters):
            label = names.get(action.id, action.label)
            hints.append(KeyHint(key_for(action.id, keymap), label, action.does, action.rank))
    return hints


class KeyBar(Widget):
    """Show the keys of the screen that it is on."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    KeyBar { dock: bottom; height: 1; padding: 0 1; background: $panel; }
    """

    hints: list[KeyHint]

    def __init__(self, actions: tuple[Action, ...]) -> None:
        super().__init__()
        self.actions = actions
        self.hints = []
        self.word = ""
        """A word about the last key, in place of the hints."""
        self._word_timer: Timer | None = None

    def on_mount(self) -> None:
        """Update the keys whenever the bindings of the screen change."""
        self.screen.bindings_updated_signal.subscribe(self, self._update)
        self._update(self.screen)

    def _update(self, screen: Screen[Any]) -> None:
        if not self.is_attached or screen is not self.screen:
            return
        hints = list_hints(screen, self.actions)
        if hints != self.hints:
            self.hints = hints
            self.refresh()

    def say(self, word: str) -> None:
        """Show a word about the last key for a while, in place of the keys."""
        self.word = word
        if self._word_timer is not None:
            self._word_timer.stop()
        self._word_timer = self.set_timer(_WORD_TIME, self.be_quiet) if word else None
        self.refresh()

    def be_quiet(self) -> None:
        """Show the keys again."""
        if self.word:
            self.say("")

    def render(self) -> Content:
        """Draw as many keys as fit."""
        if self.word:
            return Content.assemble(
                ("· ", "bold $accent"), (fit_text(self.word, self.content_size.width - 2), "$foreground")
            )
        parts: list[tuple[str, str]] = []
        for hint in fit_hints(self.hints, self.content_size.width + 2):
            parts += [(hint.key, "bold $accent"), (f" {hint.label}  ", "$foreground")]
        return Content.assemble(*parts)

    async def on_click(self, event: events.Click) -> None:
        """Run the command of the clicked key."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        if self.word:
            self.be_quiet()
            return
        x = offset.x
        for hint in fit_hints(self.hints, self.content_size.width + 2):
            if x < hint.width:
                await self.screen.run_action(hint.does)
                return
            x -= hint.width
