"""Read single values of a document: return the value, or report an error with the remedy."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from odm_tui.banks.parsing.findings import Place
from odm_tui.text import clean_text, find_unprintable, one_line, shorten, slug

ID_PATTERN: Final = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$"
_ID = re.compile(ID_PATTERN.removesuffix("$") + r"\Z")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")
LARGEST: Final = 1e12
"""The limit for costs, thresholds and worths: beyond it they are typing errors, and rounding errors dominate."""

Table = Mapping[str, Any]


def describe_value(value: object) -> str:
    """Describe a value from the file for an error message: short, and safe to print."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return repr(shorten(one_line(value[:200]), 40))
    if isinstance(value, int):
        return str(value) if abs(value) < 10**15 else "a huge integer"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    if isinstance(value, dict):
        return "a table" if value else "an empty table"
    if isinstance(value, dt.date | dt.time):
        return "a date or time"
    return "nothing"


def is_number(value: object, low: float = -LARGEST, high: float = LARGEST) -> bool:
    """Whether a value is a finite number within the limits; true and false are not numbers."""
    # NaN fails every comparison; huge integers are compared without conversion.
    return type(value) in (int, float) and low <= value <= high  # type: ignore[operator]


def read_number(value: object, place: Place, low: float = 0, high: float = LARGEST) -> float | None:
    """Read a finite number within the limits; None after an error."""
    if is_number(value, low, high):
        return float(value)  # type: ignore[arg-type]
    if isinstance(value, str) and (meant := mistyped_number(value)) is not None:
        place.error(f"must be a number without quotes and with a point: write {meant}.")
    elif type(value) in (int, float) and (value != value or value in (math.inf, -math.inf)):
        place.error(f"must be a finite number, not {describe_value(value)}.")
    elif high < LARGEST:
        percent = f"; write {value / 100:g} for {value:g} %" if high == 1 and is_number(value, 1, 100) else ""  # type: ignore[operator]
        place.error(f"must be a number from {low:g} to {high:g}, not {describe_value(value)}{percent}.")
    elif type(value) in (int, float) and value > high:  # type: ignore[operator]
        place.error(f"must be at most {high:g}, not {describe_value(value)}.")
    elif low == 0:
        place.error(f"must be a number, 0 or more, not {describe_value(value)}.")
    else:
        place.error(f"must be a number from {low:g} to {high:g}, not {describe_value(value)}.")
    return None


def mistyped_number(text: str) -> str | None:
    """Return the number that was probably meant by a text such as "0,5" or "12"; None if it is none."""
    meant = text.strip().replace(",", ".")
    return meant if _NUMBER.fullmatch(meant) else None


def read_table(value: object, place: Place) -> Table | None:
    """Read a table; None after an error."""
    if isinstance(value, dict):
        return value
    place.error(f"must be a table such as {{ key = value }}, not {describe_value(value)}.")
    return None


def read_tables(value: object, place: Place, most: int) -> list[Any]:
    """Read a list of at most this many tables, written as ``[[questions]]``."""
    name = place.path
    if not isinstance(value, list):
        given = describe_value(value)
        if isinstance(value, dict):
            given = f"[{name}]: with one pair of brackets it is a single table"
        place.error(f"must be written as [[{name}]], once for each, not {given}.")
        return []
    if len(value) > most:
        place.error(f"there are {len(value):,}; a bank may have at most {most:,}.")
        return []
    return value


def read_flag(table: Table, key: str, place: Place) -> bool:
    """Read true or false; the default is false."""
    value = table.get(key, False)
    if not isinstance(value, bool):
        place.at(key).error(f"must be true or false, without quotes, not {describe_value(value)}.")
        return False
    return value


def read_text(
    table: Table,
    key: str,
    place: Place,
    *,
    most: int,
    default: str = "",
    required: str = "",
    lines: bool = False,
) -> str:
    """Read a text and clean it. ``required`` is the remedy if it is missing; ``lines`` keeps newlines."""
    value = table.get(key)
    if value is None:
        if required:
            place.at(key).error(f"is missing; {required}")
        return default
    if not isinstance(value, str):
        place.at(key).error(f"must be a text in quotes, not {describe_value(value)}.")
        return default
    if len(value) > most:
        place.at(key).error(f"has {len(value):,} characters; at most {most:,} are allowed.")
        return default
    cleaned = clean_text(value).strip() if lines else one_line(value)
    if required and not cleaned:
        place.at(key).error(f"is empty; {required}")
        return default
    if not value.isprintable() and (odd := find_unprintable(value)):
        place.at(key).note_unshowable(odd)
    return cleaned


def read_option(table: Table, key: str, place: Place, choices: tuple[str, ...]) -> str:
    """Read one of a few words; the first is the default."""
    value = table.get(key, choices[0])
    if isinstance(value, str) and value in choices:
        return value
    suggestion = place.report.suggest(value, choices) if isinstance(value, str) else ""
    place.at(key).error(f"must be {_or(choices)}, not {describe_value(value)}.{suggestion}")
    return choices[0]


def is_id(value: str) -> bool:
    """Whether a text is a valid id."""
    return _ID.match(value) is not None


def refuse_reserved_id(id: str | None, words: tuple[str, ...], meaning: str, place: Place) -> None:
    """Report an id that has another meaning in answers and logs."""
    if id in words:
        place.error(f"{id!r} means {meaning}; choose another id.")


def read_id(value: object, place: Place) -> str | None:
    """Read an id, the name of a question, an answer or an outcome in files, states and logs."""
    if isinstance(value, str) and _ID.match(value):
        return value
    if value is None:
        place.error('is missing; give it a short name, such as id = "router-lights".')
    elif not isinstance(value, str):
        place.error(f"must be a text in quotes, not {describe_value(value)}.")
    else:
        proposal = slug(value)
        remedy = f" Write {proposal!r}." if proposal else ""
        place.error(
            f"{describe_value(value)} is not an id: use 1 to 64 letters (a to z), digits, hyphens, dots and "
            f"underscores, and start with a letter or digit.{remedy}"
        )
    return None


def read_aliases(table: Table, place: Place) -> tuple[str, ...]:
    """Read the old ids of a question or outcome, which earlier interviews use."""
    value = table.get("aliases", [])
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list):
        place.at("aliases").error(f"must be a list of old ids, not {describe_value(value)}.")
        return ()
    found = (read_id(item, place.at("aliases").at(i)) for i, item in enumerate(value))
    return tuple(id for id in found if id is not None)


def report_unknown_keys(
    table: Table, known: Iterable[str], place: Place, remedies: Mapping[str, str] | None = None
) -> None:
    """Report every key that the format does not have; ``remedies`` are for keys that belong elsewhere."""
    names = tuple(known)
    for key in table:
        if key in names:
            continue
        if remedies is not None and key in remedies:
            place.at(key).error(f"unknown key {key!r}. {remedies[key]}")
        else:
            place.at(key).error(place.report.describe_unknown("key", key, names))


def report_duplicate_ids(ids: Iterable[tuple[str | None, Place]]) -> None:
    """Report every id that an earlier item has."""
    first: dict[str, str] = {}
    for id, place in ids:
        if id is None:
            continue
        if id in first:
            place.error(f"the id {id!r} is taken by {first[id]} already; choose another id.")
        else:
            first[id] = place.path


def _or(choices: tuple[str, ...]) -> str:
    quoted = [f'"{choice}"' for choice in choices]
    return f"{', '.join(quoted[:-1])} or {quoted[-1]}"
