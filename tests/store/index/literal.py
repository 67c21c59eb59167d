"""What an index should say, from the records of the whole log."""

from __future__ import annotations

import random
from collections.abc import Iterator

from odm_tui.store.branches.records import read_records
from odm_tui.store.counts import BankIndex, Counts
from odm_tui.store.index.interview_index import InterviewIndex
from odm_tui.store.index.opening import open_index
from odm_tui.store.index.summary import InterviewSummary
from odm_tui.store.log import read_log
from odm_tui.store.paths import StatePaths
from tests.store.index.histories import random_events
from tests.support.faults.samples import sample_index, write


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


def says_what_the_log_says(where: StatePaths, *, saves: bool = True) -> bool:
    """Whether lists from the index, as it is on disk now, are those of the whole log."""
    expected = {id: row for id, row in literal_summaries(where).items() if row.began}
    with open_index(where, sample_index(), saves=saves) as index:
        listed = {row.interview: row for _, row in index.latest()}
        return summaries(index) == expected == listed
