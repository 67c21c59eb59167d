"""Events as lines of the log: one JSON object each, a sequence number first and a CRC of it all last.

A line is complete only with its newline. What is not exactly one of the known events is never used.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import fields
from typing import Any

from odm_tui.errors import BadData
from odm_tui.store.events import EVENTS, Answered, Decided, Event, Forgotten, Started
from odm_tui.store.strict_json import parse, write

LONGEST_LINE = 1 << 20
"""Bytes; a longer line is no event."""
_CRC = re.compile(rb',"crc":"([0-9a-f]{8})"\}')
_CRC_LENGTH = len(b',"crc":"00000000"}')
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
_ID = re.compile(r"[0-9a-z][0-9a-z-]{3,63}")


def line_of(event: Event, seq: int) -> bytes:
    """The event as a line of the log, newline and all."""
    record: dict[str, Any] = {"seq": seq, "event": event.name, "interview": event.interview}
    for name, required, _ in _FIELDS[type(event)]:
        value = getattr(event, name)
        if required or value is not None:
            record[name] = value
    body = write(record)[:-1]
    return body + b',"crc":"%08x"}\n' % zlib.crc32(body)


def event_of(line: bytes, source: str) -> tuple[int, Event]:
    """The sequence number and the event that a line holds (without its newline), or BadData."""
    record = record_of(line, source)
    kind = EVENTS.get(str(record.pop("event", "")))
    if kind is None:
        raise BadData(f"{source} names no event that odm-tui knows; it may come from a newer version.")
    seq = _checked("seq", record.pop("seq", None), source)
    values: dict[str, Any] = {"interview": _checked("interview", record.pop("interview", None), source)}
    for name, required, default in _FIELDS[kind]:
        if name in record:
            value = _checked(name, record.pop(name), source)
            values[name] = tuple(value) if name == "dropped" else value
        elif required:
            raise BadData(f"{source} ({kind.name}) lacks {name!r}.")
        else:
            values[name] = default
    if (kind is Decided and values["outcome"] is None) or (kind is Answered and values["answer"] is None):
        raise BadData(f"{source} ({kind.name}) lacks what it is about.")
    if record:
        raise BadData(f"{source} ({kind.name}) holds {next(iter(record))!r}, which is not one of its fields.")
    return seq, kind(**values)


def record_of(line: bytes, source: str) -> dict[str, Any]:
    """The JSON object of a line whose CRC is right, or BadData."""
    if len(line) > LONGEST_LINE:
        raise BadData(f"{source} is longer than {LONGEST_LINE} bytes.")
    found = _CRC.fullmatch(line, max(0, len(line) - _CRC_LENGTH))
    if found is None:
        raise BadData(f"{source} does not end with a CRC.")
    if int(found.group(1), 16) != zlib.crc32(line[:-_CRC_LENGTH]):
        raise BadData(f"{source} does not match its CRC: it was damaged or edited.")
    record = parse(line, source)
    if not isinstance(record, dict):
        raise BadData(f"{source} is not a JSON object.")
    del record["crc"]
    return record


def _described(kind: type[Event]) -> tuple[tuple[str, bool, Any], ...]:
    """(name, whether it must be there, what it is otherwise) of the fields beyond the common ones."""
    if kind is Forgotten:
        return ()
    own = [f for f in fields(kind) if f.name not in ("interview", "n", "time")]
    optional = {"proposed", "operator"} if kind is not Started else set()
    return (
        *(("n", True, None), ("time", True, None)),
        *((f.name, f.name not in optional, None) for f in own),
    )


_FIELDS = {kind: _described(kind) for kind in EVENTS.values()}
REQUIRED_FIELDS = {kind.name: {name: needed for name, needed, _ in found} for kind, found in _FIELDS.items()}
"""Of each event the fields beyond seq, event, interview and crc, and whether they must be there."""


def _checked(name: str, value: Any, source: str) -> Any:
    """The value, if it is what a field of this name may hold."""
    if not _RULES[name](value):
        raise BadData(f"{source} has {name} = {str(value)[:60]!r}, which can't be.")
    return value


def _count(value: Any) -> bool:
    return type(value) is int and value >= 1


def _index(value: Any) -> bool:
    return type(value) is int and value >= 0


def _text(value: Any) -> bool:
    return type(value) is str and value != ""


def _maybe_text(value: Any) -> bool:
    return value is None or _text(value)


def _amount(value: Any) -> bool:
    return type(value) in (int, float) and value >= 0


_RULES = {
    "seq": _count,
    "n": _count,
    "time": lambda v: type(v) is str and _TIME.fullmatch(v) is not None,
    "interview": lambda v: type(v) is str and _ID.fullmatch(v) is not None,
    "bank": _text,
    "bank_hash": _text,
    "policy": lambda v: _text(v) or type(v) is dict,
    "seed": _index,
    "operator": _maybe_text,
    "question": _text,
    "proposed": _maybe_text,
    "answer": lambda v: _maybe_text(v) or type(v) in (int, float),
    "dropped": lambda v: type(v) is list and all(_text(question) for question in v),
    "cost": _amount,
    "seconds": _amount,
    "steps": _count,
    "step": _index,
    "outcome": _maybe_text,
    "belief": lambda v: type(v) in (int, float) and 0 <= v <= 1,
    "reason": _text,
    "rule": _text,
}
