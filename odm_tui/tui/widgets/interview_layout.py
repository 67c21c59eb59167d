"""Divide the interview screen: how many rows and columns the question, its answers, the reason and the rest get.

The question and all its answers come first and stay in sight together; everything else shares what is left.
"""

from __future__ import annotations

from typing import NamedTuple

from rich.cells import cell_len

from odm_tui.tui.widgets.drawing import wrap_text
from odm_tui.views.interview import QuestionView

BESIDE = 120
"""From this width on, what is known stands beside the question instead of below it."""
_AROUND_TEXT = 6
"""Cells around the question's text: the margin, the border and the padding on both sides."""
_AROUND_LABEL = 10
"""Cells around an answer's label: the margins, the sign, the key and the spaces around it."""
_TALL = 3
_LEAST_KNOWN = 4
"""Rows for the likely outcomes below the question: the heading and three outcomes."""
_MOST_COLUMNS = 3


class InterviewLayout(NamedTuple):
    """The sizes of the parts of the interview screen."""

    beside: bool
    stage_width: int
    card_rows: int
    """The rows of the question, with its border and padding."""
    card_padding: int
    has_border: bool
    columns: int
    """The columns of answers."""
    answer_rows: tuple[int, ...]
    """The height of each row of answers."""
    shown_rows: int
    """The rows in which the answers are shown; if these are fewer, the answers scroll."""
    gap: int
    """Empty rows above the answers, above the reason and above what is known."""
    reason_rows: int
    known_rows: int
    """Rows for what is known; 0 beside the question, where it takes the whole height."""

    @property
    def is_tall(self) -> bool:
        """Whether answers are drawn as large buttons."""
        return bool(self.answer_rows) and min(self.answer_rows) >= _TALL


def side_width(width: int) -> int:
    """The width of what is known where it stands beside the question."""
    return min(76, max(46, width * 2 // 5))


def plan_layout(
    question: QuestionView, width: int, height: int, reason: int = 1, outcomes: int = 8, more_reason: int = 0
) -> InterviewLayout:
    """Plan the screen for this question in the given space; ``reason`` is how many rows the reason would like.

    ``more_reason``: how many more it takes if the whole help text has its place.
    """
    beside = width >= BESIDE
    stage = width - side_width(width) if beside else width
    text_width = max(10, stage - _AROUND_TEXT)
    text = len(wrap_text(question.text, text_width))
    help_rows = _text_rows(question, text_width) - text
    known = 0 if beside else _LEAST_KNOWN
    columns, rows = _place_answers(question, stage, height - text - 4 - known)
    answers = sum(rows) + 1  # "don't know" and "skip" share one row
    border = height >= text + 2 + answers + 1
    card = text + 2 * border
    room = height - card - answers
    known = max(0, min(known, room - 1))
    reason_rows = max(0, min(reason, room - known))
    room -= known + reason_rows
    if room < 0:  # the question and its answers are longer than the screen: both scroll
        card = max(2 * border + 1, card + room)
        shown = max(1, sum(rows) + min(0, height - card - 1 - sum(rows)))
        return InterviewLayout(beside, stage, card, 0, border, columns, rows, shown, 0, 0, 0)
    extra = min(help_rows, room)
    card, room = card + extra, room - extra
    if reason_rows and extra == help_rows:
        more = min(more_reason, room)
        reason_rows, room = reason_rows + more, room - more
    least = (
        5 if height >= 20 else 4
    )  # most questions are as high as this, so that the answers stay in their place
    if border and card < least and room >= least - card:
        card, room = least, room - (least - card)
    gap = 0
    if room >= 3:
        gap, room = 1, room - 3
    wanted = 0 if beside else min(outcomes + 1, 8) - known
    more = max(0, min(wanted, room))
    known, room = known + more, room - more
    tall = len(rows) * _TALL - sum(rows)
    if question.kind != "number" and rows and 0 < tall <= room - (0 if beside else 2):
        rows, room = tuple(max(_TALL, row) for row in rows), room - tall
    padding = 0
    if room >= 6 and border:
        padding, card, room = 1, card + 2, room - 2
    if beside and room >= 16 and border:
        padding, card, room = 2, card + 2, room - 2
    if padding:  # it makes the text narrower too, which may take more rows
        taller = min(_text_rows(question, text_width - 2 * padding) - text - help_rows, room)
        card, room = card + taller, room - taller
    if not beside:
        known += room
    return InterviewLayout(
        beside, stage, card, padding, border, columns, rows, sum(rows), gap, reason_rows, known
    )


def _text_rows(question: QuestionView, width: int) -> int:
    """The rows of the question and its help text."""
    texts = filter(None, (question.text, question.help))
    return sum(len(wrap_text(text, width)) for text in texts)


def _place_answers(question: QuestionView, width: int, room: int) -> tuple[int, tuple[int, ...]]:
    """The number of columns and the height of each row: whole labels in as few columns as fit into the room."""
    if question.kind == "number":
        return 1, (3,)
    replies = question.replies
    if not replies:
        return 1, ()
    longest = max(cell_len(reply.label) for reply in replies)
    if question.kind == "yes_no" and longest <= width // 2 - _AROUND_LABEL:
        return 2, (1,)
    best = (1, _row_heights(question, width, 1))
    for columns in range(2, _MOST_COLUMNS + 1):
        if sum(best[1]) + 1 <= room or longest > width // columns - _AROUND_LABEL:
            break
        best = columns, _row_heights(question, width, columns)
    return best


def _row_heights(question: QuestionView, width: int, columns: int) -> tuple[int, ...]:
    room = max(4, width // columns - _AROUND_LABEL)
    heights = [len(wrap_text(reply.label, room)) for reply in question.replies]
    return tuple(max(heights[at : at + columns]) for at in range(0, len(heights), columns))
