"""Draw the inbox of the home screen: one line per unfinished or pending interview."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.content import Content

from odm_tui.formatting import format_count
from odm_tui.tui.widgets.drawing import fit_text
from odm_tui.views.inbox import InboxRow, matches_words

_WIDEST_CASE = 16


def describe_case(row: InboxRow) -> str:
    """What the case waits for."""
    if row.open_by:
        return f"open at {row.open_by}"
    if row.is_open_elsewhere:
        return f"open in another window: {row.decided}" if row.decided else "open in another window"
    if row.status == "pending":
        return f"confirm: {row.decided}" if row.decided else "confirm the outcome"
    return f"unfinished, {format_count(row.answers, 'answer')}"


def is_named_case(row: InboxRow, words: str) -> bool:
    """Whether the words are in the reference, the note or the id, so that this case is meant and not a bank."""
    return matches_words(words, (row.case, row.note, row.interview))


def case_width(rows: Sequence[InboxRow]) -> int:
    """The width of the column of case references."""
    return min(_WIDEST_CASE, max((cell_len(row.case) for row in rows), default=0))


def draw_case(row: InboxRow, width: int, reference: int) -> Content:
    """One case in one line: its reference, what it waits for, the bank and the time."""
    began = row.began[5:] if width < 90 else row.began
    sign, style = ("? ", "bold $accent") if row.status == "pending" else ("… ", "bold $quiet")
    first = f"{fit_text(row.case, reference)}  " if reference else ""
    room = max(0, width - len(began) - 4 - cell_len(first))
    title = min(cell_len(row.title), room // 2 - 2) if room >= 30 else 0
    parts = (describe_case(row), row.operator if row.operator != row.open_by else "", row.note)
    text = " · ".join(part for part in parts if part)
    return Content.assemble(
        (sign, style),
        (first, "bold"),
        fit_text(text, room - (title + 2 if title else 0)),
        (f"  {fit_text(row.title, title)}" if title else "", "$quiet"),
        (f"  {began}", "$quiet"),
    )
