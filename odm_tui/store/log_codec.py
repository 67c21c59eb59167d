"""Encode events as lines of the log, and decode them: one JSON object per line, with a CRC at the end.

A line is complete only with its newline. A line that is not exactly one of the known events is rejected.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from odm_tui.errors import BadData
from odm_tui.store.events import EVENTS, Answered, Decided, Event, Forgotten, Started, Tried
from odm_tui.strict_json import encode_json, parse_json

LONGEST_LINE = 1 << 20
"""In bytes; a longer line is not an event."""
_CRC = re.compile(rb',"crc":"([0-9a-f]{8})"\}')
_CRC_LENGTH = len(b',"crc":"00000000"}')
_CHAIN = re.compile(rb'(?:,"prev":"[0-9a-f]{16}")?,"crc":"[0-9a-f]{8}"\}\Z')
_CHAIN_LENGTH = len(b',"prev":"0123456789abcdef"') + _CRC_LENGTH
_DIGEST = re.compile(r"[0-9a-f]{16}")
_IDENTITY = re.compile(r"[0-9a-f]{12}")
LARGEST_AMOUNT = 1e12
"""Costs and seconds; banks allow no larger ones, and sums of them stay finite."""
LARGEST_COUNT = 10**9
LARGEST_HEAD = 10**15
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
_ID = re.compile(r"[0-9a-z][0-9a-z-]{3,63}")


def is_interview_id(text: str) -> bool:
    """Whether a text has the form of an interview id, which is safe in a file name."""
    return _ID.fullmatch(text) is not None


def encode_event(event: Event, seq: int, previous: str = "") -> bytes:
    """Encode an event as a line of the log, with its newline; ``previous`` is the digest of the line before it."""
    return seal_line(encode_body(event), seq, previous)


def encode_body(event: Event) -> bytes:
    """Encode the part of a line that is the same in every log: all but the sequence number, the chain and the CRC."""
    record: dict[str, Any] = {"event": event.name, "interview": event.interview}
    for name, needed in REQUIRED_FIELDS[event.name].items():
        value = getattr(event, name)
        if needed or value:
            record[name] = value
    return encode_json(record)[1:-1]


def seal_line(body: bytes, seq: int, previous: str = "") -> bytes:
    """Make a line of a body: add the sequence number, the digest of the line before it, the CRC and the newline."""
    chain = b',"prev":"%s"' % previous.encode() if previous else b""
    line = b'{"seq":%d,%s%s' % (seq, body, chain)
    return line + b',"crc":"%08x"}\n' % zlib.crc32(line)


def event_body(line: bytes) -> bytes:
    """Return the part of a line that is the same in every log; raise BadData if its CRC is wrong."""
    check_crc(line, "")
    chain = _CHAIN.search(line, max(0, len(line) - _CHAIN_LENGTH))
    assert chain is not None
    return line[line.index(b",") + 1 : chain.start()]


def decode_event(line: bytes, source: str) -> tuple[int, Event]:
    """Decode a line without its newline into sequence number and event; raise BadData if it is not valid."""
    record = decode_record(line, source)
    if "prev" in record and not _is_digest(record.pop("prev")):
        raise BadData(f"{source} has a wrong 'prev'; it should be 16 hexadecimal digits.")
    kind = EVENTS.get(str(record.get("event")))
    if kind is None:
        raise BadData(f"{source} has an unknown event; it may come from a newer version of odm-tui.")
    values: dict[str, Any] = {}
    for name, needed, check in _FIELD_CHECKS[kind]:
        if name in record:
            value = record[name]
            if not check(value):
                raise BadData(f"{source} has {name} = {str(value)[:60]!r}, which is not valid.")
            values[name] = value
        elif needed:
            raise BadData(f"{source} ({kind.name}) lacks {name!r}.")
    if len(record) != len(values) + 1:
        unknown = next(name for name in record if name not in values and name != "event")
        raise BadData(f"{source} ({kind.name}) has the unknown field {unknown!r}.")
    if (kind in (Decided, Tried) and values["outcome"] is None) or (
        kind is Answered and values["answer"] is None
    ):
        raise BadData(f"{source} ({kind.name}) has no answer or outcome.")
    for name in ("dropped", "questions", "against"):
        if name in values:
            values[name] = tuple(values[name])
    seq = int(values.pop("seq"))
    return seq, kind(**values)


def decode_record(line: bytes, source: str) -> dict[str, Any]:
    """Parse the JSON object of a line; raise BadData if its CRC is wrong."""
    check_crc(line, source)
    record = parse_json(line, source)
    if not isinstance(record, dict):
        raise BadData(f"{source} is not a JSON object.")
    del record["crc"]
    return record


def check_crc(line: bytes, source: str) -> None:
    """Raise BadData if the line has changed since it was written."""
    if len(line) > LONGEST_LINE:
        raise BadData(f"{source} is longer than {LONGEST_LINE} bytes.")
    found = _CRC.fullmatch(line, max(0, len(line) - _CRC_LENGTH))
    if found is None:
        raise BadData(f"{source} does not end with a CRC.")
    if int(found.group(1), 16) != zlib.crc32(line[:-_CRC_LENGTH]):
        raise BadData(f"{source} does not match its CRC: it was damaged or edited.")


def _list_fields(kind: type[Event]) -> dict[str, bool]:
    """List the fields of an event beyond the common ones, in order, with whether each is required."""
    if kind is Forgotten:
        return {}
    own = [f.name for f in fields(kind) if f.name not in ("interview", "n", "time", "after")]
    optional = {"proposed", "operator", "dropped"}
    if kind is Started:
        optional = {"scripted", "version", "target_cost", "stakes_factor", "variants", "folder", "knew"}
    return {"n": True, "time": True, "after": False, **{name: name not in optional for name in own}}


REQUIRED_FIELDS = {name: _list_fields(kind) for name, kind in EVENTS.items()}
"""For each event, its fields beyond seq, event, interview and crc, with whether each is required."""


def _is_digest(value: Any) -> bool:
    return type(value) is str and _DIGEST.fullmatch(value) is not None


def _is_count(value: Any) -> bool:
    return type(value) is int and 1 <= value <= LARGEST_COUNT


def _is_index(value: Any) -> bool:
    return type(value) is int and 0 <= value <= LARGEST_COUNT


def _is_text(value: Any) -> bool:
    return type(value) is str and value != ""


def _is_text_or_null(value: Any) -> bool:
    return value is None or _is_text(value)


def _is_list_of_texts(value: Any) -> bool:
    return type(value) is list and all(_is_text(text) for text in value)


def _is_positive(value: Any) -> bool:
    return type(value) in (int, float) and 0 < value <= LARGEST_AMOUNT


def _is_amount(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value <= LARGEST_AMOUNT


_CHECKS: dict[str, Callable[[Any], bool]] = {
    "seq": _is_count,
    "n": _is_count,
    "time": lambda v: type(v) is str and _TIME.fullmatch(v) is not None,
    "confirmed": lambda v: type(v) is str and _TIME.fullmatch(v) is not None,
    "after": lambda v: type(v) is str and _IDENTITY.fullmatch(v) is not None,
    "interview": lambda v: type(v) is str and is_interview_id(v),
    "bank": _is_text,
    "bank_hash": _is_text,
    "policy": lambda v: _is_text(v) or type(v) is dict,
    "seed": lambda v: type(v) is int and v >= 0,
    "operator": _is_text_or_null,
    "scripted": lambda v: type(v) is bool,
    "version": _is_text,
    "target_cost": _is_positive,
    "stakes_factor": _is_positive,
    "variants": _is_count,
    "folder": lambda v: type(v) is str and _DIGEST.fullmatch(v) is not None,
    "knew": lambda v: type(v) is int and 1 <= v <= LARGEST_HEAD,
    "case": _is_text_or_null,
    "note": _is_text_or_null,
    "question": _is_text,
    "proposed": _is_text_or_null,
    "answer": lambda v: _is_text_or_null(v) or type(v) in (int, float),
    "dropped": _is_list_of_texts,
    "questions": _is_list_of_texts,
    "against": _is_list_of_texts,
    "cost": _is_amount,
    "seconds": _is_amount,
    "steps": _is_count,
    "step": _is_index,
    "outcome": _is_text_or_null,
    "belief": lambda v: type(v) in (int, float) and 0 <= v <= 1,
    "target": lambda v: type(v) in (int, float) and 0 < v <= 1,
    "reason": _is_text,
    "rule": _is_text,
}

_FIELD_CHECKS = {
    kind: [
        *((name, True, _CHECKS[name]) for name in ("seq", "interview")),
        *((name, needed, _CHECKS[name]) for name, needed in REQUIRED_FIELDS[kind.name].items()),
    ]
    for kind in EVENTS.values()
}
