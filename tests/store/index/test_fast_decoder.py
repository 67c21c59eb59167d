"""The fast decoder accepts a line only if the strict one does, and says the same of it."""

from __future__ import annotations

import dataclasses
import random
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from odm_tui.errors import BadData
from odm_tui.store.events import Event
from odm_tui.store.index.fast_decoder import FAST_KINDS, decode_fast
from odm_tui.store.index.tracked_interview import KINDS
from odm_tui.store.log_codec import LONGEST_LINE, decode_event, encode_event
from tests.store.index.histories import random_events

EVENTS = random_events(random.Random(1), 600, oddness=0.05)


def sealed(body: bytes) -> bytes:
    return body + b',"crc":"%08x"}' % zlib.crc32(body)


def reseal(line: bytes) -> bytes:
    return sealed(line[: line.rindex(b',"crc"')])


def strict(line: bytes) -> Event | None:
    try:
        return decode_event(line, "")[1]
    except BadData:
        return None


def agrees(line: bytes) -> bool:
    """Whether the fast decoder leaves the line to the strict one, or finds the same."""
    fast = decode_fast(line)
    if fast is None:
        return True
    event = strict(line)
    if event is None or KINDS.get(type(event)) != FAST_KINDS[type(fast)]:
        return False
    for field in dataclasses.fields(event):
        value, found = getattr(event, field.name), getattr(fast, field.name)
        if found is UNSET:
            found = field.default
        if (type(value), value) != (type(found), found):
            return False
    return True


def test_common_events_are_decoded_fast_and_all_agree() -> None:
    lines = [encode_event(event, number, "0123456789abcdef")[:-1] for number, event in enumerate(EVENTS, 1)]
    assert all(agrees(line) for line in lines)
    common = [line for line, event in zip(lines, EVENTS, strict=True) if type(event) in KINDS]
    left = [line for line in common if decode_fast(line) is None]
    unusual = [line for line in left if b": " not in line and b"100000000000000000" not in line]
    assert unusual == []
    assert len(left) < len(common) / 5


BASE = (
    b'{"seq":1,"event":"answered","interview":"abcd1234","n":3,"time":"2026-01-01T00:00:00.000000Z",'
    b'"question":"q","answer":%s,"cost":%s,"seconds":2.5'
)


@pytest.mark.parametrize("answer", [b'"yes"', b"1", b"1.5", b"-3"])
@pytest.mark.parametrize(
    "cost",
    [
        *(
            b"1",
            b"1.0",
            b"0",
            b"-0",
            b"-0.0",
            b"1e2",
            b"1e400",
            b"-1",
            b"1e12",
            b"1e13",
            b"NaN",
            b"Infinity",
            b"true",
        ),
        *(b"null", b'"1"', b"10000000000000000000", b"01", b"1.", b"[]", b'1,"cost":2', b'1,"cost" :2'),
        *(b'1,"seq":2', b'1,"extra":2', b" 1", b"1 ", b"1\t", b'1,"proposed":null', b'1,"proposed":""'),
        *(
            b'1,"proposed":"a:b"',
            b'1,"prev":"0123456789ABCDEF"',
            b'1,"after":"0123456789ab"',
            b'1,"after":"x"',
        ),
        *(
            b'1,"proposed":"\\ud800"',
            b'1,"proposed":"\\ud83d\\ude00"',
            b'1,"proposed":"\xff"',
            b'1,"c\\u006fst":2',
        ),
    ],
)
def test_odd_values_are_accepted_by_both_or_by_none(answer: bytes, cost: bytes) -> None:
    assert agrees(sealed(BASE % (answer, cost)))


@pytest.mark.parametrize(
    "answer",
    [
        *(b"123456789012345678", b"1234567890123456789", b"-123456789012345678", b"1" + b"0" * 400),
        *(b'""', b"null", b"true", b"[]", b"{}", b'"a\\u0000b"', b'"a\x01"', b'"\\x"', b"1E5", b"+1", b".5"),
        *(b'"%s"' % (b"x" * LONGEST_LINE), b"[" * 5000 + b"]" * 5000),
    ],
)
def test_odd_answers_are_accepted_by_both_or_by_none(answer: bytes) -> None:
    assert agrees(sealed(BASE % (answer, b"1")))


@pytest.mark.parametrize(
    "policy",
    [
        b'"w-ig"',
        b'{"a":1}',
        b'{"a":1,"a":2}',
        b'{"a":{"b":1,"b":1}}',
        b'{"a":1234567890123456789012}',
        b'{"a":"x:y"}',
        b"1",
    ],
)
def test_odd_policies_are_accepted_by_both_or_by_none(policy: bytes) -> None:
    line = sealed(
        b'{"seq":1,"event":"started","interview":"abcd1234","n":1,"time":"2026-01-01T00:00:00.000000Z","bank":"b",'
        b'"bank_hash":"h","policy":%s,"seed":1,"operator":"op"' % policy
    )
    assert agrees(line)
    assert (decode_fast(line) is not None) == (policy in (b'"w-ig"', b'{"a":1}'))


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(EVENTS), st.randoms(use_true_random=False))
def test_changed_lines_are_accepted_by_both_or_by_none(event: Event, dice: random.Random) -> None:
    line = bytearray(encode_event(event, 7, "0123456789abcdef")[:-1])
    for _ in range(dice.randint(1, 3)):
        at = dice.randrange(len(line) - 20)
        if dice.random() < 0.5:
            line[at] = dice.choice(b'0123456789":,{}[]eE.-+ \\tnulabcZ\xc3\xff\x00')
        else:
            line[at:at] = bytes([dice.choice(b'0":, {}1e-')])
    changed = reseal(bytes(line))
    assert agrees(changed)


def test_a_line_with_a_wrong_crc_is_left_to_the_strict_decoder() -> None:
    line = encode_event(EVENTS[0], 1)[:-1]
    assert decode_fast(line) is not None
    for at in range(len(line)):
        assert decode_fast(line[:at] + bytes([line[at] ^ 1]) + line[at + 1 :]) is None
