"""Make a bank from a table of past cases: one question per column, and P(answer | outcome) from the rows.

P(answer | outcome) is the share of the rows after adding two of each answer (the counts that a bank without
knowledge starts from), and its worth is the number of these rows. So the imported bank knows exactly what it would
know after one interview per row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from odm_tui.banks.authoring.columns import Column, make_unique_ids, recognise_column
from odm_tui.banks.authoring.costs_file import read_costs
from odm_tui.banks.authoring.toml_text import (
    format_toml_key,
    format_toml_number,
    format_toml_string,
    format_toml_table,
)
from odm_tui.banks.checks.outcomes import RESERVED_OUTCOMES
from odm_tui.banks.checks.questions import RESERVED_QUESTIONS
from odm_tui.csv_files import TableFile, bad_table, read_table
from odm_tui.formatting import format_count
from odm_tui.text import one_line, quote_names, shorten

MAX_BYTES = 64 * 2**20
MAX_OUTCOMES = 1_000
_PSEUDO = 2
"""Added to the count of each answer: the engine's PSEUDO_COUNT, which every bank starts from."""


@dataclass(frozen=True, slots=True)
class Import:
    """The text of the imported bank, its size, and the columns that were left out."""

    text: str
    questions: int
    outcomes: int
    rows: int
    left_out: tuple[tuple[str, str], ...] = field(default=())
    """Columns that are not questions, each with the reason."""


def import_bank(
    data: Path, outcome: str, costs: Path | None = None, title: str = "", thresholds: int = 3
) -> Import:
    """Make a bank from a CSV file; raise BadData if that is not possible."""
    table = read_table(data, max_bytes=MAX_BYTES, min_columns=2)
    rows = [i for i, value in enumerate(table.column(outcome)) if value]
    outcomes = _outcomes(table, outcome, rows)
    columns: list[Column] = []
    left_out: list[tuple[str, str]] = []
    for position, (name, cells) in enumerate(_others(table, outcome)):
        found = recognise_column(name, position, [cells[i] for i in rows], thresholds)
        if isinstance(found, Column):
            columns.append(found)
        else:
            left_out.append((one_line(name), found))
    if not columns:
        raise bad_table(
            data,
            f"no column can be a question: {left_out[0][0]!r} {left_out[0][1]}. "
            "Add a column with different answers.",
        )
    ids = make_unique_ids([column.name for column in columns], "q", RESERVED_QUESTIONS)
    cost_lines = read_costs(costs, columns, [name for name, _ in _others(table, outcome)]) if costs else {}
    labels = [table.column(outcome)[i] for i in rows]
    text = "\n".join(
        [
            *_head(title or data.stem.replace("_", " "), data, len(rows)),
            *_outcome_lines(outcomes, Counter(labels), len(rows)),
            *(
                line
                for id, column in zip(ids, columns, strict=True)
                for line in _question_lines(id, column, cost_lines)
            ),
            *_expected_lines(dict(zip(ids, columns, strict=True)), outcomes, labels),
        ]
    )
    return Import(text, len(columns), len(outcomes), len(rows), tuple(left_out))


def _others(table: TableFile, outcome: str) -> list[tuple[str, list[str]]]:
    return [(name, cells) for name, cells in table.columns.items() if name != outcome]


