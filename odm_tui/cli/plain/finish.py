"""How an interview in lines ends: confirmed, left for later, kept half-way; and the commands that go on with it."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from odm_tui.cli.plain.line_input import tell
from odm_tui.cli.plain.replies import AS_DECIDED, NONE
from odm_tui.formatting import as_sentence, format_command, format_cost, format_count, format_percent
from odm_tui.options import InterviewOptions
from odm_tui.text import clean_text, one_line

if TYPE_CHECKING:
    from odm_tui.session import Decision, Session

CANCELLED = 1
"""The exit code of an interview that did not come to a decision."""


def finish(
    session: Session, decision: Decision, options: InterviewOptions, confirmed: str | None = None
) -> int:
    """Confirm (or not) and print the decision on stdout; the exit code."""
    named: str | None = None
    if confirmed is None:
        session.leave()
        again = _command(options, "sessions", "confirm", session.id, decision.outcome.id)
        tell(f"Not confirmed yet. If it was {decision.outcome.id}: {again}")
    else:
        named = decision.outcome.id if confirmed == AS_DECIDED else confirmed
        session.confirm(None if named == NONE else named)
        tell(
            "Confirmed; nothing was learned."
            if named == NONE
            else f"Confirmed: {named}. Thank you, it was learned."
        )
        _sum_up(session, None if named == NONE else named)
    tell_notices(session)
    if options.as_json:
        result = {
            "outcome": decision.outcome.id,
            "belief": round(decision.belief, 6),
            "stop_reason": decision.reason,
            "cost": round(session.interview.cost_so_far, 6),
            "interview": session.id,
            "confirmed": None if confirmed is None else named,
        }
        sys.stdout.write(f"{json.dumps(result)}\n")
    else:
        label = one_line(decision.outcome.label)
        sys.stdout.write(f"{decision.outcome.id}: {label}, {format_percent(decision.belief)}\n")
    return 0


def _sum_up(session: Session, outcome: str | None) -> None:
    """What the interview took, against asking everything."""
    from odm_tui.views.summary import summary_view

    took = summary_view(session, outcome, session.bank.name)
    tell(f"It took {format_count(took.questions, 'question')} and {format_cost(took.cost, took.unit)}.")
    tell(f"Asking all {took.all_questions} would take about {format_cost(took.all_cost, took.unit)}.")


def keep(session: Session, options: InterviewOptions) -> int:
    """Close the interview so that it can be resumed, and say how; the exit code."""
    if not session.has_ended:
        session.leave()
        again = f"{_command(options)} --resume {session.id}"
        with suppress(OSError):  # nobody may be there to be told any more; the answers are kept all the same
            tell(f"The interview is kept with {format_count(len(session.steps), 'answer')}: {again}")
    return CANCELLED


def abandon(session: Session) -> int:
    """Give the interview up; the exit code."""
    session.abandon()
    tell("The interview was abandoned; nothing was learned.")
    return CANCELLED


def _command(options: InterviewOptions, *words: str) -> str:
    return clean_text(format_command(*words, bank=options.bank, state_dir=options.state_dir))


def tell_notices(session: Session) -> None:
    """Say what the operator should know: a changed bank, damaged records."""
    for notice in session.notices:
        tell(as_sentence(clean_text(notice)))
    session.notices.clear()
