"""Random histories on three machines: in whatever order their folders are merged, all end with the same state."""

from __future__ import annotations

import itertools
import random
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from odm_tui.store.branches.choice import choose_branch, follow_branch
from odm_tui.store.branches.records import InterviewRecords, read_records
from odm_tui.store.events import (
    Abandoned,
    Answered,
    Asked,
    Changed,
    Confirmed,
    Corrected,
    Decided,
    Event,
    Retracted,
    Settled,
    Started,
    Stopped,
    Undone,
    Unknown,
    timestamp,
)
from odm_tui.store.forget_interview import forget
from odm_tui.store.integrity.chain import identify
from odm_tui.store.integrity.log_check import find_problems
from odm_tui.store.interview_record import StepEvent
from odm_tui.store.log import read_log, valid_entries
from odm_tui.store.merging import merge
from odm_tui.store.paths import StatePaths
from tests.support.faults.report import Table
from tests.support.faults.samples import (
    ANSWERS,
    OUTCOMES,
    EventFields,
    interview_events,
    paths_in,
    rebuilt,
    state_bytes,
    write,
)

QUESTIONS = list(ANSWERS)


class Machine:
    """One copy of a folder, on which interviews are begun and continued."""

    def __init__(self, folder: Path, dice: random.Random, chained: bool) -> None:
        self.where = paths_in(folder)
        self.dice = dice
        self.chained = chained
        """Whether events name the one before, as new logs do."""

    def records(self) -> InterviewRecords:
        return read_records(self.where.log, read_log(self.where.log))

    def act(self, clock: int, number: int) -> None:
        known = sorted(self.records().by_id)
        if not known or self.dice.random() < 0.25:
            self._append(self._started(f"{number:08x}", clock))
        elif self.dice.random() < 0.04:
            forget(self.where, [self.dice.choice(known)])
        else:
            self._continue(self.dice.choice(known), clock)

    def _started(self, interview: str, clock: int) -> Event:
        return Started(
            interview=interview,
            n=1,
            time=timestamp(clock),
            bank="sample",
            bank_hash="h1",
            policy="w-ec2-ts",
            seed=7,
            operator="op",
        )

    def _continue(self, interview: str, clock: int) -> None:
        found = [e.event for e in valid_entries(read_log(self.where.log, only={interview}))]
        choice = choose_branch(found)
        record = follow_branch(choice.branch)
        for _ in range(self.dice.randint(1, 4)):
            if record.last is None:
                return
            event = self._next(
                record.steps or [], record.ending is not None, record.decided is not None, clock
            )
            after = identify(record.last) if self.chained else ""
            event = replace(event, interview=interview, n=record.last_number + 1, after=after)
            if not record.follow(event):
                return
            self._append(event)
        if choice.conflicts and self.dice.random() < 0.3:
            last = self.dice.choice([branch[-1] for branch in choice.conflicts])
            against = tuple(identify(b[-1]) for b in (choice.branch, *choice.conflicts) if b[-1] != last)
            highest = max(event.n for event in found) + 9
            self._append(
                Settled(
                    interview=interview,
                    n=highest,
                    time=timestamp(clock),
                    after=identify(last),
                    against=against,
                )
            )

    def _next(self, steps: list[StepEvent], ended: bool, decided: bool, clock: int) -> Event:
        at: EventFields = {"interview": "", "n": 1, "time": timestamp(clock)}
        dice = self.dice
        if ended:
            if dice.random() < 0.4:
                return Retracted(**at)
            return Corrected(**at, outcome=dice.choice(OUTCOMES))
        if decided and dice.random() < 0.7:
            if dice.random() < 0.1:
                return Abandoned(**at)
            return Confirmed(**at, outcome=dice.choice([*OUTCOMES, None]))
        left = [q for q in QUESTIONS if all(step.question != q for step in steps)]
        roll = dice.random()
        if left and roll < 0.15:
            return Asked(**at, question=dice.choice(left))
        if left and roll < 0.6:
            question = dice.choice(left)
            return Answered(**at, question=question, answer=dice.choice(ANSWERS[question]), cost=1, seconds=2)
        if left and roll < 0.65:
            return Unknown(**at, question=dice.choice(left), cost=1, seconds=2)
        if steps and roll < 0.75:
            return Undone(**at, steps=1)
        if steps and roll < 0.82:
            place = dice.randrange(len(steps))
            question = steps[place].question
            return Changed(**at, step=place, question=question, answer=dice.choice(ANSWERS[question]), cost=1)
        if roll < 0.85:
            return Stopped(**at)
        return Decided(**at, outcome="flu", belief=0.9, reason="region", rule="region")

    def _append(self, event: Event) -> None:
        write(self.where, [[event]])