def _outcomes(table: TableFile, column: str, rows: Sequence[int]) -> dict[str, str]:
    """Return the ids of the outcomes, by their values in the data, in the order of the values."""
    values = sorted({table.column(column)[i] for i in rows}, key=_natural)
    if len(values) < 2:
        found = f"only the value {quote_names(values)}" if values else "no values"
        raise bad_table(
            table.path, f"the column {column!r} has {found}. Choose a column with at least two outcomes."
        )
    if len(values) > MAX_OUTCOMES or len(values) > max(20, len(rows) // 2):
        raise bad_table(
            table.path,
            f"the column {column!r} has {len(values):,} different values in {len(rows):,} rows. "
            "Choose a column whose values repeat.",
        )
    return dict(zip(values, make_unique_ids(values, "outcome", RESERVED_OUTCOMES), strict=True))


def _natural(value: str) -> tuple[int, float, str]:
    try:
        return 0, float(value), value
    except ValueError:
        return 1, 0.0, value


def _head(title: str, data: Path, rows: int) -> list[str]:
    file, count = one_line(data.name), format_count(rows, "row")
    return [
        f"# Imported from {file}: {count}. The texts are the column names; turn them into questions.",
        "format = 1",
        f"title = {format_toml_string(shorten(one_line(title), 200))}",
        f"description = {format_toml_string(f'Learned from {count} of {shorten(file, 200)}.')}",
        'cost_unit = "points"',
        "default_cost = 1",
        'outcome_prior = "fixed"  # "learned" adapts the priors to confirmed outcomes',
        "",
    ]


def _outcome_lines(outcomes: Mapping[str, str], counts: Counter[str], rows: int) -> list[str]:
    lines = []
    for value, id in outcomes.items():
        lines += [
            "[[outcomes]]",
            f"id = {format_toml_string(id)}",
            f"label = {format_toml_string(shorten(one_line(value), 200))}",
            'advice = ""',
            f"prior = {format_toml_number(counts[value] / rows)}  # {format_count(counts[value], 'row')}",
            "",
        ]
    return lines


def _question_lines(id: str, column: Column, costs: Mapping[str, str]) -> list[str]:
    lines = ["[[questions]]", f"id = {format_toml_string(id)}", f"text = {format_toml_string(column.text)}"]
    if column.type == "choice":
        answers = ", ".join(
            format_toml_table({"id": format_toml_string(answer), "label": format_toml_string(label)})
            for answer, label in column.answers.items()
        )
        lines += ['type = "choice"', f"answers = [{answers}]"]
    elif column.type == "number":
        low, high = column.range
        cuts = ", ".join(format_toml_number(cut, 10) for cut in column.thresholds)
        lines += [
            'type = "number"',
            f"range = [{format_toml_number(low, 10)}, {format_toml_number(high, 10)}]",
            f"thresholds = [{cuts}]",
        ]
    if column.name in costs:
        lines.append(f"cost = {costs[column.name]}")
    return [*lines, ""]


def _expected_lines(
    columns: Mapping[str, Column], outcomes: Mapping[str, str], labels: Sequence[str]
) -> list[str]:
    entries: list[str] = []
    worths: dict[str, str] = {}
    for id, column in columns.items():
        counts = {value: [_PSEUDO] * column.size for value in outcomes}
        for answer, label in zip(column.cells, labels, strict=True):
            if answer >= 0:
                counts[label][answer] += 1
        shares = format_toml_table({outcomes[value]: _shares(column, c) for value, c in counts.items()})
        worths[id] = format_toml_table({outcomes[value]: str(sum(c)) for value, c in counts.items()})
        entries.append(f"{format_toml_key(id)} = {shares}")
    usual, _ = Counter(worths.values()).most_common(1)[0]
    others = {id: worth for id, worth in worths.items() if worth != usual}
    return [
        "# P(answer | outcome). The worth is the number of observations: the rows, plus two of each answer.",
        "[expected]",
        f"worth = {format_toml_table({'*': usual, **others})}",
        *entries,
        "",
    ]


def _shares(column: Column, counts: Sequence[int]) -> str:
    """Return P(yes), P of each answer, or P(above each threshold) as TOML, from the counts of the answers."""
    total = sum(counts)
    if column.type == "yes_no":
        return format_toml_number(counts[1] / total)
    if column.type == "choice":
        shares = {id: c / total for id, c in zip(column.answers, counts, strict=True)}
    else:
        shares = {
            f"above_{cut:.10g}": sum(counts[t + 1 :]) / total for t, cut in enumerate(column.thresholds)
        }
    return format_toml_table({key: format_toml_number(share) for key, share in shares.items()})
