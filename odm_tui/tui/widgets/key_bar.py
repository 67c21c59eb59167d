"""The line at the bottom: the keys that work now, in the operator's own keymap, clickable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len
from textual import events
from textual.actions import parse
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget

from odm_tui.tui.actions import EVERYWHERE, Action, key_for


@dataclass(frozen=True, slots=True)
class Hint:
    """One key with its label, and the command that it stands for."""

    key: str
    label: str
    does: str
    rank: int

    @property
    def width(self) -> int:
        """How many cells it takes, with the space after it."""
        return cell_len(self.key) + 1 + cell_len(self.label) + 2


def fitting(hints: list[Hint], width: int) -> list[Hint]:
    """As many hints as fit, in their order; the ones with the highest rank number go first."""
    kept = list(hints)
    while kept and sum(hint.width for hint in kept) > width:
        worst = max(hint.rank for hint in kept)
        kept.remove([hint for hint in kept if hint.rank == worst][-1])
    return kept


def hints_of(screen: Screen[Any], actions: tuple[Action, ...]) -> list[Hint]:
    """The commands that work now and belong into the bar, those of the screen before those of everywhere."""
    keymap: Mapping[str, str] = getattr(screen.app, "keymap", {})
    hints = []
    for action in (*actions, *EVERYWHERE):
        _, name, parameters = parse(action.does)
        node = screen if action in actions else screen.app
        if action.rank and node.check_action(name, parameters):
            hints.append(Hint(key_for(action.id, keymap), action.label, action.does, action.rank))
    return hints


class KeyBar(Widget):
    """The keys of the screen it is on."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    KeyBar { dock: bottom; height: 1; padding: 0 1; background: $panel; }
    """

    hints: list[Hint]

    def __init__(self, actions: tuple[Action, ...]) -> None:
        super().__init__()
        self.actions = actions
        self.hints = []

    def on_mount(self) -> None:
        """Follow the bindings of the screen."""
        self.screen.bindings_updated_signal.subscribe(self, self._follow)
        self._follow(self.screen)

    def _follow(self, screen: Screen[Any]) -> None:
        if not self.is_attached or screen is not self.screen:
            return
        hints = hints_of(screen, self.actions)
        if hints != self.hints:
            self.hints = hints
            self.refresh()

    def render(self) -> Content:
        """Draw as many as fit."""
        parts: list[tuple[str, str]] = []
        for hint in fitting(self.hints, self.content_size.width + 2):
            parts += [(hint.key, "bold $accent"), (f" {hint.label}  ", "$foreground")]
        return Content.assemble(*parts)

    async def on_click(self, event: events.Click) -> None:
        """A click on a key is the key."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        x = offset.x
        for hint in fitting(self.hints, self.content_size.width + 2):
            if x < hint.width:
                await self.screen.run_action(hint.does)
                return
            x -= hint.width
