"""Tell the browser page around the screen what it shows beside it: its title, and its keys as touch buttons.

Under ``odm-tui serve`` the screen is a terminal in a page. The page has a title of its own, and on a phone it has
large buttons below the terminal. Both follow what is on the screen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from textual.widgets import OptionList

from odm_tui.tui.key_bindings import BY_ID, EVERYWHERE
from odm_tui.tui.widgets.answer_pad import AnswerButton
from odm_tui.tui.widgets.key_bar import KeyBar
from odm_tui.tui.widgets.number_entry import NumberEntry
from odm_tui.tui.widgets.title_bar import TitleBar

if TYPE_CHECKING:
    from textual.app import App
    from textual.screen import Screen

_SEQUENCES = {
    "enter": "\r",
    "escape": "\x1b",
    "backspace": "\x7f",
    "space": " ",
    "tab": "\t",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    "f1": "\x1bOP",
    "f2": "\x1bOQ",
    "f3": "\x1bOR",
    "f4": "\x1bOS",
    "f5": "\x1b[15~",
    "question_mark": "?",
    "slash": "/",
    "full_stop": ".",
    "comma": ",",
}

_LAST = 99
"""The place of commands without a rank: Help and Leave, which every screen has."""


class WebPage:
    """Send the title and the keys of the current screen to the page whenever they change."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._sent: dict[str, object] = {}

    def update(self) -> None:
        """Send what has changed since the last time; does nothing in a terminal."""
        driver = self._app._driver
        if driver is None or not driver.is_web or not self._app.screen_stack:
            return
        screen = self._app.screen
        self._send("title", find_title(self._app))
        self._send("keys", list(list_touch_keys(screen, getattr(self._app, "keymap", {}))))

    def _send(self, kind: str, value: object) -> None:
        if self._sent.get(kind) != value:
            self._sent[kind] = value
            write_meta = getattr(self._app._driver, "write_meta", None)
            if write_meta is not None:
                write_meta({"type": kind, kind: value})


def find_title(app: App[Any]) -> str:
    """The title of the topmost screen that has one, such as the bank and the case."""
    for screen in reversed(app.screen_stack):
        for bar in screen.query(TitleBar):
            if bar.title and bar.title != app.title:
                return f"{bar.title} · {app.title}"
    return app.title


def list_touch_keys(screen: Screen[Any], keymap: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """The keys that work on this screen: the answers first, then digits or arrows, then the commands by their rank.

    Each has its ``kind``: an answer, an entry (a digit or an arrow), or a command. No key has two buttons.
    """
    listed: set[str] = set()
    for key in _list_all_keys(screen, keymap):
        if key["sends"] not in listed:
            listed.add(key["sends"])
            yield key


def _list_all_keys(screen: Screen[Any], keymap: Mapping[str, str]) -> Iterator[dict[str, str]]:
    for button in screen.query(AnswerButton):
        if button.display and button.region:
            key = _first_key(button.command, keymap) if button.command else button.reply.key
            if sends := key_sequence(key):
                yield _touch_key(button.reply.label, sends, "answer")
    if any(entry.display and entry.region for entry in screen.query(NumberEntry)):
        for digit in "1234567890.":
            yield _touch_key(digit, digit, "entry")
        yield _touch_key("⌫", "\x7f", "entry")
        yield _touch_key("OK", "\r", "answer")
    if screen.query(OptionList):
        yield _touch_key("▲", "\x1b[A", "entry")
        yield _touch_key("▼", "\x1b[B", "entry")
    for bar in screen.query(KeyBar):
        shown = {hint.does for hint in bar.hints}
        usable = (action for action in (*bar.actions, *EVERYWHERE) if action.does in shown)
        for action in sorted(usable, key=lambda action: action.rank if action.rank > 0 else _LAST):
            if sends := key_sequence(_first_key(action.id, keymap)):
                yield _touch_key(
                    action.label, sends, "answer" if action.keys.startswith("enter") else "command"
                )


def _touch_key(label: str, sends: str, kind: str) -> dict[str, str]:
    return {"label": label, "sends": sends, "kind": kind}


def _first_key(action_id: str, keymap: Mapping[str, str]) -> str:
    return keymap.get(action_id, BY_ID[action_id].keys).split(",")[0].strip()


def key_sequence(key: str) -> str:
    """What a terminal sends for a key; "" for a key that it has no sequence for.

    >>> key_sequence("y"), key_sequence("ctrl+q"), key_sequence("escape"), key_sequence("f11")
    ('y', '\\x11', '\\x1b', '')
    """
    if key in _SEQUENCES:
        return _SEQUENCES[key]
    modifier, _, letter = key.rpartition("+")
    if modifier == "ctrl" and len(letter) == 1 and letter.isalpha():
        return chr(ord(letter.lower()) - 96)
    return key if len(key) == 1 else ""
