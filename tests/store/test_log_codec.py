"""A line of the log is exactly one event, or it is rejected with one sentence."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odm_tui.errors import BadData
from odm_tui.store.events import (
    EVENTS,
    Abandoned,
    Answered,
    Asked,
    Changed,
    Confirmed,
    Continued,
    Corrected,
    Decided,
    Dropped,
    Event,
    Filed,
    Forgotten,
    Noted,
    Redated,
    Retracted,
    Reverted,
    Settled,
    Skipped,
    Started,
    Stopped,
    Tried,
    Undone,
    Unknown,
    timestamp,
)
from odm_tui.store.log_codec import decode_event, encode_event, event_body
from odm_tui.strict_json import parse_json
from tests.support.faults.samples import EventFields

COMMON: EventFields = {"interview": "abcd-1234", "n": 3, "time": timestamp(1e9)}
EXAMPLES: list[Event] = [
    Started(**COMMON, bank="b", bank_hash="h", policy={"oracle": "w-ig"}, seed=0, operator="op"),
    Started(**COMMON, bank="b", bank_hash="h", policy="all", seed=0, operator="op", scripted=True),
    Filed(**COMMON, case="T-4711"),
    Noted(**COMMON, note=None),
    Reverted(**COMMON),
    Continued(**COMMON, target=0.95),
    Tried(**COMMON, outcome="o"),
    Asked(**COMMON, question="q", proposed="p"),
    Asked(**COMMON, question="q"),
    Answered(**COMMON, question="q", answer="yes", cost=1.5, seconds=0.25),
    Answered(**COMMON, question="q", answer=37.5, cost=1, seconds=0),
    Unknown(**COMMON, question="q", cost=1, seconds=3),
    Skipped(**COMMON, question="q", cost=0, seconds=3, proposed="p"),
    Undone(**COMMON, steps=2),
    Changed(**COMMON, step=0, question="q", answer="no", cost=1, dropped=("r",)),
    Changed(**COMMON, step=0, question="q", answer=None, cost=1),
    Dropped(**COMMON, questions=("q", "r")),
    Stopped(**COMMON),
    Decided(**COMMON, outcome="o", belief=0.5, reason="belief\u2028reached\n95 %", rule="confidence"),
    Decided(**COMMON, outcome="o", belief=0, reason="red flag", rule="red_flag"),
    Decided(**COMMON, outcome="o", belief=1, reason="belief", rule="confidence"),
    Confirmed(**COMMON, outcome="o", operator="op"),
    Confirmed(**COMMON, outcome=None),
    Corrected(**COMMON, outcome="p"),
    Abandoned(**COMMON),
    Retracted(**COMMON, after="0123456789ab"),
    Redated(**COMMON, confirmed=timestamp(5e8)),
    Settled(**COMMON, after="0123456789ab", against=("ba9876543210",), operator="op"),
    Forgotten(interview="abcd-1234"),
]


def sealed(body: str) -> bytes:
    data = body.encode()
    return data + b',"crc":"%08x"}' % zlib.crc32(data)


@pytest.mark.parametrize("event", EXAMPLES, ids=lambda e: e.name)
def test_an_event_comes_back_from_its_line_as_it_was(event: Event) -> None:
    line = encode_event(event, 12)
    assert line.count(b"\n") == 1
    assert decode_event(line[:-1], "log") == (12, event)
    assert encode_event(event, 12) == line


def test_every_kind_of_event_has_an_example() -> None:
    assert {event.name for event in EXAMPLES} == set(EVENTS)


def test_a_tombstone_says_nothing_but_the_id() -> None:
    line = encode_event(Forgotten(interview="abcd-1234"), 1)
    assert line.startswith(b'{"seq":1,"event":"forgotten","interview":"abcd-1234","crc":')


@pytest.mark.parametrize("event", EXAMPLES, ids=lambda e: e.name)
def test_every_flipped_bit_is_noticed(event: Event) -> None:
    line = encode_event(event, 12)[:-1]
    for place in range(len(line)):
        for bit in range(8):
            flipped = bytearray(line)
            flipped[place] ^= 1 << bit
            with pytest.raises(BadData):
                decode_event(bytes(flipped), "log")


BEGIN = '{"seq":1,"event":"undone","interview":"abcd","n":1,"time":"2026-01-01T00:00:00.000000Z"'


@pytest.mark.parametrize(
    "body",
    [
        BEGIN,
        BEGIN + ',"steps":0',
        BEGIN + ',"steps":true',
        BEGIN + ',"steps":1.0',
        BEGIN + ',"steps":1,"more":2',
        BEGIN + ',"steps":1,"steps":1',
        BEGIN + ',"steps":NaN',
        BEGIN + ',"steps":' + "9" * 5000,
        BEGIN.replace("undone", "undreamt") + ',"steps":1',
        BEGIN.replace("abcd", "../x") + ',"steps":1',
        BEGIN.replace("2026-01-01T00", "2026-01-01 00") + ',"steps":1',
        BEGIN.replace('"seq":1,', "") + ',"steps":1',
        '{"seq":1,"event":"forgotten","interview":"abcd","time":"2026-01-01T00:00:00.000000Z"',
        "[" * 50_000 + "{",
        "[1",
        BEGIN.replace('"n":1,', '"n":999999999999999999,') + ',"steps":1',
        BEGIN + ',"steps":999999999999999999',
        BEGIN.replace("undone", "unknown") + ',"question":"q","cost":1e308,"seconds":1',
        BEGIN.replace("undone", "unknown") + ',"question":"q","cost":1,"seconds":1e308',
        BEGIN + ',"after":"short","steps":1',
        BEGIN + ',"steps":1,"prev":"short"',
        BEGIN + ',"steps":1,"prev":7',
    ],
    ids=range(22),
)
def test_a_line_with_a_right_crc_but_a_wrong_shape_is_refused(body: str) -> None:
    with pytest.raises(BadData) as refusal:
        decode_event(sealed(body), "x.log.jsonl, line 7")
    assert str(refusal.value).startswith("x.log.jsonl, line 7 ")
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("NaN", "not a number"),
        ("[Infinity]", "not a number"),
        ("1e400", "too large"),
        ('{"a":1,"a":2}', "twice"),
        ('["\\ud800"]', "surrogate"),
        ("[" * 100_000, "nested"),
        ("1" * 5000, "digits"),
        ("{", "not JSON"),
    ],
    ids=lambda text: text[:8],
)
def test_what_python_would_let_through_is_refused(text: str, said: str) -> None:
    with pytest.raises(BadData, match=said):
        parse_json(text.encode(), "file")


def test_bytes_that_are_not_utf_8_are_refused() -> None:
    with pytest.raises(BadData, match="byte 1"):
        parse_json(b'"\xff"', "file")


def test_a_chained_line_gives_the_same_event() -> None:
    line = encode_event(EXAMPLES[0], 12, "0123456789abcdef")
    assert line.endswith(b'"}\n')
    assert b',"prev":"0123456789abcdef","crc":"' in line
    assert decode_event(line[:-1], "log") == (12, EXAMPLES[0])
    assert event_body(line[:-1]) == event_body(encode_event(EXAMPLES[0], 7)[:-1])


@given(st.binary(max_size=300))
def test_any_bytes_are_an_event_or_one_sentence(data: bytes) -> None:
    with pytest.raises(BadData) as refusal:
        decode_event(data, "log")
    assert "\n" not in str(refusal.value)
