"""Read a table of cases for a bank: the answers to its questions, and the right outcome, one case per row.

A bank that was imported remembers the columns and cells of its data, so it takes the same file again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from odm_tui.banks.authoring.cells import has_grouped_numbers, missing_words, parse_number, parse_yes_no
from odm_tui.banks.bank import Answer, Bank, BankQuestion, Outcome
from odm_tui.csv_files import TableFile, bad_table, read_table
from odm_tui.formatting import format_count
from odm_tui.text import one_line, quote_names, shorten, slug, unknown_name

Answers = npt.NDArray[np.int16]
NO_ANSWER = -1
NOT_UNDERSTOOD = -2


@dataclass(frozen=True, eq=False)
class CaseTable:
    """The cases of a table: ``answers`` is (T, n), -1 where there is none; ``outcomes`` is (T,).

    An outcome of -1 is one that the bank does not have. ``lines`` is the line of each case in the file.
    """

    path: Path
    answers: Answers
    outcomes: npt.NDArray[np.intp]
    lines: tuple[int, ...]
    notes: tuple[str, ...] = ()
    """What was left out or not understood, a sentence each."""
    numbers: Mapping[int, npt.NDArray[np.float64]] = field(default_factory=dict)
    """The numbers themselves of questions with thresholds, (T,) each, NaN where there is none."""


def read_case_table(path: Path, bank: Bank, label: str | None = None) -> CaseTable:
    """Read the cases of a file; what the bank does not know is left out, and said in the notes."""
    return _read(path, bank, label, strict=False)


def read_complete_case_table(path: Path, bank: Bank, label: str | None = None) -> CaseTable:
    """Read the cases of a file; raise BadData for a column or a cell that the bank does not know."""
    return _read(path, bank, label, strict=True)


def _read(path: Path, bank: Bank, label: str | None, strict: bool) -> CaseTable:
    table = read_table(path)
    column = _outcome_column(table, bank, label)
    absent = missing_words(bank.cases.missing if bank.cases else ())
    labels = table.column(column)
    rows = [i for i, cell in enumerate(labels) if cell.casefold() not in absent]
    if not rows:
        raise bad_table(path, f"the column {column!r} is empty. Name the outcome's column with --label.")
    outcomes = _outcomes(table, bank, column, rows, strict)
    answers = np.full((len(rows), len(bank.questions)), NO_ANSWER, dtype=np.int16)
    numbers: dict[int, npt.NDArray[np.float64]] = {}
    without_column: list[str] = []
    strange: list[str] = []
    for i, question in enumerate(bank.questions):
        cells = _find_cells(table, bank, question)
        if cells is None:
            if strict:
                table.column(question.id)
            without_column.append(question.id)
            continue
        own = [cells[row] for row in rows]
        if question.thresholds:
            answers[:, i], numbers[i] = _number_column(bank, question, own, absent, table.delimiter)
        else:
            answers[:, i] = _answer_column(bank, question, own, absent)
        if (answers[:, i] == NOT_UNDERSTOOD).any():
            row = rows[int((answers[:, i] == NOT_UNDERSTOOD).argmax())]
            shown = shorten(one_line(cells[row]), 40)
            if strict:
                remedy = _remedy(question)
                where = f"line {table.lines[row]}, column {question.id!r}"
                raise bad_table(path, f"{where}: Question {question.id!r} has no answer {shown!r}. {remedy}")
            strange.append(question.id)
    if len(without_column) == len(bank.questions):
        raise bad_table(
            path,
            f"no column is a question of the bank. {unknown_name('column', bank.questions[0].id, list(table.columns))}",
        )
    not_understood = int((answers == NOT_UNDERSTOOD).sum())
    answers[answers == NOT_UNDERSTOOD] = NO_ANSWER
    notes = []
    if len(rows) < len(labels):
        notes.append(f"{format_count(len(labels) - len(rows), 'row')} without an outcome left out.")
    if without_column:
        notes.append(f"No column for {quote_names(without_column)}: nobody knows these answers.")
    if not_understood:
        cells_text = format_count(not_understood, "cell")
        notes.append(
            f"{cells_text} with answers that the bank does not have ({quote_names(strange)}) count as unknown."
        )
    if (outcomes < 0).any():
        notes.append(
            f"{format_count(int((outcomes < 0).sum()), 'row')} with outcomes that the bank does not have: "
            "every decision on them is wrong."
        )
    lines = tuple(table.lines[row] for row in rows)
    return CaseTable(path, answers, outcomes, lines, tuple(notes), numbers)


def _outcome_column(table: TableFile, bank: Bank, label: str | None) -> str:
    """Return the column of the outcome: the named one, the one of the import, or ``outcome``."""
    if label is not None:
        table.column(label)
        return label
    remembered = bank.cases.outcome if bank.cases else ""
    found = next((name for name in (remembered, "outcome") if name in table.columns), None)
    if found is None:
        wanted = remembered or "outcome"
        raise bad_table(
            table.path, f"there is no column {wanted!r}. Name the outcome's column with --label COLUMN."
        )
    return found


def _outcomes(
    table: TableFile, bank: Bank, column: str, rows: Sequence[int], strict: bool
) -> npt.NDArray[np.intp]:
    names = _names(bank.outcomes, bank.cases.outcome_values if bank.cases else {})
    cells = table.column(column)
    found = [_look_up(cells[row], names) for row in rows]
    unknown = next((row for row, at in zip(rows, found, strict=True) if at is None), None)
    ids = [outcome.id for outcome in bank.outcomes]
    if unknown is not None and (strict or all(at is None for at in found)):
        sentence = unknown_name("outcome", cells[unknown], ids)
        raise bad_table(table.path, f"line {table.lines[unknown]}: {sentence}")
    return np.array([-1 if at is None else at for at in found], dtype=np.intp)


def _find_cells(table: TableFile, bank: Bank, question: BankQuestion) -> list[str] | None:
    """Return the column of a question: the one of the import, or one with its id or a former id."""
    remembered = bank.cases.columns if bank.cases else {}
    ids = (question.id, *question.aliases)
    for name in (*(remembered[id] for id in ids if id in remembered), *ids):
        if name in table.columns:
            return table.columns[name]
    return None


def _answer_column(
    bank: Bank, question: BankQuestion, cells: Sequence[str], absent: frozenset[str]
) -> list[int]:
    """Return the index of each cell's answer; -1 for none, -2 for what is no answer of the question."""
    remembered = _remembered_cells(bank, question)
    names = _names(question.answers, remembered)
    known: dict[str, int] = {}
    for cell in set(cells):
        if _is_absent(cell, absent, remembered):
            known[cell] = NO_ANSWER
            continue
        at = parse_yes_no(cell) if question.type == "yes_no" else _look_up(cell, names)
        known[cell] = NOT_UNDERSTOOD if at is None else at
    return [known[cell] for cell in cells]


