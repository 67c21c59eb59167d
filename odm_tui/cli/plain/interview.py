"""The interview as numbered line prompts: for pipes, screen readers, scripts and dumb terminals.

Prompts and messages go to stderr; stdout gets the decision, one line, or one object with ``--json``.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from odm_tui.cli.plain.answer_sheet import answer_by_sheet, checked
from odm_tui.cli.plain.finish import abandon, finish, keep, tell_notices
from odm_tui.cli.plain.line_input import LineInput, sheet_name, source_of, tell
from odm_tui.cli.plain.replies import (
    ABANDON,
    ANSWERS,
    AS_DECIDED,
    AT_A_DECISION,
    AT_A_QUESTION,
    DECIDE,
    HELP,
    LATER,
    LIKELY,
    MORE,
    NONE,
    NONE_OF_THESE,
    OTHER,
    QUIT,
    SKIP,
    UNDO,
    UNKNOWN,
    WHY,
    Command,
    parse_confirmation,
    parse_reply,
    ways_to_answer,
)
from odm_tui.cli.plain.side_commands import (
    ask_another,
    change_an_answer,
    gives_up,
    put,
    refuse,
    tell_help,
    tell_likely,
    tell_why,
)
from odm_tui.errors import BadArgument, BadData, OdmError
from odm_tui.formatting import CLEAR, as_sentence, format_count, format_percent
from odm_tui.options import InterviewOptions
from odm_tui.text import clean_text, one_line

if TYPE_CHECKING:
    from odm_tui.banks.bank import Bank, BankQuestion, Outcome
    from odm_tui.session import Decision, Session

_RUNNERS_UP = 4


def run_plain_interview(options: InterviewOptions) -> int:
    """Hold one interview with a person, a pipe or a file at the other end; the exit code."""
    from odm_tui.banks import load_bank

    if options.bank is None:
        raise BadArgument(f"Name a bank with --bank; there are {_bank_names()}.")
    sheet, lines = source_of(options.answers)
    bank = load_bank(options.bank)
    confirm = _outcome_to_confirm(options.confirm, bank)
    answers = None if sheet is None else checked(sheet, bank, sheet_name(options.answers))
    session = _opened(bank, options, lines)
    try:
        tell(
            f"{one_line(bank.title)}: {format_count(len(bank.questions), 'question')}, "
            f"{format_count(len(bank.outcomes), 'outcome')}."
        )
        if bank.notice:
            tell(clean_text(bank.notice))
        if answers is None:
            return _by_lines(session, lines, options, confirm)
        if not answer_by_sheet(session, answers):
            if confirm is None:
                return keep(session, options)
            session.stop()  # the sheet is the whole interview
        assert session.decision is not None
        _explain(session, session.decision, at_terminal=False)
        return finish(session, session.decision, options, confirm)
    except KeyboardInterrupt:
        with suppress(OSError):
            tell()  # the prompt, and what the terminal shows for Ctrl+C, stand on the line before
        keep(session, options)
        raise
    except (OdmError, OSError):
        keep(session, options)
        raise


def _opened(bank: Bank, options: InterviewOptions, lines: LineInput) -> Session:
    """A new interview, or the one to go on with."""
    from odm_tui.session import Session
    from odm_tui.session.resume import find_interview

    interview = options.resume
    if interview is None and lines.at_terminal:
        interview = _offered(bank, options, lines)
    if interview is not None:
        meant = find_interview(bank, interview, options.state_dir, options.operator)
        return Session.resume(bank, meant, options.state_dir)
    return Session.start(
        bank,
        options.state_dir,
        policy=options.policy_name,
        seed=options.seed,
        operator=options.operator,
    )


def _offered(bank: Bank, options: InterviewOptions, lines: LineInput) -> str | None:
    from odm_tui.formatting import format_time
    from odm_tui.session.resume import unfinished_interviews

    waiting = unfinished_interviews(bank, options.state_dir, options.operator)
    if not waiting:
        return None
    latest = waiting[0]
    tell(
        f"An interview was interrupted ({format_time(latest.began)}, {format_count(latest.questions, 'answer')})."
    )
    line = lines.ask("Go on with it? y yes, Enter starts a new one:")
    return latest.interview if line is not None and line.casefold() in ("y", "yes") else None


def _by_lines(session: Session, lines: LineInput, options: InterviewOptions, confirm: str | None) -> int:
    """Ask and take lines until the interview has ended in one way or another; the exit code."""
    while True:
        tell_notices(session)
        question = session.question
        if question is not None:
            ended = _at_question(session, question, lines, options)
        else:
            decision = session.decision
            assert decision is not None
            ended = _at_decision(session, decision, lines, options, confirm)
        if ended is not None:
            return ended


def _at_question(
    session: Session, question: BankQuestion, lines: LineInput, options: InterviewOptions
) -> int | None:
    """Put a question and take lines until another is to be put; the exit code if the interview ends here."""
    put(question, f"Question {len(session.steps) + 1}")
    stands = _standing(session)
    while _standing(session) == stands:
        line = lines.ask(f"{ways_to_answer(question)}, h help:")
        if line is None:
            return keep(session, options)
        if not line:
            put(question, f"Question {len(session.steps) + 1}")
            continue
        try:
            meant = parse_reply(question, line, AT_A_QUESTION)
            if not isinstance(meant, Command):
                session.answer(meant)
            elif meant is QUIT:
                return keep(session, options)
            elif meant is not ABANDON:
                _do(meant, session, question, lines)
            elif gives_up(lines):
                return abandon(session)
        except (BadArgument, BadData) as error:  # what can't be written ends the interview elsewhere
            refuse(error)
    return None


def _standing(session: Session) -> tuple[object, ...]:
    """What changes whenever something else is to be put: the steps and the question."""
    question = session.question
    return (*((step.question.id, step.kind, step.answer) for step in session.steps), question and question.id)


def _do(meant: Command, session: Session, question: BankQuestion, lines: LineInput) -> None:
    """Do what a command at a question says."""
    if meant is UNKNOWN:
        session.dont_know()
    elif meant is SKIP:
        session.skip()
    elif meant is UNDO:
        session.undo()
    elif meant is DECIDE:
        session.stop()
    elif meant is WHY:
        tell_why(session)
    elif meant is LIKELY:
        tell_likely(session)
    elif meant is ANSWERS:
        change_an_answer(session, lines)
    elif meant is OTHER:
        ask_another(session, lines)
    elif meant is HELP:
        tell("  Enter: the question again")
        tell_help(AT_A_QUESTION, question)


def _at_decision(
    session: Session, decision: Decision, lines: LineInput, options: InterviewOptions, confirm: str | None
) -> int | None:
    """Say what the interview came to and take what the operator says to it; None if it goes on after all."""
    shown = _explain(session, decision, lines.at_terminal)
    if confirm is not None:
        return finish(session, decision, options, confirm)
    another = f"{'the number or ' * lines.at_terminal}the name of another outcome"
    while True:
        line = lines.ask(f"Enter confirms, or {another}, none, later, u undo, h help:")
        if line is None:
            return finish(session, decision, options)
        try:
            meant = parse_confirmation(line, session.bank, shown, lines.at_terminal)
            if not isinstance(meant, Command):
                return finish(session, decision, options, meant)
            if meant is NONE_OF_THESE:
                return finish(session, decision, options, NONE)
            if meant in (LATER, QUIT):
                return finish(session, decision, options)
            if meant is UNDO:
                session.undo()
                return None
            if meant is ANSWERS:
                change_an_answer(session, lines)
                return None
            if meant is ABANDON:
                if gives_up(lines):
                    return abandon(session)
            elif meant is MORE:
                shown = _ranked(session, decision)
                _list(shown, session, lines.at_terminal)
            else:
                tell("  Enter: confirm this outcome")
                tell("  a number, an id or a part of a label: confirm that outcome")
                tell_help(AT_A_DECISION)
        except (BadArgument, BadData) as error:
            refuse(error)


def _explain(session: Session, decision: Decision, at_terminal: bool) -> Sequence[Outcome]:
    """Say what the interview came to and what else it could be; the outcomes in the order of their numbers."""
    from odm_tui.views.interview import contradiction_text

    tell()
    unclear = "" if decision.belief >= CLEAR else ", which is not clear"
    tell(f"Decision: {one_line(decision.outcome.label)}, {format_percent(decision.belief)} sure{unclear}.")
    tell(f"Why now: {as_sentence(clean_text(decision.reason))}")
    if decision.outcome.advice:
        tell(f"Advice: {clean_text(decision.outcome.advice)}")
    doubt = contradiction_text(session)
    if doubt:
        tell(f"Careful: {doubt}")
    shown = _ranked(session, decision)[: _RUNNERS_UP + 1]
    _list(shown, session, at_terminal)
    return shown


def _ranked(session: Session, decision: Decision) -> list[Outcome]:
    """The outcomes as they are numbered: the decided one, then the others, likeliest first."""
    belief = session.belief
    others = [outcome for outcome in session.bank.outcomes if outcome.id != decision.outcome.id]
    return [decision.outcome, *sorted(others, key=lambda outcome: -belief[outcome.id])]


def _list(outcomes: Sequence[Outcome], session: Session, at_terminal: bool) -> None:
    """The outcomes with their shares, and with their numbers at a terminal, where alone numbers count."""
    belief = session.belief
    for at, outcome in enumerate(outcomes, start=1):
        number = f"{at}  " if at_terminal else ""
        tell(f"  {number}{one_line(outcome.label)} {format_percent(belief[outcome.id])}")


def _outcome_to_confirm(wanted: str | None, bank: Bank) -> str | None:
    """The outcome that the command line confirms, if it is one of the bank's."""
    if wanted is None or wanted == AS_DECIDED:
        return wanted
    if wanted.casefold() == NONE:
        return NONE
    try:
        return bank.outcome(wanted).id
    except KeyError:
        names = ", ".join(o.id for o in bank.outcomes)
        raise BadArgument(f"The bank has no outcome {wanted!r}; it has {names}.") from None


def _bank_names() -> str:
    from odm_tui.banks import available_banks

    return ", ".join(place.name for place in available_banks()) or "none"
