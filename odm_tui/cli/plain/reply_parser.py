"""Parse the lines that an operator types in the plain mode: as an answer, a command or an outcome.

Upper and lower case mean the same. The beginning of a word is enough if it has two letters or more and is unique. An
answer takes precedence over a command: if "A" is a blood group, it does not list the answers.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

from odm_tui.cli.plain.typed_commands import AS_DECIDED, SHORT_IN_PIPES, SKIP, UNKNOWN, Command
from odm_tui.errors import BadArgument
from odm_tui.text import one_line, shorten, unknown_name
from odm_tui.views.typed_number import format_range, parse_typed_number

if TYPE_CHECKING:
    from odm_tui.banks.bank import Bank, BankQuestion, Outcome

T = TypeVar("T", bound=Hashable)
_BEGINNING, _PART = 2, 3
"""The number of letters that the beginning of a word, and a part of a label, must have."""
_RESERVED = {"?": UNKNOWN, "unknown": UNKNOWN, "skipped": SKIP}
"""Words that mean the same for every question, as they do in an answer sheet."""


def parse_reply(question: BankQuestion, line: str, commands: Sequence[Command]) -> Command | str | float:
    """Parse a line at a question as an answer or a command; raise BadArgument if it is neither."""
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
    found = _find_by_beginning(word, worded)
    if found is not None:
        return found
    if question.type != "number":
        raise BadArgument(f"That is not an answer here; type {describe_replies(question)}.")
    return _parse_number(question, line)


def find_answer(question: BankQuestion, line: str) -> str | None:
    """The answer that a line names in full, by y or n, the number of a choice, its id or its label."""
    if question.type == "number":
        return None
    if question.type == "choice" and _is_number(line):
        at = _parse_place(line)
        return question.answers[at].id if 0 <= at < len(question.answers) else None
    word = line.casefold()
    for answer in question.answers:
        names = {answer.id.casefold(), one_line(answer.label).casefold()}
        if question.type == "yes_no":
            names.add(answer.id[0])
        if word in names:
            return answer.id
    return None


def _parse_number(question: BankQuestion, line: str) -> float:
    number = parse_typed_number(line)
    if isinstance(number, str):
        raise BadArgument(number)
    if question.range is not None and not question.range[0] <= number <= question.range[1]:
        raise BadArgument(f"The number must be from {format_range(*question.range)}.")
    return number


def describe_replies(question: BankQuestion) -> str:
    """What can be typed to answer this question, in a few words."""
    if question.type == "yes_no":
        return "y yes, n no, ? don't know"
    if question.type == "choice":
        return f"1 to {len(question.answers)}, ? don't know"
    unit = f" in {one_line(question.unit)}" if question.unit else ""
    span = "" if question.range is None else f", {format_range(*question.range)}"
    return f"a number{unit}{span}, ? don't know"


def parse_confirmation(
    line: str, bank: Bank, shown: Sequence[Outcome], commands: Sequence[Command], at_terminal: bool
) -> Command | str:
    """Parse a line at a decision as a command or an outcome's id; raise BadArgument if it is neither.

    ``shown`` are the outcomes that were listed with numbers, counted from 1. A pipe has no numbers, and few letters
    count there: the lines may be answers to questions that were not asked.
    """
    word = line.casefold()
    if word in ("", AS_DECIDED):
        return AS_DECIDED
    for command in commands:
        short = at_terminal or (command in SHORT_IN_PIPES and not _is_answer(word, bank))
        if word == command.word or (word == command.letter and short):
            return command
    if at_terminal and _is_number(line):
        at = _parse_place(line)
        if 0 <= at < len(shown):
            return shown[at].id
        raise BadArgument(f"The numbers here are 1 to {len(shown)}; o lists all outcomes.")
    for outcome in bank.outcomes:
        if word in {name.casefold() for name in (outcome.id, one_line(outcome.label), *outcome.aliases)}:
            return outcome.id
    if word in ("y", "yes"):
        raise BadArgument("Press Enter to confirm this outcome.")
    if word in ("n", "no"):
        raise BadArgument("Type none if no outcome here is right, or the name of the one that is.")
    if at_terminal:
        found = _find_by_beginning(word, [(command, command.word) for command in commands])
        if found is not None:
            return found
        part = find_label(line, [one_line(outcome.label) for outcome in bank.outcomes])
        if part is not None:
            return bank.outcomes[part].id
    text = unknown_name("outcome", line, [outcome.id for outcome in bank.outcomes])
    raise BadArgument(f"{text} Type o to list all." if at_terminal else text)


def _is_answer(word: str, bank: Bank) -> bool:
    """Whether a question of the bank has this answer, or an outcome this id."""
    answers = (answer.id for question in bank.questions for answer in question.answers)
    return word in {id.casefold() for id in (*answers, *(outcome.id for outcome in bank.outcomes))}


def _is_number(line: str) -> bool:
    return line.isdecimal() and line.isascii()


def _parse_place(number: str) -> int:
    """The place in a list, counted from 0, for a number counted from 1; -1 if the number is too large for any list."""
    return int(number) - 1 if len(number) < 5 else -1


def find_label(line: str, labels: Sequence[str]) -> int | None:
    """The place of the only label that contains the line; raise BadArgument if there are several."""
    word = line.casefold()
    if len(word) < _PART:
        return None
    found = [at for at, label in enumerate(labels) if word in label.casefold()]
    if len(found) > 1:
        raise BadArgument(_format_ambiguity(line, [labels[at] for at in found]))
    return found[0] if found else None


def _find_by_beginning(word: str, named: Iterable[tuple[T, str]]) -> T | None:
    """The only value whose name begins with ``word``, if there is one; raise BadArgument if there are several."""
    if len(word) < _BEGINNING:
        return None
    found = {value: name for value, name in named if name.casefold().startswith(word)}
    if len(found) > 1:
        raise BadArgument(_format_ambiguity(word, list(found.values())))
    return next(iter(found), None)


def _format_ambiguity(line: str, names: Sequence[str]) -> str:
    few = [shorten(name, 40) for name in names[:4]]
    last = few.pop() if len(names) <= 4 else f"{len(names) - 4} more"
    return f"{one_line(line)!r} could be {', '.join(few)} or {last}; type more of it."
