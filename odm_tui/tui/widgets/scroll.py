"""Scroll a part of a screen by keys, wherever the focus is."""

from __future__ import annotations

from textual.containers import VerticalScroll
from textual.widget import Widget

from odm_tui.tui.key_bindings import key_for


def scroll_page(area: Widget, pages: int) -> None:
    """Scroll an area by a page, down (1) or up (-1)."""
    if pages > 0:
        area.scroll_page_down(animate=False)
    else:
        area.scroll_page_up(animate=False)


class ScrollCard(VerticalScroll, can_focus=False):
    """A frame around a text; where the text is longer than the frame, its lower edge says which key shows the rest."""

    DEFAULT_CSS = """
    ScrollCard { border-subtitle-color: $accent; scrollbar-size-vertical: 1; }
    """

    paging = ""
    """The prefix of the two actions that scroll it, such as ``interview``."""

    def on_mount(self) -> None:
        """Follow everything that the sign depends on."""
        for name in ("show_vertical_scrollbar", "scroll_y", "virtual_size"):
            self.watch(self, name, self._show_sign)

    def _show_sign(self) -> None:
        keymap: dict[str, str] = getattr(self.app, "keymap", {})
        sign = ""
        if self.show_vertical_scrollbar and self.scroll_offset.y < self.max_scroll_y:
            sign = f"{key_for(f'{self.paging}.down', keymap)} more ▾"
        elif self.show_vertical_scrollbar:
            sign = f"{key_for(f'{self.paging}.up', keymap)} back ▴"
        self.border_subtitle = sign