def standing(where: StatePaths) -> object:
    """What a folder says: its state, and the branches and conflicts of each interview."""
    records = read_records(where.log, read_log(where.log))
    conflicts = {i: {identify(b[-1]) for b in found} for i, found in records.conflicts.items()}
    ends = {i: identify(r.last) if r.last else None for i, r in records.by_id.items()}
    return state_bytes(where), rebuilt(where), conflicts, ends, records.forgotten


def run_history(tmp_path: Path, seed: int, chained: bool) -> int:
    """Hold interviews on three machines that meet now and then; return how many conflicts there were."""
    tmp_path.mkdir(exist_ok=True)
    dice = random.Random(seed)
    machines = [Machine(tmp_path / name, dice, chained) for name in "abc"]
    clock = 1_000_000
    for number in range(dice.randint(12, 30)):
        clock += dice.randint(0, 3)
        machine = dice.choice(machines)
        if dice.random() < 0.25:
            other = dice.choice([m for m in machines if m is not machine])
            if other.where.log.exists():
                merge(machine.where, other.where)
        else:
            machine.act(clock, number)
        if machine.where.log.exists():
            assert state_bytes(machine.where) == rebuilt(machine.where)
    ended: list[object] = []
    conflicts = 0
    for order in itertools.permutations(range(3)):
        copies = []
        for k in order:
            copy = StatePaths(tmp_path / f"{order}-{k}", machines[k].where.stem)
            shutil.copytree(machines[k].where.folder, copy.folder)
            copies.append(copy)
        into, second, third = copies
        if seed % 2:  # (a + b) + c, or a + (b + c)
            merge(into, second)
            merge(into, third)
        else:
            merge(second, third)
            merge(into, second)
        ended.append(standing(into))
        before = into.log.read_bytes() if into.log.exists() else b""
        merge(into, third)
        merge(into, second)
        assert (into.log.read_bytes() if into.log.exists() else b"") == before
        assert list(find_problems(into.log)) == []
        conflicts = len(read_records(into.log, read_log(into.log)).conflicts)
    assert all(found == ended[0] for found in ended)
    return conflicts


@pytest.mark.parametrize("chained", [True, False], ids=["new", "old"])
@pytest.mark.parametrize("seed", range(12))
def test_folders_agree_in_whatever_order_they_are_merged(tmp_path: Path, seed: int, chained: bool) -> None:
    run_history(tmp_path, seed, chained)


@pytest.mark.soak
def test_many_folders_agree_in_whatever_order_they_are_merged(tmp_path: Path, table: Table) -> None:
    conflicts = 0
    for seed in range(1_000):
        conflicts += run_history(tmp_path / str(seed), seed, chained=seed % 4 != 0)
        shutil.rmtree(tmp_path / str(seed))
    assert conflicts > 100
    table.row("random histories on three machines, merged in every order", 1_000, 0)


def forked(tmp_path: Path) -> tuple[StatePaths, StatePaths]:
    """Two copies of a folder went on with one interview: each with another answer, and another outcome."""
    here, there = paths_in(tmp_path / "here"), paths_in(tmp_path / "there")
    common = linked(interview_events("aaaaaaaa", {"fever": "yes"}, "flu")[:3])
    for where, answer, outcome in ((here, "red", "flu"), (there, "off", "cold")):
        more = interview_events(
            "aaaaaaaa", {"fever": "yes", "colour": answer}, outcome, at=5 if where is here else 9
        )
        write(where, [linked([*common, *more[3:]])])
    return here, there


def linked(events: list[Event]) -> list[Event]:
    made: list[Event] = []
    for event in events:
        made.append(replace(event, n=len(made) + 1, after=identify(made[-1]) if made else ""))
    return made


