"""Take what somebody has said as an answer, also to a question that depends on other answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from odm_tui.errors import BadArgument
from odm_tui.text import one_line

if TYPE_CHECKING:
    from odm_tui.banks.bank import BankQuestion
    from odm_tui.engine.prerequisites import Alternative
    from odm_tui.session.session import Session


class WayToAsk(NamedTuple):
    """What has to be answered before a question can be asked."""

    implied: tuple[tuple[int, int], ...] = ()
    """Questions, and the only answer to each after which it can be asked: so that answer is implied."""
    first: int | None = None
    """A question that must be asked first, because several of its answers lead on."""


def find_way(session: Session, question: int) -> WayToAsk | None:
    """Find what has to be answered before this question; None if the answers so far rule it out."""
    return _find_way(session, question, frozenset())


def _find_way(session: Session, question: int, seen: frozenset[int]) -> WayToAsk | None:
    interview = session.interview
    if interview.available[question]:
        return WayToAsk()
    if question in seen or any(step.question == question for step in interview.steps):
        return None
    alternatives = next(
        (found for place, found in interview.problem.prerequisites if place == question), ((),)
    )
    ways = [_fulfil(session, one, seen | {question}) for one in alternatives if one]
    return min(
        (way for way in ways if way is not None),
        key=lambda way: (way.first is not None, len(way.implied)),
        default=None,
    )


def _fulfil(session: Session, conditions: Alternative, seen: frozenset[int]) -> WayToAsk | None:
    """Find what has to be answered so that all these conditions hold."""
    given = {step.question: step.answer for step in session.interview.steps}
    implied: list[tuple[int, int]] = []
    for other, wanted in conditions:
        if given.get(other) in wanted:
            continue
        way = None if other in given else _find_way(session, other, seen)
        if way is None:
            return None
        implied += (one for one in way.implied if one not in implied)
        if way.first is not None:
            return WayToAsk(tuple(implied), way.first)
        if len(wanted) > 1 or session.bank.questions[other].type == "number":
            return WayToAsk(tuple(implied), other)
        implied.append((other, wanted[0]))
    return WayToAsk(tuple(implied))


def conditional_questions(session: Session) -> list[tuple[BankQuestion, WayToAsk]]:
    """The questions that can be asked only after others, with what has to be answered before."""
    found = []
    for place, question in enumerate(session.bank.questions):
        if not session.interview.available[place]:
            way = find_way(session, place)
            if way is not None:
                found.append((question, way))
    return found


def take_answer(session: Session, question: str, answer: str | None) -> str:
    """Take an answer as given, or put its question if there is none; return what was done, in words.

    What the answer implies is taken as given too. If another question must be asked first, that one is put.
    """
    place = session.bank.problem.positions.get(question)
    way = None if place is None else find_way(session, place)
    if way is None:
        raise BadArgument("That question can't be asked after the answers so far.")
    for other, implied in way.implied:
        asked = session.bank.questions[other]
        session.pick(asked.id)
        session.answer(asked.answers[implied].id)
        if session.decision is not None and session.decision.flag is not None:
            return ""
    if way.first is not None:
        session.pick(session.bank.questions[way.first].id)
        return f"This comes first: it decides whether “{one_line(session.bank.question(question).text)}” is asked."
    session.pick(question)
    if answer is None:
        return ""
    session.answer(answer)
    if way.implied:
        return f"Taken as an answer, with {len(way.implied)} that it implies; u takes them back one by one."
    return "Taken as an answer; u takes it back."
