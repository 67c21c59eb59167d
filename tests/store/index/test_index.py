"""The index says of every log what the records of its interviews say, however much of it was indexed before."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from odm_tui.store.events import Started
from odm_tui.store.index import opening
from odm_tui.store.index.opening import count_and_index, open_index
from tests.store.index.literal import literal_counts, literal_summaries, summaries, write_in_parts
from tests.support.faults.samples import interview_events, many, paths_in, sample_index, write


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
                before = index.counts_before(index.find_start(id), bank)
                assert before == literal_counts(where, bank, place.spans[0])
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
            began = [row.began for _, row in everything]
            assert began == sorted(began, reverse=True)
            assert sorted(row.interview for _, row in everything) == sorted(row.interview for row in literal)
            if everything:
                chosen = dice.randrange(len(everything))
                assert list(index.latest(before=everything[chosen][0])) == everything[chosen + 1 :]
            some = [row for _, row in everything if row.status == "confirmed"]
            assert [row for _, row in index.latest(["confirmed"])] == some
            for word in ("t-1", "größe", "GROSSE", "op-2"):
                having = [row for _, row in everything if word.casefold() in str(row).casefold()]
                narrowed = [row for _, row in index.latest(words=word)]
                assert [row for row in narrowed if row in having] == having


def test_interviews_are_found_by_the_year_in_which_they_began(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "LONGEST_TAIL", 0)
    where, bank = paths_in(tmp_path / "s"), sample_index()
    write(where, many(12))
    assert count_and_index(where, bank)
    assert where.index.exists()
    with open_index(where, bank) as index:
        assert len(list(index.latest(words="1970"))) == 12
        assert list(index.latest(words="1999")) == []


def test_in_a_long_log_without_a_readable_interview_no_year_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "LONGEST_TAIL", 0)
    where, bank = paths_in(tmp_path / "s"), sample_index()
    write(where, many(2))
    where.log.write_bytes(where.log.read_bytes().replace(b"{", b"x"))
    with open_index(where, bank) as index:
        assert list(index.latest(words="1970")) == []


def test_an_interview_that_starts_twice_is_listed_as_its_record_says(tmp_path: Path) -> None:
    where, bank = paths_in(tmp_path / "s"), sample_index()
    again = next(
        event for event in interview_events("00000001", {}, None, at=90.0) if isinstance(event, Started)
    )
    begun = interview_events("00000001", {"fever": "yes"}, "flu")[:3]
    twice = [*begun, replace(again, n=4, operator="somebody else")]
    write(where, [twice, *many(30, first=2)])
    with open_index(where, bank) as index:
        assert summaries(index) == literal_summaries(where)
