"""A list to choose from, filtered by typing: outcomes, questions, answers so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from odm_tui.text import clean_text
from odm_tui.tui.dialogs.dialog import Dialog, hint
from odm_tui.tui.widgets.marked_list import MarkedList


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


class Choose(Dialog[str]):
    """Comes back with the id of the item chosen, or None.

    None of its keys goes before the filter: what was typed ahead is taken in first.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "move(1)", show=False),
        Binding("up", "move(-1)", show=False),
        Binding("pagedown", "move(8)", show=False),
        Binding("pageup", "move(-8)", show=False),
        Binding("enter", "take", show=False),
    ]

    def __init__(self, title: str, items: tuple[Item, ...], start: str | None = None) -> None:
        super().__init__()
        self._title, self._items, self._start = title, items, start
        self._words: str | None = None

    def compose(self) -> ComposeResult:
        """Title, filter, list."""
        with Vertical(classes="box tall"):
            yield Static(Content(self._title), classes="heading")
            yield Input(placeholder="type to filter", select_on_focus=False)
            yield MarkedList(markup=False)
            yield hint("Enter chooses · ↑↓ move", "leaves it as it is")

    def on_mount(self) -> None:
        """Show everything."""
        self._fill()
        self.query_one(OptionList).can_focus = False
        if self._start is not None:
            options = self.query_one(OptionList)
            options.highlighted = next((i for i, o in enumerate(options.options) if o.id == self._start), 0)

    def _fill(self) -> None:
        """Show what holds the words typed by now."""
        words = self.query_one(Input).value
        if words == self._words:
            return
        self._words = words
        options = self.query_one(OptionList)
        found = matching(self._items, words)
        options.set_options(
            Option(Content.assemble(item.text, (f"  {item.note}" if item.note else "", "$quiet")), item.id)
            for item in found
        )
        if found:
            options.highlighted = 0
        else:
            nothing = Content.styled(f"Nothing matches “{clean_text(words)}”.", "$quiet")
            options.add_option(Option(nothing, disabled=True))

    @on(Input.Changed)
    def _typed(self) -> None:
        self._fill()

    @on(Input.Submitted)
    def _entered(self) -> None:
        self.action_take()

    @on(OptionList.OptionSelected)
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_id)

    def action_move(self, by: int) -> None:
        """Move the mark."""
        self._fill()
        options = self.query_one(OptionList)
        if options.highlighted is not None:
            at = options.highlighted + by
            options.highlighted = (
                at % options.option_count if abs(by) == 1 else min(max(at, 0), options.option_count - 1)
            )

    def action_take(self) -> None:
        """Choose what is marked."""
        self._fill()
        option = self.query_one(OptionList).highlighted_option
        if option is not None:
            self.dismiss(option.id)

    def on_resize(self, event: events.Resize) -> None:
        """Keep the mark in sight."""
        self.query_one(OptionList).scroll_to_highlight()
