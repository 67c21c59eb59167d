"""Make a bank from a table of past cases: one question per column, and the counts of the rows.

The counts go into ``[cases]`` as they are, and the engine learns from them as from interviews. So the imported bank
knows exactly what it would know after one interview per row.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from odm_tui.banks.authoring.bank_text import ImportedRows, write_bank
from odm_tui.banks.authoring.case_variants import fit_rows, write_variants
from odm_tui.banks.authoring.cells import missing_words
from odm_tui.banks.authoring.columns import (
    Column,
    describe_spellings,
    join_spellings,
    make_unique_ids,
    recognise_column,
)
from odm_tui.banks.authoring.costs_file import read_costs
from odm_tui.banks.authoring.thresholds import FindThresholds, find_thresholds
from odm_tui.banks.bank import Bank
from odm_tui.banks.checks.document import check_bank
from odm_tui.banks.checks.outcomes import RESERVED_OUTCOMES
from odm_tui.banks.checks.questions import RESERVED_QUESTIONS
from odm_tui.banks.parsing.findings import BadBank
from odm_tui.banks.parsing.reading import parse_text
from odm_tui.csv_files import TableFile, bad_table, read_table
from odm_tui.text import one_line, quote_names, unknown_name

MAX_BYTES = 64 * 2**20
MAX_OUTCOMES = 1_000
_FEWEST_ROWS = 20
"""With fewer rows, a column that tells the outcome may be chance."""


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What to take from a table, and how to read it."""

    costs: Path | None = None
    title: str = ""
    thresholds: int = 3
    missing: tuple[str, ...] = ()
    """Words that mean a missing answer, beside an empty cell and ``?``."""
    only: tuple[str, ...] = ()
    """The columns to take; none for all."""
    drop: tuple[str, ...] = ()
    rename: Mapping[str, str] = field(default_factory=dict)
    """New names for columns, from which the ids and texts of their questions are made."""
    id: str = ""
    """The bank's id; without one the bank is known by its file name."""
    find_thresholds: FindThresholds = find_thresholds
    """Where to put the thresholds of numbers."""
    variants: int | None = None
    """How many hidden variants an outcome may have at most; 1 for none, None for as many as explain the rows."""


@dataclass(frozen=True, slots=True)
class Import:
    """The text of the imported bank, its size, and what was left out."""

    text: str
    questions: int
    outcomes: int
    rows: int
    left_out: tuple[tuple[str, str], ...] = field(default=())
    """Columns that are not questions, each with the reason."""
    without_outcome: int = 0
    """How many rows have no outcome, so that they don't count."""
    notes: tuple[tuple[str, str], ...] = ()
    """Columns that the author should look at, each with the reason."""
    variants: int = 0
    """How many variants the outcomes have in all; 0 if one for each predicts as well."""


def import_bank(data: Path, outcome: str, options: ImportOptions | None = None) -> Import:
    """Make a bank from a CSV file; raise BadData if that is not possible."""
    options = options or ImportOptions()
    table = read_table(data, max_bytes=MAX_BYTES, min_columns=2)
    absent = missing_words(options.missing)
    labels = table.column(outcome)
    rows = [i for i, value in enumerate(labels) if value.casefold() not in absent]
    spellings = join_spellings(labels, {labels[i] for i in rows})
    labels = [spellings.get(value, value) for value in labels]
    outcomes = _outcomes(table, outcome, [labels[i] for i in rows])
    wanted = _wanted_columns(table, outcome, options)
    codes = {value: code for code, value in enumerate(outcomes)}
    row_outcomes = [codes[labels[i]] for i in rows]
    columns: list[Column] = []
    left_out: list[tuple[str, str]] = []
    for position, (name, cells) in enumerate(_others(table, outcome)):
        if name not in wanted:
            continue
        found = recognise_column(
            name,
            position,
            [cells[i] for i in rows],
            row_outcomes,
            thresholds=options.thresholds,
            find=options.find_thresholds,
            missing=options.missing,
            named=name in options.only,
            title=options.rename.get(name, ""),
            delimiter=table.delimiter,
        )
        if isinstance(found, Column):
            columns.append(found)
        else:
            left_out.append((one_line(name), found))
    if not columns:
        because = f": {left_out[0][0]!r} {left_out[0][1]}" if left_out else ""
        raise bad_table(
            data, f"no column can be a question{because}. Add a column with different answers, or drop fewer."
        )
    names = [options.rename.get(column.name, column.name) for column in columns]
    ids = make_unique_ids(names, "q", RESERVED_QUESTIONS)
    costs = (
        read_costs(options.costs, columns, [n for n, _ in _others(table, outcome)]) if options.costs else {}
    )
    imported = ImportedRows(data.name, outcome, tuple(options.missing), outcomes, row_outcomes)
    title = options.title or data.stem.replace("_", " ")
    by_id = dict(zip(ids, columns, strict=True))
    text = write_bank(imported, by_id, title, costs, options.id, options.variants)
    bank = _check_text(data, text)
    variants = fit_rows(bank, np.array([column.cells for column in columns]).T, np.array(row_outcomes))
    if variants is not None:
        text = "\n".join([text, *write_variants(bank, variants)])
        _check_text(data, text)
    notes = [(outcome, note) for note in describe_spellings(spellings)]
    notes += [(column.name, note) for column in columns for note in column.notes]
    notes += [(column.name, _describe_leak(column)) for column in columns if _tells_all(column, row_outcomes)]
    left = [(one_line(name), note) for name, note in notes]
    without = len(labels) - len(rows)
    number = 0 if variants is None else len(variants.outcome)
    return Import(text, len(columns), len(outcomes), len(rows), tuple(left_out), without, tuple(left), number)


