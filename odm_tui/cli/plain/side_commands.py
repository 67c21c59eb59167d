"""What an operator can do beside answering, in lines: look around, change an answer, ask something else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from odm_tui.cli.plain.line_input import LineInput, tell
from odm_tui.cli.plain.replies import UNKNOWN, Command, find_answer, parse_reply, part_meant, ways_to_answer
from odm_tui.errors import BadArgument
from odm_tui.formatting import as_sentence, format_cost, format_count, format_number, format_percent
from odm_tui.text import clean_text, one_line

if TYPE_CHECKING:
    from odm_tui.banks.bank import BankQuestion
    from odm_tui.session import Session

_FEW = 9
_MORE = ("m", "more")


def put(question: BankQuestion, title: str) -> None:
    """Read a question out, with the numbers of its answers."""
    tell()
    tell(f"{title}: {clean_text(question.text)}")
    if question.help:
        tell(f"  ({clean_text(question.help)})")
    if question.type == "choice":
        for at, answer in enumerate(question.answers, start=1):
            tell(f"  {at}  {one_line(answer.label)}")


def refuse(error: Exception) -> None:
    """Say why something can't be done; the interview goes on."""
    tell(f"  {as_sentence(clean_text(str(error)))}")


def tell_help(commands: Sequence[Command], question: BankQuestion | None = None) -> None:
    """List the commands, one a line; a letter that is an answer here is left out."""
    for command in commands:
        taken = question is not None and find_answer(question, command.letter) is not None
        names = [command.word] if taken or not command.letter else [command.letter, command.word]
        tell(f"  {' or '.join(names)}: {command.does}")


def tell_why(session: Session) -> None:
    """Why this question: the best three, with what each answer would do."""
    from odm_tui.views.interview import why_view

    why, unit = why_view(session), one_line(session.bank.cost_unit)
    for candidate in why.candidates:
        tell(f"  {candidate.text}")
        tell(
            f"    gain {format_number(candidate.gain)}, cost {format_cost(candidate.cost, unit)}, ratio {format_number(candidate.score)}"
        )
        for effect in candidate.effects:
            tell(
                f"    {effect.reply} ({format_percent(effect.chance)}): "
                f"{effect.leader} {format_percent(effect.before)} to {format_percent(effect.share)}"
            )
    if why.explores:
        tell("  Asked partly to learn; without that it would be:")
        tell(f"  {why.instead}")


def tell_likely(session: Session) -> None:
    """The likeliest outcomes, what was spent and what is still to be expected."""
    from odm_tui.views.interview import belief_bars

    interview, unit = session.interview, one_line(session.bank.cost_unit)
    for bar in belief_bars(session.bank, interview.belief)[:5]:
        tell(f"  {bar.label} {format_percent(bar.share)}")
    tell(
        f"  Cost so far: {format_cost(interview.cost_so_far, unit)}, {format_count(len(session.steps), 'question')}."
    )
    tell(f"  Still to come: about {format_cost(interview.expected_cost_to_come, unit)}.")


def change_an_answer(session: Session, lines: LineInput) -> None:
    """List the answers so far, and take another one for the step that is chosen."""
    from odm_tui.views.interview import step_view

    steps = session.steps
    if not steps:
        tell("  There are no answers yet.")
        return
    views = [step_view(taken) for taken in steps]
    shown = [f"{one_line(view.question.text)} {view.reply}" for view in views]
    at = _chosen(lines, shown, "The number of the answer to change, or Enter to go on:", len(shown))
    if at is None:
        return
    question = steps[at].question
    put(question, f"Answer {at + 1} again")
    while line := lines.ask(f"{ways_to_answer(question)}, Enter leaves it:"):
        try:
            meant = parse_reply(question, line, (UNKNOWN,))
            gone = session.change(at, None if isinstance(meant, Command) else meant)
        except BadArgument as error:
            refuse(error)
            continue
        tell("  Changed.")
        for other in gone:
            tell(f"  No longer asked, so its answer was left out: {one_line(other.text)}")
        return


def ask_another(session: Session, lines: LineInput) -> None:
    """List the other questions that can be asked, the most helpful first, and put the one that is chosen."""
    from odm_tui.views.interview import available_questions

    now = session.question
    questions = [other for other in available_questions(session) if now is None or other.id != now.id]
    if not questions:
        tell("  There is no other question to ask.")
        return
    shown = [one_line(question.text) for question in questions]
    at = _chosen(lines, shown, "The number of the question to ask, or Enter to go on:", _FEW)
    if at is not None:
        session.pick(questions[at].id)


def gives_up(lines: LineInput) -> bool:
    """Whether the operator means to abandon the interview: asked once."""
    line = lines.ask("Abandon this interview? Nothing is learned from it. y abandons, Enter goes on:")
    return line is not None and line.casefold() in ("y", "yes")


def _chosen(lines: LineInput, items: Sequence[str], prompt: str, first: int) -> int | None:
    """The place of the item that the operator chooses by its number or a part of it; None: none of them."""
    listed = _listed(items, 0, first)
    while line := lines.ask(prompt):
        if line.casefold() in _MORE and listed < len(items):
            listed = _listed(items, listed, len(items))
        elif line.isdecimal() and line.isascii() and len(line) < 5:
            if 1 <= int(line) <= listed:
                return int(line) - 1
            tell(f"  The numbers here are 1 to {listed}.")
        else:
            try:
                at = part_meant(line, items)
            except BadArgument as error:
                refuse(error)
                continue
            if at is not None:
                return at
            tell(f"  Type a number from 1 to {listed}, or press Enter to go on.")
    return None


def _listed(items: Sequence[str], start: int, end: int) -> int:
    """Print the items from start to end with their numbers; how many have been printed in all."""
    end = min(end, len(items))
    for at in range(start, end):
        tell(f"  {at + 1}  {items[at]}")
    if end < len(items):
        tell(f"  m  {len(items) - end} more")
    return end