def _number_column(
    bank: Bank, question: BankQuestion, cells: Sequence[str], absent: frozenset[str], delimiter: str
) -> tuple[Answers, npt.NDArray[np.float64]]:
    """Return the interval of each cell's number, as in ``_answer_column``, and the number, NaN where there is none."""
    remembered = _remembered_cells(bank, question)
    present = set(cells)
    grouped = has_grouped_numbers(present - absent, delimiter)
    missing = {cell for cell in present if _is_absent(cell, absent, remembered)}
    read = {cell: None if cell in missing else parse_number(cell, grouped) for cell in present}
    numbers = np.array([np.nan if (number := read[cell]) is None else number for cell in cells])
    intervals = np.searchsorted(question.thresholds, numbers, side="left").astype(np.int16)
    without = [NO_ANSWER if cell in missing else NOT_UNDERSTOOD for cell in cells]
    return np.where(np.isnan(numbers), np.array(without, dtype=np.int16), intervals), numbers


def _remembered_cells(bank: Bank, question: BankQuestion) -> Mapping[str, str]:
    """Return what the cells of the import called each answer of a question."""
    values = bank.cases.values if bank.cases else {}
    return next((values[id] for id in (question.id, *question.aliases) if id in values), {})


def _is_absent(cell: str, absent: frozenset[str], remembered: Mapping[str, str]) -> bool:
    return cell.casefold() in absent and cell not in remembered.values()


def _names(things: Sequence[Answer] | Sequence[Outcome], remembered: object) -> dict[str, int]:
    """Return the position of each thing by everything that a cell may call it, the surest names last."""
    cells: dict[str, str] = dict(remembered) if isinstance(remembered, dict) else {}
    names: dict[str, int] = {}
    for form in (
        lambda thing: [thing.label.casefold()],
        lambda thing: [thing.label],
        lambda thing: [thing.id, *thing.aliases],
        lambda thing: [cells[id] for id in (thing.id, *thing.aliases) if id in cells],
    ):
        names |= {name: at for at, thing in enumerate(things) for name in form(thing)}
    return names


def _look_up(cell: str, names: dict[str, int]) -> int | None:
    return next((names[form] for form in (cell, cell.casefold(), slug(cell)) if form in names), None)


def _remedy(question: BankQuestion) -> str:
    if question.thresholds:
        return "Write a number."
    return f"Choose one of {quote_names(answer.id for answer in question.answers)}."
