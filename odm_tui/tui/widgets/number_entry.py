"""A field for a number, with a row of digits for the mouse.

The screen passes typed digits to it, so that the field needs no focus and all other keys work as usual.
"""

from __future__ import annotations

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from odm_tui.tui.widgets.drawing import fit_text
from odm_tui.views.typed_number import format_for_typing, format_range, parse_typed_number

_LONGEST = 24


class NumberEntry(Widget):
    """The digits typed so far with their unit, and the allowed range or an error."""

    DEFAULT_CSS = """
    NumberEntry { height: 3; padding: 0 1; background: $surface; border-left: outer $accent; content-align: left middle; }
    """

    class Submitted(Message):
        """The operator clicked on Enter."""

    typed: reactive[str] = reactive("")
    unit: reactive[str] = reactive("")
    range: reactive[tuple[float, float] | None] = reactive(None)
    error: reactive[str] = reactive("")

    def reset(self, unit: str, range: tuple[float, float] | None) -> None:
        """Clear the field for another question."""
        self.typed = self.error = ""
        self.unit, self.range = unit, range

    def press(self, character: str) -> bool:
        """Append a character; False if it can't be part of the number."""
        has_point = any(mark in self.typed for mark in ".,")
        fits = character.isdecimal() and character.isascii()
        fits = fits or (character in (".", ",") and not has_point)
        fits = fits or (character == "-" and not self.typed and self._allows_negative)
        if not fits or len(self.typed) >= _LONGEST:
            return False
        self.typed += character
        self.error = ""
        return True

    def delete_last(self) -> bool:
        """Delete the last character; False if there is none."""
        if not self.typed:
            return False
        self.typed = self.typed[:-1]
        self.error = ""
        return True

    def value(self) -> float | None:
        """The typed number; None if it can't be used, and then ``error`` says why."""
        value = parse_typed_number(self.typed) if self.typed else "Type a number, then Enter."
        if isinstance(value, str):
            self.error = value
            return None
        if self.range is not None and not self.range[0] <= value <= self.range[1]:
            self.error = f"{format_for_typing(value)} is outside {format_range(*self.range)}."
            return None
        return value

    @property
    def _allows_negative(self) -> bool:
        return self.range is None or self.range[0] < 0

    @property
    def _pad(self) -> str:
        """The characters of the row to click on."""
        return f"1234567890.{'-' if self._allows_negative else ''}⌫⏎"

    def render(self) -> Content:
        """Draw the digits with a cursor and the unit, the range or the error, and the row to click on."""
        unit = f" {self.unit}" if self.unit else ""
        digits = Content.assemble((self.typed, "bold"), ("▏", "$accent"), (unit, "$foreground"))
        room = "" if self.range is None else f"{format_range(*self.range)}, "
        note = (f"! {self.error}", "bold $error") if self.error else (f"{room}then Enter", "$quiet")
        width = max(self.content_size.width, 1)
        lines = [
            digits,
            Content.styled(fit_text(note[0], width), note[1]),
            Content.styled(" ".join(self._pad), "$quiet"),
        ]
        return Content("\n").join(lines)

    def on_click(self, event: events.Click) -> None:
        """Type the digit that was clicked on."""
        offset = event.get_content_offset(self)
        if offset is None or offset.y != 2 or offset.x // 2 >= len(self._pad):
            return
        key = self._pad[offset.x // 2]
        if key == "⌫":
            self.delete_last()
        elif key == "⏎":
            self.post_message(self.Submitted())
        else:
            self.press(key)
