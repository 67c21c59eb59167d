"""Write the text of a bank that was made from a table of past cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from odm_tui.banks.authoring.columns import Column
from odm_tui.banks.authoring.toml_text import (
    format_toml_cell,
    format_toml_key,
    format_toml_number,
    format_toml_string,
    format_toml_table,
)
from odm_tui.banks.schema import SCHEMA_LINE
from odm_tui.formatting import format_count
from odm_tui.text import one_line, shorten, slug


@dataclass(frozen=True, slots=True)
class ImportedRows:
    """The rows of a table that have an outcome.

    ``outcomes`` maps each value of the outcome's column to its id; ``row_outcomes`` has its index for each row.
    """

    file: str
    column: str
    missing: tuple[str, ...]
    outcomes: Mapping[str, str]
    row_outcomes: Sequence[int]

    def count_rows(self) -> list[int]:
        """Return how many rows each outcome has."""
        counts = [0] * len(self.outcomes)
        for outcome in self.row_outcomes:
            counts[outcome] += 1
        return counts


def write_bank(
    rows: ImportedRows,
    columns: Mapping[str, Column],
    title: str,
    costs: Mapping[str, str],
    id: str = "",
    most_variants: int | None = None,
) -> str:
    """Return the text of the bank; ``columns`` are the questions by id, ``costs`` their costs by column."""
    return "\n".join(
        [
            *_head(rows, title, id, most_variants),
            *_outcome_lines(rows),
            *(line for id, column in columns.items() for line in _question_lines(id, column, costs)),
            *_cases_lines(rows, columns),
        ]
    )


def _head(rows: ImportedRows, title: str, id: str, most_variants: int | None) -> list[str]:
    file, count = one_line(rows.file), format_count(len(rows.row_outcomes), "row")
    return [
        SCHEMA_LINE,
        f"# Imported from {file}: {count}. The texts are the column names; turn them into questions.",
        "format = 1",
        *([f"id = {format_toml_string(id)}  # keep it: interviews are kept under it"] if id else []),
        f"title = {format_toml_string(shorten(one_line(title), 200))}",
        f"description = {format_toml_string(f'Learned from {count} of {shorten(file, 200)}.')}",
        'cost_unit = "points"',
        "default_cost = 1",
        'outcome_prior = "learned"  # from the rows below and from confirmed interviews',
        *([] if most_variants is None else [f"variants = {most_variants}"]),
        "",
    ]


def _outcome_lines(rows: ImportedRows) -> list[str]:
    lines = []
    for value, id in rows.outcomes.items():
        label = shorten(one_line(value), 200)
        lines += ["[[outcomes]]", f"id = {format_toml_string(id)}"]
        lines += [f"label = {format_toml_string(label)}"] if label != id else []
        lines += ['advice = ""', ""]
    return lines


def _question_lines(id: str, column: Column, costs: Mapping[str, str]) -> list[str]:
    lines = ["[[questions]]", f"id = {format_toml_string(id)}", f"text = {format_toml_string(column.text)}"]
    if column.type == "choice":
        answers = ", ".join(_answer(answer, cell) for answer, cell in column.answers.items())
        lines += ['type = "choice"', f"answers = [{answers}]"]
    elif column.type == "number":
        cuts = ", ".join(format_toml_number(cut, 10) for cut in column.thresholds)
        lines += [
            'type = "number"',
            f"thresholds = [{cuts}]",
        ]
    if column.name in costs:
        lines.append(f"cost = {costs[column.name]}")
    return [*lines, ""]


def _answer(id: str, cell: str) -> str:
    label = shorten(one_line(cell), 200) or id
    if label == id:
        return format_toml_string(id)
    return format_toml_table({"id": format_toml_string(id), "label": format_toml_string(label)})


def _cases_lines(rows: ImportedRows, columns: Mapping[str, Column]) -> list[str]:
    """Write ``[cases]``; names of columns and cells are there only where they can't be told from the ids."""
    ids = list(rows.outcomes.values())
    named = {id: format_toml_cell(column.name) for id, column in columns.items() if column.name != id}
    cells = {
        id: format_toml_table(odd)
        for id, column in columns.items()
        if (odd := {a: format_toml_cell(cell) for a, cell in column.answers.items() if slug(cell) != a})
    }
    odd = {id: format_toml_cell(value) for value, id in rows.outcomes.items() if slug(value) != id}
    lines = [
        "# The rows that this bank was made from: they count like interviews, one per row.",
        "[cases]",
        f"file = {format_toml_string(shorten(one_line(rows.file), 200))}",
        f"outcome = {format_toml_cell(rows.column)}",
    ]
    if rows.missing:
        lines.append(f"missing = [{', '.join(format_toml_cell(word) for word in rows.missing)}]")
    counts = dict(zip(ids, map(str, rows.count_rows()), strict=True))
    lines.append(f"rows = {format_toml_table(counts)}")
    lines += [f"outcome_values = {format_toml_table(odd)}"] if odd else []
    lines += [f"columns = {format_toml_table(named)}"] if named else []
    lines += [f"values = {format_toml_table(cells)}"] if cells else []
    lines += [
        "",
        "# How often each answer was given: one count per outcome, in the order of rows.",
        "[cases.answers]",
    ]
    for id, column in columns.items():
        by_answer = [[0] * len(ids) for _ in column.answer_ids]
        for answer, outcome in zip(column.cells, rows.row_outcomes, strict=True):
            if answer >= 0:
                by_answer[answer][outcome] += 1
        entry = {
            answer: f"[{', '.join(map(str, numbers))}]"
            for answer, numbers in zip(column.answer_ids, by_answer, strict=True)
        }
        lines.append(f"{format_toml_key(id)} = {format_toml_table(entry)}")
    return [*lines, ""]
