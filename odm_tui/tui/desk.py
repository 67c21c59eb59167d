"""The desk: one interview at a time, and one thread that runs everything that touches disk or lock.

The screens hand it calls and get values back. Calls run one after another, in the order they were made, so
the screen never waits for a disk, and an answer is shown as taken only after it is kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from odm_tui.banks.model import Bank
    from odm_tui.session import Archive, Session
    from odm_tui.tui.summing_up import SummaryView
    from odm_tui.tui.views import Interrupted, Moment

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line said: which bank, and how interviews are held."""

    bank: str | None = None
    state_dir: str | None = None
    policy: str | None = None
    seed: int | None = None
    operator: str | None = None
    resume: str | None = None


class Desk:
    """The interview that is going on, with the thread it lives in."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.session: Session | None = None
        self.moment: Moment | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="desk")
        self._banks: dict[str, Bank] = {}
        self._stamps: dict[str, object] = {}
        self._name = ""

    async def run(self, call: Callable[[], T]) -> T:
        """Run a call in the desk's thread, after all earlier ones."""
        return await asyncio.wrap_future(self._thread.submit(call))

    def warm_up(self) -> None:
        """Start loading what the first question needs, while the screen is still being built."""
        if self.options.bank is not None:
            self._thread.submit(self._load_quietly, self.options.bank)

    def _load_quietly(self, name: str) -> None:
        from odm_tui import session
        from odm_tui.errors import OdmError
        from odm_tui.tui import viewing

        del session, viewing  # only to have them imported
        try:
            _ = self.bank(name).problem
        except OdmError:
            return  # the screen that asks for it says so

    # -- what runs in the thread ------------------------------------------------------------------------

    def bank(self, name: str) -> Bank:
        """The bank of this name, read once."""
        if name not in self._banks:
            from odm_tui.banks import load_bank

            bank = self._banks[name] = load_bank(name)
            self._stamps[name] = _stamp(bank)
        return self._banks[name]

    def _read_again(self, name: str) -> bool:
        """Forget a bank whose file has changed since it was read; whether that was so."""
        bank = self._banks.get(name)
        if bank is None or _stamp(bank) == self._stamps[name]:
            return False
        del self._banks[name]
        return self.bank(name).hash != bank.hash

    def archive(self, name: str) -> Archive:
        """The interviews of this bank."""
        from odm_tui.session import Archive

        return Archive.of(self.bank(name), self.options.state_dir)

    def start(self, name: str) -> Moment:
        """Begin an interview."""
        from odm_tui.session import Session

        self.put_away()
        self._name = name
        changed = self._read_again(name)
        self.session = Session.start(
            self.bank(name),
            self.options.state_dir,
            policy=self.options.policy,
            seed=self.options.seed,
            operator=self.options.operator,
        )
        if changed:
            self.session.notices.append(
                "The bank's file has changed; this interview follows the new version."
            )
        return self._look(None)

    def resume(self, name: str, interview: str) -> Moment:
        """Go on with an interview that was interrupted: its id, the beginning of it, or "last"."""
        from odm_tui.session import Session
        from odm_tui.tui.resuming import interview_meant

        self.put_away()
        self._name = name
        bank = self.bank(name)
        meant = interview_meant(bank, interview, self.options.state_dir, self.options.operator)
        self.session = Session.resume(bank, meant, self.options.state_dir)
        return self._look(None)

    def start_instead(self, name: str, interview: str) -> Moment:
        """Give an interrupted interview up, and begin a new one."""
        self.resume(name, interview)
        self.abandon()
        return self.start(name)

    def abandon(self) -> None:
        """Give the interview up; nothing is learned from it."""
        assert self.session is not None
        self.session.abandon()
        self.session = self.moment = None

    def interrupted(self, name: str) -> tuple[Interrupted, ...]:
        """The interviews of this bank that wait to be resumed, the latest first."""
        from odm_tui.tui.resuming import interrupted
        from odm_tui.tui.viewing import interrupted_view

        found = interrupted(self.bank(name), self.options.state_dir, self.options.operator)
        return tuple(interrupted_view(life) for life in found)

    def turn(self, act: Callable[[Session], object]) -> Moment:
        """Do something in the interview, and see where it stands then."""
        assert self.session is not None
        act(self.session)
        return self._look(self.moment)

    def forecast(self) -> float:
        """About what the rest of the interview will cost."""
        return 0.0 if self.session is None else self.session.interview.expected_cost_to_come

    def confirm(self, outcome: str | None) -> SummaryView:
        """Confirm the outcome, and sum up."""
        from odm_tui.tui.summing_up import summary_of

        assert self.session is not None
        self.session.confirm(outcome)
        return summary_of(self.session, outcome, self._name)

    def put_away(self) -> None:
        """Leave the interview that is open, if any; it can be resumed."""
        if self.session is not None:
            self.session.later()
            self.session = self.moment = None

    def _look(self, previous: Moment | None) -> Moment:
        from odm_tui.tui.viewing import moment_of

        assert self.session is not None
        self.moment = moment_of(self.session, previous)._replace(bank=self._name)
        self.session.notices.clear()
        return self.moment

    def close(self) -> None:
        """Put the interview away and let the thread end."""
        self._thread.submit(self.put_away)
        self._thread.shutdown(wait=True)


def _stamp(bank: Bank) -> object:
    """What changes when the bank's file does; None where there is no file any more."""
    try:
        about = bank.path.stat()
    except OSError:
        return None
    return about.st_mtime_ns, about.st_size, about.st_ino
