"""Run an interview as line prompts: for pipes, screen readers, scripts and dumb terminals.

Prompts and messages go to stderr. The decision goes to stdout: one line, or one JSON object with ``--json``.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Literal, cast

from odm_tui.cli.plain.answer_sheet import answer_from_sheet, parse_answer_sheet
from odm_tui.cli.plain.command_actions import (
    change_answer,
    confirm_abandon,
    enter_case,
    enter_note,
    pick_question,
    print_error,
    print_evidence,
    print_help,
    print_likely_outcomes,
    print_question,
    print_why,
    search,
    undo,
)
from odm_tui.cli.plain.decision import ask_confirmation, print_decision
from odm_tui.cli.plain.finish import abandon, finish, print_session_notices, save_unfinished
from odm_tui.cli.plain.line_input import LineInput, describe_source, open_answers, print_message
from odm_tui.cli.plain.reply_parser import describe_replies, parse_reply
from odm_tui.cli.plain.typed_commands import (
    ABANDON,
    ANSWERS,
    AS_DECIDED,
    AT_A_QUESTION,
    CASE,
    DECIDE,
    EVIDENCE,
    HELP,
    LIKELY,
    NONE,
    NOTE,
    OTHER,
    QUIT,
    REFER,
    SEARCH,
    SKIP,
    UNDO,
    UNKNOWN,
    WHY,
    Command,
)
from odm_tui.errors import BadArgument, BadData, OdmError
from odm_tui.formatting import format_count
from odm_tui.interview_options import InterviewOptions
from odm_tui.session.team.team_link import TeamLink
from odm_tui.text import clean_text, one_line, unknown_name

if TYPE_CHECKING:
    from odm_tui.banks.bank import Bank, BankQuestion
    from odm_tui.session import Answer, Session


def run_plain_interview(options: InterviewOptions) -> int:
    """Run one interview with a person, a pipe or an answer sheet; the exit code."""
    from odm_tui.banks import load_bank

    if options.bank is None:
        raise BadArgument(f"No bank was named. Choose one with --bank: {_bank_names()}.")
    sheet, lines = open_answers(options.answers)
    bank = load_bank(options.bank)
    confirm = _parse_confirm_option(options.confirm, bank)
    answers = None if sheet is None else parse_answer_sheet(sheet, bank, describe_source(options.answers))
    team = TeamLink.of(options.store, options.state_dir, options.operator)
    try:
        session = _open_session(bank, options, lines, team)
        team.follow(session)
        return _run_session(session, bank, lines, options, confirm, answers, team)
    finally:
        team.close()


def _run_session(
    session: Session,
    bank: Bank,
    lines: LineInput,
    options: InterviewOptions,
    confirm: str | None,
    answers: dict[str, Answer] | None,
    team: TeamLink,
) -> int:
    """Ask the questions of an open interview; the exit code."""
    try:
        print_message(
            f"{one_line(bank.title)}: {format_count(len(bank.questions), 'question')}, "
            f"{format_count(len(bank.outcomes), 'outcome')}."
        )
        if bank.notice:
            print_message(clean_text(bank.notice))
        if answers is None:
            return _run_lines(session, lines, options, confirm, team)
        if not answer_from_sheet(session, answers):
            if confirm is None:
                return save_unfinished(session, options)
            session.stop()  # the sheet is the whole interview
        assert session.decision is not None
        print_decision(session, session.decision, at_terminal=False)
        return finish(session, session.decision, options, confirm)
    except KeyboardInterrupt:
        with suppress(OSError):
            print_message()  # end the line with the prompt and the terminal's ^C
        save_unfinished(session, options)
        raise
    except (OdmError, OSError):
        save_unfinished(session, options)
        raise


def _open_session(bank: Bank, options: InterviewOptions, lines: LineInput, team: TeamLink) -> Session:
    """Start a new interview, or resume an unfinished one."""
    from odm_tui.session import Session
    from odm_tui.session.resume import find_interview

    interview = options.resume
    if interview is None and lines.at_terminal:
        interview = _offer_resume(bank, options, lines)
    if interview is not None:
        full_id = find_interview(bank, interview, options.state_dir, options.operator)
        team.check_free(bank.log_name, full_id)
        session = Session.resume(bank, full_id, options.state_dir)
        if options.case is not None:
            session.set_case(options.case)
        return session
    case = options.case
    if bank.case == "required" and not case:
        case = _require_case(bank, lines)
    return Session.start(
        bank,
        options.state_dir,
        policy=options.policy_name,
        seed=options.seed,
        operator=options.operator,
        case=case,
        scripted=options.answers is not None or not lines.at_terminal,
        explore=cast(Literal["always", "quiet", "never"] | None, options.explore),
        target_cost=options.target_cost,
    )


def _require_case(bank: Bank, lines: LineInput) -> str:
    """Ask for the case reference that the bank requires; raise BadArgument where nobody can be asked."""
    while lines.at_terminal:
        line = lines.ask("The case reference:")
        if line is None:
            break
        if line:
            return line
    raise BadArgument(f"The bank {bank.name!r} requires a case reference. Give one with --case.")


def _offer_resume(bank: Bank, options: InterviewOptions, lines: LineInput) -> str | None:
    """Ask whether to resume the latest unfinished interview, if there is one; its id, or None."""
    from odm_tui.formatting import format_time
    from odm_tui.session.resume import unfinished_interviews

    unfinished = unfinished_interviews(bank, options.state_dir, options.operator, options.case)
    if not unfinished:
        return None
    latest = unfinished[0]
    print_message(
        f"There is an unfinished interview ({format_time(latest.began)}, {format_count(latest.questions, 'answer')})."
    )
    line = lines.ask("Go on with it? y yes, Enter starts a new one:")
    return latest.interview if line is not None and line.casefold() in ("y", "yes") else None


def _run_lines(
    session: Session, lines: LineInput, options: InterviewOptions, confirm: str | None, team: TeamLink
) -> int:
    """Ask questions and read lines until the interview ends; the exit code."""
    warned = 0
    while True:
        team.follow(session)
        session.notices.extend(team.take_notices())
        print_session_notices(session)
        for warning in session.warnings[warned:]:
            print_message(f"WARNING: {clean_text(warning)}")
        warned = len(session.warnings)
        question = session.question
        if question is not None:
            exit_code = _ask_question(session, question, lines, options)
        else:
            decision = session.decision
            assert decision is not None
            exit_code = ask_confirmation(session, decision, lines, options, confirm)
        if exit_code is not None:
            return exit_code


def _ask_question(
    session: Session, question: BankQuestion, lines: LineInput, options: InterviewOptions
) -> int | None:
    """Print a question and read lines until the next one is due; the exit code if the interview ends here."""
    print_question(question, f"Question {len(session.steps) + 1}")
    position = _position(session)
    commands = AT_A_QUESTION if session.bank.refer is None else (*AT_A_QUESTION, REFER)
    while _position(session) == position:
        line = lines.ask(f"{describe_replies(question)}, h help:")
        if line is None:
            return save_unfinished(session, options)
        if not line:
            print_question(question, f"Question {len(session.steps) + 1}")
            continue
        try:
            if line.startswith("/") and len(line) > 1:
                search(session, lines, line[1:])
                continue
            reply = parse_reply(question, line, commands)
            if not isinstance(reply, Command):
                session.answer(reply)
            elif reply is QUIT:
                return save_unfinished(session, options)
            elif reply is not ABANDON:
                _run_command(reply, session, question, lines)
            elif confirm_abandon(lines):
                return abandon(session)
        except (BadArgument, BadData) as error:  # an error while writing ends the interview instead
            print_error(error)
    return None


def _position(session: Session) -> tuple[object, ...]:
    """A value that changes whenever another question or a decision is due: the steps and the question."""
    question = session.question
    return (*((step.question.id, step.kind, step.answer) for step in session.steps), question and question.id)


def _run_command(command: Command, session: Session, question: BankQuestion, lines: LineInput) -> None:
    """Run a command at a question."""
    if command is UNKNOWN:
        session.dont_know()
    elif command is SKIP:
        session.skip()
    elif command is UNDO:
        undo(session)
    elif command is EVIDENCE:
        print_evidence(session)
    elif command is SEARCH:
        search(session, lines)
    elif command is DECIDE:
        session.stop()
    elif command is REFER:
        session.refer()
    elif command is WHY:
        print_why(session)
    elif command is LIKELY:
        print_likely_outcomes(session)
    elif command is ANSWERS:
        change_answer(session, lines)
    elif command is OTHER:
        pick_question(session, lines)
    elif command is CASE:
        enter_case(session, lines)
    elif command is NOTE:
        enter_note(session, lines)
    elif command is HELP:
        print_message("  Enter: the question again")
        print_help(AT_A_QUESTION if session.bank.refer is None else (*AT_A_QUESTION, REFER), question)


def _parse_confirm_option(value: str | None, bank: Bank) -> str | None:
    """The outcome id that ``--confirm`` names; AS_DECIDED and NONE stay as they are."""
    if value is None or value == AS_DECIDED:
        return value
    if value.casefold() == NONE:
        return NONE
    try:
        return bank.outcome(value).id
    except KeyError:
        raise BadArgument(unknown_name("outcome", value, [outcome.id for outcome in bank.outcomes])) from None


def _bank_names() -> str:
    from odm_tui.banks import available_banks

    return ", ".join(place.name for place in available_banks()) or "none was found"
