"""JSON as it is meant: what Python's reader lets through by accident is refused here, in one place.

Refused: NaN and infinities (also written as 1e400), the same key twice, integers of more than 18 digits,
lone surrogates, nesting deeper than the reader can go, and bytes that are not UTF-8.
"""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from odm_tui.errors import BadData

_MOST_DIGITS = 18


def parse(data: bytes, source: str) -> Any:
    """The value that the bytes hold; ``source`` names the file and place in the error's one sentence."""
    try:
        value = _DECODER.decode(data.decode("utf-8"))
        if b"\\u" in data:
            _refuse_surrogates(value)
    except RecursionError:
        raise BadData(f"{source} is nested too deeply to be read.") from None
    except UnicodeDecodeError as error:
        raise BadData(f"{source} is not UTF-8 text at byte {error.start}.") from None
    except json.JSONDecodeError as error:
        raise BadData(f"{source} is not JSON: {error.msg} at character {error.pos}.") from None
    except _RefusedError as error:
        raise BadData(f"{source} {error}.") from None
    return value


def write(value: Any) -> bytes:
    """The shortest JSON text of a value, keys in the order given."""
    return _ENCODER.encode(value).encode("utf-8")


class _RefusedError(Exception):
    pass


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _RefusedError(f"has the key {twice!r} twice")
    return found


def _constant(name: str) -> NoReturn:
    raise _RefusedError(f"holds {name}, which is no number")


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise _RefusedError(f"holds {text[:20]}, which is too large a number")
    return number


def _int(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise _RefusedError(f"holds an integer of {len(text)} digits; {_MOST_DIGITS} are the most")
    return int(text)


def _refuse_surrogates(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise _RefusedError("holds half a character (a lone surrogate)") from None


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_constant=_constant, parse_float=_float, parse_int=_int
)
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
