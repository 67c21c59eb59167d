"""All interviews of one bank: which were interrupted, which wait for their outcome, and what can be put right."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from odm_tui import files
from odm_tui.banks.bank import Bank
from odm_tui.errors import BadArgument, BadData, CannotWrite
from odm_tui.store.counts import BankIndex, Counts
from odm_tui.store.events import Confirmed, Corrected, Event, Retracted, Started, timestamp
from odm_tui.store.forgetting import forget, read_forgotten_ids
from odm_tui.store.interview_record import (
    CONFIRMED,
    PENDING,
    RETRACTED,
    UNFINISHED,
    InterviewRecord,
    InterviewRecords,
)
from odm_tui.store.locking import Lock
from odm_tui.store.log import Damage, Entry, Log, Position, find_problems, read_log, valid_entries
from odm_tui.store.merging import MergeResult, merge
from odm_tui.store.paths import StatePaths, file_stem, state_folder
from odm_tui.store.presence import is_open_elsewhere, presence_file
from odm_tui.store.state_file import encode_state
from odm_tui.store.state_update import Snapshot, counts_between, read_snapshot, update_state

_SHORTEST_PREFIX = 4


@dataclass(frozen=True)
class PastInterview:
    """One interview of the past, and what was known when it began."""

    record: InterviewRecord
    events: tuple[Event, ...]
    counts: Counts


class Archive:
    """The interviews of one bank in one state folder.

    Without a bank (its file is gone) interviews can still be listed, retracted and forgotten; the state is
    then brought up to date when the bank is next used.
    """

    def __init__(
        self, paths: StatePaths, bank: Bank | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self.paths = paths
        self.bank = bank
        self.clock = clock
        self.notices: list[str] = []
        self.lock = Lock(paths.lock)
        self.log = Log(paths)

    @classmethod
    def of(
        cls, bank: Bank, state_dir: str | Path | None = None, clock: Callable[[], float] = time.time
    ) -> Archive:
        """The interviews of this bank in the folder named, or in the usual one."""
        return cls(StatePaths.of(state_folder(state_dir), bank.name), bank, clock)

    @property
    def index(self) -> BankIndex | None:
        """The bank as the store sees it."""
        return None if self.bank is None else BankIndex.of(self.bank)

    def require_index(self) -> BankIndex:
        """The same, or one sentence where the bank is missing."""
        index = self.index
        if index is None:
            raise BadArgument(f"The bank of {self.paths.log} is needed for this; name it with --bank.")
        return index

    def close(self) -> None:
        """Close the files."""
        self.log.close()
        self.lock.close()

    # -- looking --------------------------------------------------------------------------------------

    def history(self, *statuses: str) -> list[InterviewRecord]:
        """All interviews, or those of some statuses, in the order in which they began.

        Of those that have ended only the totals are held, so that a long log fits in memory.
        """
        records = InterviewRecords()
        for entry in valid_entries(self._going_on(statuses)):
            records.follow(entry)
            record = records.by_id.get(entry.event.interview)
            if record is not None:
                record.drop_details()
        found = [record for record in records.by_id.values() if record.began]
        for record in found:
            if record.steps is not None:
                record.add_up()
        return [record for record in found if not statuses or record.status in statuses]

    def _going_on(self, statuses: tuple[str, ...]) -> Iterator[Entry | Damage]:
        """The log; where only interviews that have not ended are asked for, only what tells of them."""
        index = self.index
        if index is None or not statuses or not {UNFINISHED, PENDING}.issuperset(statuses):
            return read_log(self.paths.log)
        opened = read_snapshot(self.paths, index).opened
        first = min(opened.values(), default=0)
        return read_log(self.paths.log, Position(first), only=opened) if opened else iter(())

    def unfinished(
        self, operator: str | None = None, among: list[InterviewRecord] | None = None
    ) -> list[InterviewRecord]:
        """The interviews that were never finished and that no process has open, the latest first.

        ``among`` is the history, where it was read already.
        """
        found = [
            record
            for record in (self.history(UNFINISHED) if among is None else among)
            if record.status == UNFINISHED
            and operator in (None, record.operator)
            and not is_open_elsewhere(self.paths, record.interview)
        ]
        return sorted(found, key=lambda record: record.last_time, reverse=True)

    def pending(self) -> list[InterviewRecord]:
        """The interviews that came to a decision and wait for the right outcome."""
        return self.history(PENDING)

    def find(self, prefix: str) -> PastInterview:
        """The interview whose id begins so; one sentence if there is none, or more than one."""
        return self.read_interview(self.find_id(prefix))

    def find_id(self, prefix: str) -> str:
        """The one id that begins so."""
        names = {
            e.event.interview
            for e in valid_entries(read_log(self.paths.log))
            if e.event.interview.startswith(prefix)
        }
        names -= read_forgotten_ids(self.paths) if names else set()
        if len(prefix) < _SHORTEST_PREFIX or not names:
            raise BadArgument(
                f"There is no interview {prefix!r} in {self.paths.log}; 'odm-tui sessions list' shows all."
            )
        if len(names) > 1:
            raise BadArgument(f"{len(names)} interviews begin with {prefix!r}; type more of the id.")
        return names.pop()

    def read_interview(self, interview: str, since: int = 0, now: Snapshot | None = None) -> PastInterview:
        """An interview's events, and what was known when it began; ``since`` is a byte before that."""
        found = list(valid_entries(read_log(self.paths.log, Position(since), only={interview})))
        record = InterviewRecord(interview, found[0].offset if found else 0)
        fitting = [entry.event for entry in found if record.follow(entry.event)]
        record.add_up()
        return PastInterview(record, tuple(fitting), self._counts_before(found, now))

    def _counts_before(self, found: Sequence[Entry], now: Snapshot | None) -> Counts:
        index = self.index
        if index is None or not found:
            return Counts()
        now = now or read_snapshot(self.paths, index)
        begin = Position(found[0].offset, found[0].line - 1)
        return now.counts.plus(counts_between(self.paths, begin, now.position.bytes, index, {}), -1)

    def read_snapshot(self) -> Snapshot:
        """What has been learned so far; nothing is written."""
        index = self.require_index()
        return read_snapshot(self.paths, index)

    def find_problems(self) -> Iterator[str]:
        """Everything that is wrong with the log and the state, one sentence each."""
        yield from find_problems(self.paths.log)
        records = InterviewRecords.from_entries(valid_entries(read_log(self.paths.log)))
        yield from (f"{self.paths.log}, {misfit}." for misfit in records.misfits)
        if self.bank is None or not self.paths.state.exists():
            return
        now = self.read_snapshot()
        if now.damaged:
            yield now.damaged
        elif self.paths.state.read_bytes() != encode_state(self._from_scratch(), self.require_index()):
            yield (f"{self.paths.state} is not what the log gives; 'odm-tui state rebuild' makes it again.")

    def _from_scratch(self) -> Counts:
        return counts_between(self.paths, Position(), None, self.require_index(), {})

    # -- putting right --------------------------------------------------------------------------------

    def confirm(self, interview: str, outcome: str | None, operator: str | None = None) -> None:
        """Say what the right outcome of a decided interview was; None means none of the bank's."""
        with self._open(interview) as record:
            if record.status != PENDING:
                remedy = {
                    UNFINISHED: "it has not come to a decision yet; resume it first",
                    CONFIRMED: "it is confirmed already; correct it if that was wrong",
                    RETRACTED: "it was retracted; correct it to count it again",
                }.get(record.status, f"it is {record.status}")
                raise BadArgument(f"Interview {record.interview} can't be confirmed: {remedy}.")
            self._append(
                record,
                Confirmed,
                outcome=None if outcome is None else self.outcome_id(outcome),
                operator=operator,
            )

    def correct(self, interview: str, outcome: str | None, operator: str | None = None) -> None:
        """Replace a wrong confirmation."""
        with self._open(interview) as record:
            if record.status not in (CONFIRMED, RETRACTED):
                raise BadArgument(
                    f"Interview {record.interview} can't be corrected: it is {record.status}, not confirmed."
                )
            self._append(
                record,
                Corrected,
                outcome=None if outcome is None else self.outcome_id(outcome),
                operator=operator,
            )

    def retract(self, interview: str, operator: str | None = None) -> None:
        """Learn nothing from this interview any more; the counts go back exactly."""
        with self._open(interview) as record:
            if record.status == RETRACTED:
                raise BadArgument(f"Interview {record.interview} is retracted already.")
            self._append(record, Retracted, operator=operator)

    def forget(self, interview: str) -> None:
        """Take the interview out of the log as if it had never been; only its bare id stays."""
        with self.lock.held():
            if is_open_elsewhere(self.paths, interview):
                raise BadArgument(
                    f"Interview {interview} is open in another terminal; finish it there first."
                )
            self.log.close()
            now = forget(self.paths, [interview], self.index)
            with contextlib.suppress(OSError):
                presence_file(self.paths, interview).unlink()
        self._tell(now)

    def rebuild(self) -> Snapshot:
        """Make the state again from the log, whatever is there."""
        index = self.require_index()
        with self.lock.held():
            with files.naming_errors(self.paths.position):
                self.paths.position.unlink(missing_ok=True)
            now = update_state(self.paths, index)
            text = encode_state(now.counts, index)
            if self.paths.state.read_bytes() != text:
                files.write_atomically(self.paths.state, text)
        self._tell(now)
        return now

    def merge(self, other: Path) -> MergeResult:
        """Add what another state folder knows of this bank."""
        with self.lock.held():
            self.log.close()
            merged = merge(self.paths, StatePaths(other, self.paths.stem))
            self.update_state()
        return merged

    def update_state(self, known: Snapshot | None = None) -> Snapshot | None:
        """Bring the state on disk up to date; needs the lock. What fails is told, for nothing is lost by it."""
        index = self.index
        if index is None:
            return None
        try:
            now = update_state(self.paths, index, known)
        except (CannotWrite, BadData) as error:
            self.notices.append(f"The log has it all, but the state could not be brought up to date: {error}")
            return None
        self._tell(now)
        return now

    def outcome_id(self, outcome: str) -> str:
        """The id of one of the bank's outcomes, given by it or a former one."""
        if self.bank is None:
            raise BadArgument("The bank is needed to name an outcome; name it with --bank.")
        try:
            return self.bank.outcome(outcome).id
        except KeyError:
            names = ", ".join(o.id for o in self.bank.outcomes)
            raise BadArgument(f"The bank has no outcome {outcome!r}; it has {names}.") from None

    @contextlib.contextmanager
    def _open(self, interview: str) -> Iterator[InterviewRecord]:
        """The interview as it is now, under the lock; the state is brought up to date afterwards."""
        with self.lock.held():
            if is_open_elsewhere(self.paths, interview):
                raise BadArgument(
                    f"Interview {interview} is open in another terminal; finish it there first."
                )
            found = valid_entries(read_log(self.paths.log, only={interview}))
            record = InterviewRecords.from_entries(found).by_id.get(interview)
            if record is None:
                raise BadArgument(f"There is no interview {interview!r} in {self.paths.log}.")
            yield record
            with contextlib.suppress(OSError):  # a killed process may have left it behind
                presence_file(self.paths, interview).unlink()
            self.update_state()

    def _append(
        self,
        record: InterviewRecord,
        kind: type[Confirmed] | type[Corrected] | type[Retracted],
        **values: str | None,
    ) -> None:
        event = kind(
            interview=record.interview, n=record.last_number + 1, time=timestamp(self.clock()), **values
        )
        self.log.append([event])

    def _tell(self, now: Snapshot | None) -> None:
        if now is not None:
            self.notices += [notice for notice in now.notices if notice not in self.notices]


def bank_name_in_log(log: Path) -> str | None:
    """Return the bank that the first interview of a log names; None if the log has no interview.

    Raise BadData if that is not a plain name: a log must not choose which files are read.
    """
    for entry in valid_entries(read_log(log)):
        if isinstance(entry.event, Started):
            name = entry.event.bank
            if file_stem(name) != name:
                raise BadData(
                    f"{log} names the bank {name!r}, which is not a bank's name; name the bank with --bank."
                )
            return name
    return None
