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
    Redated,
    Retracted,
    Skipped,
    Started,
    Unknown,
    timestamp,
)
from odm_tui.store.forget_interview import forget
from odm_tui.store.half_life import find_period
from odm_tui.store.log import START, Position, read_log, valid_entries
from odm_tui.store.log_writer import Log
from odm_tui.store.merging import merge
from odm_tui.store.paths import StatePaths
from odm_tui.store.schemas import state_schema
from odm_tui.store.state_file import decode_counts, encode_state, seal, unseal
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
HALF_LIFE_DAYS = 10
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


def naive(records: list[Course], half_life: float, day: float) -> dict[str, Counter[str]]:
    """Compute the weights on a day literally from the definition, one interview after another."""
    made: dict[str, Counter[str]] = {"outcomes": Counter(), "unknown": Counter()}
    for course in records:
        if not course.endings or course.endings[-1][1] is None:
            continue
        length = Fraction(half_life) / 16
        middle = (Fraction(course.endings[0][0]) // length + Fraction(1, 2)) * length
        weight = min(1.0, 2.0 ** float((middle - Fraction(day)) / Fraction(half_life)))
        made["outcomes"][str(course.endings[-1][1])] += weight
        for question in (q for q, answer in course.steps.items() if answer == UNKNOWN):
            made["unknown"][question] += weight
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


@given(records=LIVES, data=st.data(), day=st.integers(0, 1_200))
@settings(max_examples=50)
def test_weights_are_what_the_definition_says(records: list[Course], data: st.DataObject, day: int) -> None:
    where = appended(fresh(), shuffled(records, data))
    counts = read_snapshot(where, DRIFTING).counts
    posterior = counts.posterior(DRIFTING.problem, DRIFTING.find_moment(timestamp(day * DAY)))
    expected = naive(records, HALF_LIFE, day)
    for j, outcome in enumerate(OUTCOMES):
        assert posterior.outcome_counts[j] == pytest.approx(expected["outcomes"][outcome])
    for i, question in enumerate(DRIFTING.problem.questions):
        seen = 0.0 if posterior.unknown is None else posterior.unknown[i]
        assert seen == pytest.approx(expected["unknown"][question.id])
    standing = sum(bool(c.endings and c.endings[-1][1]) for c in records)
    assert json.loads(state_of(where, DRIFTING))["interviews"] == counts.interviews == standing


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


@pytest.mark.parametrize(("half_life", "fits"), [(0.01, True), (0, False), (-1, False)])
def test_the_schema_allows_every_half_life_above_0(half_life: float, fits: bool) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator(state_schema()["properties"]["drift"])
    assert validator.is_valid({"half_life_days": half_life, "periods": {}}) == fits


@pytest.mark.parametrize(
    ("time", "half_life", "period"),
    [
        ("1970-01-01T00:00:00.000000Z", 16.0, 0),
        ("1970-01-10T23:59:59.999999Z", 16.0, 9),
        ("1970-01-11T00:00:00.000000Z", 16.0, 10),
        ("1970-01-31T11:59:59.999999Z", 30.5, 15),
        ("1970-01-31T12:00:00.000000Z", 30.5, 16),
        ("1969-12-31T23:59:59.000000Z", 10.0, 0),
        ("2026-02-30T12:00:00.000000Z", 180.0, 0),
        ("9999-12-31T23:59:59.999999Z", 1.0, 46_926_351),
        ("2026-06-30T12:00:00.000000Z", None, 0),
    ],
)
def test_a_moment_falls_into_one_period(time: str, half_life: float | None, period: int) -> None:
    assert find_period(time, half_life) == period


def outcomes_on(where: StatePaths, bank: BankIndex, day: float) -> dict[str, float]:
    posterior = read_snapshot(where, bank).counts.posterior(
        bank.problem, bank.find_moment(timestamp(day * DAY))
    )
    return dict(zip(OUTCOMES, posterior.outcome_counts.tolist(), strict=True))


def confirmed(interview: str, day: float, **answers: Answer) -> list[Event]:
    return interview_events(interview, answers, "flu", at=day * DAY)


def test_weights_fall_smoothly_and_by_half_in_a_half_life(tmp_path: Path) -> None:
    where = paths_in(tmp_path)
    write(where, [confirmed("aaaaaaaa", 100, fever="yes")])
    weights = [outcomes_on(where, DRIFTING, 101 + hour / 24)["flu"] for hour in range(24 * 60)]
    steps = [later / earlier for earlier, later in itertools.pairwise(weights)]
    assert all(step == pytest.approx(2 ** (-1 / 240), rel=1e-6) for step in steps)
    assert weights[24 * HALF_LIFE_DAYS] == pytest.approx(weights[0] / 2)
    assert weights[0] == pytest.approx(2 ** (-1 / HALF_LIFE), rel=0.022)


def test_the_state_has_whole_counts_of_each_period(tmp_path: Path) -> None:
    where = paths_in(tmp_path)
    write(where, [confirmed("aaaaaaaa", 1, fever="yes"), confirmed("bbbbbbbb", 25, fever="no")])
    state = json.loads(state_of(where, DRIFTING))
    assert state["posteriors"]["fever"]["flu"] == {"alpha": 7.6 + 1, "beta": 0.4 + 1}
    assert (state["outcomes"], state["interviews"]) == ({"flu": 2}, 2)
    assert {period: part["interviews"] for period, part in state["drift"]["periods"].items()} == {
        "1": 1,
        "40": 1,
    }


@pytest.mark.parametrize("wrong", [3_650, 100_000])
def test_one_wrong_clock_never_changes_what_another_interview_counts(tmp_path: Path, wrong: float) -> None:
    where = paths_in(tmp_path)
    write(where, [confirmed("aaaaaaaa", 100, fever="yes"), confirmed("bbbbbbbb", 120, fever="no")])
    before = outcomes_on(where, DRIFTING, 125)
    write(where, [interview_events("cccccccc", {"fever": "no"}, "cold", wrong * DAY)])
    state_of(where, DRIFTING)
    assert outcomes_on(where, DRIFTING, 125) == {**before, "cold": 1.0}
    right = Redated(interview="cccccccc", n=99, time=timestamp(126 * DAY), confirmed=timestamp(115 * DAY))
    write(where, [[right]])
    state_of(where, DRIFTING)
    assert outcomes_on(where, DRIFTING, 125)["cold"] == pytest.approx(0.5, rel=0.022)
    assert outcomes_on(where, DRIFTING, 125)["flu"] == before["flu"]


def test_a_state_with_the_weights_of_older_versions_is_counted_again(tmp_path: Path) -> None:
    where = paths_in(tmp_path)
    write(where, [confirmed("aaaaaaaa", 1, fever="yes")])
    new = state_of(where, DRIFTING)
    old = json.loads(new)
    old["drift"] = {"half_life_days": 10, "generations": {"0": 1}}
    del old["crc"]
    body = json.dumps(old, indent=2)
    where.state.write_bytes(seal(body[: body.rindex("\n}")]))
    known = update_state(where, DRIFTING)
    assert known.notices == ()
    assert where.state.read_bytes() == new


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
    assert state["outcomes"] == {"cold": 1}
    assert list(state["drift"]["periods"]) == ["1"]


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
    assert "drift" in json.loads(drifting)
    assert state_of(where, sample_index()) == plain


@pytest.fixture(autouse=True, scope="module")
def _folders(tmp_path_factory: pytest.TempPathFactory) -> object:
    """Remove the folders of all examples when the module is done."""
    usual, tempfile.tempdir = tempfile.tempdir, str(tmp_path_factory.mktemp("drift"))
    yield
    shutil.rmtree(tempfile.tempdir)
    tempfile.tempdir = usual
