"""Strict JSON: reject what Python's json module accepts beyond the standard.

Rejected: NaN and infinities (also written as 1e400), the same key twice, integers of more than 18 digits,
lone surrogates, nesting deeper than the parser can go, and bytes that are not UTF-8.
"""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from odm_tui.errors import BadData

_MOST_DIGITS = 18


def parse_json(data: bytes, source: str) -> Any:
    """Parse one JSON value; ``source`` names the file, and perhaps the line, in error messages."""
    try:
        value = _DECODER.decode(data.decode("utf-8"))
        if b"\\u" in data:
            _reject_surrogates(value)
    except RecursionError:
        raise BadData(f"{source} is nested too deeply to be read.") from None
    except UnicodeDecodeError as error:
        raise BadData(f"{source} is not UTF-8 text at byte {error.start}.") from None
    except json.JSONDecodeError as error:
        raise BadData(f"{source} is not JSON: {error.msg} at character {error.pos}.") from None
    except _RejectedError as error:
        raise BadData(f"{source} {error}.") from None
    return value


def encode_json(value: Any) -> bytes:
    """Encode a value as the shortest JSON text, with keys in the given order."""
    return _ENCODER.encode(value).encode("utf-8")


class _RejectedError(Exception):
    pass


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _RejectedError(f"has the key {twice!r} twice")
    return found


def _constant(name: str) -> NoReturn:
    raise _RejectedError(f"holds {name}, which is not a number")


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise _RejectedError(f"holds {text[:20]}, which is too large a number")
    return number


def _int(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise _RejectedError(f"holds an integer of {len(text)} digits; {_MOST_DIGITS} are the most")
    return int(text)


def _reject_surrogates(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise _RejectedError("holds half a character (a lone surrogate)") from None


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_constant=_constant, parse_float=_float, parse_int=_int
)
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
