"""Decode the common events of a long log fast; whatever is unusual is left to :mod:`odm_tui.store.log_codec`.

msgspec checks types and ranges in C. It accepts a key twice and integers of any length, so a line with more colons
than its event needs, or with a very large number, is left to the strict decoder too. So both accept the same lines.
"""

from __future__ import annotations

import zlib
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from odm_tui.store.index import tracked_interview as kinds
from odm_tui.store.log_codec import LARGEST_AMOUNT, LARGEST_COUNT, LARGEST_HEAD, LONGEST_LINE

_CRC_LENGTH = len(b',"crc":"00000000"}')
_LARGE = 10**16
_Count = Annotated[int, Meta(ge=1, le=LARGEST_COUNT)]
_Text = Annotated[str, Meta(min_length=1)]
_Time = Annotated[str, Meta(pattern=r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z\Z")]
_Id = Annotated[str, Meta(pattern=r"\A[0-9a-z][0-9a-z-]{3,63}\Z")]
_Identity = Annotated[str, Meta(pattern=r"\A[0-9a-f]{12}\Z")]
_Digest = Annotated[str, Meta(pattern=r"\A[0-9a-f]{16}\Z")]
_Amount = Annotated[int, Meta(ge=0, le=int(LARGEST_AMOUNT))] | Annotated[float, Meta(ge=0, le=LARGEST_AMOUNT)]
_Positive = (
    Annotated[int, Meta(gt=0, le=int(LARGEST_AMOUNT))] | Annotated[float, Meta(gt=0, le=LARGEST_AMOUNT)]
)
_Belief = Annotated[int, Meta(ge=0, le=1)] | Annotated[float, Meta(ge=0, le=1)]


class FastEvent(Struct, tag_field="event", forbid_unknown_fields=True, kw_only=True, gc=False):
    """What the events of all kinds have; the names are those of :mod:`odm_tui.store.events`.

    Fields are keyword-only where a subclass adds required ones.
    """

    seq: _Count
    interview: _Id
    n: _Count
    time: _Time
    crc: str
    after: _Identity | UnsetType = UNSET
    prev: _Digest | UnsetType = UNSET


class FastStarted(FastEvent, tag="started", gc=False):
    """See :class:`~odm_tui.store.events.Started`."""

    bank: _Text
    bank_hash: _Text
    policy: _Text | dict[str, Any]
    seed: Annotated[int, Meta(ge=0, le=_LARGE)]
    operator: _Text
    scripted: bool | UnsetType = UNSET
    version: _Text | UnsetType = UNSET
    target_cost: _Positive | UnsetType = UNSET
    stakes_factor: _Positive | UnsetType = UNSET
    variants: _Count | UnsetType = UNSET
    folder: _Digest | UnsetType = UNSET
    knew: Annotated[int, Meta(ge=1, le=LARGEST_HEAD)] | UnsetType = UNSET


class FastFiled(FastEvent, tag="filed", gc=False):
    """See :class:`~odm_tui.store.events.Filed`."""

    case: _Text | None


class FastNoted(FastEvent, tag="noted", gc=False):
    """See :class:`~odm_tui.store.events.Noted`."""

    note: _Text | None


class FastAsked(FastEvent, tag="asked", gc=False):
    """See :class:`~odm_tui.store.events.Asked`."""

    question: _Text
    proposed: _Text | UnsetType | None = UNSET


class FastStep(FastEvent, kw_only=True, gc=False):
    """What the answers of all kinds have."""

    question: _Text
    cost: _Amount
    seconds: _Amount
    proposed: _Text | UnsetType | None = UNSET


class FastAnswered(FastStep, tag="answered", gc=False):
    """See :class:`~odm_tui.store.events.Answered`."""

    answer: _Text | Annotated[int, Meta(ge=-_LARGE, le=_LARGE)] | float


class FastUnknown(FastStep, tag="unknown", gc=False):
    """See :class:`~odm_tui.store.events.Unknown`."""


class FastSkipped(FastStep, tag="skipped", gc=False):
    """See :class:`~odm_tui.store.events.Skipped`."""


class FastDecided(FastEvent, tag="decided", gc=False):
    """See :class:`~odm_tui.store.events.Decided`."""

    outcome: _Text
    belief: _Belief
    reason: _Text
    rule: _Text


class FastConfirmed(FastEvent, tag="confirmed", gc=False):
    """See :class:`~odm_tui.store.events.Confirmed`."""

    outcome: _Text | None
    operator: _Text | UnsetType | None = UNSET


class FastAbandoned(FastEvent, tag="abandoned", gc=False):
    """See :class:`~odm_tui.store.events.Abandoned`."""


_Any = (
    FastStarted
    | FastFiled
    | FastNoted
    | FastAsked
    | FastAnswered
    | FastUnknown
    | FastSkipped
    | FastDecided
    | FastConfirmed
    | FastAbandoned
)
_decode = msgspec.json.Decoder(_Any).decode
_COMMON = 6 + 2
"""The colons of seq, event, interview, n, time and crc, and the two in the time."""
_COLONS: dict[type, int] = {
    FastStarted: _COMMON + 5,
    FastFiled: _COMMON + 1,
    FastNoted: _COMMON + 1,
    FastAsked: _COMMON + 1,
    FastAnswered: _COMMON + 4,
    FastUnknown: _COMMON + 3,
    FastSkipped: _COMMON + 3,
    FastDecided: _COMMON + 4,
    FastConfirmed: _COMMON + 1,
    FastAbandoned: _COMMON,
}
FAST_KINDS: dict[type, int] = {
    FastStarted: kinds.STARTED,
    FastFiled: kinds.FILED,
    FastNoted: kinds.NOTED,
    FastAsked: kinds.ASKED,
    FastAnswered: kinds.ANSWERED,
    FastUnknown: kinds.UNKNOWN,
    FastSkipped: kinds.SKIPPED,
    FastDecided: kinds.DECIDED,
    FastConfirmed: kinds.ENDED,
    FastAbandoned: kinds.ENDED,
}
"""What :data:`~odm_tui.store.index.tracked_interview.KINDS` lacks."""


def decode_fast(line: bytes) -> _Any | None:
    """Decode a line without its newline; None if it is damaged or unusual and has to be decoded strictly."""
    if len(line) > LONGEST_LINE or line[-_CRC_LENGTH:] != b',"crc":"%08x"}' % zlib.crc32(line[:-_CRC_LENGTH]):
        return None
    try:
        event = _decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    kind = type(event)
    colons = _COLONS[kind] + (event.prev is not UNSET) + (event.after is not UNSET)
    if kind is FastStarted:
        colons += _count_started(event)
    elif kind is FastConfirmed:
        colons += event.operator is not UNSET
    elif kind is FastAsked or isinstance(event, FastStep):
        colons += event.proposed is not UNSET
    return event if line.count(b":") == colons else None


def _count_started(event: FastStarted) -> int:
    """Count the colons of the fields that an event of this kind need not have."""
    policy = 0 if isinstance(event.policy, str) else _count_keys(event.policy)
    optional = (
        event.scripted,
        event.version,
        event.target_cost,
        event.stakes_factor,
        event.variants,
        event.folder,
        event.knew,
    )
    return policy + sum(value is not UNSET for value in optional)


def _count_keys(value: Any) -> int:
    if isinstance(value, dict):
        return len(value) + sum(map(_count_keys, value.values()))
    if isinstance(value, list):
        return sum(map(_count_keys, value))
    return -1000 if isinstance(value, int) and abs(value) > _LARGE else 0