def test_two_continuations_are_one_branch_and_one_conflict_never_a_mixture(tmp_path: Path) -> None:
    here, there = forked(tmp_path)
    separate = {state_bytes(here), state_bytes(there)}
    merge(here, there)
    merge(there, here)
    assert state_bytes(here) == state_bytes(there)
    assert state_bytes(here) in separate
    records = read_records(here.log, read_log(here.log))
    assert [len(found) for found in records.conflicts.values()] == [1]


def test_a_mixture_is_noticed_although_the_numbers_go_up(tmp_path: Path) -> None:
    """One side answers at once, the other one is asked again first, so that no two counted events share a number."""
    here, there = paths_in(tmp_path / "here"), paths_in(tmp_path / "there")
    base = linked(interview_events("aaaaaaaa", {"fever": "yes"}, "flu")[:3])
    common: EventFields = {"interview": "aaaaaaaa", "n": 1, "time": timestamp(50)}
    mine: list[Event] = [
        Answered(**common, question="colour", answer="red", cost=1, seconds=1),
        Confirmed(**common, outcome="flu"),
    ]
    theirs: list[Event] = [
        Asked(**common, question="colour"),
        Answered(**common, question="colour", answer="off", cost=1, seconds=1),
        Unknown(**common, question="ping", cost=1, seconds=1),
    ]
    write(here, [linked([*base, *mine])])
    write(there, [linked([*base, *theirs])])
    alone = state_bytes(here)
    merge(here, there)
    merge(there, here)
    assert state_bytes(here) == state_bytes(there) == rebuilt(here) == alone


def test_a_branch_that_only_shows_a_question_is_no_conflict(tmp_path: Path) -> None:
    here, there = paths_in(tmp_path / "here"), paths_in(tmp_path / "there")
    events = linked(interview_events("aaaaaaaa", {"fever": "yes"}, "flu"))
    write(here, [events])
    shown = Asked(interview="aaaaaaaa", n=4, time=timestamp(99), after=identify(events[2]), question="ping")
    write(there, [[*events[:3], shown]])
    alone = state_bytes(here)
    merge(here, there)
    assert state_bytes(here) == alone
    assert read_records(here.log, read_log(here.log)).conflicts == {}


@pytest.mark.parametrize("shared", [1, 2, 3, 4])
def test_a_single_answer_of_its_own_makes_a_branch_a_conflict_wherever_the_two_parted(shared: int) -> None:
    events = linked(interview_events("aaaaaaaa", {"fever": "yes"}, "flu"))
    own = Answered(
        interview="aaaaaaaa",
        n=shared + 1,
        time=timestamp(99),
        after=identify(events[shared - 1]),
        question="ping",
        answer=5,
        cost=1,
        seconds=1,
    )
    choice = choose_branch([*events, own])
    assert choice.branch == tuple(events)
    assert [branch[-1] for branch in choice.conflicts] == [own]


def test_of_several_conflicts_the_longest_comes_first() -> None:
    events = linked(interview_events("aaaaaaaa", {"fever": "yes"}, "flu"))
    own = [
        Answered(
            interview="aaaaaaaa",
            n=shared + 1,
            time=timestamp(99 - shared),
            after=identify(events[shared - 1]),
            question="ping",
            answer=5,
            cost=1,
            seconds=1,
        )
        for shared in (2, 4, 1, 3)
    ]
    conflicts = choose_branch([*events, *own]).conflicts
    assert [branch[-1].n for branch in conflicts] == [5, 4, 3, 2]


def test_what_a_person_settled_counts_everywhere_and_is_no_conflict_any_more(tmp_path: Path) -> None:
    here, there = forked(tmp_path)
    states = {side: state_bytes(side) for side in (here, there)}
    merge(here, there)
    loser = there if state_bytes(here) == states[here] else here
    [[other]] = read_records(here.log, read_log(here.log)).conflicts.values()
    found = [e.event for e in valid_entries(read_log(here.log))]
    best = choose_branch(found).branch
    settled = Settled(
        interview="aaaaaaaa",
        n=99,
        time=timestamp(1),
        after=identify(other[-1]),
        against=(identify(best[-1]),),
    )
    write(here, [[settled]])
    assert read_records(here.log, read_log(here.log)).conflicts == {}
    assert state_bytes(here) == states[loser]
    merge(there, here)
    assert state_bytes(there) == states[loser]
