"""What workers tell the screens when they are done; only the handlers of these change what is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

from odm_tui.views.interview import InterviewView, QuestionView, UnfinishedInterview, WhyView

if TYPE_CHECKING:
    from odm_tui.views.summary import SummaryView


@dataclass
class Moved(Message):
    """The interview has moved on, and what it moved to is on disk."""

    moment: InterviewView
    note: str = ""


@dataclass
class Forecast(Message):
    """About what is still to come, after so many steps."""

    cost: float
    steps: int


@dataclass
class Refused(Message):
    """Something could not be done; nothing has changed."""

    sentence: str
    code: int = 1
    """The exit code that the same mistake has without a screen."""


@dataclass
class NeverBegun(Message):
    """The interview that was wanted could not be begun; leaving now has this exit code."""

    code: int


@dataclass
class Waiting(Message):
    """There are interviews to resume before a new one is begun."""

    interrupted: tuple[UnfinishedInterview, ...]


@dataclass
class Explained(Message):
    """Why this question."""

    why: WhyView


@dataclass
class Others(Message):
    """The questions that could be asked instead."""

    questions: tuple[QuestionView, ...]


@dataclass
class Ended(Message):
    """The interview has ended with this outcome."""

    summary: SummaryView


@dataclass
class DecisionReached(Message):
    """There is nothing left to ask: on to the decision."""

    moment: InterviewView


@dataclass
class Reopened(Message):
    """There is a question to ask again: back from the decision."""

    moment: InterviewView


@dataclass
class StartBank(Message):
    """Begin an interview with this bank; or resume the one named."""

    bank: str
    interview: str | None = None


class GiveUp(Message):
    """The operator gives the interview up."""


class PutOff(Message):
    """The outcome is not known yet: the interview stays among the pending ones."""


class GoHome(Message):
    """Back to the banks."""


@dataclass
class ShowPending(Message):
    """Show the interviews of this bank that wait for their outcome."""

    bank: str


@dataclass
class SettingChanged(Message):
    """One setting has another value now."""

    name: str
    value: str | bool


@dataclass
class OpenStep(Message):
    """An earlier answer was opened, to be changed."""

    step: int
