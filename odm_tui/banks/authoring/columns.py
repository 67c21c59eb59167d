"""Recognise the type of question that a column of data answers: yes or no, a choice, or a number."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from odm_tui.banks.bank import QuestionType
from odm_tui.banks.checks.fields import LARGEST
from odm_tui.banks.checks.questions import RESERVED_ANSWERS
from odm_tui.text import one_line, shorten, slug

MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?", "-"})
_YES_NO = (("no", "yes"), ("n", "y"), ("false", "true"), ("f", "t"), ("0", "1"), ("0.0", "1.0"))
MAX_CHOICES = 12
_SMALLEST = 1e-12
"""Numbers closer to zero than this count as zero, so that thresholds stay readable."""
_MAX_CODES = 6
"""A column with at most this many different whole numbers holds codes, not amounts."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column that became a question; ``cells`` holds the index of each row's answer, -1 for none."""

    name: str
    position: int
    text: str
    type: QuestionType
    cells: Sequence[int]
    answers: Mapping[str, str] = field(default_factory=dict)
    thresholds: tuple[float, ...] = ()
    range: tuple[float, float] = (0.0, 1.0)

    @property
    def size(self) -> int:
        """The number of answers that the question has."""
        return {"yes_no": 2, "choice": len(self.answers), "number": len(self.thresholds) + 1}[self.type]


def recognise_column(name: str, position: int, cells: Sequence[str], thresholds: int = 3) -> Column | str:
    """Return the question that a column answers, or the reason for none (a clause that follows the column's name)."""
    present = {cell for cell in cells if cell.casefold() not in MISSING}
    if len(present) < 2:
        return "has the same value in every row" if present else "is empty"
    text = _question_text(name)
    folded = {cell.casefold() for cell in present}
    for no, yes in _YES_NO:
        if folded == {no, yes}:
            index = {no: 0, yes: 1}
            return Column(name, position, text, "yes_no", [index.get(cell.casefold(), -1) for cell in cells])
    numbers = _numbers(present)
    if numbers is not None and not _are_codes(numbers):
        return _number_column(name, position, text, cells, numbers, thresholds)
    if len(present) <= MAX_CHOICES:
        return _choice_column(name, position, text, cells, present)
    return f"has {len(present):,} different texts, too many for a choice"


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


def _numbers(cells: set[str]) -> dict[str, float] | None:
    numbers = {}
    for cell in cells:
        try:
            value = float(cell)
        except ValueError:
            return None
        if not abs(value) <= LARGEST:
            return None
        numbers[cell] = value if abs(value) >= _SMALLEST else 0.0
    return numbers


def _are_codes(numbers: Mapping[str, float]) -> bool:
    values = set(numbers.values())
    return 2 <= len(values) <= _MAX_CODES and all(value == int(value) for value in values)


def _choice_column(name: str, position: int, text: str, cells: Sequence[str], present: set[str]) -> Column:
    values = sorted(present)
    ids = make_unique_ids(values, "answer", RESERVED_ANSWERS)
    labels = {id: shorten(one_line(value), 200) or id for id, value in zip(ids, values, strict=True)}
    index = {value: i for i, value in enumerate(values)}
    return Column(name, position, text, "choice", [index.get(cell, -1) for cell in cells], answers=labels)


def _number_column(
    name: str, position: int, text: str, cells: Sequence[str], numbers: Mapping[str, float], wanted: int
) -> Column | str:
    values = sorted(numbers[cell] for cell in cells if cell in numbers)
    cuts = find_quantile_thresholds(values, wanted)
    if not cuts:
        return "has numbers that are too close for a threshold"
    indices = [bisect_left(cuts, numbers[cell]) if cell in numbers else -1 for cell in cells]
    low, high = _outer(values[0], -1), _outer(values[-1], 1)
    return Column(name, position, text, "number", indices, thresholds=tuple(cuts), range=(low, high))


def find_quantile_thresholds(values: Sequence[float], wanted: int) -> list[float]:
    """Return thresholds with few digits that split sorted values into parts of about the same size.

    >>> find_quantile_thresholds([0, 1, 2, 3, 4, 5, 6, 7], 3)
    [1.5, 3.5, 5.5]
    """
    cuts: list[float] = []
    for part in range(1, wanted + 1):
        place = part * len(values) // (wanted + 1)
        # Halfway to the next smaller value, so that no value is equal to the threshold.
        upper = values[place]
        below = bisect_left(values, upper)
        if below:
            cut = _short(values[below - 1], upper)
            if cut not in cuts:
                cuts.append(cut)
    return sorted(cuts)


def _short(low: float, high: float) -> float:
    """Return the middle of two numbers, rounded to as few digits as still separate them."""
    middle = low + (high - low) / 2
    for digits in range(2, 10):
        rounded = float(f"{middle:.{digits}g}")
        if low <= rounded < high:
            return rounded
    return low


def _outer(value: float, direction: int) -> float:
    """Round a value away from the others: down for direction -1, up for 1."""
    if value == 0:
        return 0.0
    step = 10.0 ** (math.floor(math.log10(abs(value))) - 1)
    rounded = (math.floor if direction < 0 else math.ceil)(value / step) * step
    return max(-LARGEST, min(LARGEST, rounded))
