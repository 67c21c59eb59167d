"""Parse numbers that people type, with a point or a comma, and format numbers as they can be typed."""

from __future__ import annotations

import math
import re

_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d{1,3})?", re.IGNORECASE)
_EITHER = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
"""One comma before exactly three digits: 1,234 is 1.234 in some countries and 1234 in others."""
_GROUPED = re.compile(r"[+-]?\d{1,3}([., ’']\d{3})+([.,]\d*)?")


def parse_typed_number(text: str) -> float | str:
    """Parse a typed number; return an error sentence if it is not a number or is ambiguous.

    >>> parse_typed_number("37,5"), parse_typed_number(" 37.50 "), parse_typed_number("−4"), parse_typed_number("0,125")
    (37.5, 37.5, -4.0, 0.125)
    >>> parse_typed_number("1,234")
    '1,234 can be read in two ways: type 1234, or 1.234.'
    >>> parse_typed_number("1,234,567.5")
    'Type the number without marks between the thousands: 1234567.5.'
    >>> parse_typed_number("fast")
    'That is not a number; type digits, such as 37 or 37.5.'
    """
    typed = text.strip().replace("−", "-")
    if _EITHER.fullmatch(typed):
        return (
            f"{typed} can be read in two ways: type {typed.replace(',', '')}, or {typed.replace(',', '.')}."
        )
    if _NUMBER.fullmatch(typed):
        number = float(typed.replace(",", "."))
        return number if math.isfinite(number) else "That number is too large; type a smaller one."
    if _GROUPED.fullmatch(typed):
        return f"Type the number without marks between the thousands: {_remove_separators(typed)}."
    return "That is not a number; type digits, such as 37 or 37.5."


def format_for_typing(number: float) -> str:
    """Format a number as it can be typed: without thousands separators, exponent or trailing zeros.

    >>> format_for_typing(6000.0), format_for_typing(1_000_000), format_for_typing(37.5), format_for_typing(-0.00001)
    ('6000', '1000000', '37.5', '-0.00001')
    """
    if number == int(number):
        return str(int(number))
    shortest = repr(float(number))
    if "e" not in shortest:
        return shortest
    digits, _, power = shortest.partition("e")
    places = len(digits.partition(".")[2]) - int(power)
    return f"{number:.{places}f}"


def format_range(low: float, high: float) -> str:
    """Format a range in words.

    >>> format_range(0, 6000)
    '0 to 6000'
    """
    return f"{format_for_typing(low)} to {format_for_typing(high)}"


def _remove_separators(typed: str) -> str:
    """Remove the thousands separators from a number.

    >>> _remove_separators("1.234,5"), _remove_separators("12 345"), _remove_separators("1.234.567")
    ('1234.5', '12345', '1234567')
    """
    last = max(typed.rfind("."), typed.rfind(","))
    tail = typed[last + 1 :]
    mark = typed[last] if last >= 0 else ""
    decimals = last >= 0 and (
        len(tail) != 3 or any(other in typed[:last] for other in ".,".replace(mark, ""))
    )
    whole = typed[:last] if decimals else typed
    joined = re.sub(r"[., ’']", "", whole)
    return f"{joined}.{tail}" if decimals and tail else joined
