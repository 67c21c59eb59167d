"""Read cases from a CSV file: the answers to a bank's questions, and the right outcome."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from odm_tui.banks.bank import Bank
from odm_tui.csv_files import bad_table
from odm_tui.engine.problem import YES_NO
from odm_tui.errors import BadArgument
from odm_tui.evaluation.data.data_table import read_data_table
from odm_tui.evaluation.replay.what_if import Case
from odm_tui.store.counts import BankIndex
from odm_tui.text import unknown_name

_AS_DIGITS = {"0": 0, "1": 1, "0.0": 0, "1.0": 1}


def read_cases(path: Path, bank: Bank, label: str) -> list[Case]:
    """Read one case per line: a column for each of the bank's questions, and ``label`` with the right outcome.

    Yes/no answers may be 0 and 1; an empty cell is an unknown answer.
    """
    table = read_data_table(path)
    index = BankIndex.of(bank)
    columns = [table.column(question.id) for question in bank.questions]
    cases = []
    for number, outcome in enumerate(table.column(label)):
        name = f"{outcome:g}" if isinstance(outcome, float) else str(outcome)
        if name not in index.outcome_places:
            unknown_outcome = unknown_name("outcome", name, index.outcome_places)
            raise bad_table(path, f"line {number + 2}: {unknown_outcome}")
        answers = np.full(len(columns), -1, dtype=np.int16)
        for i, column in enumerate(columns):
            cell = column[number]
            if str(cell) == "":
                continue
            try:
                answers[i] = _parse_cell(bank, i, cell)
            except (BadArgument, ValueError) as error:
                where = f"line {number + 2}, column {bank.questions[i].id!r}"
                raise bad_table(path, f"{where}: {error}") from error
        cases.append(
            Case(
                answers,
                unknown=answers < 0,
                outcome=index.outcome_places[name],
                seed=number,
                paid=float("nan"),
                asked=0,
                right=False,
            )
        )
    return cases


def _parse_cell(bank: Bank, i: int, cell: object) -> int:
    question = bank.problem.questions[i]
    if question.thresholds:
        return question.interval(float(str(cell)))
    if question.answers == YES_NO and str(cell) in _AS_DIGITS:
        return _AS_DIGITS[str(cell)]
    return question.index(int(cell) if isinstance(cell, float) else str(cell))
