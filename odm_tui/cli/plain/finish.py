"""End an interview in the plain mode: confirmed, pending, unfinished or abandoned."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from odm_tui.cli.plain.line_input import print_message
from odm_tui.cli.plain.typed_commands import AS_DECIDED, NONE
from odm_tui.formatting import format_command, format_count, format_percent, format_sentence
from odm_tui.interview_options import InterviewOptions
from odm_tui.text import clean_text, one_line

if TYPE_CHECKING:
    from odm_tui.session import Decision, Session

CANCELLED = 1
"""The exit code of an interview without a decision."""


def finish(
    session: Session, decision: Decision, options: InterviewOptions, confirmed: str | None = None
) -> int:
    """Confirm the outcome or leave it pending, and print the decision to stdout; the exit code."""
    named: str | None = None
    if decision.refer is not None and confirmed == AS_DECIDED:
        confirmed = None
    if confirmed is None and decision.refer is not None:
        session.leave()
        again = _format_command(options, "sessions", "confirm", session.id, "OUTCOME")
        print_message(f"Handed over. When the outcome is known: {again}")
    elif confirmed is None:
        session.leave()
        again = _format_command(options, "sessions", "confirm", session.id, decision.outcome.id)
        print_message(f"Not confirmed yet. If it was {decision.outcome.id}: {again}")
    else:
        named = decision.outcome.id if confirmed == AS_DECIDED else confirmed
        session.confirm(None if named == NONE else named)
        learned = "Nothing was learned." if named == NONE else "The interview was learned from."
        print_message(f"Confirmed: {named}. {learned}")
        _print_summary(session, None if named == NONE else named)
    print_session_notices(session)
    if options.as_json:
        result = {
            "outcome": decision.outcome.id,
            "belief": round(decision.belief, 6),
            "stop_reason": decision.reason,
            "red_flag": None if decision.flag is None else decision.flag._asdict(),
            "warnings": list(session.warnings),
            "cost": round(session.interview.cost_so_far, 6),
            "interview": session.id,
            "case": session.case or None,
            "note": session.note or None,
            "confirmed": None if confirmed is None else named,
            "referred": decision.refer is not None,
        }
        sys.stdout.write(f"{json.dumps(result)}\n")
    elif named == NONE:
        sys.stdout.write("none: none of the outcomes\n")
    else:
        label = one_line(decision.outcome.label)
        refer = "" if decision.refer is None else "refer: "
        sys.stdout.write(f"{refer}{decision.outcome.id}: {label}, {format_percent(decision.belief)}\n")
    return 0


def _print_summary(session: Session, outcome: str | None) -> None:
    """Print the questions and the cost of the interview, compared with asking everything."""
    from odm_tui.views.summary import summary_view

    took = summary_view(session, outcome, session.bank.name)
    print_message(f"{took.sentence}.")


def save_unfinished(session: Session, options: InterviewOptions) -> int:
    """Close the interview and print the command that resumes it; the exit code."""
    if not session.has_ended:
        session.leave()
        again = f"{_format_command(options)} --resume {session.id}"
        with suppress(OSError):  # stderr may be closed; the answers are on disk already
            print_message(
                f"The interview is saved with {format_count(len(session.steps), 'answer')}: {again}"
            )
    return CANCELLED


def abandon(session: Session) -> int:
    """Abandon the interview; the exit code."""
    session.abandon()
    print_message("The interview was abandoned; nothing was learned.")
    return CANCELLED


def _format_command(options: InterviewOptions, *words: str) -> str:
    return clean_text(format_command(*words, bank=options.bank, state_dir=options.state_dir))


def print_session_notices(session: Session) -> None:
    """Print what the operator should know, such as a changed bank or damaged records."""
    for notice in session.notices:
        print_message(format_sentence(clean_text(notice)))
    session.notices.clear()
