"""Read the costs of questions from a CSV file: one line per question, with one cost or one per answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from odm_tui.banks.authoring.cells import parse_number
from odm_tui.banks.authoring.columns import Column
from odm_tui.banks.authoring.toml_text import format_toml_number, format_toml_table
from odm_tui.banks.checks.fields import is_number
from odm_tui.csv_files import bad_table, read_table
from odm_tui.text import find_nearest_name, one_line, quote_names, shorten

_NUMBERED = "cost_outcome"
"""``cost_outcome0``, ``cost_outcome1``, …: the cost of each answer, in the order no, yes."""


def read_costs(path: Path, columns: Sequence[Column], names: Sequence[str]) -> dict[str, str]:
    """Return the cost of each column's question as TOML, by the column's name.

    The first column of the file names the question: by the data's column name, or by its position among the
    columns other than the outcome, from 0. The other columns are ``cost``; or ``cost_no``, ``cost_yes`` and so on; or
    ``cost_outcome0``, ``cost_outcome1``, …. If a number question has two costs, the first applies below its middle
    threshold and the second above.
    """
    table = read_table(path)
    first, *others = table.columns
    headers = [name for name in others if name.casefold().startswith("cost")]
    if not headers:
        raise bad_table(path, "there is no column cost, cost_yes or cost_outcome0. Add one.")
    by_name = {column.name: column for column in columns}
    by_position = {str(i): name for i, name in enumerate(names)}
    costs: dict[str, str] = {}
    for row, test in enumerate(table.columns[first]):
        line = table.lines[row]
        name = test if test in names else by_position.get(test)
        if name is None:
            shown = shorten(one_line(test), 64)
            near = find_nearest_name(test, names)
            remedy = f"Did you mean {near!r}?" if near else "Write the name of one of its columns."
            raise bad_table(path, f"line {line}: the data has no column {shown!r}. {remedy}")
        if name in by_name:
            given = {header: _cost(path, line, header, table.columns[header][row]) for header in headers}
            costs[name] = _cost_text(path, line, by_name[name], given)
    return costs


def _cost(path: Path, line: int, header: str, cell: str) -> float:
    cost = parse_number(cell)
    if cost is None or not is_number(cost, 0):
        shown = shorten(one_line(cell), 40)
        raise bad_table(path, f"line {line}: {one_line(header)} must be a number, 0 or more, not {shown!r}.")
    return cost


def _cost_text(path: Path, line: int, column: Column, given: Mapping[str, float]) -> str:
    if len(given) == 1:
        return format_toml_number(next(iter(given.values())))
    answers = column.answer_ids
    named = {header.casefold().removeprefix("cost_"): cost for header, cost in given.items()}
    if all(header.casefold().startswith(_NUMBERED) for header in given):
        ordered = list(given.values())
        if len(ordered) == 2 and column.type == "number":
            middle = (len(answers) + 1) // 2
            ordered = [ordered[0]] * middle + [ordered[1]] * (len(answers) - middle)
        if len(ordered) != len(answers):
            raise bad_table(
                path,
                f"line {line} has {len(ordered)} costs, but the question has {len(answers)} answers. "
                "Give one cost per answer.",
            )
        named = dict(zip(answers, ordered, strict=True))
    elif unknown := next((name for name in named if name not in answers), ""):
        raise bad_table(
            path,
            f"line {line}: {one_line(column.name)!r} has no answer {one_line(unknown)!r}. "
            f"Choose one of {quote_names(answers)}.",
        )
    return format_toml_table({answer: format_toml_number(cost) for answer, cost in named.items()})
