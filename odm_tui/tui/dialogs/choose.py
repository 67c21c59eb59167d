"""A list to choose from, filtered by typing: outcomes, questions, answers so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to choose: its id, its text, and a note at its side."""

    id: str
    text: str
    note: str = ""


def matching(items: tuple[Item, ...], words: str) -> list[Item]:
    """The items that hold every word typed, in any order and any case.

    >>> [item.id for item in matching((Item("a", "Worn battery"), Item("b", "Blocked port")), "bat wo")]
    ['a']
    """
    wanted = words.casefold().split()
    return [i for i in items if all(word in f"{i.text} {i.note} {i.id}".casefold() for word in wanted)]


class Choose(ModalScreen[str | None]):
    """Comes back with the id of the item chosen, or None."""

    DEFAULT_CLASSES = "dialog"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Cancel", show=False),
        Binding("down", "move(1)", show=False, priority=True),
        Binding("up", "move(-1)", show=False, priority=True),
        Binding("pagedown", "move(8)", show=False, priority=True),
        Binding("pageup", "move(-8)", show=False, priority=True),
        Binding("enter", "take", show=False, priority=True),
    ]

    def __init__(self, title: str, items: tuple[Item, ...], start: str | None = None) -> None:
        super().__init__()
        self._title, self._items, self._start = title, items, start

    def compose(self) -> ComposeResult:
        """Title, filter, list."""
        with Vertical(classes="box tall"):
            yield Static(Content(self._title), classes="heading")
            yield Input(placeholder="type to filter", select_on_focus=False)
            yield OptionList(markup=False)
            yield Static(Content("Enter chooses · ↑↓ move · Esc leaves it as it is"), classes="hint")

    def on_mount(self) -> None:
        """Show everything."""
        self._fill("")
        self.query_one(OptionList).can_focus = False
        if self._start is not None:
            options = self.query_one(OptionList)
            options.highlighted = next((i for i, o in enumerate(options.options) if o.id == self._start), 0)

    def _fill(self, words: str) -> None:
        options = self.query_one(OptionList)
        found = matching(self._items, words)
        options.set_options(
            Option(Content.assemble(item.text, (f"  {item.note}" if item.note else "", "$quiet")), item.id)
            for item in found
        )
        if found:
            options.highlighted = 0

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self._fill(event.value)

    @on(OptionList.OptionSelected)
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_id)

    def action_move(self, by: int) -> None:
        """Move the mark."""
        options = self.query_one(OptionList)
        if options.option_count:
            at = (options.highlighted or 0) + by
            options.highlighted = (
                at % options.option_count if abs(by) == 1 else min(max(at, 0), options.option_count - 1)
            )

    def action_take(self) -> None:
        """Choose what is marked."""
        option = self.query_one(OptionList).highlighted_option
        if option is not None:
            self.dismiss(option.id)

    def on_resize(self, event: events.Resize) -> None:
        """Keep the mark in sight."""
        self.query_one(OptionList).scroll_to_highlight()
