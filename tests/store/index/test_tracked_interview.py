"""An ordinary interview is followed with few operations; any other one is left to its record."""

from __future__ import annotations

from dataclasses import replace

import pytest

from odm_tui.store.events import Event
from odm_tui.store.index.tracked_interview import KINDS, TrackedInterview
from odm_tui.store.interview_record import InterviewRecord
from tests.support.faults.samples import interview_events, many

EVENTS = interview_events("00000001", {"fever": "yes", "colour": "red"}, "flu")


def follow(events: list[Event]) -> TrackedInterview:
    tracked = TrackedInterview(events[0].interview, 1, [])
    for event in events:
        tracked.follow(event, KINDS.get(type(event), -1))
    return tracked


def test_an_ordinary_interview_is_not_read_twice_and_has_the_totals_of_its_record() -> None:
    for events in many(12):
        tracked = follow(events)
        record = InterviewRecord(events[0].interview)
        for event in events:
            record.follow(event)
        record.add_up()
        assert not tracked.is_complex
        assert (tracked.questions, tracked.cost, tracked.seconds) == (
            record.questions,
            record.cost,
            record.seconds,
        )
        assert tracked.outcome == events[-1].outcome  # type: ignore[attr-defined]  # a confirmation


@pytest.mark.parametrize(
    "events",
    [
        pytest.param([*EVENTS[:3], replace(EVENTS[0], n=4)], id="two starts"),
        pytest.param([*EVENTS[:3], replace(EVENTS[2], n=4)], id="one question twice"),
        pytest.param([*EVENTS[:3], EVENTS[2]], id="one event twice"),
        pytest.param(EVENTS[1:], id="no start"),
        pytest.param([*EVENTS, replace(EVENTS[-1], n=len(EVENTS) + 1)], id="two endings"),
    ],
)
def test_an_unusual_interview_is_left_to_its_record(events: list[Event]) -> None:
    assert follow(events).is_complex
