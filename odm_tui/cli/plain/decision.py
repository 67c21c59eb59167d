"""The decision in the plain mode: print it, and ask the operator to confirm it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from odm_tui.cli.plain.command_actions import (
    change_answer,
    confirm_abandon,
    enter_case,
    enter_note,
    print_error,
    print_evidence,
    print_help,
    undo,
)
from odm_tui.cli.plain.finish import abandon, finish
from odm_tui.cli.plain.line_input import LineInput, print_message
from odm_tui.cli.plain.reply_parser import parse_confirmation
from odm_tui.cli.plain.typed_commands import (
    ABANDON,
    ANSWERS,
    AS_DECIDED,
    ASK_ON,
    AT_A_DECISION,
    CASE,
    EVIDENCE,
    LATER,
    MORE,
    NONE,
    NONE_OF_THESE,
    NOTE,
    QUIT,
    REFER,
    TRIED,
    UNDO,
    Command,
)
from odm_tui.errors import BadArgument, BadData
from odm_tui.formatting import format_percent, format_sentence
from odm_tui.interview_options import InterviewOptions
from odm_tui.text import clean_text, one_line

if TYPE_CHECKING:
    from odm_tui.banks.bank import Outcome
    from odm_tui.session import Decision, Session

_RUNNERS_UP = 4
"""The number of outcomes that are listed after the decided one."""


def ask_confirmation(
    session: Session, decision: Decision, lines: LineInput, options: InterviewOptions, confirm: str | None
) -> int | None:
    """Print the decision and read lines until it is confirmed or left; None if the interview goes on instead."""
    shown = print_decision(session, decision, lines.at_terminal)
    if confirm is not None:
        return finish(session, decision, options, confirm)
    another = f"{'the number or ' * lines.at_terminal}the name of another outcome"
    enter = "Enter hands over" if decision.refer else "Enter confirms"
    guess = lines.at_terminal and decision.refer is None and not session.is_sure_enough
    if guess:
        enter = "= confirms this guess"
    commands = AT_A_DECISION if session.bank.refer is None else (*AT_A_DECISION, REFER)
    while True:
        line = lines.ask(f"{enter}, or {another}, none, later, u undo, h help:")
        if line is None:
            return finish(session, decision, options)
        try:
            reply = parse_confirmation(line, session.bank, shown, commands, lines.at_terminal)
            if reply == AS_DECIDED and not line and guess:
                print_message("  This is a guess; type = to confirm it, or the name of the right outcome.")
                continue
            if not isinstance(reply, Command):
                return finish(session, decision, options, reply)
            if reply is NONE_OF_THESE:
                return finish(session, decision, options, NONE)
            if reply in (LATER, QUIT):
                return finish(session, decision, options)
            if reply is REFER:
                session.refer()
                referred = session.decision
                return finish(session, referred or decision, options)
            if reply is UNDO:
                undo(session)
                return None
            if reply is TRIED:
                session.rule_out()
                return None
            if reply is ASK_ON:
                session.ask_on()
                return None
            if reply is ANSWERS:
                change_answer(session, lines)
                return None
            if reply is EVIDENCE:
                print_evidence(session)
            elif reply is CASE:
                enter_case(session, lines)
            elif reply is NOTE:
                enter_note(session, lines)
            elif reply is ABANDON:
                if confirm_abandon(lines):
                    return abandon(session)
            elif reply is MORE:
                shown = _rank_outcomes(session, decision)
                _print_outcomes(shown, session, lines.at_terminal)
            else:
                print_message(f"  Enter: {'hand over' if decision.refer else 'confirm this outcome'}")
                print_message("  a number, an id or a part of a label: confirm that outcome")
                print_help(commands)
        except (BadArgument, BadData) as error:
            print_error(error)


def print_decision(session: Session, decision: Decision, at_terminal: bool) -> Sequence[Outcome]:
    """Print the decision and the likeliest other outcomes; the outcomes in the order of their numbers."""
    from odm_tui.views.interview import contradiction_text

    print_message()
    if decision.flag is not None:
        print_message(f"RED FLAG: {one_line(decision.flag.label)}.")
        print_message(f"At once: {clean_text(decision.flag.advice)}")
    start = "Decision:" if session.is_sure_enough else "Not certain. Best guess:"
    if decision.refer is not None:
        print_message(f"Decision: {one_line(decision.refer.label)}.")
        print_message(
            f"Otherwise: {one_line(decision.outcome.label)}, {format_percent(decision.belief)} sure."
        )
    elif decision.flag is None or decision.flag.outcome is not None:
        print_message(f"{start} {one_line(decision.outcome.label)}, {format_percent(decision.belief)} sure.")
    print_message(f"Why now: {format_sentence(clean_text(decision.reason))}")
    advice = decision.outcome.advice if decision.refer is None else decision.refer.advice
    if advice and decision.flag is None:
        print_message(f"Advice: {clean_text(advice)}")
    doubt = "" if decision.flag is not None else contradiction_text(session)
    if doubt:
        print_message(f"Careful: {doubt}")
    shown = _rank_outcomes(session, decision)[: _RUNNERS_UP + 1]
    _print_outcomes(shown, session, at_terminal)
    return shown


def _rank_outcomes(session: Session, decision: Decision) -> list[Outcome]:
    """All outcomes in the order of their numbers: the decided one, then the others, likeliest first."""
    belief = session.belief
    others = [outcome for outcome in session.bank.outcomes if outcome.id != decision.outcome.id]
    return [decision.outcome, *sorted(others, key=lambda outcome: -belief[outcome.id])]


def _print_outcomes(outcomes: Sequence[Outcome], session: Session, at_terminal: bool) -> None:
    """Print outcomes with their probabilities; at a terminal, also with the numbers that can be typed there."""
    belief = session.belief
    for at, outcome in enumerate(outcomes, start=1):
        number = f"{at}  " if at_terminal else ""
        print_message(f"  {number}{one_line(outcome.label)} {format_percent(belief[outcome.id])}")
