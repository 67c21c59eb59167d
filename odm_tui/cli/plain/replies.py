"""What a typed line means in the plain mode: an answer, a command, or an outcome.

Words are taken in any case, and so is a beginning of two letters or more that only one thing has. An answer's own
name goes before a command: where "A" is a blood group, it is never the list of answers.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from odm_tui.errors import BadArgument
from odm_tui.text import one_line, shortened
from odm_tui.views.typed_number import format_range, parse_typed_number

if TYPE_CHECKING:
    from odm_tui.banks.bank import Bank, BankQuestion, Outcome

T = TypeVar("T", bound=Hashable)
AS_DECIDED, NONE = "=", "none"
_BEGINNING, _PART = 2, 3
"""How many letters a beginning of a word, and a part of a label, must have."""


class Command(NamedTuple):
    """Something other than an answer that can be typed: its letter, its word, and what it does."""

    letter: str
    word: str
    does: str


UNKNOWN = Command("?", "unknown", "the answer is not known")
SKIP = Command("s", "skip", "pass this question over")
UNDO = Command("u", "undo", "take the last step back")
WHY = Command("w", "why", "why this question")
LIKELY = Command("l", "likely", "the likely outcomes, and the cost")
ANSWERS = Command("a", "answers", "the answers so far; change one")
OTHER = Command("o", "other", "ask another question")
DECIDE = Command("d", "decide", "decide now")
ABANDON = Command("x", "abandon", "give this interview up")
QUIT = Command("q", "quit", "leave; the answers are kept")
HELP = Command("h", "help", "this list")
LATER = Command("l", "later", "leave the outcome open for now")
MORE = Command("m", "more", "list all outcomes")
NONE_OF_THESE = Command("", NONE, "no outcome here is right")
AT_A_QUESTION = (UNKNOWN, SKIP, UNDO, WHY, LIKELY, ANSWERS, OTHER, DECIDE, ABANDON, QUIT, HELP)
AT_A_DECISION = (NONE_OF_THESE, LATER, UNDO, MORE, ANSWERS, ABANDON, QUIT, HELP)
_LEFT_OVER = (UNDO, LATER)
"""What may be one letter at a decision in a pipe, where other letters are answers that were not asked for."""
_RESERVED = {"?": UNKNOWN, "unknown": UNKNOWN, "skipped": SKIP}
"""These mean the same for every question, as they do in a sheet of answers."""


def parse_reply(question: BankQuestion, line: str, commands: Sequence[Command]) -> Command | str | float:
    """The answer or the command that a line means at a question; a sentence is raised if there is none."""
    word = line.casefold()
    reserved = _RESERVED.get(word)
    if reserved is not None and reserved in commands:
        return reserved
    answer = find_answer(question, line)
    if answer is not None:
        return answer
    for command in commands:
        if word in (command.letter, command.word):
            return command
    names = [(answer.id, name) for answer in question.answers for name in (answer.id, one_line(answer.label))]
    worded: list[tuple[Command | str, str]] = [(command, command.word) for command in commands]
    if question.type != "number":
        worded += names
    begun = _begun(word, worded)
    if begun is not None:
        return begun
    if question.type != "number":
        raise BadArgument(f"That is not an answer here; type {ways_to_answer(question)}.")
    return _number_meant(question, line)


def find_answer(question: BankQuestion, line: str) -> str | None:
    """The answer that a line names in full: y or n, the number of a choice, an id or a label."""
    if question.type == "number":
        return None
    if question.type == "choice" and _is_number(line):
        at = _place(line)
        return question.answers[at].id if 0 <= at < len(question.answers) else None
    word = line.casefold()
    for answer in question.answers:
        names = {answer.id.casefold(), one_line(answer.label).casefold()}
        if question.type == "yes_no":
            names.add(answer.id[0])
        if word in names:
            return answer.id
    return None


def _number_meant(question: BankQuestion, line: str) -> float:
    number = parse_typed_number(line)
    if isinstance(number, str):
        raise BadArgument(number)
    if question.range is not None and not question.range[0] <= number <= question.range[1]:
        raise BadArgument(f"The number must be from {format_range(*question.range)}.")
    return number


def ways_to_answer(question: BankQuestion) -> str:
    """What can be typed to answer, in a few words."""
    if question.type == "yes_no":
        return "y yes, n no, ? don't know"
    if question.type == "choice":
        return f"1 to {len(question.answers)}, ? don't know"
    unit = f" in {one_line(question.unit)}" if question.unit else ""
    span = "" if question.range is None else f", {format_range(*question.range)}"
    return f"a number{unit}{span}, ? don't know"


def parse_confirmation(line: str, bank: Bank, shown: Sequence[Outcome], at_terminal: bool) -> Command | str:
    """The command or the outcome's id that a line means at a decision; a sentence is raised if there is none.

    ``shown`` are the outcomes that were listed with the numbers from 1 on; only those have a number. In a pipe there
    are none, and only whole words count: what comes there may be answers to questions that were not asked.
    """
    word = line.casefold()
    if word in ("", AS_DECIDED):
        return AS_DECIDED
    for command in AT_A_DECISION:
        if word == command.word or (word == command.letter and (at_terminal or command in _LEFT_OVER)):
            return command
    if at_terminal and _is_number(line):
        at = _place(line)
        if 0 <= at < len(shown):
            return shown[at].id
        raise BadArgument(f"The numbers here are 1 to {len(shown)}; m lists all outcomes.")
    for outcome in bank.outcomes:
        if word in {name.casefold() for name in (outcome.id, one_line(outcome.label), *outcome.aliases)}:
            return outcome.id
    if word in ("y", "yes"):
        raise BadArgument("Press Enter to confirm this outcome.")
    if word in ("n", "no"):
        raise BadArgument("Type none if no outcome here is right, or the name of the one that is.")
    if at_terminal:
        begun = _begun(word, [(command, command.word) for command in AT_A_DECISION])
        if begun is not None:
            return begun
        part = part_meant(line, [one_line(outcome.label) for outcome in bank.outcomes])
        if part is not None:
            return bank.outcomes[part].id
    known = "m lists all" if at_terminal else "write its id or its label"
    raise BadArgument(f"There is no outcome {one_line(line)!r} in this bank; {known}.")


def _is_number(line: str) -> bool:
    return line.isdecimal() and line.isascii()


def _place(number: str) -> int:
    """The place in a list that a number from 1 on means; -1 where no list is so long."""
    return int(number) - 1 if len(number) < 5 else -1


def part_meant(line: str, labels: Sequence[str]) -> int | None:
    """The place of the only label that has the line in it; a sentence is raised if there are more."""
    word = line.casefold()
    if len(word) < _PART:
        return None
    found = [at for at, label in enumerate(labels) if word in label.casefold()]
    if len(found) > 1:
        raise BadArgument(_several(line, [labels[at] for at in found]))
    return found[0] if found else None


def _begun(word: str, named: Iterable[tuple[T, str]]) -> T | None:
    """The only thing whose name begins so, if there is one; a sentence is raised if there are more."""
    if len(word) < _BEGINNING:
        return None
    found = {meaning: name for meaning, name in named if name.casefold().startswith(word)}
    if len(found) > 1:
        raise BadArgument(_several(word, list(found.values())))
    return next(iter(found), None)


def _several(line: str, names: Sequence[str]) -> str:
    few = [shortened(name, 40) for name in names[:4]]
    last = few.pop() if len(names) <= 4 else f"{len(names) - 4} more"
    return f"{one_line(line)!r} could be {', '.join(few)} or {last}; type more of it."
