"""Recognise the type of question that a column of data answers: yes or no, a choice, or a number."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from odm_tui.banks.authoring.cells import (
    find_unit,
    has_grouped_numbers,
    have_dates,
    means_yes_or_no,
    missing_words,
    parse_number,
    parse_numbers,
    parse_yes_no,
)
from odm_tui.banks.authoring.thresholds import FindThresholds, find_thresholds
from odm_tui.banks.bank import QuestionType
from odm_tui.banks.checks.fields import LARGEST
from odm_tui.banks.checks.questions import RESERVED_ANSWERS
from odm_tui.text import one_line, quote_names, shorten, slug

MAX_CHOICES = 12
_MAX_CODES = 6
"""A column with at most this many different whole numbers holds codes, not amounts."""
_SPARSE = 0.2
"""A column with answers in a smaller share of its rows is noted."""
_FEWEST_IDENTIFIED = 20
"""Fewer different whole numbers may just be amounts that happen to differ."""
_ID_NAME = re.compile(r"(?:^|[^A-Za-z])(?:id|uuid|guid)(?:$|[^A-Za-z])", re.IGNORECASE)
_CAMEL_ID = re.compile(r"[a-z](?:ID|Id)$")
_PERHAPS_MISSING = frozenset({"na", "n/a", "nan", "null", "missing"})
_USUAL_MISSING = frozenset({"na", "n/a", "nan", "null", "none", "-", ".", "missing", "unknown", "-9", "999"})


@dataclass(frozen=True, slots=True)
class Column:
    """A column that became a question; ``cells`` holds the index of each row's answer, -1 for none."""

    name: str
    position: int
    text: str
    type: QuestionType
    cells: Sequence[int]
    answers: Mapping[str, str] = field(default_factory=dict)
    """The cell of each answer of a choice, by the answer's id."""
    thresholds: tuple[float, ...] = ()
    notes: tuple[str, ...] = ()
    """What the author should know about the column: clauses that follow its name."""

    @property
    def answer_ids(self) -> list[str]:
        """The ids of the answers, in the engine's order."""
        if self.type == "yes_no":
            return ["no", "yes"]
        if self.type == "choice":
            return list(self.answers)
        from odm_tui.engine.problem import Question

        return list(Question("number", thresholds=self.thresholds).answers)


def recognise_column(
    name: str,
    position: int,
    cells: Sequence[str],
    outcomes: Sequence[int],
    *,
    thresholds: int = 3,
    find: FindThresholds = find_thresholds,
    missing: Iterable[str] = (),
    named: bool = False,
    title: str = "",
    delimiter: str = ",",
) -> Column | str:
    """Return the question that a column answers, or the reason for none (a clause that follows the column's name).

    ``outcomes`` is the outcome of each row; thresholds of numbers are put where it changes. ``named`` says that the
    author asked for this very column, so that it is not left out as an identifier. ``title`` is another name for the
    question's text. ``delimiter`` is the table's.
    """
    absent = missing_words(missing)
    present = {cell for cell in cells if cell.casefold() not in absent}
    if len(present) < 2:
        return "has the same value in every row" if present else "is empty"
    grouped = has_grouped_numbers(present, delimiter)
    numbers = parse_numbers(present, grouped)
    if reason := _describe_bad_numbers(present, numbers):
        return reason
    if not named and (reason := _identifies(name, cells, present, numbers)):
        return reason
    found = _recognise_kind(
        name, position, _question_text(title or name), cells, outcomes, present, numbers, thresholds, find
    )
    if isinstance(found, str):
        return found
    many = sum(cell in present for cell in cells)
    if many < _SPARSE * len(cells):
        sparse = (
            f"has an answer in only {many:,} of {len(cells):,} rows; in a spreadsheet, split merged cells"
        )
        return replace(found, notes=(*found.notes, sparse))
    return found


def _recognise_kind(
    name: str,
    position: int,
    text: str,
    cells: Sequence[str],
    outcomes: Sequence[int],
    present: set[str],
    numbers: Mapping[str, float] | None,
    thresholds: int,
    find: FindThresholds,
) -> Column | str:
    """Return the question of a column that is one, or why there is none."""
    if means_yes_or_no({cell.casefold() for cell in present}):
        answers = {cell: parse_yes_no(cell) for cell in present}
        return Column(name, position, text, "yes_no", [_or_none(answers.get(cell)) for cell in cells])
    if numbers is not None and not _are_codes(numbers):
        return _number_column(name, position, text, cells, outcomes, numbers, thresholds, find)
    spellings = join_spellings(cells, present)
    if len(set(spellings.values())) <= MAX_CHOICES:
        return _choice_column(name, position, text, cells, spellings)
    return _describe_too_many(present)


def _or_none(answer: int | None) -> int:
    return -1 if answer is None else answer


def join_spellings(cells: Iterable[str], present: set[str]) -> dict[str, str]:
    """Return the usual spelling of each cell: of those that differ only in case, the most frequent one."""
    counts = Counter(cell for cell in cells if cell in present)
    usual: dict[str, str] = {}
    for cell in sorted(present, key=lambda cell: (-counts[cell], cell)):
        usual.setdefault(cell.casefold(), cell)
    return {cell: usual[cell.casefold()] for cell in present}


