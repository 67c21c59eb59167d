"""Read cases from a CSV file: the answers to a bank's questions, and the right outcome."""

from __future__ import annotations

from pathlib import Path

from odm_tui.banks.bank import Bank
from odm_tui.evaluation.data.case_table import read_complete_case_table
from odm_tui.evaluation.replay.what_if import Case


def read_cases(path: Path, bank: Bank, label: str | None = None) -> list[Case]:
    """Read one case per line: a column for each of the bank's questions, and ``label`` with the right outcome.

    Yes/no answers may be 0 and 1; an empty cell is an unknown answer. Without a label, the outcome is in the column
    that the bank was imported from, or in the column ``outcome``.
    """
    table = read_complete_case_table(path, bank, label)
    return [
        Case(
            answers,
            unknown=answers < 0,
            outcome=int(outcome),
            seed=number,
            paid=float("nan"),
            asked=0,
            right=False,
        )
        for number, (answers, outcome) in enumerate(zip(table.answers, table.outcomes, strict=True))
    ]
