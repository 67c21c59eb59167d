"""The tables of the learned screen: the most telling questions, and how often decisions were right."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.content import Content

from odm_tui.formatting import format_amount, format_number, format_percent
from odm_tui.tui.widgets.drawing import align_right, draw_bar, fit_text, wrap_text
from odm_tui.views.learned import CertaintyRow, LearnedView

_COLUMN = 11

_COUNTED = (
    "Decisions are counted in steps of 10 %, by how sure they were when they were made. Red flags, hand-overs and "
    "outcomes that are none of the bank's are not counted."
)


def draw_telling_questions(view: LearnedView, width: int) -> list[Content]:
    """A table of the questions, whole, with the information that each gives alone, and its cost."""
    length = max(11, width // 6)
    costs = [format_amount(one.cost, view.unit) for one in view.telling]
    cost = min(max((cell_len(text) for text in costs), default=4) + 2, 16)
    room = max(8, width - length - 7 - cost - 2)
    head = (
        fit_text("Question", room)
        + fit_text("  tells alone", length + 2)
        + align_right("bits", 7)
        + align_right("cost", cost)
    )
    most = max((t.bits for t in view.telling), default=0.0) or 1.0
    lines = [Content.styled(head, "$quiet")]
    for one, text in zip(view.telling, costs, strict=True):
        first, *others = wrap_text(one.label, room)
        filled, rail = draw_bar(one.bits / most, length)
        lines.append(
            Content.assemble(
                fit_text(first, room),
                "  ",
                (filled, "$accent"),
                (rail, "$rail"),
                align_right(f"{one.bits:.2f}", 7),
                (align_right(fit_text(text, min(cost - 1, cell_len(text))), cost), "$quiet"),
            )
        )
        lines += map(Content, others)
    return lines


def draw_certainty(rows: Sequence[CertaintyRow], width: int) -> list[Content]:
    """A table of how sure decisions were, how often they were right, and what is shown now, with a bar of the share."""
    if not rows:
        return [Content("No decision has been confirmed yet.")]
    length = max(0, width - 4 * _COLUMN - 2)
    heads = ("said", "right", "shown now", "decisions")
    return [
        Content.styled("".join(align_right(head, _COLUMN) for head in heads), "$quiet"),
        *(_draw_certainty_row(row, length) for row in rows),
        Content(""),
        *(Content.styled(line, "$quiet") for line in wrap_text(_COUNTED, width)),
    ]


def _draw_certainty_row(row: CertaintyRow, length: int) -> Content:
    filled, rail = draw_bar(row.right, length)
    count = format_number(float(f"{row.count:.4g}"))
    return Content.assemble(
        align_right(f"{100 * row.low:.0f}–{format_percent(row.high)}", _COLUMN),
        align_right(format_percent(row.right), _COLUMN),
        align_right(format_percent(row.shown), _COLUMN),
        (align_right(count, _COLUMN), "$quiet"),
        "  ",
        (filled, "$accent"),
        (rail, "$rail"),
    )
