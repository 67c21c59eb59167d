"""A field for a number: the screen hands it the digits, so that every other key keeps its meaning."""

from __future__ import annotations

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from odm_tui.tui.words import number

_LONGEST = 24


class NumberEntry(Widget):
    """What has been typed of a number, with its unit and range, or what is wrong with it."""

    DEFAULT_CSS = """
    NumberEntry { height: 3; padding: 0 1; background: $surface; border-left: outer $accent; content-align: left middle; }
    """

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
        if character == ",":
            character = "."
        fits = character.isdecimal() and character.isascii()
        fits = fits or (character == "." and "." not in self.typed) or (character == "-" and not self.typed)
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
        try:
            value = float(self.typed)
        except ValueError:
            self.complaint = "Type a number, then Enter."
            return None
        if self.range is not None and not self.range[0] <= value <= self.range[1]:
            self.complaint = f"{number(value)} is outside {_span(self.range)}: please check it."
            return None
        return value

    def render(self) -> Content:
        """The typed digits with a cursor, the unit, and the range or the complaint."""
        unit = f" {self.unit}" if self.unit else ""
        digits = Content.assemble((self.typed, "bold"), ("▏", "$accent"), (unit, "$foreground"))
        if self.complaint:
            return Content("\n").join([digits, Content.styled(f"! {self.complaint}", "bold $error")])
        room = "" if self.range is None else f"{_span(self.range)}, "
        return Content("\n").join([digits, Content.styled(f"{room}then Enter", "$quiet")])


def _span(range: tuple[float, float]) -> str:
    return f"{number(range[0])} to {number(range[1])}"
