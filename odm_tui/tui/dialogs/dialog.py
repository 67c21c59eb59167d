"""What all dialogs share: Esc, a click beside the box and a click on what Esc does leave everything as it is."""

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


class Dialog(ModalScreen[T | None]):
    """A box above the screen; comes back with None where it was cancelled."""

    DEFAULT_CLASSES = "dialog"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Cancel", show=False)]

    def on_click(self, event: events.Click) -> None:
        """Beside the box, or on the words about Esc."""
        if event.widget is self or event.style.meta.get(_CANCELS):
            self.dismiss(None)


def hint(ways: str, escape: str) -> Static:
    """The line at the foot of a dialog: what can be done, then what Esc does."""
    return Static(
        Content.assemble(f"{ways} · ", (f"Esc {escape}", Style.from_meta({_CANCELS: True}))), classes="hint"
    )
