"""Messages between the screens and the app. Only their handlers change what is shown.

A Textual worker awaits a result from the worker process and posts it as one of these messages.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from textual.message import Message
from textual.message_pump import MessagePump

from odm_tui.errors import OdmError
from odm_tui.views.interview import InterviewView, OtherQuestion, UnfinishedInterview, WhyView

if TYPE_CHECKING:
    from odm_tui.tui.worker.backend import CallSummary
    from odm_tui.views.evidence import EvidenceView
    from odm_tui.views.search import SearchableQuestion
    from odm_tui.views.summary import SummaryView

T = TypeVar("T")


@dataclass
class InterviewUpdated(Message):
    """The interview has changed, and the change is on disk."""

    view: InterviewView
    note: str = ""


@dataclass
class CostForecast(Message):
    """The expected cost of the rest of the interview, as computed after ``steps`` steps."""

    cost: float
    steps: int


@dataclass
class RequestFailed(Message):
    """A request to the worker failed; nothing has changed."""

    sentence: str
    code: int = 1
    """The exit code that the same error has on the command line."""


@dataclass
class StartFailed(Message):
    """The requested interview could not be started: the exit code and the sentence of the error."""

    code: int
    sentence: str


@dataclass
class UnfinishedFound(Message):
    """There are unfinished interviews that could be resumed instead of starting a new one."""

    interviews: tuple[UnfinishedInterview, ...]


@dataclass
class ExplanationReady(Message):
    """The reason for asking this question."""

    why: WhyView
    question: str


@dataclass
class OtherQuestionsReady(Message):
    """The questions that could be asked instead of the current one."""

    questions: tuple[OtherQuestion, ...]


@dataclass
class SearchReady(Message):
    """The questions that the operator can find by what was said."""

    questions: tuple[SearchableQuestion, ...]


@dataclass
class SummaryCopied(Message):
    """The call was written as text for the ticket."""

    summary: CallSummary


@dataclass
class OutcomeClicked(Message):
    """The operator clicked on a likely outcome."""

    outcome: str


@dataclass
class EvidenceReady(Message):
    """The answers that speak for and against the likeliest outcomes, the one that was asked for first."""

    evidence: tuple[EvidenceView, ...]


@dataclass
class InterviewEnded(Message):
    """The outcome of the interview was confirmed."""

    summary: SummaryView


@dataclass
class DecisionReached(Message):
    """No question is left to ask: show the decision."""

    view: InterviewView


@dataclass
class InterviewReopened(Message):
    """There is a question to ask again: go back from the decision to the interview."""

    view: InterviewView


@dataclass
class StartInterview(Message):
    """Start an interview with this bank, or resume the named interview."""

    bank: str
    interview: str | None = None


class AbandonInterview(Message):
    """Abandon the interview; nothing is learned from it."""


class ConfirmLater(Message):
    """Leave the interview pending, because its outcome is not known yet."""


class GoHome(Message):
    """Leave the interview and show the banks."""


@dataclass
class ShowPending(Message):
    """Show the pending interviews of this bank."""

    bank: str


@dataclass
class TryBank(Message):
    """Show what interviews with this bank are like."""

    bank: str


@dataclass
class SettingChanged(Message):
    """The operator changed one setting."""

    name: str
    value: str | bool


@dataclass
class OpenAnswer(Message):
    """Open an earlier answer, to change it."""

    step: int


async def post_result(screen: MessagePump, work: Awaitable[T], make_message: Callable[[T], Message]) -> None:
    """Await a result from the worker and post it to ``screen``: as ``make_message(result)``, or as RequestFailed."""
    try:
        result = await work
    except OdmError as error:
        screen.post_message(RequestFailed(str(error), error.exit_code))
    else:
        screen.post_message(make_message(result))
