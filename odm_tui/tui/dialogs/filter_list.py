"""A dialog with a list that is filtered by typing: outcomes, questions, or answers so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from odm_tui.text import NO_BREAK, clean_text
from odm_tui.tui.dialogs.dialog import Dialog, make_hint
from odm_tui.tui.key_guard import KeyGuard
from odm_tui.tui.widgets.drawing import wrap_text
from odm_tui.tui.widgets.marked_list import MarkedList

_AROUND_ITEM = 3
"""Cells for the mark before an item and the scroll bar after it."""


@dataclass(frozen=True, slots=True)
class ListItem:
    """One item of the list: its id, its text, and a note beside it."""

    id: str
    text: str
    note: str = ""
    also: str = ""
    """Words that find this item too, but are not shown."""


def filter_items(items: tuple[ListItem, ...], words: str) -> list[ListItem]:
    """The items that contain every typed word, in any order and any case.

    >>> [item.id for item in filter_items((ListItem("a", "Worn battery"), ListItem("b", "Blocked port")), "bat wo")]
    ['a']
    """
    typed = words.casefold().split()
    return [i for i in items if all(word in f"{i.text} {i.note} {i.id}".casefold() for word in typed)]


def find_items(items: tuple[ListItem, ...], words: str, by_meaning: bool = False) -> list[ListItem]:
    """The items that fit the words; misspelt words count where nothing else is found.

    With ``by_meaning``, the words are what somebody said: the items that fit them best come first, and not all words
    need to be found.

    >>> [item.id for item in find_items((ListItem("a", "Worn battery"), ListItem("b", "Blocked port")), "baterry")]
    ['a']
    """
    found = [] if by_meaning and words.strip() else filter_items(items, words)
    if found or not words.strip():
        return found
    from odm_tui.views.search import rank_texts

    return [items[at] for at, _ in rank_texts(words, [f"{i.text} {i.note} {i.also}" for i in items])]


def draw_item(item: ListItem, width: int) -> Content:
    """An item with its note after it, or below it; a line never ends between a number and its unit.

    >>> item = ListItem("a", "Does it get hot?", "useful 3 · 15 s")
    >>> print(draw_item(item, 40).plain)
    Does it get hot?  useful 3 · 15 s
    >>> print(draw_item(item, 20).plain)
    Does it get hot?
    useful 3 · 15 s
    """
    *lines, last = wrap_text(item.text, width)
    text = [Content(line) for line in lines]
    if not item.note or cell_len(last) + 2 + cell_len(item.note) <= width:
        text.append(Content.assemble(last, (f"  {item.note}" if item.note else "", "$quiet")))
    else:
        parts = (part.replace(" ", NO_BREAK) for part in item.note.split(" · "))
        below = wrap_text(f"{NO_BREAK}· ".join(parts), width)
        text += [Content(last), *(Content.styled(line, "$quiet") for line in below)]
    return Content("\n").join(text)


class FilterListDialog(Dialog[str]):
    """Return the id of the chosen item, or None if the dialog was cancelled.

    The filter handles keys before the list does, so that text typed in advance is not lost.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "move(1)", show=False),
        Binding("up", "move(-1)", show=False),
        Binding("pagedown", "move(8)", show=False),
        Binding("pageup", "move(-8)", show=False),
        Binding("enter", "select", show=False),
    ]

    def __init__(
        self,
        title: str,
        items: tuple[ListItem, ...],
        start: str | None = None,
        by_meaning: bool = False,
        confirms: bool = False,
    ) -> None:
        """``confirms``: a choice ends the interview, so Enter counts only after the list could be read."""
        super().__init__()
        self._delay, self._key_guard = KeyGuard.CONFIRM_DELAY if confirms else 0.0, KeyGuard()
        self._title, self._items, self._start, self._by_meaning = title, items, start, by_meaning
        self._shown_for: str | None = None
        """The words that the list is filtered by now."""

    def compose(self) -> ComposeResult:
        """Show title, filter and list."""
        with Vertical(classes="box tall"):
            yield Static(Content(self._title), classes="heading")
            hint = "type what was said" if self._by_meaning else "type to filter"
            yield Input(placeholder=hint, select_on_focus=False)
            yield MarkedList(markup=False)
            yield make_hint("Enter chooses · ↑↓ move", "leaves it as it is")

    def on_mount(self) -> None:
        """Show all items and mark the first one, or the given one."""
        self._fill()
        self.query_one(OptionList).can_focus = False
        if self._start is not None:
            options = self.query_one(OptionList)
            options.highlighted = next((i for i, o in enumerate(options.options) if o.id == self._start), 0)

    def _fill(self) -> None:
        """Show the items that match the filter."""
        words = self.query_one(Input).value
        if words == self._shown_for:
            return
        self._shown_for = words
        options = self.query_one(OptionList)
        found = find_items(self._items, words, self._by_meaning)
        options.set_options(Option(draw_item(item, self.box_width - _AROUND_ITEM), item.id) for item in found)
        if found:
            options.highlighted = 0
        else:
            nothing = Content.styled(f"Nothing matches “{clean_text(words)}”.", "$quiet")
            options.add_option(Option(nothing, disabled=True))

    @on(Input.Changed)
    def _handle_filter(self) -> None:
        self._fill()

    @on(Input.Submitted)
    def _handle_enter(self) -> None:
        self.action_select()

    @on(OptionList.OptionSelected)
    def _handle_click(self, event: OptionList.OptionSelected) -> None:
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

    def action_select(self) -> None:
        """Choose the marked item."""
        self._fill()
        if self._delay and self._key_guard.is_too_soon(self._delay):
            self.query_one(".hint", Static).update(Content("Enter came too soon; press it again."))
            return
        option = self.query_one(OptionList).highlighted_option
        if option is not None:
            self.dismiss(option.id)

    def on_resize(self, event: events.Resize) -> None:
        """Fit the items to the new width and keep the marked one visible."""
        options = self.query_one(OptionList)
        marked, self._shown_for = options.highlighted, None
        self._fill()
        options.highlighted = marked
        options.scroll_to_highlight()
