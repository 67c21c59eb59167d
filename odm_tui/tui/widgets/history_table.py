"""Draw the table of past interviews: one line per interview."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual.content import Content

from odm_tui.formatting import format_amount
from odm_tui.tui.widgets.drawing import align_right, fit_text
from odm_tui.views.history import HistoryRow

_STATUS = 11
_SIGNS = {"pending": "?", "unfinished": "…", "confirmed": "✓", "abandoned": "×", "retracted": "−"}
"""What a narrow terminal shows in place of the status."""
_WIDEST_CASE = 16
_WIDEST_COST = 14
_LEAST_OUTCOME = 8


@dataclass(frozen=True, slots=True)
class HistoryColumns:
    """The widths of the columns: on narrow terminals, the year and the number of questions are left out."""

    began: int
    status: int
    """2 where there is only room for a sign."""
    case: int
    """0 if no interview has a case reference."""
    outcome: int
    asked: int
    cost: int

    @classmethod
    def at(cls, width: int, rows: Sequence[HistoryRow], unit: str) -> HistoryColumns:
        """The columns for these interviews in this width."""
        began, status, asked = (17, _STATUS, 6) if width >= 64 else (12, 2, 0)
        dearest = max((cell_len(format_amount(row.cost, unit)) for row in rows), default=0)
        cost = min(max(dearest + 2, 6), _WIDEST_COST)
        longest = max((cell_len(row.case) for row in rows), default=0)
        room = width - began - status - asked - cost - _LEAST_OUTCOME
        case = min(longest + 2, _WIDEST_CASE, max(room, 0)) if longest else 0
        outcome = max(_LEAST_OUTCOME, width - began - status - case - asked - cost)
        return cls(began, status, case, outcome, asked, cost)


def draw_header(columns: HistoryColumns) -> str:
    """The names of the columns."""
    text = (
        fit_text("began", columns.began)
        + fit_text("case", columns.case)
        + fit_text("status" if columns.status == _STATUS else "", columns.status)
    )
    text += fit_text("outcome", columns.outcome)
    return text + align_right("asked"[: columns.asked], columns.asked) + align_right("cost", columns.cost)


def draw_interview(row: HistoryRow, columns: HistoryColumns, unit: str) -> Content:
    """One interview in one line."""
    began = row.began if columns.asked else row.began[5:]
    quiet = "$quiet" if row.status in ("abandoned", "retracted") else ""
    cost = fit_text(format_amount(row.cost, unit), columns.cost - 1).rstrip()
    outcome = describe_outcome(row)
    status = row.status if columns.status == _STATUS else _SIGNS.get(row.status, "")
    note = fit_text(f" · {row.note}" if row.note else "", max(0, columns.outcome - 1 - cell_len(outcome)))
    return Content.assemble(
        (fit_text(began, columns.began), "$quiet"),
        (fit_text(row.case, columns.case - 1) + " " if columns.case else "", "bold"),
        (fit_text(status, columns.status), "bold" if row.status in ("unfinished", "pending") else quiet),
        (fit_text(outcome + note.rstrip(), columns.outcome - 1) + " ", quiet),
        (align_right(str(row.questions), columns.asked) if columns.asked else "", quiet),
        (align_right(cost, columns.cost), quiet),
    )


def describe_outcome(row: HistoryRow) -> str:
    """What an interview came to."""
    if row.referred and row.decided:
        return f"{row.confirmed} (handed over)" if row.confirmed else f"handed over ({row.decided}?)"
    if row.status == "confirmed" and not row.confirmed:
        return "none of these"
    if row.confirmed and row.decided and row.confirmed != row.decided:
        return f"{row.confirmed} (not {row.decided})"
    return row.confirmed or (f"{row.decided}?" if row.decided else "–")
