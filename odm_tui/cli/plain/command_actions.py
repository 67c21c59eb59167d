"""Run the commands of the plain mode: print why and the likely outcomes, change an answer, pick a question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from odm_tui.cli.plain.line_input import LineInput, print_message
from odm_tui.cli.plain.reply_parser import describe_replies, find_answer, find_label, parse_reply
from odm_tui.cli.plain.typed_commands import UNKNOWN, Command
from odm_tui.errors import BadArgument
from odm_tui.formatting import format_cost, format_count, format_number, format_percent, format_sentence
from odm_tui.text import clean_text, one_line

if TYPE_CHECKING:
    from odm_tui.banks.bank import BankQuestion
    from odm_tui.session import Session
    from odm_tui.views.interview import CandidateView

_FEW = 9
_MORE = ("m", "more")


def print_question(question: BankQuestion, title: str) -> None:
    """Print a question, with the numbers of its answers."""
    print_message()
    print_message(f"{title}: {clean_text(question.text)}")
    if question.help:
        print_message(f"  ({clean_text(question.help)})")
    if question.type == "choice":
        for at, answer in enumerate(question.answers, start=1):
            print_message(f"  {at}  {one_line(answer.label)}")


def print_error(error: Exception) -> None:
    """Print an error; the interview goes on."""
    print_message(f"  {format_sentence(clean_text(str(error)))}")


def print_help(commands: Sequence[Command], question: BankQuestion | None = None) -> None:
    """Print the commands, one per line; a letter that is an answer to the question is left out."""
    for command in commands:
        taken = question is not None and find_answer(question, command.letter) is not None
        names = [command.word] if taken or not command.letter else [command.letter, command.word]
        print_message(f"  {' or '.join(names)}: {command.does}")


def print_why(session: Session) -> None:
    """Print why this question is asked: the three best questions and what each answer would change."""
    from odm_tui.views.interview import why_view

    why, unit = why_view(session), one_line(session.bank.cost_unit)
    if why.reason.phrase:
        print_message(f"  {why.reason}.")
    for candidate in why.candidates:
        print_message(f"  {candidate.text}")
        print_message(f"    {_format_usefulness(candidate, unit)}, cost {format_cost(candidate.cost, unit)}")
        for effect in candidate.effects:
            print_message(
                f"    {effect.reply} ({format_percent(effect.chance)}): "
                f"{effect.leader} {format_percent(effect.before)} to {format_percent(effect.share)}"
            )
    if why.explores:
        print_message("  Asked partly to learn; without that it would be:")
        print_message(f"  {why.instead}")


def _format_usefulness(candidate: CandidateView, unit: str) -> str:
    """The number that questions are chosen by: what a plan saves, or the usefulness per cost."""
    if candidate.net is not None:
        return f"saves {format_cost(candidate.net, unit)}"
    return f"usefulness {format_number(candidate.gain)}, per cost {format_number(candidate.score)}"


def print_likely_outcomes(session: Session) -> None:
    """Print the likeliest outcomes, the cost so far and the expected cost of the rest."""
    from odm_tui.views.interview import belief_bars

    interview, unit = session.interview, one_line(session.bank.cost_unit)
    for bar in belief_bars(session.bank, interview.shown_belief)[:5]:
        print_message(f"  {bar.label} {format_percent(bar.share)}")
    print_message(
        f"  Cost so far: {format_cost(interview.cost_so_far, unit)}, {format_count(len(session.steps), 'question')}."
    )
    print_message(f"  Still to come: about {format_cost(interview.expected_cost_to_come, unit)}.")


def change_answer(session: Session, lines: LineInput) -> None:
    """List the answers so far and replace the chosen one."""
    from odm_tui.views.interview import step_view

    steps = session.steps
    if not steps:
        print_message("  There are no answers yet.")
        return
    views = [step_view(step) for step in steps]
    shown = [f"{one_line(view.question.text)} {view.reply}" for view in views]
    at = _choose(lines, shown, "The number of the answer to change, or Enter to go on:", len(shown))
    if at is None:
        return
    question = steps[at].question
    print_question(question, f"Answer {at + 1} again")
    while line := lines.ask(f"{describe_replies(question)}, Enter leaves it:"):
        try:
            reply = parse_reply(question, line, (UNKNOWN,))
            dropped = session.change(at, None if isinstance(reply, Command) else reply)
        except BadArgument as error:
            print_error(error)
            continue
        print_message("  Changed.")
        for other in dropped:
            print_message(f"  No longer asked, so its answer was left out: {one_line(other.text)}")
        return


def pick_question(session: Session, lines: LineInput) -> None:
    """List the other questions, the most helpful first, and ask the chosen one next."""
    from odm_tui.views.interview import available_questions

    now = session.question
    questions = [other for other in available_questions(session) if now is None or other.id != now.id]
    if not questions:
        print_message("  There is no other question to ask.")
        return
    shown = [one_line(question.text) for question in questions]
    at = _choose(lines, shown, "The number of the question to ask, or Enter to go on:", _FEW)
    if at is not None:
        session.pick(questions[at].id)


def undo(session: Session) -> None:
    """Take back the last thing that was done, and say what it was."""
    print_message(f"  Taken back: {session.undo()}.")


def print_evidence(session: Session) -> None:
    """Print which answers speak for and against the decided or likeliest outcome, the strongest first."""
    from odm_tui.views.evidence import evidence_view

    view = evidence_view(session)
    print_message(f"  {view.label} {format_percent(view.share)}")
    for row in view.rows:
        print_message(f"  {row.text}")
    if not view.rows:
        print_message("  There are no answers yet.")


def search(session: Session, lines: LineInput, words: str = "") -> None:
    """Find questions by words; take the chosen answer as given, or ask the chosen question."""
    from odm_tui.session.known_answers import take_answer
    from odm_tui.views.search import search_questions

    words = words or lines.ask("What was said? Enter goes on:") or ""
    hits = search_questions(session, words) if words else ()
    if words and not hits:
        print_message("  No question fits these words.")
    if not hits:
        return
    at = _choose(
        lines, [hit.line for hit in hits], "The number of the line to take, or Enter to go on:", len(hits)
    )
    if at is not None:
        note = take_answer(session, hits[at].question, hits[at].answer)
        if note:
            print_message(f"  {note}")


def enter_case(session: Session, lines: LineInput) -> None:
    """Print the case reference and replace it by the one that is typed."""
    if session.case:
        print_message(f"  Case: {one_line(session.case)}")
    while line := lines.ask("The case reference, or Enter to go on:"):
        try:
            session.set_case(line)
        except BadArgument as error:
            print_error(error)
            continue
        print_message(f"  Case: {one_line(session.case)}")
        return


def enter_note(session: Session, lines: LineInput) -> None:
    """Print the note and replace it by the one that is typed."""
    if session.note:
        print_message(f"  Note: {clean_text(session.note)}")
    while line := lines.ask("The note, or Enter to go on:"):
        try:
            session.set_note(line)
        except BadArgument as error:
            print_error(error)
            continue
        print_message("  Noted.")
        return


def confirm_abandon(lines: LineInput) -> bool:
    """Ask whether to abandon the interview."""
    line = lines.ask("Abandon this interview? Nothing is learned from it. y abandons, Enter goes on:")
    return line is not None and line.casefold() in ("y", "yes")


def _choose(lines: LineInput, items: Sequence[str], prompt: str, first: int) -> int | None:
    """The place of the item that the operator chooses, by its number or a part of its text; None for no item."""
    listed = _print_items(items, 0, first)
    while line := lines.ask(prompt):
        if line.casefold() in _MORE and listed < len(items):
            listed = _print_items(items, listed, len(items))
        elif line.isdecimal() and line.isascii() and len(line) < 5:
            if 1 <= int(line) <= listed:
                return int(line) - 1
            print_message(f"  The numbers here are 1 to {listed}.")
        else:
            try:
                at = find_label(line, items)
            except BadArgument as error:
                print_error(error)
                continue
            if at is not None:
                return at
            print_message(f"  Type a number from 1 to {listed}, or press Enter to go on.")
    return None


def _print_items(items: Sequence[str], start: int, end: int) -> int:
    """Print the items from ``start`` to ``end`` with their numbers; how many have been printed in total."""
    end = min(end, len(items))
    for at in range(start, end):
        print_message(f"  {at + 1}  {items[at]}")
    if end < len(items):
        print_message(f"  m  {len(items) - end} more")
    return end