def describe_spellings(spellings: Mapping[str, str]) -> tuple[str, ...]:
    """Return a clause about the cells that count as one because they differ only in case."""
    joined = sorted(set(spellings) - set(spellings.values()))
    if not joined:
        return ()
    return (f"has {quote_names(joined)} in another case too; each counts as the usual spelling",)


def make_unique_ids(names: Iterable[str], otherwise: str, reserved: Iterable[str] = ()) -> list[str]:
    """Return an id for each name: its ASCII letters and digits, with a number if two would be the same.

    >>> make_unique_ids(["Very slow", "very slow!", "…"], "answer")
    ['very-slow', 'very-slow-2', 'answer']
    """
    ids: list[str] = []
    taken = set(reserved)
    for name in names:
        base = slug(name, 56) or otherwise
        id, count = base, 1
        while id in taken:
            count += 1
            id = f"{base}-{count}"
        taken.add(id)
        ids.append(id)
    return ids


def _question_text(name: str) -> str:
    words = one_line(name.replace("_", " "))
    return shorten(words[:1].upper() + words[1:], 200) + "?"


def _describe_bad_numbers(present: set[str], numbers: Mapping[str, float] | None) -> str:
    """Return why a column of numbers can't be used; empty if it can, or holds no numbers."""
    if numbers is not None:
        return "has numbers that all count as 0; use a smaller unit" if set(numbers.values()) == {0.0} else ""
    try:
        largest = max(abs(float(cell)) for cell in present)
    except ValueError:
        return ""
    return f"has numbers beyond {LARGEST:g}; use a larger unit" if LARGEST < largest < math.inf else ""


def _identifies(
    name: str, cells: Sequence[str], present: set[str], numbers: Mapping[str, float] | None
) -> str:
    """Return why a column identifies the rows instead of describing them; empty if it does not."""
    if _ID_NAME.search(name) or _CAMEL_ID.search(name):
        return "identifies the rows, as its name says; name it with --only if it is a question"
    if len(present) < max(len(cells), _FEWEST_IDENTIFIED) or (
        numbers is not None and not all(value == int(value) for value in numbers.values())
    ):
        return ""
    if numbers is None and (reason := _describe_texts(present)):
        return reason
    kind = "text" if numbers is None else "whole number"
    return (
        f"has a different {kind} in every row, as an identifier does; name it with --only if it is a question"
    )


def _describe_texts(present: set[str]) -> str:
    """Return what texts are that could be read if they were written in another way; empty if they are just texts."""
    if have_dates(present):
        return "has dates or times; write what matters about them as a number, such as the days since"
    if unit := find_unit(present):
        return f"has numbers with {unit!r}; write the numbers alone"
    return ""


def _describe_too_many(present: set[str]) -> str:
    """Return why a column of many texts is no question; numbers with a few words among them are told apart."""
    if reason := _describe_texts(present):
        return reason
    words = sorted(cell for cell in present if parse_number(cell) is None)
    if len(words) <= 3 and len(words) < len(present) / 2:
        usual = " ".join(f"--missing {word}" for word in words if word.casefold() in _USUAL_MISSING)
        remedy = f"add {usual}" if usual else "correct them"
        return f"has numbers, but also {quote_names(words)}; {remedy}"
    return f"has {len(present):,} different texts, too many for a choice (at most {MAX_CHOICES}); join the rare ones"


def _are_codes(numbers: Mapping[str, float]) -> bool:
    values = set(numbers.values())
    return 2 <= len(values) <= _MAX_CODES and all(value == int(value) for value in values)


def _choice_column(
    name: str, position: int, text: str, cells: Sequence[str], spellings: Mapping[str, str]
) -> Column:
    values = sorted(set(spellings.values()))
    ids = make_unique_ids(values, "answer", RESERVED_ANSWERS)
    index = {value: i for i, value in enumerate(values)}
    answers = dict(zip(ids, values, strict=True))
    notes = describe_spellings(spellings)
    absent = [value for value in values if value.casefold() in _PERHAPS_MISSING]
    if absent:
        options = " ".join(f"--missing {value}" for value in absent)
        notes += (f"has the answer {quote_names(absent)}; if that means that it is missing, add {options}",)
    found = [index[spellings[cell]] if cell in spellings else -1 for cell in cells]
    return Column(name, position, text, "choice", found, answers=answers, notes=notes)


def _number_column(
    name: str,
    position: int,
    text: str,
    cells: Sequence[str],
    outcomes: Sequence[int],
    numbers: Mapping[str, float],
    most: int,
    find: FindThresholds,
) -> Column | str:
    rows = [row for row, cell in enumerate(cells) if cell in numbers]
    values = [numbers[cells[row]] for row in rows]
    cuts = find(values, [outcomes[row] for row in rows], most)
    if not cuts:
        return "has numbers that are too close for a threshold"
    indices = [bisect_left(cuts, numbers[cell]) if cell in numbers else -1 for cell in cells]
    return Column(name, position, text, "number", indices, thresholds=tuple(cuts))
