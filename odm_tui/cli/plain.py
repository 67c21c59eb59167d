"""The interview as numbered line prompts: for pipes, screen readers, scripts and dumb terminals.

Prompts and messages go to stderr; stdout gets the decision, one line, or one object with ``--json``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import typer

from odm_tui.cli.interview import Wishes
from odm_tui.cli.lines import Lines, source_of, tell, understood
from odm_tui.errors import BadArgument, BadData, OdmError
from odm_tui.text import clean_text, one_line
from odm_tui.tui.words import counted, percent, sentence

if TYPE_CHECKING:
    from odm_tui.banks.model import Bank, Question
    from odm_tui.session import Decision, Session

CANCELLED = 1
AS_DECIDED, NONE = "=", "none"
_SPECIAL = (AS_DECIDED, NONE)
_COMMANDS = "? don't know, s skip, u undo, w why, d decide now, q leave"


def interview_in_lines(wishes: Wishes) -> int:
    """Hold one interview with a person, a pipe or a file at the other end; the exit code."""
    from odm_tui.banks import load_bank

    if wishes.bank is None:
        raise BadArgument(f"Name a bank with --bank; there are {_bank_names()}.")
    sheet, lines = source_of(wishes.answers)
    bank = load_bank(wishes.bank)
    if wishes.confirm not in (None, *_SPECIAL):
        _check_outcome(str(wishes.confirm), bank)
    session = _opened(bank, wishes, lines)
    try:
        tell(
            f"{one_line(bank.title)}: {counted(len(bank.questions), 'question')}, "
            f"{counted(len(bank.outcomes), 'outcome')}."
        )
        if bank.notice:
            tell(clean_text(bank.notice))
        if sheet is not None:
            return _by_sheet(session, sheet, wishes)
        return _by_lines(session, lines, wishes)
    except (KeyboardInterrupt, OdmError):
        _keep(session)
        raise


def _opened(bank: Bank, wishes: Wishes, lines: Lines) -> Session:
    """A new interview, or the one to go on with."""
    from odm_tui.session import Session
    from odm_tui.tui.resuming import interview_meant

    interview = wishes.resume
    if interview is None and lines.at_terminal:
        interview = _offered(bank, wishes, lines)
    if interview is not None:
        meant = interview_meant(bank, interview, wishes.state_dir, wishes.operator)
        return Session.resume(bank, meant, wishes.state_dir)
    return Session.start(
        bank,
        wishes.state_dir,
        policy=wishes.policy_name,
        seed=wishes.seed,
        operator=wishes.operator,
    )


def _offered(bank: Bank, wishes: Wishes, lines: Lines) -> str | None:
    from odm_tui.tui.resuming import interrupted
    from odm_tui.tui.words import day_and_time

    waiting = interrupted(bank, wishes.state_dir, wishes.operator)
    if not waiting:
        return None
    latest = waiting[0]
    tell(f"An interview was interrupted ({day_and_time(latest.began)}, {counted(latest.put, 'answer')}).")
    go_on = lines.ask("Go on with it? y yes, Enter starts a new one:") in ("y", "yes")
    return latest.interview if go_on else None


# -- by lines -----------------------------------------------------------------------------------------


def _by_lines(session: Session, lines: Lines, wishes: Wishes) -> int:
    while True:
        _tell_notices(session)
        question = session.question
        if question is not None:
            _put(question, len(session.steps) + 1)
            if not _answered(session, question, lines):
                return _left(session)
            continue
        decision = session.decision
        assert decision is not None
        _explain_decision(session, decision)
        if wishes.confirm is not None:
            return _finished(session, decision, wishes, wishes.confirm)
        line = lines.ask("Enter confirms, or the name of another outcome, none, later, u undo:")
        if line == "u":
            _try(session.undo)
        elif line is None or line in ("l", "later"):
            return _finished(session, decision, wishes)
        else:
            named = _meant(line, session, numbers=lines.at_terminal)
            if named is not None:
                return _finished(session, decision, wishes, named)
            tell(f"  There is no outcome {clean_text(line)!r} in this bank.")


def _put(question: Question, number: int) -> None:
    tell()
    tell(f"Question {number}: {clean_text(question.text)}")
    if question.help:
        tell(f"  ({clean_text(question.help)})")
    if question.type == "choice":
        for at, answer in enumerate(question.answers, start=1):
            tell(f"  {at}  {one_line(answer.label)}")


def _prompt(question: Question) -> str:
    if question.type == "yes_no":
        return "y yes, n no, ? don't know, h help:"
    if question.type == "choice":
        return f"1 to {len(question.answers)}, ? don't know, h help:"
    unit = f" in {one_line(question.unit)}" if question.unit else ""
    span = "" if question.range is None else f", {question.range[0]:g} to {question.range[1]:g}"
    return f"a number{unit}{span}, ? don't know, h help:"


def _answered(session: Session, question: Question, lines: Lines) -> bool:
    """Take one line for this question; False when the input ends or the operator leaves."""
    line = lines.ask(_prompt(question))
    if line is None or line in ("q", "quit"):
        return False
    if line in ("?", "unknown"):
        _try(session.dont_know)
    elif line in ("s", "skip", "skipped"):
        _try(session.skip)
    elif line in ("u", "undo"):
        _try(session.undo)
    elif line in ("d", "decide"):
        _try(session.stop)
    elif line in ("w", "why"):
        _tell_why(session)
    elif line in ("h", "help"):
        tell(f"  {_COMMANDS}")
    else:
        answer = understood(question, line)
        if answer is None:
            tell(f"  That is not an answer here; type {_prompt(question).removesuffix(', h help:')}.")
        else:
            _try(lambda: session.answer(answer))
    return True


def _try(act: Callable[[], object]) -> None:
    """Do it, or say why it can't be done and go on; what can't be written ends the interview elsewhere."""
    try:
        act()
    except (BadArgument, BadData) as error:
        tell(f"  {sentence(clean_text(str(error)))}")


def _tell_why(session: Session) -> None:
    from odm_tui.tui.viewing import why_view

    why = why_view(session)
    for candidate in why.candidates:
        tell(
            f"  {candidate.text}: gain {candidate.gain:.3g}, cost {candidate.cost:.3g}, ratio {candidate.score:.3g}"
        )
        for effect in candidate.effects:
            tell(
                f"    {effect.reply} ({percent(effect.chance)}): {effect.leader} {percent(effect.before)} to {percent(effect.share)}"
            )
    if why.explores:
        tell(f"  Asked partly to learn; without that: {why.instead}")


def _explain_decision(session: Session, decision: Decision) -> None:
    from odm_tui.tui.viewing import doubt_in

    tell()
    tell(
        f"Decision: {one_line(decision.outcome.label)}, {percent(decision.belief)} sure. {sentence(clean_text(decision.reason))}"
    )
    if decision.outcome.advice:
        tell(f"Advice: {clean_text(decision.outcome.advice)}")
    doubt = doubt_in(session)
    if doubt:
        tell(f"Careful: {doubt}")
    others = [(j, p) for j, p in _ranked(session) if session.bank.outcomes[j].id != decision.outcome.id]
    for at, (j, share) in enumerate(others[:4], start=2):
        tell(f"  {at}  {one_line(session.bank.outcomes[j].label)} {percent(share)}")


def _ranked(session: Session) -> list[tuple[int, float]]:
    belief = session.belief
    shares = [(j, belief[outcome.id]) for j, outcome in enumerate(session.bank.outcomes)]
    return sorted(shares, key=lambda pair: -pair[1])


def _meant(line: str, session: Session, numbers: bool) -> str | None:
    """The outcome that a line names: its id, its label, '=' or nothing for the decided one, or 'none'.

    Numbers count only at a terminal: in a pipe they are answers to questions that were not asked.
    """
    if line in ("", *_SPECIAL):
        return line or AS_DECIDED
    if numbers and line.isdecimal() and line.isascii() and len(line) < 5:
        ranked = _ranked(session)
        at = int(line) - 1
        return session.bank.outcomes[ranked[at][0]].id if 0 <= at < len(ranked) else None
    word = line.casefold()
    for outcome in session.bank.outcomes:
        if word in {outcome.id.casefold(), one_line(outcome.label).casefold()}:
            return outcome.id
    return None


# -- by a sheet of answers ------------------------------------------------------------------------------


def _by_sheet(session: Session, sheet: dict[str, Any], wishes: Wishes) -> int:
    """Answer what is asked from the sheet; what is asked and not on it gives way to what is on it."""
    positions = {
        id: question for question in session.bank.questions for id in (question.id, *question.aliases)
    }
    strangers = [id for id in sheet if id not in positions]
    if strangers:
        raise BadData(f"There is no question {strangers[0]!r} in the bank {session.bank.name}.")
    left = {positions[id].id: answer for id, answer in sheet.items()}
    while (question := session.question) is not None:
        if question.id not in left:
            possible = {q.id for q in session.available}
            known = next((id for id in left if id in possible), None)
            if known is None:
                if wishes.confirm is None:
                    return _left(session)
                session.stop()  # the sheet is the whole interview
                break
            session.pick(known)
            continue
        _put(question, len(session.steps) + 1)
        answer = left.pop(question.id)
        tell(f"  {clean_text(str(answer))}")
        if answer == "unknown":
            session.dont_know()
        elif answer == "skipped":
            session.skip()
        else:
            session.answer(answer)
    decision = session.decision
    assert decision is not None
    _explain_decision(session, decision)
    return _finished(session, decision, wishes, wishes.confirm)


# -- the end ------------------------------------------------------------------------------------------


def _finished(session: Session, decision: Decision, wishes: Wishes, confirmed: str | None = None) -> int:
    """Confirm (or not) and print the decision on stdout."""
    named: str | None = None
    if confirmed is None:
        session.later()
        tell(f"Not confirmed yet: odm-tui sessions confirm {session.id} OUTCOME")
    else:
        named = decision.outcome.id if confirmed == AS_DECIDED else confirmed
        session.confirm(None if named == NONE else named)
        tell(
            "Confirmed; nothing was learned."
            if named == NONE
            else f"Confirmed: {named}. Thank you, it was learned."
        )
    _tell_notices(session)
    if wishes.as_json:
        result = {
            "outcome": decision.outcome.id,
            "belief": round(decision.belief, 6),
            "stop_reason": decision.reason,
            "cost": round(session.interview.cost_so_far, 6),
            "interview": session.id,
            "confirmed": None if confirmed is None else named,
        }
        typer.echo(json.dumps(result))
    else:
        label = one_line(decision.outcome.label)
        typer.echo(f"{decision.outcome.id}: {label}, {percent(decision.belief)}")
    return 0


def _left(session: Session) -> int:
    """The input has ended before the interview has."""
    _keep(session)
    return CANCELLED


def _keep(session: Session) -> None:
    """Close the interview so that it can be resumed, and say how."""
    if not session.ended:
        session.later()
        answered = counted(len(session.steps), "answer")
        tell(
            f"The interview is kept with {answered}: odm-tui --bank {session.bank.name} --resume {session.id}"
        )


def _check_outcome(outcome: str, bank: Bank) -> None:
    try:
        bank.outcome(outcome)
    except KeyError:
        names = ", ".join(o.id for o in bank.outcomes)
        raise BadArgument(f"The bank has no outcome {outcome!r}; it has {names}.") from None


def _bank_names() -> str:
    from odm_tui.banks import available_banks

    return ", ".join(place.name for place in available_banks()) or "none"


def _tell_notices(session: Session) -> None:
    for notice in session.notices:
        tell(sentence(clean_text(notice)))
    session.notices.clear()
