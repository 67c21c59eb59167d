"""Recognise the type of question that a column of data answers: yes or no, a choice, or a number."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from odm_tui.banks.authoring.cells import YES_NO, missing_words, parse_number, parse_numbers
from odm_tui.banks.authoring.thresholds import FindThresholds, find_thresholds
from odm_tui.banks.bank import QuestionType
from odm_tui.banks.checks.fields import LARGEST
from odm_tui.banks.checks.questions import RESERVED_ANSWERS
from odm_tui.text import one_line, quote_names, shorten, slug

MAX_CHOICES = 12
_MAX_CODES = 6
"""A column with at most this many different whole numbers holds codes, not amounts."""
_FEWEST_IDENTIFIED = 20
"""Fewer different whole numbers may just be amounts that happen to differ."""
_ID_NAME = re.compile(r"(?:^|[^A-Za-z])(?:id|uuid|guid)(?:$|[^A-Za-z])", re.IGNORECASE)
_CAMEL_ID = re.compile(r"[a-z](?:ID|Id)$")
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
    range: tuple[float, float] = (0.0, 1.0)

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
) -> Column | str:
    """Return the question that a column answers, or the reason for none (a clause that follows the column's name).

    ``outcomes`` is the outcome of each row; thresholds of numbers are put where it changes. ``named`` says that the
    author asked for this very column, so that it is not left out as an identifier. ``title`` is another name for the
    question's text.
    """
    absent = missing_words(missing)
    present = {cell for cell in cells if cell.casefold() not in absent}
    if len(present) < 2:
        return "has the same value in every row" if present else "is empty"
    if not named and (reason := _identifies(name, cells, present)):
        return reason
    text = _question_text(title or name)
    folded = {cell.casefold() for cell in present}
    for no, yes in YES_NO:
        if folded == {no, yes}:
            index = {no: 0, yes: 1}
            return Column(name, position, text, "yes_no", [index.get(cell.casefold(), -1) for cell in cells])
    numbers = parse_numbers(present)
    if numbers is not None and not _are_codes(numbers):
        return _number_column(name, position, text, cells, outcomes, numbers, thresholds, find)
    if len(present) <= MAX_CHOICES:
        return _choice_column(name, position, text, cells, present)
    return _describe_too_many(present)


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


def _identifies(name: str, cells: Sequence[str], present: set[str]) -> str:
    """Return why a column identifies the rows instead of describing them; empty if it does not."""
    if _ID_NAME.search(name) or _CAMEL_ID.search(name):
        return "identifies the rows, as its name says; name it with --only if it is a question"
    numbers = parse_numbers(present)
    if len(present) < max(len(cells), _FEWEST_IDENTIFIED) or (
        numbers is not None and not all(value == int(value) for value in numbers.values())
    ):
        return ""
    kind = "text" if numbers is None else "whole number"
    return (
        f"has a different {kind} in every row, as an identifier does; name it with --only if it is a question"
    )


def _describe_too_many(present: set[str]) -> str:
    """Return why a column of many texts is no question; numbers with a few words among them are told apart."""
    words = sorted(cell for cell in present if parse_number(cell) is None)
    if len(words) <= 3 and len(words) < len(present) / 2:
        usual = " ".join(f"--missing {word}" for word in words if word.casefold() in _USUAL_MISSING)
        remedy = f"add {usual}" if usual else "correct them"
        return f"has numbers, but also {quote_names(words)}; {remedy}"
    return f"has {len(present):,} different texts, too many for a choice"


def _are_codes(numbers: Mapping[str, float]) -> bool:
    values = set(numbers.values())
    return 2 <= len(values) <= _MAX_CODES and all(value == int(value) for value in values)


def _choice_column(name: str, position: int, text: str, cells: Sequence[str], present: set[str]) -> Column:
    values = sorted(present)
    ids = make_unique_ids(values, "answer", RESERVED_ANSWERS)
    index = {value: i for i, value in enumerate(values)}
    answers = dict(zip(ids, values, strict=True))
    return Column(name, position, text, "choice", [index.get(cell, -1) for cell in cells], answers=answers)


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
    low, high = _outer(min(values), -1), _outer(max(values), 1)
    return Column(name, position, text, "number", indices, thresholds=tuple(cuts), range=(low, high))


def _outer(value: float, direction: int) -> float:
    """Round a value away from the others: down for direction -1, up for 1."""
    if value == 0:
        return 0.0
    step = 10.0 ** (math.floor(math.log10(abs(value))) - 1)
    rounded = (math.floor if direction < 0 else math.ceil)(value / step) * step
    return max(-LARGEST, min(LARGEST, rounded))
