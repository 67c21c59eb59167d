"""All interviews of one bank: list, find, confirm, correct, retract, forget and merge them."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from odm_tui import files
from odm_tui.banks.bank import Bank
from odm_tui.errors import BadArgument, BadData, CannotWrite, Locked
from odm_tui.session.case_texts import parse_case, parse_note
from odm_tui.session.past_interviews import PastInterviews
from odm_tui.store.counts import BankIndex, Counts
from odm_tui.store.events import (
    Confirmed,
    Corrected,
    Filed,
    Noted,
    Redated,
    Retracted,
    Settled,
    Started,
    parse_time,
    timestamp,
)
from odm_tui.store.forget_interview import forget, holding_copy
from odm_tui.store.index.opening import count_and_index
from odm_tui.store.integrity.chain import identify
from odm_tui.store.integrity.interview_check import InterviewCheck
from odm_tui.store.integrity.log_check import find_problems
from odm_tui.store.integrity.log_end import find_lost_end
from odm_tui.store.interview_lock import is_open_elsewhere, presence_file
from odm_tui.store.interview_record import (
    CONFIRMED,
    PENDING,
    RETRACTED,
    UNFINISHED,
    InterviewRecord,
)
from odm_tui.store.locking import Lock
from odm_tui.store.log import read_log, valid_entries
from odm_tui.store.log_writer import Log
from odm_tui.store.merging import MergeResult, merge
from odm_tui.store.paths import StatePaths, file_stem, state_folder
from odm_tui.store.state_file import decode_counts, encode_state, unseal
from odm_tui.store.state_update import (
    Snapshot,
    count_again,
    discard_position,
    is_usable,
    read_snapshot,
    save_fit,
    update_state,
)
from odm_tui.store.variants.codec import has_other_method
from odm_tui.store.variants.fitted import have_same_variants
from odm_tui.store.variants.log_fit import count_log, fit_log, fit_snapshot, is_fit_due
from odm_tui.text import unknown_name

_SHORTEST_PREFIX = 4
_PATIENCE = 30.0
"""Seconds that a merge waits for the lock in the middle of its work."""
_CLOCK_TOLERANCE = 300.0
"""In seconds: clocks of two machines may differ so much."""


class Archive(PastInterviews):
    """The interviews of one bank in one state folder.

    Without a bank, if its file is gone, interviews can still be listed, retracted and forgotten. The state is then
    updated when the bank is next used.
    """

    def __init__(
        self, paths: StatePaths, bank: Bank | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        super().__init__(paths, bank, clock)
        self.notices: list[str] = []
        self.defers_fits = False
        """Whether somebody else calls :meth:`fit_variants` later, because an operator waits."""
        self.lock = Lock(paths.lock)
        self.log = Log(paths)

    @classmethod
    def of(
        cls, bank: Bank, state_dir: str | Path | None = None, clock: Callable[[], float] = time.time
    ) -> Archive:
        """Open the archive of a bank in the given state folder, or in the default one."""
        return cls(StatePaths.of(state_folder(state_dir), bank.log_name), bank, clock)

    def close(self) -> None:
        """Close the files."""
        self.log.close()
        self.lock.close()

    # -- checking -------------------------------------------------------------------------------------

    def find_problems(self) -> Iterator[str]:
        """Find everything that is wrong with the log and the state, one sentence each."""
        lost = find_lost_end(self.paths)
        if lost:
            yield lost
        check = InterviewCheck(self.paths.log)
        if self.bank is not None and self.bank.half_life_days is not None:
            check.latest = timestamp(self.clock() + _CLOCK_TOLERANCE)
        counted = count_and_index(self.paths, self.index, inspect=check.look_at)
        yield from find_problems(self.paths.log, check.misfits)
        for interview, confirmed in check.confirmed.items():
            yield (
                f"Interview {interview} was confirmed at {confirmed}, later than this computer's "
                "clock; it counts as one of now. If that clock was wrong, correct it with "
                f"'odm-tui sessions redate {interview} TIME'."
            )
        for interview in check.conflicts:
            yield (
                f"Interview {interview} was continued in two copies of this folder, and only one branch counts. "
                f"'odm-tui sessions conflicts' lists them; choose one with 'odm-tui sessions settle {interview} BRANCH'."
            )
        if self.bank is None or not self.paths.state.exists():
            return
        now, index = self.read_snapshot(), self.require_index()
        counts = counted.counts
        if not now.ends_with(counted):  # others have written meanwhile
            counts = count_log(self.paths, index)
        if now.damaged:
            yield now.damaged
        elif now.bank_changed:
            return  # the state of an earlier version is counted again before the next interview
        elif self._is_behind(now):
            # A team's store has brought events since, which are counted before the next interview.
            if now.counts != counts:
                yield f"{self.paths.state} does not match the log; rebuild it with 'odm-tui state rebuild'."
        elif not self._is_state_of_log(index, counts):
            yield f"{self.paths.state} does not match the log; rebuild it with 'odm-tui state rebuild'."

    def _is_behind(self, now: Snapshot) -> bool:
        """Whether the state covers only a part of the log, to which a team's store has added."""
        return now.is_ahead_of_state and self.paths.team.exists()

    def _is_state_of_log(self, index: BankIndex, counted: Counts) -> bool:
        """Whether the state follows from the counts of the log; its variants may be those of fewer interviews."""
        data = self.paths.state.read_bytes()
        state = unseal(data, str(self.paths.state))
        saved = decode_counts(state, index, str(self.paths.state))
        if has_other_method(state.get("variants")):  # they are not used, and fitted again when that is due
            return encode_state(saved, index) == encode_state(counted, index)
        if saved.fitted is not None:
            counted.fitted = fit_log(self.paths, index, saved.fitted.interviews)
        if data == encode_state(counted, index):
            return True
        # Another processor may round the variants differently, never the counts.
        is_close = have_same_variants(saved.fitted, counted.fitted)
        counted.fitted = saved.fitted
        return is_close and data == encode_state(counted, index)

    def find_notes(self) -> list[str]:
        """Say what is sound but good to know: what interviews no longer count since the bank has changed."""
        if self.bank is None or not self.paths.log.exists():
            return []
        from odm_tui.session.lost_knowledge import describe_lost_knowledge

        return describe_lost_knowledge(self.paths, self.bank)

    # -- changing --------------------------------------------------------------------------------

    def confirm(self, interview: str, outcome: str | None, operator: str | None = None) -> None:
        """Confirm the right outcome of a pending interview; None means none of the bank's outcomes."""
        with self._changing(interview) as record:
            if record.status != PENDING:
                remedy = {
                    UNFINISHED: "it has no decision yet; resume it first",
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
        with self._changing(interview) as record:
            if record.status not in (CONFIRMED, RETRACTED):
                raise BadArgument(
                    f"Interview {record.interview} can't be corrected: it is {record.status}, not confirmed."
                )
            named = None if outcome is None else self.outcome_id(outcome)
            if record.status == CONFIRMED and record.outcome == named:
                raise BadArgument(
                    f"Interview {record.interview} is confirmed as {named or 'none'} already. Name another outcome."
                )
            self._append(
                record,
                Corrected,
                outcome=None if outcome is None else self.outcome_id(outcome),
                operator=operator,
            )

    def retract(self, interview: str, operator: str | None = None) -> None:
        """Retract an interview: subtract it from the counts exactly, and keep it in the log."""
        with self._changing(interview) as record:
            if record.status == RETRACTED:
                raise BadArgument(f"Interview {record.interview} is retracted already.")
            self._append(record, Retracted, operator=operator)

    def set_case(self, interview: str, case: str | None) -> None:
        """Set the case reference of a past interview; an empty one removes it."""
        with self._changing(interview) as record:
            self._append(record, Filed, case=parse_case(case))

    def set_note(self, interview: str, note: str | None) -> None:
        """Set the note of a past interview; an empty one removes it."""
        with self._changing(interview) as record:
            self._append(record, Noted, note=parse_note(note))

    def redate(self, interview: str, confirmed: str, operator: str | None = None) -> None:
        """Correct the time of a confirmation that a wrong clock dated; ``confirmed`` is RFC 3339 or a date."""
        with self._changing(interview) as record:
            if record.status not in (CONFIRMED, RETRACTED):
                raise BadArgument(
                    f"Interview {record.interview} can't be redated: it is {record.status}, not confirmed."
                )
            self._append(record, Redated, confirmed=parse_time(confirmed), operator=operator)

    def settle(self, interview: str, branch: str, operator: str | None = None) -> None:
        """Choose the branch of an interview that counts, by the beginning of the identity of its last event."""
        with self._changing(interview) as record:
            past = self.read_interview(interview, saves=False, with_counts=False)
            branches = {identify(found[-1]): found for found in (past.events, *past.conflicts) if found}
            matching = [name for name in branches if name.startswith(branch)] if branch else []
            if not past.conflicts:
                raise BadArgument(
                    f"Interview {record.interview} has only one branch; there is nothing to settle."
                )
            if len(matching) != 1:
                names = ", ".join(branches)
                raise BadArgument(
                    f"Interview {record.interview} has no branch {branch!r}; its branches are {names}."
                )
            chosen = branches.pop(matching[0])[-1]
            settled = Settled(
                interview=interview,
                n=record.highest + 1,
                time=timestamp(self.clock()),
                after=matching[0],
                against=tuple(branches),
                operator=operator,
            )
            assert chosen.n < settled.n
            self.log.append([settled])

    def forget(self, interview: str) -> None:
        """Remove an interview from the log and the counts; only its id stays. It can be repeated after a crash."""
        self._check_not_open(interview)
        with holding_copy(self.paths, [interview], self.lock.held, self.index) as prepared:
            self._check_not_open(interview)
            self.log.close()
            now = forget(self.paths, [interview], self.index, prepared)
        self._add_notices(now)
        self.fit_now(now)

    def rebuild(self) -> Snapshot:
        """Rebuild the state from the log."""
        index = self.require_index()
        counted = count_again(self.paths, index)  # this takes long, so it happens without the lock
        with self.lock.held():
            discard_position(self.paths)
            now = save_fit(counted, self.paths, index)
            text = encode_state(now.counts, index)
            if self.paths.state.read_bytes() != text:
                files.write_atomically(self.paths.state, text, follow_links=False)
        self._add_notices(now)
        return self.fit_variants(now) or now

    def fit_now(self, known: Snapshot | None) -> None:
        """Fit the variants that a change has made due, unless that is deferred."""
        if known is not None and not self.defers_fits:
            self.fit_variants(known)

    def fit_variants(self, known: Snapshot | None = None) -> Snapshot | None:
        """Fit the variants of outcomes to the log if that is due, and write the state; the caller holds no lock.

        It takes up to a few seconds, so it comes after everything that somebody waits for. If the state can't be written,
        the next one who comes here fits them.
        """
        index = self.index
        if index is None:
            return None
        try:
            known = known or read_snapshot(self.paths, index)
            if not known.is_certain or not is_fit_due(known.counts, index):
                return None
            fitted = fit_snapshot(known, self.paths, index)
            with self.lock.held():
                return save_fit(fitted, self.paths, index)
        except (BadData, CannotWrite, Locked, OSError):
            return None

    def merge(self, other: Path) -> MergeResult:
        """Add the interviews of this bank from another state folder."""
        self.log.close()
        patient = Lock(self.paths.lock, longest_wait=_PATIENCE)
        try:
            merged = merge(self.paths, StatePaths(other, self.paths.stem), patient.held)
            known = None if self.bank is None else self.read_snapshot()
            with patient.held():
                now = self.update_state(known)
        finally:
            patient.close()
        self.fit_now(now)
        return merged

    def refresh(self, known: Snapshot | None = None) -> Snapshot | None:
        """Read what :meth:`update_state` needs; the caller holds no lock, since counting a log may take long.

        ``known`` is an earlier snapshot, which is returned if it can still be used.
        """
        index = self.index
        if index is None or (known is not None and is_usable(known, self.paths)):
            return known
        try:
            return read_snapshot(self.paths, index)
        except (BadData, OSError):
            return known  # reported when the state is updated

    def update_state(self, known: Snapshot | None = None) -> Snapshot | None:
        """Update the state on disk; the caller holds the lock.

        If that fails, add a notice and return None: the log has everything.
        """
        index = self.index
        if index is None:
            return None
        try:
            now = update_state(self.paths, index, known)
        except (CannotWrite, BadData) as error:
            self.notices.append(f"Everything is in the log, but the state could not be updated: {error}")
            return None
        self._add_notices(now)
        return now

    def outcome_id(self, outcome: str) -> str:
        """Return the current id of an outcome, given its id or a former one."""
        if self.bank is None:
            raise BadArgument(f"The bank of {self.paths.log} was not found; name it with --bank.")
        try:
            return self.bank.outcome(outcome).id
        except KeyError:
            names = [o.id for o in self.bank.outcomes]
            raise BadArgument(unknown_name("outcome", outcome, names)) from None

    @contextlib.contextmanager
    def _changing(self, interview: str) -> Iterator[InterviewRecord]:
        """Yield the record of an interview under the lock, and update the state afterwards."""
        self.prepare_index()  # building it may take long, so it happens without the lock
        known = self.refresh()
        with self.lock.held():
            self._check_not_open(interview)
            record = self.ask_index(lambda index: index.read_record(interview), saves=False)
            if record is None:
                raise BadArgument(f"There is no interview {interview!r} in {self.paths.log}.")
            yield record
            with contextlib.suppress(OSError):  # left behind by a killed process
                presence_file(self.paths, interview).unlink()
            now = self.update_state(known)
        self.fit_now(now)

    def _check_not_open(self, interview: str) -> None:
        if is_open_elsewhere(self.paths, interview):
            raise BadArgument(f"Interview {interview} is open in another terminal; finish it there first.")

    def _append(
        self,
        record: InterviewRecord,
        kind: type[Confirmed] | type[Corrected] | type[Retracted] | type[Filed] | type[Noted] | type[Redated],
        **values: Any,
    ) -> None:
        after = identify(record.last) if record.last else ""
        number, now = record.last_number + 1, timestamp(self.clock())
        event = kind(interview=record.interview, n=number, time=now, after=after, **values)
        self.log.append([event])

    def _add_notices(self, now: Snapshot | None) -> None:
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
