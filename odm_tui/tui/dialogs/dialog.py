"""The base of all dialogs: Esc, a click beside the box and a click on the words about Esc cancel."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.style import Style
from textual.widgets import Static

T = TypeVar("T")

_CANCELS = "cancels"
_USUAL, _WIDE, _FROM_WIDTH = 72, 100, 120
"""The width of a dialog's box, that on a wide screen, and from which width on a screen is wide."""
_AROUND = 6
"""Cells for the border and the padding of the box on both sides."""


class Dialog(ModalScreen[T | None]):
    """A box in front of the screen; returns None if it was cancelled."""

    DEFAULT_CLASSES = "dialog"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Cancel", show=False)]

    @property
    def box_width(self) -> int:
        """The width of the texts in the box; see odm.tcss."""
        wide = _WIDE if self.app.size.width >= _FROM_WIDTH else _USUAL
        return min(wide, self.app.size.width * 94 // 100) - _AROUND

    def on_click(self, event: events.Click) -> None:
        """Cancel after a click beside the box, or on the words about Esc."""
        if event.widget is self or event.style.meta.get(_CANCELS):
            self.dismiss(None)


def make_hint(ways: str, escape: str) -> Static:
    """The last line of a dialog: what can be done, then what Esc does."""
    return Static(
        Content.assemble(f"{ways} · ", (f"Esc {escape}", Style.from_meta({_CANCELS: True}))), classes="hint"
    )
