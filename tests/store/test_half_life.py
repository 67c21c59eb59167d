"""Old interviews count less, unknown answers are counted, and both follow from the log alone, byte for byte."""

from __future__ import annotations

import itertools
import json
import shutil
import tempfile
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from odm_tui.store.counts import BankIndex, Counts
from odm_tui.store.events import (
    Answer,
    Answered,
    Confirmed,
    Corrected,
    Event,
    Retracted,
    Skipped,
    Started,
    Unknown,
    timestamp,
)
from odm_tui.store.forget_interview import forget
from odm_tui.store.half_life import find_generation
from odm_tui.store.log import START, Position, read_log, valid_entries
from odm_tui.store.log_writer import Log
from odm_tui.store.merging import merge
from odm_tui.store.paths import StatePaths
from odm_tui.store.schemas import state_schema
from odm_tui.store.state_file import decode_counts, encode_state, unseal
from odm_tui.store.state_update import counts_between, read_snapshot, update_state
from tests.support.faults.samples import (
    ANSWERS,
    OUTCOMES,
    EventFields,
    interview_events,
    paths_in,
    sample_index,
    write,
)

DAY = 86_400.0
HALF_LIFE = 10.0
DRIFTING = sample_index(half_life_days=HALF_LIFE)
INDEXES = {"drifting": DRIFTING, "all alike": sample_index()}
UNKNOWN, SKIPPED = "unknown", "skipped"


@dataclass(frozen=True)
class Course:
    """An interview's steps, and how it ended: (day, outcome), None for a retraction."""

    steps: dict[str, Answer]
    endings: tuple[tuple[float, str | None], ...]

    def events(self, interview: str) -> list[Event]:
        made: list[Event] = [
            Started(
                interview=interview,
                n=1,
                time=timestamp(0),
                bank="sample",
                bank_hash="h1",
                policy="w-ec2-ts",
                seed=7,
                operator="op-1",
            )
        ]
        for question, answer in self.steps.items():
            common: EventFields = {
                "interview": interview,
                "n": len(made) + 1,
                "time": timestamp(len(made)),
            }
            if answer == UNKNOWN:
                made.append(Unknown(**common, question=question, cost=1, seconds=2.5))
            elif answer == SKIPPED:
                made.append(Skipped(**common, question=question, cost=1, seconds=2.5))
            else:
                made.append(Answered(**common, question=question, cost=1, seconds=2.5, answer=answer))
        for number, (day, outcome) in enumerate(self.endings):
            common = {"interview": interview, "n": len(made) + 1, "time": timestamp(day * DAY)}
            if outcome is None:
                made.append(Retracted(**common))
            else:
                kind = Corrected if number else Confirmed
                made.append(kind(**common, outcome=outcome))
        return made


@st.composite
def courses(draw: st.DrawFn) -> Course:
    steps = draw(
        st.fixed_dictionaries(
            {}, optional={q: st.sampled_from([*a, UNKNOWN, SKIPPED]) for q, a in ANSWERS.items()}
        )
    )
    first = draw(st.integers(0, 900))
    endings: list[tuple[float, str | None]] = [(first, draw(st.sampled_from(OUTCOMES)))]
    for later in draw(st.lists(st.integers(0, 90), max_size=2)):
        endings.append((endings[-1][0] + later, draw(st.none() | st.sampled_from(OUTCOMES))))
    return Course(steps, tuple(endings[: draw(st.integers(0, len(endings)))]))


LIVES = st.lists(courses(), min_size=1, max_size=6)


def shuffled(records: list[Course], data: st.DataObject) -> list[Event]:
    """Mix the events of all interviews as in a log, with each interview's events in order."""
    running = [course.events(f"{k:08x}") for k, course in enumerate(records)]
    turns = [k for k, events in enumerate(running) for _ in events]
    return [running[k].pop(0) for k in data.draw(st.permutations(turns))]


def fresh() -> StatePaths:
    """Create a folder for one example."""
    return paths_in(Path(tempfile.mkdtemp(prefix="odm-tui-drift-")))


def appended(where: StatePaths, events: list[Event]) -> StatePaths:
    log = Log(where)
    log.append(events)
    log.close()
    return where


