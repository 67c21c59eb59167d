"""Views of the evidence: which answers speak for an outcome and which against it, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from odm_tui.text import one_line
from odm_tui.views.interview import answer_text

if TYPE_CHECKING:
    from odm_tui.session import Session

_WORDS = ((10.0, "strongly "), (3.0, ""), (1.25, "slightly "))
"""From which ratio on an answer speaks strongly, plainly or slightly for or against an outcome."""


class EvidenceRow(NamedTuple):
    """One answer, what it says about the outcome in words, and how much likelier the outcome makes it."""

    question: str
    reply: str
    words: str
    ratio: float

    @property
    def text(self) -> str:
        """The row in one line."""
        return f"{self.question} {self.reply}: {self.words}"


class EvidenceView(NamedTuple):
    """The answers for and against one outcome, the strongest first."""

    outcome: str
    label: str
    share: float
    rows: tuple[EvidenceRow, ...]


def evidence_view(session: Session, outcome: str | None = None) -> EvidenceView:
    """Build the evidence for an outcome; None: the decided one, or the likeliest."""
    belief = session.belief
    if outcome is None:
        decision = session.decision
        outcome = decision.outcome.id if decision is not None else max(belief, key=lambda id: belief[id])
    places = [known.id for known in session.bank.outcomes]
    given = {step.question.id: step.answer for step in session.steps}
    rows = []
    for one in session.interview.evidence(places.index(outcome)):
        question = session.bank.questions[one.question]
        reply = answer_text(question, "answered", given.get(question.id))
        rows.append(EvidenceRow(one_line(question.text), reply, describe_ratio(one.ratio), one.ratio))
    label = one_line(session.bank.outcome(outcome).label)
    return EvidenceView(outcome, label, belief[outcome], tuple(rows))


def describe_ratio(ratio: float) -> str:
    """Describe how much an answer speaks for or against an outcome.

    >>> describe_ratio(12.0), describe_ratio(4.0), describe_ratio(1.0), describe_ratio(0.7), describe_ratio(0.05)
    ('speaks strongly for it', 'speaks for it', 'says little', 'speaks slightly against it', 'speaks strongly against it')
    """
    side, size = ("for", ratio) if ratio >= 1 else ("against", 1 / max(ratio, 1e-12))
    for least, word in _WORDS:
        if size >= least:
            return f"speaks {word}{side} it"
    return "says little"
