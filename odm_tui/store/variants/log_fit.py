"""Fit the variants of outcomes to the interviews of a log, or to those before a place in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from odm_tui.store.branches.records import InterviewRecords
from odm_tui.store.counts import BankIndex, Counts
from odm_tui.store.cursor import Cursor, read_cursor
from odm_tui.store.events import Asked, Filed, Noted
from odm_tui.store.index.opening import count_and_index
from odm_tui.store.interview_record import InterviewRecord
from odm_tui.store.log import Damage, Position, skim_log
from odm_tui.store.paths import StatePaths
from odm_tui.store.state_update import Snapshot, counts_between
from odm_tui.store.variants.fitted import FittedVariants, find_lessons, fit_first, size_for

_NOT_COUNTED = frozenset({Asked.name, Filed.name, Noted.name})
"""Events that teach nothing; they are about half of the log."""


def fit_log(
    paths: StatePaths,
    index: BankIndex,
    size: int,
    stop: int | None = None,
    instead: Mapping[str, InterviewRecord | None] | None = None,
) -> FittedVariants | None:
    """Fit variants to the first ``size`` interviews of the log up to an offset; None if there are fewer.

    ``instead`` has records that take the place of those in the log; None leaves an interview out.
    """
    if size <= 0:
        return None
    records = InterviewRecords()
    for entry in skim_log(paths.log, _NOT_COUNTED, stop=stop):
        record = None if isinstance(entry, Damage) else records.follow(entry)
        if record is not None and record.ending is not None and record.steps is not None:
            record.drop_details()
    records.untangle(paths.log, stop)
    found = {**records.by_id, **(instead or {})}
    return fit_first(find_lessons((r for r in found.values() if r is not None), index), size, index)


def fit_before(
    paths: StatePaths, start: Cursor, size: int, index: BankIndex, now: Snapshot
) -> FittedVariants | None:
    """Fit variants to the first ``size`` interviews before a place; those of now are taken if they are the same."""
    offset, fitted = read_cursor(start, Position).bytes, now.counts.fitted
    if fitted is not None and fitted.interviews == size:
        since = counts_between(paths, Position(offset), now.position.bytes, index, {}, fitted)
        if since.fitted is not None:
            return fitted
    return fit_log(paths, index, size, offset)


def count_log(paths: StatePaths, index: BankIndex, variants_of: int = 0) -> Counts:
    """Count the whole log, and fit variants to the first ``variants_of`` interviews."""
    counts = count_and_index(paths, index, saves=False).counts
    counts.fitted = fit_log(paths, index, variants_of)
    return counts


def is_fit_due(counts: Counts, index: BankIndex) -> bool:
    """Whether the variants should be fitted to other interviews than they are."""
    return size_for(counts.interviews, index) != (0 if counts.fitted is None else counts.fitted.interviews)


def fit_snapshot(known: Snapshot, paths: StatePaths, index: BankIndex) -> Snapshot:
    """Fit the variants of a snapshot that are due; this takes up to a few seconds, so the caller holds no lock."""
    size = size_for(known.counts.interviews, index)
    counts = known.counts.plus(Counts())
    counts.fitted = fit_log(paths, index, size, known.position.bytes)
    return replace(known, counts=counts)
