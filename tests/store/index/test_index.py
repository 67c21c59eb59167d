"""The index says of every log what the records of its interviews say, however much of it was indexed before."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from odm_tui.store.branches.records import read_records
from odm_tui.store.counts import BankIndex, Counts
from odm_tui.store.index import builder, database, opening
from odm_tui.store.index.interview_index import InterviewIndex
from odm_tui.store.index.opening import count_and_index, open_index
from odm_tui.store.index.summary import InterviewSummary
from odm_tui.store.log import read_log
from odm_tui.store.paths import StatePaths
from tests.store.index.histories import random_events
from tests.support.faults.samples import paths_in, sample_index, write


@pytest.fixture(autouse=True)
def small_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """Index short logs as if they were long ones."""
    monkeypatch.setattr(opening, "LONGEST_TAIL", 3_000)
    monkeypatch.setattr(database, "_SPACING", 1_500)
    monkeypatch.setattr(database, "_TIMES_CHECKPOINT", 1)
    monkeypatch.setattr(builder, "_LEAST_FOR_FAST_DECODER", 2_000)
    monkeypatch.setattr(builder, "_MOST_OPEN", 3)


def literal_summaries(where: StatePaths) -> dict[str, InterviewSummary]:
    records = read_records(where.log, read_log(where.log))
    return {id: InterviewSummary.of(record) for id, record in records.by_id.items()}


def literal_counts(where: StatePaths, bank: BankIndex, stop: int | None = None) -> Counts:
    counts = Counts()
    for record in read_records(where.log, read_log(where.log, stop=stop), stop).by_id.values():
        counts.learn(record, bank)
    return counts


def summaries(index: InterviewIndex) -> dict[str, InterviewSummary]:
    return {row.interview: row for row in index.in_order()}


def write_in_parts(
    where: StatePaths, seed: int, bank: BankIndex, oddness: float = 0.1
) -> Iterator[random.Random]:
    """Write a random log in parts, and pause after each."""
    dice = random.Random(seed)
    events = random_events(dice, 300, oddness)
    while events:
        size = dice.choice((1, 7, 40, 120))
        write(where, [events[:size]])
        events = events[size:]
        yield dice


@pytest.mark.parametrize("seed", range(12))
def test_the_index_says_what_the_records_say_after_every_part_of_a_log(tmp_path: Path, seed: int) -> None:
    where, bank = paths_in(tmp_path / "s"), sample_index()
    for _ in write_in_parts(where, seed, bank, oddness=0.0 if seed < 2 else 0.15):
        with open_index(where, bank) as index:
            literal = literal_summaries(where)
            found = summaries(index)
            assert found == {id: row for id, row in literal.items() if row.began}
            assert list(found) == [id for id, row in literal.items() if row.began]
            assert sorted(index.find_ids("")) == sorted(literal)[:50]
    assert where.index.exists()


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("half_life", [None, 0.001])
def test_the_counts_at_every_start_are_those_of_the_log_before_it(
    tmp_path: Path, seed: int, half_life: float | None
) -> None:
    where, bank = paths_in(tmp_path / "s"), sample_index(half_life_days=half_life)
    for dice in write_in_parts(where, seed, bank):
        with open_index(where, bank) as index:
            ids = index.find_ids("")
            for id in dice.sample(ids, min(3, len(ids))):
                place = index.place(id)
                assert place is not None
                assert index.counts_before(place.spans[0], bank) == literal_counts(
                    where, bank, place.spans[0]
                )
    counted = count_and_index(where, bank, saves=False)
    assert counted.counts == literal_counts(where, bank)


@pytest.mark.parametrize("seed", range(6))
def test_totals_and_pages_are_those_of_the_whole_list(tmp_path: Path, seed: int) -> None:
    where, bank = paths_in(tmp_path / "s"), sample_index()
    for dice in write_in_parts(where, seed, bank):
        literal = [row for row in literal_summaries(where).values() if row.began]
        with open_index(where, bank) as index:
            totals = {(total.status, total.is_empty): total.count for total in index.totals() if total.count}
            assert totals == {
                key: sum((row.status, row.is_empty) == key for row in literal)
                for key in {(row.status, row.is_empty) for row in literal}
            }
            everything = list(index.latest())
            assert [at for at, _ in everything] == sorted((at for at, _ in everything), reverse=True)
            assert sorted(row.interview for _, row in everything) == sorted(row.interview for row in literal)
            if everything:
                at, _ = dice.choice(everything)
                assert list(index.latest(before=at)) == [found for found in everything if found[0] < at]
            some = [row for _, row in everything if row.status == "confirmed"]
            assert [row for _, row in index.latest(["confirmed"])] == some
            for word in ("t-1", "größe", "GROSSE", "op-2"):
                having = [row for _, row in everything if word.casefold() in str(row).casefold()]
                narrowed = [row for _, row in index.latest(words=word)]
                assert [row for row in narrowed if row in having] == having
