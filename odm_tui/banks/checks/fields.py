"""Checks of single values: each returns what was meant, or reports what would be right instead."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from odm_tui.banks.parsing.findings import Place
from odm_tui.text import clean_text, listed, one_line, shortened, slug, unshowable

ID_PATTERN: Final = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$"
_ID = re.compile(ID_PATTERN.removesuffix("$") + r"\Z")
LARGEST: Final = 1e12
"""Costs, thresholds and worths beyond this are slips of the pen, and would drown in rounding."""

Table = Mapping[str, Any]


def describe_value(value: object) -> str:
    """A foreign value as it may appear in a sentence: short, and harmless."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return repr(shortened(one_line(value[:200]), 40))
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
    """Whether a value is a finite number within limits; true and false are not numbers."""
    # NaN fails every comparison; huge integers compare without being converted.
    return type(value) in (int, float) and low <= value <= high  # type: ignore[operator]


def read_number(value: object, place: Place, low: float = 0, high: float = LARGEST) -> float | None:
    """A finite number within limits."""
    if is_number(value, low, high):
        return float(value)  # type: ignore[arg-type]
    if type(value) in (int, float) and (value != value or value in (math.inf, -math.inf)):
        place.error(f"must be a finite number, not {describe_value(value)}")
    elif high < LARGEST:
        place.error(f"must be a number from {low:g} to {high:g}, not {describe_value(value)}")
    elif type(value) in (int, float) and value > high:  # type: ignore[operator]
        place.error(f"must be at most {high:g}; {describe_value(value)} is too large to be meant")
    elif low == 0:
        place.error(f"must be a number, 0 or more, not {describe_value(value)}")
    else:
        place.error(f"must be a number from {low:g} to {high:g}, not {describe_value(value)}")
    return None


def read_table(value: object, place: Place) -> Table | None:
    """A TOML table."""
    if isinstance(value, dict):
        return value
    place.error(f"must be a table, such as {{ key = value }}, not {describe_value(value)}")
    return None


def read_tables(value: object, place: Place, most: int) -> list[Any]:
    """A list of tables, written as ``[[questions]]``; no more than ``most`` of them."""
    name = place.path
    if not isinstance(value, list):
        place.error(f"must be written as [[{name}]], once for each, not {describe_value(value)}")
        return []
    if len(value) > most:
        place.error(f"there are {len(value):,}; a bank may have at most {most:,}")
        return []
    return value


def read_flag(table: Table, key: str, place: Place) -> bool:
    """true or false, without quotes; false where nothing is said."""
    value = table.get(key, False)
    if not isinstance(value, bool):
        place.at(key).error(f"must be true or false, without quotes, not {describe_value(value)}")
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
    """Cleaned text. ``required`` is the remedy shown where it is missing; ``lines`` lets newlines stay."""
    value = table.get(key)
    if value is None:
        if required:
            place.at(key).error(required)
        return default
    if not isinstance(value, str):
        place.at(key).error(f"must be a text in quotes, not {describe_value(value)}")
        return default
    if len(value) > most:
        place.at(key).error(f"has {len(value):,} characters; at most {most:,} are possible")
        return default
    cleaned = clean_text(value).strip() if lines else one_line(value)
    if required and not cleaned:
        place.at(key).error(f"is empty; {required}")
        return default
    if not value.isprintable() and (odd := unshowable(value)):
        place.at(key).note_unshowable(odd)
    return cleaned


def read_option(table: Table, key: str, place: Place, choices: tuple[str, ...]) -> str:
    """One of a few words; the first is the default."""
    value = table.get(key, choices[0])
    if isinstance(value, str) and value in choices:
        return value
    near = place.report.nearest(value, choices) if isinstance(value, str) else ""
    place.at(key).error(f"must be {_or(choices)}, not {describe_value(value)}{near}")
    return choices[0]


def is_id(value: str) -> bool:
    """Whether a text can be an id as it is."""
    return _ID.match(value) is not None


def refuse_reserved_id(id: str | None, words: tuple[str, ...], meaning: str, place: Place) -> None:
    """Refuse an id that already means something else where outcomes and answers are named."""
    if id in words:
        place.error(f"{id!r} means {meaning}; choose another id")


def read_id(value: object, place: Place) -> str | None:
    """An id: what files, states and logs call a question, an answer or an outcome."""
    if isinstance(value, str) and _ID.match(value):
        return value
    if value is None:
        place.error('is missing; give it a short name, such as id = "router-lights"')
    elif not isinstance(value, str):
        place.error(f"must be a text in quotes, not {describe_value(value)}")
    else:
        proposal = slug(value)
        remedy = f"; write {proposal!r}" if proposal else ""
        place.error(
            f"{describe_value(value)} is no id: 1 to 64 letters (a to z), digits, hyphens, dots and underscores, "
            f"the first a letter or digit{remedy}"
        )
    return None


def read_aliases(table: Table, place: Place) -> tuple[str, ...]:
    """Old ids, under which earlier interviews are still known."""
    value = table.get("aliases", [])
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list):
        place.at("aliases").error(f"must be a list of old ids, not {describe_value(value)}")
        return ()
    found = (read_id(item, place.at("aliases").at(i)) for i, item in enumerate(value))
    return tuple(id for id in found if id is not None)


def report_unknown_keys(table: Table, known: Iterable[str], place: Place) -> None:
    """Report every key that the format does not have, with the one that was probably meant."""
    names = tuple(known)
    for key in table:
        if key not in names:
            near = place.report.nearest(key, names)
            place.at(key).error(f"there is no such key here{near or f'; the keys are {listed(names, 20)}'}")


def report_duplicate_ids(ids: Iterable[tuple[str | None, Place]]) -> None:
    """Report every id that an earlier item has already."""
    first: dict[str, str] = {}
    for id, place in ids:
        if id is None:
            continue
        if id in first:
            place.error(f"the id {id!r} is taken by {first[id]} already; every id must be different")
        else:
            first[id] = place.path


def _or(choices: tuple[str, ...]) -> str:
    quoted = [f'"{choice}"' for choice in choices]
    return f"{', '.join(quoted[:-1])} or {quoted[-1]}"
