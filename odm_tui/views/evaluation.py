"""What interviews with a bank are like, as plain tables for the terminal, a page or a screen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from odm_tui.formatting import format_cost, format_count, format_number, format_percent
from odm_tui.text import one_line, quote_names
from odm_tui.views.table_layout import TextTable

if TYPE_CHECKING:
    from odm_tui.evaluation.bank.evaluate import Evaluation

MOST_LINES = 12
_BAR = 14


@dataclass(frozen=True)
class EvaluationView:
    """Everything that an evaluation found, ready to show."""

    title: str
    summary: str
    notes: tuple[str, ...]
    tables: tuple[TextTable, ...]
    curve: tuple[tuple[float, float, float], ...]
    """The reliability curve: what was said, how often it was right, and the share of the decisions."""


def evaluation_view(found: Evaluation) -> EvaluationView:
    """Build the view of an evaluation."""
    own = found.rows[0]
    unit = one_line(found.bank.cost_unit)
    ways = {
        "folds": f"{format_count(found.callers, 'row')} in {found.folds} folds; each is asked with the knowledge of the others",
        "new rows": f"{format_count(found.callers, 'row')}; each is asked with all that the bank knows, so rows that it was made from are easy",
        "simulated": f"{format_count(found.callers, 'caller')} simulated from what the bank knows",
    }
    asked = format_number(own.questions)
    summary = (
        f"{ways[found.way]}. With {own.policy}: {asked} {'question' if asked == '1' else 'questions'} on average "
        f"(9 of 10 interviews: at most {format_number(own.questions_90)}), {format_cost(own.cost, unit)} "
        f"(at most {format_number(own.cost_90)}), right in {_percent(own.right)} "
        f"({_percent(own.right_low)} to {_percent(own.right_high)}); it says {_percent(own.said)} on average."
    )
    if own.referred:
        summary += f" {_percent(own.referred)} are handed over; the others count as right or wrong."
    details = found.details
    count = sum(each.count for each in details.calibration) or 1
    curve = tuple((each.said, each.right, each.count / count) for each in details.calibration)
    notes = list(found.notes)
    if details.never_asked:
        asked = quote_names(details.never_asked, 20)
        notes.append(
            f"Never asked ({len(details.never_asked)} of {len(found.bank.questions)} questions): {asked}."
        )
    if details.never_named:
        notes.append(f"Never decided, though right at times: {quote_names(details.never_named, 20)}.")
    tables = [_policies(found), _calibration(found)]
    tables += [table for table in (_confusions(found), _questions(found)) if table.rows]
    return EvaluationView(one_line(found.bank.title), summary, tuple(notes), tuple(tables), curve)


def _policies(found: Evaluation) -> TextTable:
    header = ["policy", "stakes", "asked", "cost", "all %", "right %", "95 %", "said %", "ECE", "in all"]
    referred = any(row.referred for row in found.rows)
    rows = []
    for row in found.rows:
        cells = [
            row.policy,
            format_number(row.stakes),
            f"{row.questions:.1f}",
            format_number(row.cost),
            "" if row.cost_share is None else f"{row.cost_share * 100:.0f}",
            f"{row.right * 100:.1f}",
            f"{row.right_low * 100:.1f}–{row.right_high * 100:.1f}",
            f"{row.said * 100:.1f}",
            f"{row.ece:.3f}",
            format_number(row.total),
        ]
        rows.append(tuple(cells + ([format_percent(row.referred)] if referred else [])))
    has_tree = any(row.policy == "tree" for row in found.rows)
    tree = "tree: scikit-learn's decision tree. " if has_tree else ""
    note = (
        "asked: questions per interview. all %: the cost as a share of asking everything. "
        "in all: the cost of questions and of wrong decisions, at the line's stakes. "
        f"{tree}all: everything is asked."
    )
    return TextTable(
        "Policies", tuple(header + (["referred"] if referred else [])), tuple(rows), note, names=2
    )


def _calibration(found: Evaluation) -> TextTable:
    count = sum(each.count for each in found.details.calibration) or 1
    rows = tuple(
        (
            f"{each.low * 100:.0f} to {each.high * 100:.0f} %",
            f"{each.count:.0f}",
            f"{each.said * 100:.0f} %",
            f"{each.right * 100:.0f} %",
            _draw_share(each.count / count),
        )
        for each in found.details.calibration
    )
    return TextTable("Said and right", ("said", "decisions", "on average", "right", "share"), rows)


def _draw_share(share: float) -> str:
    filled = round(_BAR * share)
    return "█" * filled + "░" * (_BAR - filled)


def _confusions(found: Evaluation) -> TextTable:
    rows = tuple(
        (each.outcome, each.taken_for, f"{each.count}", f"{each.share * 100:.0f} %")
        for each in found.details.confusions[:MOST_LINES]
    )
    return TextTable(
        "Taken for another", ("outcome", "taken for", "times", "of its interviews"), rows, names=2
    )


def _questions(found: Evaluation) -> TextTable:
    rows = tuple(
        (
            each.question,
            f"{each.asked * 100:.0f} %",
            f"{each.gained * 100:+.1f} %",
            format_number(each.cost),
            f"{each.pays:+.2f}",
        )
        for each in found.details.questions[:MOST_LINES]
    )
    note = (
        "gained: how much the belief in the right outcome rose when it was asked. "
        "pays: that rise at the bank's stakes less the cost, per interview."
    )
    return TextTable("Questions that pay most", ("question", "asked", "gained", "cost", "pays"), rows, note)


def _percent(share: float) -> str:
    """A share with a tenth of a percent: differences between policies are small."""
    return f"{share * 100:.1f} %"
