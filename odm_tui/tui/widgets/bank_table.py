"""The table of banks on the home screen: sizes, interviews, mean cost and trend."""

from __future__ import annotations

from dataclasses import dataclass

from textual.content import Content

from odm_tui.formatting import format_amount
from odm_tui.tui.widgets.drawing import align_right, draw_sparkline, fit_text
from odm_tui.views.banks import BankRow


@dataclass(frozen=True, slots=True)
class BankColumns:
    """The widths of the columns: on narrow terminals, two are joined and the trend is left out."""

    title: int
    joined: bool
    trend: int
    cost: int

    @classmethod
    def at(cls, width: int) -> BankColumns:
        """The columns for this width."""
        joined = width < 96
        trend = 0 if width < 64 else 10 if joined else min(30, width - 86)
        numbers = (9 + 7) if joined else (11 + 10 + 12)
        cost = 11 if joined else 16
        return cls(max(14, width - numbers - cost - (trend + 2 if trend else 0)), joined, trend, cost)

    def row(self, title: str, questions: str, outcomes: str, interviews: str, cost: str) -> str:
        """One line of text, without the trend."""
        text = fit_text(title, self.title)
        if self.joined:
            size = f"{questions} × {outcomes}" if outcomes else questions
            return text + align_right(size, 9) + align_right(interviews, 7) + align_right(cost, self.cost)
        return (
            text
            + align_right(questions, 11)
            + align_right(outcomes, 10)
            + align_right(interviews, 12)
            + align_right(cost, self.cost)
        )


def draw_header(width: int) -> str:
    """The names of the columns."""
    columns = BankColumns.at(width)
    names = ("size", "", "held") if columns.joined else ("questions", "outcomes", "interviews")
    return columns.row("Bank", *names, "mean cost") + ("  trend" if columns.trend else "")


def draw_bank(row: BankRow, width: int) -> Content:
    """One bank in one line."""
    columns = BankColumns.at(width)
    if row.mistake:
        text = "can't be used: Enter says why"
        return Content.assemble(
            (fit_text(row.name, columns.title), "$quiet"),
            ("  ! ", "bold $error"),
            fit_text(text, width - columns.title - 4),
        )
    interviews, mean = "…", "…"
    if row.interviews is not None:
        interviews = f"{row.interviews:,}"
        mean = format_amount(sum(row.costs) / len(row.costs), row.unit) if row.costs else "–"
    text = columns.row(
        row.title,
        str(row.questions),
        str(row.outcomes),
        interviews,
        fit_text(mean, columns.cost - 1).rstrip(),
    )
    return Content.assemble(
        (text[: columns.title], "bold"),
        text[columns.title :],
        (f"  {draw_sparkline(row.costs, columns.trend)}" if columns.trend else "", "$accent"),
    )