def state_of(where: StatePaths, bank: BankIndex) -> bytes:
    update_state(where, bank)
    return where.state.read_bytes()


def from_scratch(where: StatePaths, bank: BankIndex) -> bytes:
    again = fresh()
    again.log.write_bytes(where.log.read_bytes())
    return state_of(again, bank)


def naive(records: list[Course], half_life: float) -> dict[str, Counter[tuple[str, ...]]]:
    """Compute the weights literally from the definition, with fractions, one interview after another."""
    standing = [c for c in records if c.endings and c.endings[-1][1] is not None]
    generation = [int(c.endings[0][0] // half_life) for c in standing]
    newest = max(generation, default=0)
    made: dict[str, Counter[tuple[str, ...]]] = {"outcomes": Counter(), "unknown": Counter()}
    for course, own in zip(standing, generation, strict=True):
        weight = Fraction(1, 2 ** (newest - own))
        made["outcomes"][str(course.endings[-1][1]),] += weight  # type: ignore[assignment]
        for question in (q for q, answer in course.steps.items() if answer == UNKNOWN):
            made["unknown"][question,] += weight  # type: ignore[assignment]
    return made


@pytest.mark.parametrize("bank", INDEXES.values(), ids=INDEXES)
@given(records=LIVES, data=st.data())
@settings(max_examples=25)
def test_read_on_in_any_pieces_the_state_is_the_one_counted_again(
    bank: BankIndex, records: list[Course], data: st.DataObject
) -> None:
    where, events = fresh(), shuffled(records, data)
    while events:
        size = data.draw(st.integers(1, len(events)))
        appended(where, events[:size])
        del events[:size]
        assert state_of(where, bank) == from_scratch(where, bank)


@pytest.mark.parametrize("bank", INDEXES.values(), ids=INDEXES)
@given(records=LIVES, data=st.data())
@settings(max_examples=25)
def test_forgotten_is_never_having_been(bank: BankIndex, records: list[Course], data: st.DataObject) -> None:
    events = shuffled(records, data)
    gone = data.draw(st.sets(st.sampled_from([f"{k:08x}" for k in range(len(records))])))
    had = appended(fresh(), events)
    state_of(had, bank)
    forget(had, gone, bank)
    never = fresh()
    rest = [event for event in events if event.interview not in gone]
    if rest:
        appended(never, rest)
    assert had.state.read_bytes() == state_of(never, bank)


@pytest.mark.parametrize("bank", INDEXES.values(), ids=INDEXES)
@given(records=LIVES, data=st.data())
@settings(max_examples=25)
def test_merged_either_way_round_the_state_is_that_of_one_log(
    bank: BankIndex, records: list[Course], data: st.DataObject
) -> None:
    events = shuffled(records, data)
    whole = appended(fresh(), events)
    shared = data.draw(st.integers(0, len(events)))
    homes = data.draw(st.lists(st.booleans(), min_size=len(records), max_size=len(records)))
    for way in (1, -1):
        sides = []
        for side in (True, False):
            own = [e for e in events[shared:] if homes[int(e.interview, 16)] is side]
            sides.append(fresh())
            if events[:shared] + own:
                appended(sides[-1], events[:shared] + own)
        into, other = sides[::way]
        state_of(into, bank)
        merge(into, other)
        assert state_of(into, bank) == state_of(whole, bank) == from_scratch(into, bank)


@pytest.mark.parametrize("bank", INDEXES.values(), ids=INDEXES)
@given(records=LIVES, data=st.data())
@settings(max_examples=25)
def test_after_any_course_of_events_the_state_is_the_one_counted_again(
    bank: BankIndex, records: list[Course], data: st.DataObject
) -> None:
    here, there = fresh(), fresh()
    names = [f"{k:08x}" for k in range(len(records))]
    events, gone = shuffled(records, data), set()
    homes = data.draw(st.lists(st.booleans(), min_size=len(records), max_size=len(records)))
    while events:
        happens = data.draw(st.sampled_from(["append", "append", "forget", "merge"]))
        if happens == "append":
            for _ in range(data.draw(st.integers(1, len(events)))):
                event = events.pop(0)
                if event.interview not in gone:
                    appended(here if homes[int(event.interview, 16)] else there, [event])
        elif happens == "forget" and here.log.exists():
            gone.add(data.draw(st.sampled_from(names)))
            forget(here, [*gone], bank)
        elif happens == "merge" and there.log.exists():
            merge(here, there)
        if here.log.exists():
            assert state_of(here, bank) == from_scratch(here, bank)


@given(records=LIVES, data=st.data())
@settings(max_examples=25)
def test_what_was_known_before_any_line_is_found_again(records: list[Course], data: st.DataObject) -> None:
    where = appended(fresh(), shuffled(records, data))
    now = read_snapshot(where, DRIFTING)
    for entry in valid_entries(read_log(where.log)):
        before = Position(entry.offset, entry.line - 1) if entry.offset else START
        then = now.counts.plus(counts_between(where, before, None, DRIFTING, {}), -1)
        again = counts_between(where, START, before.bytes, DRIFTING, {})
        assert encode_state(then, DRIFTING) == encode_state(again, DRIFTING)


@given(records=LIVES, data=st.data())
@settings(max_examples=50)
def test_weights_are_what_the_definition_says(records: list[Course], data: st.DataObject) -> None:
    where = appended(fresh(), shuffled(records, data))
    state = json.loads(state_of(where, DRIFTING))
    expected = naive(records, HALF_LIFE)
    for kind, weights in expected.items():
        assert state.get(kind, {}) == {name: float(w) for (name,), w in weights.items()}
    assert state["interviews"] == sum(bool(c.endings and c.endings[-1][1]) for c in records)


@given(records=LIVES, data=st.data())
@settings(max_examples=50)
def test_the_counts_are_read_back_exactly(records: list[Course], data: st.DataObject) -> None:
    known = read_snapshot(appended(fresh(), shuffled(records, data)), DRIFTING).counts
    assert decode_counts(unseal(encode_state(known, DRIFTING), "state"), DRIFTING, "state") == known


@given(records=LIVES, data=st.data())
@settings(max_examples=20)
def test_the_state_fits_its_schema(records: list[Course], data: st.DataObject) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    for bank in INDEXES.values():
        state = json.loads(state_of(appended(fresh(), shuffled(records, data)), bank))
        jsonschema.Draft202012Validator(state_schema()).validate(state)


@pytest.mark.parametrize(
    ("time", "half_life", "generation"),
    [
        ("1970-01-01T00:00:00.000000Z", 10.0, 0),
        ("1970-01-10T23:59:59.999999Z", 10.0, 0),
        ("1970-01-11T00:00:00.000000Z", 10.0, 1),
        ("1970-01-31T11:59:59.999999Z", 30.5, 0),
        ("1970-01-31T12:00:00.000000Z", 30.5, 1),
        ("2026-06-30T12:00:00.000000Z", 180.0, 114),
        ("1969-12-31T23:59:59.000000Z", 10.0, 0),
        ("2026-02-30T12:00:00.000000Z", 180.0, 0),
        ("9999-12-31T23:59:59.999999Z", 1.0, 2_932_896),
        ("2026-06-30T12:00:00.000000Z", None, 0),
    ],
)
def test_a_moment_falls_into_one_generation(time: str, half_life: float | None, generation: int) -> None:
    assert find_generation(time, half_life) == generation


def confirmed(interview: str, day: float, **answers: Answer) -> list[Event]:
    return interview_events(interview, answers, "flu", at=day * DAY)


def test_an_interview_of_two_half_lives_ago_counts_a_quarter(tmp_path: Path) -> None:
    where = paths_in(tmp_path)
    write(where, [confirmed("aaaaaaaa", 1, fever="yes"), confirmed("bbbbbbbb", 25, fever="no")])
    state = json.loads(state_of(where, DRIFTING))
    assert state["posteriors"]["fever"]["flu"] == {"alpha": 7.6 + 0.25, "beta": 0.4 + 1}
    assert (state["outcomes"], state["interviews"]) == ({"flu": 1.25}, 2)
    assert state["drift"]["generations"] == {"0": 1, "2": 1}
    posterior = read_snapshot(where, DRIFTING).counts.posterior(DRIFTING.problem)
    assert posterior.counts[0, 0].tolist() == [1, 0.25, 0, 0]


def test_when_the_newest_interview_is_retracted_the_old_ones_count_in_full_again(tmp_path: Path) -> None:
    where = paths_in(tmp_path)
    write(where, [confirmed("aaaaaaaa", 1, fever="yes")])
    before = state_of(where, DRIFTING)
    newest = confirmed("bbbbbbbb", 2_000, fever="no")
    write(where, [newest])
    assert state_of(where, DRIFTING) != before
    gone = Retracted(interview="bbbbbbbb", n=len(newest) + 1, time=timestamp(2_001 * DAY))
    write(where, [[gone]])
    assert state_of(where, DRIFTING) == before


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_the_confirmations_time_counts_in_whichever_order_a_merge_brings_the_endings(
    tmp_path: Path, order: tuple[int, ...]
) -> None:
    where = paths_in(tmp_path)
    *events, confirmation = confirmed("aaaaaaaa", 1, fever="yes")
    n = confirmation.n
    endings = [
        confirmation,
        Retracted(interview="aaaaaaaa", n=n + 1, time=timestamp(300 * DAY)),
        Corrected(interview="aaaaaaaa", n=n + 2, time=timestamp(400 * DAY), outcome="cold"),
    ]
    write(where, [events])
    for k in order:
        write(where, [[endings[k]]])
        state_of(where, DRIFTING)
    state = json.loads(where.state.read_bytes())
    assert (state["outcomes"], state["drift"]["generations"]) == ({"cold": 1}, {"0": 1})


def test_a_question_that_nobody_knew_is_counted_once_it_is_confirmed(tmp_path: Path) -> None:
    where = paths_in(tmp_path)
    events = Course({"fever": UNKNOWN, "colour": SKIPPED, "ping": 40}, ((3, "flu"),)).events("aaaaaaaa")
    write(where, [events[:-1]])
    assert b"unknown" not in state_of(where, sample_index())
    write(where, [events[-1:]])
    assert json.loads(state_of(where, sample_index()))["unknown"] == {"fever": 1}
    posterior = read_snapshot(where, sample_index()).counts.posterior(sample_index().problem)
    assert posterior.unknown is not None
    assert posterior.unknown.tolist() == [1, 0, 0]
    assert posterior.answerable()[0] < posterior.answerable()[1]


def test_without_dont_knows_the_engine_is_told_nothing_of_them() -> None:
    assert Counts().posterior(sample_index().problem).unknown is None


def test_a_bank_that_begins_or_ceases_to_drift_is_counted_again(tmp_path: Path) -> None:
    where = paths_in(tmp_path)
    write(where, [confirmed("aaaaaaaa", 1, fever="yes"), confirmed("bbbbbbbb", 25, fever="no")])
    plain = state_of(where, sample_index())
    drifting = state_of(where, sample_index(hash="h2", half_life_days=HALF_LIFE))
    assert json.loads(drifting)["outcomes"] == {"flu": 1.25}
    assert state_of(where, sample_index()) == plain


def test_a_clock_that_ran_far_ahead_is_survived(tmp_path: Path) -> None:
    where = paths_in(tmp_path)
    bank = sample_index(half_life_days=1.0)
    write(
        where,
        [
            confirmed("aaaaaaaa", 1, fever="yes"),
            interview_events("bbbbbbbb", {"fever": "no"}, "cold", 2.5e11),
        ],
    )
    assert json.loads(state_of(where, bank))["outcomes"] == {"cold": 1, "flu": 0}
    forget(where, ["bbbbbbbb"], bank)
    assert json.loads(where.state.read_bytes())["outcomes"] == {"flu": 1}


@pytest.fixture(autouse=True, scope="module")
def _folders(tmp_path_factory: pytest.TempPathFactory) -> object:
    """Remove the folders of all examples when the module is done."""
    usual, tempfile.tempdir = tempfile.tempdir, str(tmp_path_factory.mktemp("drift"))
    yield
    shutil.rmtree(tempfile.tempdir)
    tempfile.tempdir = usual
