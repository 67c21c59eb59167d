"""A field for a number: the screen hands it the digits, so that every other key keeps its meaning.

A row of digits below it is for the mouse.
"""

from __future__ import annotations

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from odm_tui.tui.widgets.drawing import fitted
from odm_tui.views.typed_number import format_for_typing, format_range, parse_typed_number

_LONGEST = 24


class NumberEntry(Widget):
    """What has been typed of a number, with its unit and range, or what is wrong with it."""

    DEFAULT_CSS = """
    NumberEntry { height: 3; padding: 0 1; background: $surface; border-left: outer $accent; content-align: left middle; }
    """

    class Submitted(Message):
        """The number is complete, by a click on Enter."""

    typed: reactive[str] = reactive("")
    unit: reactive[str] = reactive("")
    range: reactive[tuple[float, float] | None] = reactive(None)
    complaint: reactive[str] = reactive("")

    def ask(self, unit: str, range: tuple[float, float] | None) -> None:
        """Start again, for another question."""
        self.typed = self.complaint = ""
        self.unit, self.range = unit, range

    def press(self, character: str) -> bool:
        """Take one more character; False if it is no part of a number."""
        marked = any(mark in self.typed for mark in ".,")
        fits = character.isdecimal() and character.isascii()
        fits = fits or (character in (".", ",") and not marked)
        fits = fits or (character == "-" and not self.typed and self._below_zero)
        if not fits or len(self.typed) >= _LONGEST:
            return False
        self.typed += character
        self.complaint = ""
        return True

    def rub_out(self) -> bool:
        """Take the last character back; False if there is none."""
        if not self.typed:
            return False
        self.typed = self.typed[:-1]
        self.complaint = ""
        return True

    def value(self) -> float | None:
        """The number, or None with a complaint that says what is wrong."""
        value = parse_typed_number(self.typed) if self.typed else "Type a number, then Enter."
        if isinstance(value, str):
            self.complaint = value
            return None
        if self.range is not None and not self.range[0] <= value <= self.range[1]:
            self.complaint = f"{format_for_typing(value)} is outside {format_range(*self.range)}."
            return None
        return value

    @property
    def _below_zero(self) -> bool:
        return self.range is None or self.range[0] < 0

    @property
    def _pad(self) -> str:
        """The keys to click."""
        return f"1234567890.{'-' if self._below_zero else ''}⌫⏎"

    def render(self) -> Content:
        """The typed digits with a cursor and the unit; the range or the complaint; the digits to click."""
        unit = f" {self.unit}" if self.unit else ""
        digits = Content.assemble((self.typed, "bold"), ("▏", "$accent"), (unit, "$foreground"))
        room = "" if self.range is None else f"{format_range(*self.range)}, "
        note = (f"! {self.complaint}", "bold $error") if self.complaint else (f"{room}then Enter", "$quiet")
        width = max(self.content_size.width, 1)
        lines = [
            digits,
            Content.styled(fitted(note[0], width), note[1]),
            Content.styled(" ".join(self._pad), "$quiet"),
        ]
        return Content("\n").join(lines)

    def on_click(self, event: events.Click) -> None:
        """A click on a digit types it."""
        offset = event.get_content_offset(self)
        if offset is None or offset.y != 2 or offset.x // 2 >= len(self._pad):
            return
        key = self._pad[offset.x // 2]
        if key == "⌫":
            self.rub_out()
        elif key == "⏎":
            self.post_message(self.Submitted())
        else:
            self.press(key)
