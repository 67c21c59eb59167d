"""Read the interviews of one bank: lists in pages, search, and single interviews, at once in a log of any length."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from odm_tui.banks.bank import Bank
from odm_tui.engine.policy import Policy
from odm_tui.engine.posterior import Posterior
from odm_tui.errors import BadArgument
from odm_tui.store.branches.choice import Branch, Choice, choose_branch
from odm_tui.store.counts import BankIndex, Counts
from odm_tui.store.cursor import Cursor
from odm_tui.store.events import Event, Started, timestamp
from odm_tui.store.index.database import BadIndexError
from odm_tui.store.index.interview_index import InterviewIndex, Total
from odm_tui.store.index.opening import open_index
from odm_tui.store.index.summary import InterviewSummary
from odm_tui.store.interview_lock import is_open_elsewhere
from odm_tui.store.interview_record import CONFIRMED, PENDING, UNFINISHED, InterviewRecord
from odm_tui.store.paths import StatePaths
from odm_tui.store.state_update import Snapshot, count_before, read_snapshot
from odm_tui.store.team.knowledge import counts_known_to
from odm_tui.store.variants.fitted import FittedVariants
from odm_tui.store.variants.log_fit import fit_before

_SHORTEST_PREFIX = 4
_MOST_KEPT = 32
T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True)
class PastInterview:
    """One interview from the log, and the counts at its start.

    ``start`` is where it begins in the log. ``events`` are those of the branch that counts, ``logged`` all of them;
    ``conflicts`` are the other branches.
    """

    record: InterviewRecord
    start: Cursor
    events: tuple[Event, ...]
    counts: Counts
    logged: tuple[Event, ...] = ()
    conflicts: tuple[Branch, ...] = ()


@dataclass(frozen=True)
class InterviewPage:
    """Some interviews of a list, the latest first, and where the next page begins; None if there are no more."""

    rows: tuple[InterviewSummary, ...]
    next: Cursor | None


def keep_latest(kept: dict[K, V], key: K, value: V, most: int = _MOST_KEPT) -> None:
    """Keep a value, and of all values only the latest few.

    >>> kept = {"first": 1, "second": 2}
    >>> keep_latest(kept, "third", 3, most=2)
    >>> kept
    {'second': 2, 'third': 3}
    """
    kept[key] = value
    while len(kept) > most:
        del kept[next(iter(kept))]


class PastInterviews:
    """The interviews of one bank in one state folder, for reading; the bank may be gone.

    Lists and totals come from an index beside the log, which is built, extended or built again as it is needed.
    """

    def __init__(
        self, paths: StatePaths, bank: Bank | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self.paths = paths
        self.bank = bank
        self.clock = clock
        self._variants: dict[tuple[int, Cursor, int], FittedVariants | None] = {}
        """Variants that interviews began with, by the log's inode, the place in it and the number of interviews."""
        self._known: dict[tuple[int, Cursor], Counts] = {}
        """What interviews of a team knew, by the log's inode and the place in it."""

    @property
    def index(self) -> BankIndex | None:
        """The bank's index; None without a bank."""
        return None if self.bank is None else BankIndex.of(self.bank)

    def require_index(self) -> BankIndex:
        """Return the bank's index; raise BadArgument without a bank."""
        index = self.index
        if index is None:
            raise BadArgument(f"The bank of {self.paths.log} was not found; name it with --bank.")
        return index

    # -- lists ----------------------------------------------------------------------------------------

    def page(
        self,
        most: int,
        statuses: Sequence[str] = (),
        *,
        words: str = "",
        labels: Mapping[str, str] | None = None,
        matches: Callable[[InterviewSummary], bool] = lambda row: True,
        before: Cursor | None = None,
    ) -> InterviewPage:
        """Read a page of a list, the latest interviews first; ``before`` is where the page before it ended.

        ``matches`` chooses the interviews; ``words``, which they have in their fields, make that faster. ``labels``
        are texts that stand for outcomes and may have the words.
        """

        def read(index: InterviewIndex) -> InterviewPage:
            found = (
                (at, row) for at, row in index.latest(statuses, words, before, labels or {}) if matches(row)
            )
            rows = list(islice(found, most + 1))
            return InterviewPage(
                tuple(row for _, row in rows[:most]), rows[most - 1][0] if len(rows) > most else None
            )

        return self.ask_index(read)

    def history(self, *statuses: str) -> list[InterviewSummary]:
        """Read all interviews, or those with the given statuses, in the order in which they began."""
        return self.ask_index(lambda index: index.in_order(statuses))

    def totals(self) -> list[Total]:
        """Count the interviews by status."""
        return self.ask_index(lambda index: index.totals())

    def unfinished(
        self, operator: str | None = None, among: list[InterviewSummary] | None = None
    ) -> list[InterviewSummary]:
        """Find the unfinished interviews that no process has open, the latest first.

        ``among`` is the history, if it was read already.
        """
        found = [
            record
            for record in (self.history(UNFINISHED) if among is None else among)
            if record.status == UNFINISHED
            and not record.is_empty
            and operator in (None, record.operator)
            and not is_open_elsewhere(self.paths, record.interview)
        ]
        return sorted(found, key=lambda record: record.last_time, reverse=True)

    def pending(self) -> list[InterviewSummary]:
        """Read the interviews that have a decision but no confirmed outcome."""
        return [record for record in self.history(PENDING) if not record.is_empty]

    def find_id(self, prefix: str, *, forgotten: bool = False) -> str:
        """Find the id that begins with ``prefix``; raise BadArgument if there is none, or more than one.

        Forgotten interviews are found only with ``forgotten``.
        """

        def read(index: InterviewIndex) -> set[str]:
            gone = {id for id in index.forgotten_ids() if id.startswith(prefix)} if forgotten else set()
            return {*index.find_ids(prefix), *gone}

        ids = self.ask_index(read) if len(prefix) >= _SHORTEST_PREFIX else set()
        if not ids:
            raise BadArgument(
                f"There is no interview {prefix!r} in {self.paths.log}; 'odm-tui sessions list' lists all."
            )
        if len(ids) > 1:
            raise BadArgument(f"{len(ids)} interviews begin with {prefix!r}; type more of the id.")
        return ids.pop()

    def find_place(self, interview: str) -> Cursor:
        """Return where an interview stands in lists; raise BadArgument if there is none with this id."""
        found = self.ask_index(lambda index: index.find_place(interview))
        if found is None:
            raise BadArgument(f"There is no interview {interview!r} in {self.paths.log}.")
        return found

    def conflicts(self) -> list[PastInterview]:
        """Read the interviews that two copies of the folder continued, and that nobody has settled yet."""
        return [self.read_interview(id) for id in self.ask_index(lambda index: index.with_conflicts())]

    # -- one interview ----------------------------------------------------------------------------------

    def prepare_interview(self, interview: str) -> None:
        """Do what takes long in :meth:`read_interview`, so that a caller that holds the lock does not wait for that."""
        self.read_interview(interview)

    def read_interview(
        self, interview: str, *, saves: bool = True, with_counts: bool = True
    ) -> PastInterview:
        """Read an interview and the counts at its start; ``saves=False`` is for callers that hold the lock."""
        bank = self.index if with_counts else None

        def read(index: InterviewIndex) -> PastInterview:
            logged = tuple(index.read_events(interview))
            choice = choose_branch(logged) if logged else Choice(())
            start = index.find_start(interview)
            record = InterviewRecord(interview, conflicts=len(choice.conflicts))
            fitting = [event for event in choice.branch if record.follow(event)]
            for label in choice.labels:
                record.take_label(label)
            record.add_up()
            counts = Counts() if bank is None or not logged else index.counts_before(start, bank)
            if bank is not None and record.started is not None and record.started.variants:
                counts.fitted = self._variants_before(start, record.started.variants, bank, saves)
            if bank is not None and record.started is not None and self.paths.team.exists():
                counts = self._counts_known_to(record.started, start, bank, saves) or counts
            return PastInterview(record, start, tuple(fitting), counts, logged, choice.conflicts)

        return self.ask_index(read, saves=saves)

    def _counts_known_to(
        self, started: Started, start: Cursor, bank: BankIndex, saves: bool
    ) -> Counts | None:
        """Return what an interview of a team knew; the whole log is read for that, so it is kept: later lines change nothing."""
        key = self.paths.log.stat().st_ino, start
        if key not in self._known:
            now = read_snapshot(self.paths, bank, saves=saves)
            found = counts_known_to(started, self.paths, now, bank)
            if found is None:
                return None
            keep_latest(self._known, key, found)
        return self._known[key].plus(Counts())

    def _variants_before(
        self, start: Cursor, size: int, bank: BankIndex, saves: bool
    ) -> FittedVariants | None:
        """Return the variants that an interview began with; finding them may take long, so they are kept."""
        key = self.paths.log.stat().st_ino, start, size  # the lines before a place in a file stay the same
        if key not in self._variants:
            now = read_snapshot(self.paths, bank, saves=saves)
            keep_latest(self._variants, key, fit_before(self.paths, start, size, bank, now))
        return self._variants[key]

    def counts_for(self, policy: Policy, counts: Counts, stop: Cursor) -> Counts:
        """The counts as a policy needs them; ``counts`` are those of the log before ``stop``.

        A policy that draws a set of questions needs to know which answers were given together. The state does not have
        that, so the log is counted again.
        """
        if not policy.oracle.draws_a_set or self.bank is None or not counts.interviews:
            return counts
        found = count_before(self.paths, stop, BankIndex.of(self.bank, counts_pairs=True))
        found.fitted = counts.fitted
        return found

    def counts_of(self, operator: str, most: int) -> Counts:
        """Count the interviews that an operator began, by pseudonym; only the latest ``most`` confirmed ones."""
        bank = self.require_index()

        def read(index: InterviewIndex) -> Counts:
            counts = Counts()
            found = (row for _, row in index.latest([CONFIRMED]) if row.operator == operator)
            for row in islice(found, most):
                record = index.read_record(row.interview)
                if record is not None:
                    counts.learn(record, bank)
            return counts

        return self.ask_index(read)

    def read_snapshot(self) -> Snapshot:
        """Read the current counts; nothing is written but, on the way, the index of a long log."""
        return read_snapshot(self.paths, self.require_index())

    def posterior(self, counts: Counts) -> Posterior:
        """Return what was learned, as it counts now; old interviews count less in a bank with a half-life."""
        index = self.require_index()
        return counts.posterior(index.problem, index.find_moment(timestamp(self.clock())))

    def prepare_index(self) -> None:
        """Bring the index up to date, so that a caller that holds the lock does not wait for that."""
        self.ask_index(lambda index: None)

    def ask_index(self, read: Callable[[InterviewIndex], T], *, saves: bool = True) -> T:
        """Open the index of the log and read from it; build it again if it turns out to be damaged."""
        try:
            with open_index(self.paths, self.index, saves=saves) as index:
                return read(index)
        except BadIndexError:
            with open_index(self.paths, self.index, saves=saves, ignores_file=True) as index:
                return read(index)
