"""Views of past interviews."""

from __future__ import annotations

from pathlib import Path

import pytest

from odm_tui.banks import Bank
from odm_tui.formatting import format_time
from odm_tui.session import Archive, Session
from odm_tui.store import events
from odm_tui.views.history import describe_event, history_view, replay_steps
from tests.support.faults.interviews import BANK, hold_interview, sample_bank
from tests.support.faults.samples import EventFields


def test_the_history_lists_the_latest_interview_first(session: Session, bank: Bank, state: Path) -> None:
    session.pick("ping")
    session.answer(41.5)
    session.stop()
    assert session.decision is not None
    decided = session.decision.outcome.label
    session.confirm("cold")
    unfinished = Session.start(bank, state, seed=2, operator="someone")
    unfinished.skip()
    view = history_view(bank, Archive.of(bank, state))
    unfinished.leave()
    assert (view.title, view.unit) == ("Sample", "seconds")
    assert view.outcomes == (("flu", "Flu"), ("cold", "Cold"), ("line-fault", "Fault on the line"))
    latest, earlier = view.rows
    assert (latest.interview, latest.status, latest.operator) == (unfinished.id, "unfinished", "someone")
    assert (latest.decided, latest.confirmed, latest.questions) == ("", "", 0)  # a skip is no question
    assert (earlier.interview, earlier.status, earlier.operator) == (session.id, "confirmed", "op")
    assert (earlier.decided, earlier.confirmed) == (decided, "Cold")
    assert (earlier.questions, earlier.cost) == (1, 8.0)


def test_a_bank_without_interviews_has_an_empty_history(bank: Bank, state: Path) -> None:
    assert history_view(bank, Archive.of(bank, state)).rows == ()


def test_an_outcome_that_the_bank_no_longer_has_is_shown_by_its_id(
    bank: Bank, state: Path, tmp_path: Path
) -> None:
    hold_interview(bank, state, 1, outcome="cold")
    changed = sample_bank(
        tmp_path / "changed", BANK.replace('"cold"', '"chill"').replace("cold =", "chill =")
    )
    (row,) = history_view(changed, Archive.of(changed, state)).rows
    assert row.confirmed == "cold"


def test_a_replay_has_a_step_for_every_event_that_is_shown(bank: Bank, state: Path) -> None:
    done = hold_interview(bank, state, 1)
    steps = replay_steps(bank, Archive.of(bank, state), done.id)
    assert [step.title.partition(":")[0] for step in steps if not step.answer] == [
        "Started",
        "Decided",
        "Confirmed",
    ]
    assert [step.text for step in steps if step.answer] == [
        {"amber": "Amber", "yes": "Yes", "no": "No"}.get(str(taken.answer), "41.5 ms") for taken in done.steps
    ]
    for step in steps:
        shares = [bar.share for bar in step.bars]
        assert shares == sorted(shares, reverse=True)
        assert sum(shares) == pytest.approx(1)


TIME = "1970-01-01T00:00:00.000000Z"
COMMON: EventFields = {"interview": "abcd", "n": 1, "time": TIME}


@pytest.mark.parametrize(
    ("event", "title", "text"),
    [
        (events.Asked(**COMMON, question="fever"), "", ""),
        (
            events.Answered(**COMMON, question="fever", answer="no", cost=1, seconds=1),
            "Is there a fever?",
            "No",
        ),
        (
            events.Unknown(**COMMON, question="gone", cost=1, seconds=1),
            "gone (no longer in the bank)",
            "unknown",
        ),
        (events.Skipped(**COMMON, question="sound", cost=1, seconds=1), "Is there a noise?", "skipped"),
        (events.Undone(**COMMON, steps=1), "Undone", "1 step taken back"),
        (events.Undone(**COMMON, steps=2), "Undone", "2 steps taken back"),
        (
            events.Changed(**COMMON, step=0, question="fever", answer=None, cost=1),
            "Changed: Is there a fever?",
            "don't know",
        ),
        (
            events.Retracted(**COMMON),
            "Retracted",
            f"{format_time(TIME)}: nothing is learned from it any more",
        ),
        (events.Abandoned(**COMMON), "Abandoned", format_time(TIME)),
        (events.Stopped(**COMMON), "Stopped", "The operator decided to stop here."),
        (
            events.Decided(**COMMON, outcome="grippe", belief=0.8, reason="sure enough", rule="belief"),
            "Decided: Flu",
            "80 % sure. Sure enough.",
        ),
    ],
    ids=lambda value: value.name if isinstance(value, events.Event) else "",
)
def test_an_event_is_described(bank: Bank, event: events.Event, title: str, text: str) -> None:
    assert describe_event(event, bank) == (title, text)


def test_a_confirmation_without_an_outcome_says_so(bank: Bank) -> None:
    title, _ = describe_event(events.Confirmed(**COMMON, outcome=None), bank)
    assert title == "Confirmed: none of the outcomes"
