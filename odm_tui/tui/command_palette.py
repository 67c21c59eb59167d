"""The command palette (Ctrl+P): find and run the commands that work on the current screen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.actions import parse
from textual.command import DiscoveryHit, Hit, Hits, Provider

from odm_tui.tui.key_bindings import EVERYWHERE, Action, keys_for

if TYPE_CHECKING:
    from textual.app import App
    from textual.screen import Screen


def available_commands(screen: Screen[object], app: App[Any]) -> Iterator[Action]:
    """Yield the commands that work now: first what is wanted most, last what one key on the screen says already.

    Those in the key bar come first, in the order of their rank; then those of every screen; then the rest, such as
    the answers.
    """
    groups: tuple[Action, ...] = getattr(screen, "ACTIONS", ())
    wanted = sorted((action for action in groups if action.rank > 0), key=lambda action: action.rank)
    others = [action for action in groups if action not in wanted]
    for action in (*wanted, *EVERYWHERE, *others):
        _, name, parameters = parse(action.does)
        node = screen if action in groups else app
        if name != "command_palette" and node.check_action(name, parameters):
            yield action


class CommandProvider(Provider):
    """List every command that works on the screen below the palette."""

    def _commands(self) -> Iterator[tuple[str, str, Callable[[], Any]]]:
        keymap: Mapping[str, str] = getattr(self.app, "keymap", {})
        for action in available_commands(self.screen, self.app):
            keys = " or ".join(keys_for(action.id, keymap))
            node = self.app if action in EVERYWHERE else self.screen
            yield f"{action.label}  ({keys})", action.help, partial(node.run_action, action.does)

    async def discover(self) -> Hits:
        """Yield all commands."""
        for name, help, call in self._commands():
            yield DiscoveryHit(name, call, help=help)

    async def search(self, query: str) -> Hits:
        """Yield the commands whose label or help text matches the query."""
        matcher = self.matcher(query)
        for name, help, call in self._commands():
            score = max(matcher.match(name), matcher.match(help) * 0.8)
            if score > 0:
                yield Hit(score, matcher.highlight(name), call, help=help)
