"""Scroll a part of a screen by keys, wherever the focus is."""

from __future__ import annotations

from textual.widget import Widget


def scroll_page(area: Widget, pages: int) -> None:
    """Scroll an area by a page, down (1) or up (-1)."""
    if pages > 0:
        area.scroll_page_down(animate=False)
    else:
        area.scroll_page_up(animate=False)
