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
from odm_tui.store.counts import Knowledge, Subject
from odm_tui.store.events import Confirmed, Corrected, Event, Retracted, timestamp
from odm_tui.store.forgetting import forget, forgotten_in
from odm_tui.store.interview_record import CONFIRMED, OPEN, PENDING, RETRACTED, Life, Lives
from odm_tui.store.locking import Lock
from odm_tui.store.log import Damage, Entry, Log, Position, entries, problems_of, read
from odm_tui.store.merging import Merged, merge
from odm_tui.store.paths import Places, state_folder
from odm_tui.store.presence import is_open_elsewhere, presence_file
from odm_tui.store.state_file import state_text
from odm_tui.store.state_update import Learned, caught_up, change_between, learned

_SHORTEST_PREFIX = 4


@dataclass(frozen=True)
class Past:
    """One interview of the past, and what was known when it began."""

    life: Life
    events: tuple[Event, ...]
    knowledge: Knowledge


class Archive:
    """The interviews of one bank in one state folder.

    Without a bank (its file is gone) interviews can still be listed, retracted and forgotten; the state is
    then brought up to date when the bank is next used.
    """

    def __init__(
        self, places: Places, bank: Bank | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self.places = places
        self.bank = bank
        self.clock = clock
        self.notices: list[str] = []
        self.lock = Lock(places.lock)
        self.log = Log(places)

    @classmethod
    def of(
        cls, bank: Bank, state_dir: str | Path | None = None, clock: Callable[[], float] = time.time
    ) -> Archive:
        """The interviews of this bank in the folder named, or in the usual one."""
        return cls(Places.of(state_folder(state_dir), bank.name), bank, clock)

    @property
    def subject(self) -> Subject | None:
        """The bank as the store sees it."""
        return None if self.bank is None else Subject.of(self.bank)

    def needed_subject(self) -> Subject:
        """The same, or one sentence where the bank is missing."""
        subject = self.subject
        if subject is None:
            raise BadArgument(f"The bank of {self.places.log} is needed for this; name it with --bank.")
        return subject

    def close(self) -> None:
        """Close the files."""
        self.log.close()
        self.lock.close()

    # -- looking --------------------------------------------------------------------------------------

    def history(self, *statuses: str) -> list[Life]:
        """All interviews, or those of some statuses, in the order in which they began.

        Of those that have ended only the totals are held, so that a long log fits in memory.
        """
        lives = Lives.none()
        for entry in entries(self._going_on(statuses)):
            lives.follow(entry)
            life = lives.by_id.get(entry.event.interview)
            if life is not None:
                life.reduce()
        found = [life for life in lives.by_id.values() if life.began]
        for life in found:
            if life.steps is not None:
                life.total()
        return [life for life in found if not statuses or life.status in statuses]

    def _going_on(self, statuses: tuple[str, ...]) -> Iterator[Entry | Damage]:
        """The log; where only interviews that have not ended are asked for, only what tells of them."""
        subject = self.subject
        if subject is None or not statuses or not {OPEN, PENDING}.issuperset(statuses):
            return read(self.places.log)
        opened = learned(self.places, subject).opened
        first = min(opened.values(), default=0)
        return read(self.places.log, Position(first), only=opened) if opened else iter(())

    def interrupted(self, operator: str | None = None, among: list[Life] | None = None) -> list[Life]:
        """The interviews that were never finished and that no process has open, the latest first.

        ``among`` is the history, where it was read already.
        """
        found = [
            life
            for life in (self.history(OPEN) if among is None else among)
            if life.status == OPEN
            and operator in (None, life.operator)
            and not is_open_elsewhere(self.places, life.interview)
        ]
        return sorted(found, key=lambda life: life.latest, reverse=True)

    def pending(self) -> list[Life]:
        """The interviews that came to a decision and wait for the right outcome."""
        return self.history(PENDING)

    def find(self, prefix: str) -> Past:
        """The interview whose id begins so; one sentence if there is none, or more than one."""
        return self.past(self.full_id(prefix))

    def full_id(self, prefix: str) -> str:
        """The one id that begins so."""
        names = {
            e.event.interview for e in entries(read(self.places.log)) if e.event.interview.startswith(prefix)
        }
        names -= forgotten_in(self.places) if names else set()
        if len(prefix) < _SHORTEST_PREFIX or not names:
            raise BadArgument(
                f"There is no interview {prefix!r} in {self.places.log}; 'odm-tui sessions list' shows all."
            )
        if len(names) > 1:
            raise BadArgument(f"{len(names)} interviews begin with {prefix!r}; type more of the id.")
        return names.pop()

    def past(self, interview: str, since: int = 0, now: Learned | None = None) -> Past:
        """An interview's events, and what was known when it began; ``since`` is a byte before that."""
        found = list(entries(read(self.places.log, Position(since), only={interview})))
        life = Life(interview, found[0].offset if found else 0)
        fitting = [entry.event for entry in found if life.follow(entry.event)]
        life.total()
        return Past(life, tuple(fitting), self._known_before(found, now))

    def _known_before(self, found: Sequence[Entry], now: Learned | None) -> Knowledge:
        subject = self.subject
        if subject is None or not found:
            return Knowledge()
        now = now or learned(self.places, subject)
        begin = Position(found[0].offset, found[0].line - 1)
        return now.knowledge.plus(change_between(self.places, begin, now.position.bytes, subject, {}), -1)

    def known(self) -> Learned:
        """What has been learned so far; nothing is written."""
        subject = self.needed_subject()
        return learned(self.places, subject)

    def problems(self) -> Iterator[str]:
        """Everything that is wrong with the log and the state, one sentence each."""
        yield from problems_of(self.places.log)
        lives = Lives.told(entries(read(self.places.log)))
        yield from (f"{self.places.log}, {misfit}." for misfit in lives.misfits)
        if self.bank is None or not self.places.state.exists():
            return
        now = self.known()
        if now.damaged:
            yield now.damaged
        elif self.places.state.read_bytes() != state_text(self._from_scratch(), self.needed_subject()):
            yield (f"{self.places.state} is not what the log gives; 'odm-tui state rebuild' makes it again.")

    def _from_scratch(self) -> Knowledge:
        return change_between(self.places, Position(), None, self.needed_subject(), {})

    # -- putting right --------------------------------------------------------------------------------

    def confirm(self, interview: str, outcome: str | None, operator: str | None = None) -> None:
        """Say what the right outcome of a decided interview was; None means none of the bank's."""
        with self._open(interview) as life:
            if life.status != PENDING:
                remedy = {
                    OPEN: "it has not come to a decision yet; resume it first",
                    CONFIRMED: "it is confirmed already; correct it if that was wrong",
                    RETRACTED: "it was retracted; correct it to count it again",
                }.get(life.status, f"it is {life.status}")
                raise BadArgument(f"Interview {life.interview} can't be confirmed: {remedy}.")
            self._append(
                life,
                Confirmed,
                outcome=None if outcome is None else self.outcome_id(outcome),
                operator=operator,
            )

    def correct(self, interview: str, outcome: str | None, operator: str | None = None) -> None:
        """Replace a wrong confirmation."""
        with self._open(interview) as life:
            if life.status not in (CONFIRMED, RETRACTED):
                raise BadArgument(
                    f"Interview {life.interview} can't be corrected: it is {life.status}, not confirmed."
                )
            self._append(
                life,
                Corrected,
                outcome=None if outcome is None else self.outcome_id(outcome),
                operator=operator,
            )

    def retract(self, interview: str, operator: str | None = None) -> None:
        """Learn nothing from this interview any more; the counts go back exactly."""
        with self._open(interview) as life:
            if life.status == RETRACTED:
                raise BadArgument(f"Interview {life.interview} is retracted already.")
            self._append(life, Retracted, operator=operator)

    def forget(self, interview: str) -> None:
        """Take the interview out of the log as if it had never been; only its bare id stays."""
        with self.lock.held():
            if is_open_elsewhere(self.places, interview):
                raise BadArgument(
                    f"Interview {interview} is open in another terminal; finish it there first."
                )
            self.log.close()
            now = forget(self.places, [interview], self.subject)
            with contextlib.suppress(OSError):
                presence_file(self.places, interview).unlink()
        self._tell(now)

    def rebuild(self) -> Learned:
        """Make the state again from the log, whatever is there."""
        subject = self.needed_subject()
        with self.lock.held():
            with files.refusals_named(self.places.position):
                self.places.position.unlink(missing_ok=True)
            now = caught_up(self.places, subject)
            text = state_text(now.knowledge, subject)
            if self.places.state.read_bytes() != text:
                files.write_atomically(self.places.state, text)
        self._tell(now)
        return now

    def merge(self, other: Path) -> Merged:
        """Add what another state folder knows of this bank."""
        with self.lock.held():
            self.log.close()
            merged = merge(self.places, Places(other, self.places.stem))
            self.catch_up()
        return merged

    def catch_up(self, known: Learned | None = None) -> Learned | None:
        """Bring the state on disk up to date; needs the lock. What fails is told, for nothing is lost by it."""
        subject = self.subject
        if subject is None:
            return None
        try:
            now = caught_up(self.places, subject, known)
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
    def _open(self, interview: str) -> Iterator[Life]:
        """The interview as it is now, under the lock; the state is brought up to date afterwards."""
        with self.lock.held():
            if is_open_elsewhere(self.places, interview):
                raise BadArgument(
                    f"Interview {interview} is open in another terminal; finish it there first."
                )
            found = entries(read(self.places.log, only={interview}))
            life = Lives.told(found).by_id.get(interview)
            if life is None:
                raise BadArgument(f"There is no interview {interview!r} in {self.places.log}.")
            yield life
            with contextlib.suppress(OSError):  # a killed process may have left it behind
                presence_file(self.places, interview).unlink()
            self.catch_up()

    def _append(
        self, life: Life, kind: type[Confirmed] | type[Corrected] | type[Retracted], **values: str | None
    ) -> None:
        event = kind(interview=life.interview, n=life.last + 1, time=timestamp(self.clock()), **values)
        self.log.append([event])

    def _tell(self, now: Learned | None) -> None:
        if now is not None:
            self.notices += [notice for notice in now.notices if notice not in self.notices]
