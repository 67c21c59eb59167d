"""Events as lines of the log: one JSON object each, a sequence number first and a CRC of it all last.

A line is complete only with its newline. What is not exactly one of the known events is never used.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from odm_tui.errors import BadData
from odm_tui.store.events import EVENTS, Answered, Decided, Event, Forgotten, Started
from odm_tui.strict_json import encode_json, parse_json

LONGEST_LINE = 1 << 20
"""Bytes; a longer line is no event."""
_CRC = re.compile(rb',"crc":"([0-9a-f]{8})"\}')
_CRC_LENGTH = len(b',"crc":"00000000"}')
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
_ID = re.compile(r"[0-9a-z][0-9a-z-]{3,63}")


def is_interview_id(text: str) -> bool:
    """Whether this could be an interview's id: plain letters and digits, nothing that a path is made of."""
    return _ID.fullmatch(text) is not None


def encode_event(event: Event, seq: int) -> bytes:
    """The event as a line of the log, newline and all."""
    record: dict[str, Any] = {"seq": seq, "event": event.name, "interview": event.interview}
    for name, needed in REQUIRED_FIELDS[event.name].items():
        value = getattr(event, name)
        if needed or value:
            record[name] = value
    body = encode_json(record)[:-1]
    return body + b',"crc":"%08x"}\n' % zlib.crc32(body)


def decode_event(line: bytes, source: str) -> tuple[int, Event]:
    """The sequence number and the event that a line holds (without its newline), or BadData."""
    record = decode_record(line, source)
    kind = EVENTS.get(str(record.get("event")))
    if kind is None:
        raise BadData(f"{source} names no event that odm-tui knows; it may come from a newer version.")
    values: dict[str, Any] = {}
    for name, needed, check in _PLANS[kind]:
        if name in record:
            value = record[name]
            if not check(value):
                raise BadData(f"{source} has {name} = {str(value)[:60]!r}, which can't be.")
            values[name] = value
        elif needed:
            raise BadData(f"{source} ({kind.name}) lacks {name!r}.")
    if len(record) != len(values) + 1:
        strange = next(name for name in record if name not in values and name != "event")
        raise BadData(f"{source} ({kind.name}) holds {strange!r}, which is not one of its fields.")
    if (kind is Decided and values["outcome"] is None) or (kind is Answered and values["answer"] is None):
        raise BadData(f"{source} ({kind.name}) lacks what it is about.")
    for name in ("dropped", "questions"):
        if name in values:
            values[name] = tuple(values[name])
    seq = int(values.pop("seq"))
    return seq, kind(**values)


def decode_record(line: bytes, source: str) -> dict[str, Any]:
    """The JSON object of a line whose CRC is right, or BadData."""
    check_crc(line, source)
    record = parse_json(line, source)
    if not isinstance(record, dict):
        raise BadData(f"{source} is not a JSON object.")
    del record["crc"]
    return record


def check_crc(line: bytes, source: str) -> None:
    """Raise BadData unless the line is as it was written."""
    if len(line) > LONGEST_LINE:
        raise BadData(f"{source} is longer than {LONGEST_LINE} bytes.")
    found = _CRC.fullmatch(line, max(0, len(line) - _CRC_LENGTH))
    if found is None:
        raise BadData(f"{source} does not end with a CRC.")
    if int(found.group(1), 16) != zlib.crc32(line[:-_CRC_LENGTH]):
        raise BadData(f"{source} does not match its CRC: it was damaged or edited.")


def _described(kind: type[Event]) -> dict[str, bool]:
    """The fields of an event beyond the common ones, in their order, and whether they must be there."""
    if kind is Forgotten:
        return {}
    own = [f.name for f in fields(kind) if f.name not in ("interview", "n", "time")]
    optional = {"proposed", "operator", "dropped"} if kind is not Started else set()
    return {"n": True, "time": True, **{name: name not in optional for name in own}}


REQUIRED_FIELDS = {name: _described(kind) for name, kind in EVENTS.items()}
"""Of each event the fields beyond seq, event, interview and crc, and whether they must be there."""


def _count(value: Any) -> bool:
    return type(value) is int and value >= 1


def _index(value: Any) -> bool:
    return type(value) is int and value >= 0


def _text(value: Any) -> bool:
    return type(value) is str and value != ""


def _maybe_text(value: Any) -> bool:
    return value is None or _text(value)


def _texts(value: Any) -> bool:
    return type(value) is list and all(_text(text) for text in value)


def _amount(value: Any) -> bool:
    return type(value) in (int, float) and value >= 0


_RULES: dict[str, Callable[[Any], bool]] = {
    "seq": _count,
    "n": _count,
    "time": lambda v: type(v) is str and _TIME.fullmatch(v) is not None,
    "interview": lambda v: type(v) is str and is_interview_id(v),
    "bank": _text,
    "bank_hash": _text,
    "policy": lambda v: _text(v) or type(v) is dict,
    "seed": _index,
    "operator": _maybe_text,
    "question": _text,
    "proposed": _maybe_text,
    "answer": lambda v: _maybe_text(v) or type(v) in (int, float),
    "dropped": _texts,
    "questions": _texts,
    "cost": _amount,
    "seconds": _amount,
    "steps": _count,
    "step": _index,
    "outcome": _maybe_text,
    "belief": lambda v: type(v) in (int, float) and 0 <= v <= 1,
    "reason": _text,
    "rule": _text,
}

_PLANS = {
    kind: [
        *((name, True, _RULES[name]) for name in ("seq", "interview")),
        *((name, needed, _RULES[name]) for name, needed in REQUIRED_FIELDS[kind.name].items()),
    ]
    for kind in EVENTS.values()
}