def _tells_all(column: Column, outcomes: Sequence[int]) -> bool:
    """Return whether the column alone tells the outcome in every row: perhaps it is known only afterwards."""
    found: dict[int, set[int]] = {}
    for answer, outcome in zip(column.cells, outcomes, strict=True):
        found.setdefault(answer, set()).add(outcome)
    return (
        len(outcomes) >= _FEWEST_ROWS
        and -1 not in found
        and all(len(each) == 1 for each in found.values())
        and 4 * len(found) <= len(outcomes)
    )


def _describe_leak(column: Column) -> str:
    drop = shlex.quote(one_line(column.name))
    return f"alone tells the outcome in every row; if it is known only afterwards, leave it out with --drop {drop}"


def _check_text(data: Path, text: str) -> Bank:
    """Return the bank; refuse data whose bank would be larger than a bank may be, before anything is written."""
    try:
        return check_bank(parse_text(data, text), "imported", data)
    except BadBank as error:
        first = str(error.findings[0]) if error.findings else str(error)
        raise bad_table(
            data, f"a bank of these columns is not possible: {first} Take fewer with --only"
        ) from None


def _others(table: TableFile, outcome: str) -> list[tuple[str, list[str]]]:
    return [(name, cells) for name, cells in table.columns.items() if name != outcome]


def _wanted_columns(table: TableFile, outcome: str, options: ImportOptions) -> set[str]:
    """Return the columns to take; raise BadData if the options name one that is not there."""
    names = [name for name, _ in _others(table, outcome)]
    for option, given in (("only", options.only), ("drop", options.drop), ("rename", options.rename)):
        for name in given:
            if name == outcome:
                raise bad_table(table.path, f"--{option} names {name!r}, the outcome; name other columns")
            if name not in table.columns:
                raise bad_table(table.path, f"--{option}: {unknown_name('column', name, names)}")
    return set(options.only or names) - set(options.drop)


def _outcomes(table: TableFile, column: str, labels: Sequence[str]) -> dict[str, str]:
    """Return the ids of the outcomes, by their values in the data, in the order of the values."""
    values = sorted(set(labels), key=_natural)
    if len(values) < 2:
        found = f"only the value {quote_names(values)}" if values else "no values"
        raise bad_table(
            table.path, f"the column {column!r} has {found}. Choose a column with at least two outcomes."
        )
    if len(values) > MAX_OUTCOMES:
        raise bad_table(
            table.path,
            f"the column {column!r} has {len(values):,} different values in {len(labels):,} rows; "
            f"at most {MAX_OUTCOMES:,} outcomes are possible. Choose a column whose values repeat.",
        )
    return dict(zip(values, make_unique_ids(values, "outcome", RESERVED_OUTCOMES), strict=True))


def _natural(value: str) -> tuple[int, float, str]:
    try:
        return 0, float(value), value
    except ValueError:
        return 1, 0.0, value
