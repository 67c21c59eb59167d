"""Check ``[cases]``: the counts of past cases, and the columns of the data that they came from."""

from __future__ import annotations

from typing import Any

from odm_tui.banks.cases import CaseVariants, PastCases
from odm_tui.banks.checks import fields
from odm_tui.banks.checks.fields import Table, describe_value
from odm_tui.banks.parsing.findings import Place

CASES_KEYS = (
    "file",
    "outcome",
    "missing",
    "rows",
    "outcome_values",
    "columns",
    "values",
    "answers",
    "variants",
)
MAX_CASES = 10**12
MOST_VARIANTS = 16


def check_cases(value: object, place: Place) -> PastCases | None:
    """Return the past cases of a bank; None without them, or after an error.

    Names that the bank does not have are no errors: an author may remove a question and keep its counts.
    """
    if value is None:
        return None
    table = fields.read_table(value, place)
    if table is None:
        return None
    fields.report_unknown_keys(table, CASES_KEYS, place)
    rows = _rows(table.get("rows"), place.at("rows"))
    if rows is None:
        return None
    return PastCases(
        rows=rows,
        answers=_answers(table.get("answers", {}), list(rows.values()), place.at("answers")),
        file=fields.read_text(table, "file", place, most=1_000),
        outcome=_cell(table.get("outcome", ""), place.at("outcome")),
        missing=_words(table.get("missing", []), place.at("missing")),
        columns=_cells(table, "columns", place),
        values={
            question: _cells(table["values"], question, place.at("values"))
            for question in _table(table, "values", place)
        },
        outcome_values=_cells(table, "outcome_values", place),
        variants=_variants(table.get("variants"), place.at("variants")),
    )


def _rows(value: object, place: Place) -> dict[str, int] | None:
    if not isinstance(value, dict) or not value:
        given = "is missing" if value is None else f"must be a table, not {describe_value(value)}"
        place.error(f"{given}; write how many cases each outcome had, such as {{ flu = 12, cold = 30 }}.")
        return None
    for outcome, count in value.items():
        if type(count) is not int or not 0 <= count <= MAX_CASES:
            place.at(outcome).error(f"must be a whole number of cases, not {describe_value(count)}.")
            return None
    return value


def _answers(value: object, rows: list[int], place: Place) -> dict[str, dict[str, tuple[int, ...]]]:
    table = fields.read_table(value, place) or {}
    checked: dict[str, dict[str, tuple[int, ...]]] = {}
    for question, by_answer in table.items():
        here = place.at(question)
        if not isinstance(by_answer, dict):
            here.error(
                f"must be a table such as {{ no = [3, 1], yes = [0, 5] }}, not {describe_value(by_answer)}."
            )
            continue
        checked[question] = {
            answer: tuple(counts)
            for answer, counts in by_answer.items()
            if _is_counts(counts, len(rows), here.at(answer))
        }
        given = checked[question].values()
        if any(sum(counts[at] for counts in given) > most for at, most in enumerate(rows)):
            here.error("has more answers than the outcome has cases in rows; correct one of them.")
    return checked


def _is_counts(value: Any, size: int, place: Place) -> bool:
    if not isinstance(value, list) or set(map(type, value)) != {int} or min(value) < 0 or len(value) != size:
        given = (
            f"{len(value)} of them"
            if isinstance(value, list) and len(value) != size
            else describe_value(value)
        )
        place.error(f"must be a list of {size} counts, one for each outcome in rows, not {given}.")
        return False
    return True


def _variants(value: object, place: Place) -> CaseVariants | None:
    """Return the variants that were fitted to the cases; None without them, or after an error."""
    if value is None:
        return None
    table = fields.read_table(value, place)
    if table is None:
        return None
    fields.report_unknown_keys(table, ("shares", "answers"), place)
    shares = {
        outcome: tuple(numbers)
        for outcome, numbers in _table(table, "shares", place).items()
        if _is_positive(numbers, None, place.at("shares").at(outcome))
    }
    size = sum(map(len, shares.values()))
    if not shares:
        place.error("has no shares; write the share of each variant by outcome, or remove the table.")
        return None
    answers: dict[str, dict[str, tuple[float, ...]]] = {}
    for question, by_answer in _table(table, "answers", place).items():
        here = place.at("answers").at(question)
        found = fields.read_table(by_answer, here) or {}
        answers[question] = {
            answer: tuple(numbers)
            for answer, numbers in found.items()
            if _is_positive(numbers, size, here.at(answer))
        }
    return CaseVariants(shares, answers)


def _is_positive(value: Any, size: int | None, place: Place) -> bool:
    """Whether a value is a list of numbers above 0, so many or between 1 and the most variants."""
    if not isinstance(value, list) or not all(fields.is_number(number) and number > 0 for number in value):
        place.error(f"must be a list of numbers above 0, one for each variant, not {describe_value(value)}.")
        return False
    if size is not None and len(value) != size:
        place.error(f"must have {size} numbers, one for each variant in shares, not {len(value)}.")
        return False
    if size is None and not 1 <= len(value) <= MOST_VARIANTS:
        place.error(f"must have 1 to {MOST_VARIANTS} numbers, one for each variant, not {len(value)}.")
        return False
    return True


def _table(table: Table, key: str, place: Place) -> Table:
    return (fields.read_table(table[key], place.at(key)) or {}) if key in table else {}


def _cells(table: Table, key: str, place: Place) -> dict[str, str]:
    return {id: _cell(text, place.at(key).at(id)) for id, text in _table(table, key, place).items()}


def _words(value: object, place: Place) -> tuple[str, ...]:
    if not isinstance(value, list):
        place.error(f'must be a list of texts such as ["NA"], not {describe_value(value)}.')
        return ()
    return tuple(_cell(word, place.at(i)) for i, word in enumerate(value))


def _cell(value: object, place: Place) -> str:
    """Return a text exactly as it is in the data; it is compared with cells and never shown uncleaned."""
    if isinstance(value, str):
        return value
    place.error(f"must be a text in quotes, as it is in the data, not {describe_value(value)}.")
    return ""
