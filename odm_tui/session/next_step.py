"""Answers in, the next question or the decision out: for other programs that drive an interview."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NotRequired, TypedDict

from odm_tui.banks.bank import Bank, BankQuestion
from odm_tui.engine.interview import Decide, Interview
from odm_tui.errors import BadArgument, BadData
from odm_tui.session.contradiction import find_contradiction
from odm_tui.session.policies import policy_for
from odm_tui.session.steps import parse_answer
from odm_tui.store.counts import Counts
from odm_tui.store.events import Answer

UNKNOWN, SKIPPED = "unknown", "skipped"


class AnswerValues(TypedDict):
    """One answer of a yes/no question or a choice."""

    id: str
    label: str


class QuestionValues(TypedDict):
    """A question. A number has ``unit`` and maybe ``range``, all others have ``answers``."""

    id: str
    text: str
    type: str
    answers: NotRequired[list[AnswerValues]]
    unit: NotRequired[str]
    range: NotRequired[list[float]]


class CandidateValues(TypedDict):
    """One of the best questions, with the belief after each of its answers."""

    question: str
    gain: float
    cost: float
    score: float
    belief_after: dict[str, dict[str, float]]


class NextQuestion(TypedDict):
    """What :func:`next_step` returns when there is a question to ask."""

    status: Literal["question"]
    question: QuestionValues
    belief: dict[str, float]
    cost_so_far: float
    expected_cost_to_come: float
    explain: list[CandidateValues]
    explores: bool
    contradiction: dict[str, Any] | None


class NextDecision(TypedDict):
    """What :func:`next_step` returns when it is time to decide."""

    status: Literal["decision"]
    outcome: str
    belief: dict[str, float]
    sure: float
    stop_reason: str
    cost_so_far: float
    contradiction: dict[str, Any] | None


def next_step(
    bank: Bank,
    answers: Mapping[str, Any],
    *,
    policy: str | Mapping[str, Any] | None = None,
    seed: int = 0,
    counts: Counts | None = None,
    top: int = 3,
) -> NextQuestion | NextDecision:
    """What comes after these answers, given in their order by question id; nothing is kept.

    A yes/no question takes "yes" or "no", a choice the answer's id, a number question the number; every
    question takes "unknown" and "skipped". What comes back is one of::

        {"status": "question",
         "question": {"id", "text", "type": "yes_no" | "choice", "answers": [{"id", "label"}, …]}
                   | {"id", "text", "type": "number", "unit", "range": [low, high]},
         "belief": {outcome id: p, …}, "cost_so_far": c, "expected_cost_to_come": c,
         "explain": [{"question", "gain", "cost", "score", "belief_after": {answer: {outcome id: p}}}, …],
         "explores": whether it is asked partly to learn}

        {"status": "decision", "outcome": outcome id, "belief": {outcome id: p, …}, "sure": p of the outcome,
         "stop_reason": in words, "cost_so_far": c}

    Both have "contradiction": None, or the answer that the others speak against, how likely it was, the outcome
    with it and the one without it, and the cheapest question that would settle it (or None)::

        {"question": question id, "answer", "chance": p, "outcome", "otherwise": outcome ids, "settle": question id}
    """
    known = counts or Counts()
    interview = Interview(bank.problem, policy_for(bank, policy), known.posterior(bank.problem), seed)
    given = dict(_taken(interview, bank, question, answer) for question, answer in answers.items())
    contradiction = find_contradiction(interview, bank, given)
    against = None if contradiction is None else contradiction.values()
    beliefs = {o.id: float(p) for o, p in zip(bank.outcomes, interview.belief, strict=True)}
    upcoming = interview.next
    if isinstance(upcoming, Decide):
        return {
            "status": "decision",
            "outcome": bank.outcomes[upcoming.outcome].id,
            "belief": beliefs,
            "sure": upcoming.belief,
            "stop_reason": upcoming.reason,
            "cost_so_far": interview.cost_so_far,
            "contradiction": against,
        }
    explanation = interview.explain(top)
    return {
        "status": "question",
        "question": question_values(bank.questions[upcoming.question]),
        "belief": beliefs,
        "cost_so_far": interview.cost_so_far,
        "expected_cost_to_come": interview.expected_cost_to_come,
        "explain": [
            {
                "question": bank.questions[candidate.question].id,
                "gain": candidate.gain,
                "cost": candidate.cost,
                "score": candidate.score,
                "belief_after": {
                    answer: {o.id: float(p) for o, p in zip(bank.outcomes, belief, strict=True)}
                    for answer, belief in zip(
                        bank.problem.questions[candidate.question].answers,
                        candidate.belief_after,
                        strict=True,
                    )
                },
            }
            for candidate in explanation.candidates
        ],
        "explores": explanation.explores,
        "contradiction": against,
    }


def question_values(question: BankQuestion) -> QuestionValues:
    """A question as other programs get it."""
    made: QuestionValues = {"id": question.id, "text": question.text, "type": question.type}
    if question.type == "number":
        made["unit"] = question.unit
        if question.range is not None:
            made["range"] = list(question.range)
    else:
        made["answers"] = [{"id": answer.id, "label": answer.label} for answer in question.answers]
    return made


def _taken(interview: Interview, bank: Bank, name: str, answer: Any) -> tuple[int, Answer | None]:
    """Take an answer in; the question's place, and the answer as it is meant (None: there is none)."""
    try:
        question = bank.question(name)
    except KeyError:
        raise BadData(f"The answers name {name!r}, which is no question of the bank {bank.name!r}.") from None
    place = bank.problem.positions[question.id]
    if isinstance(answer, bool) or not isinstance(answer, str | int | float):
        raise BadData(f"The answer to {name!r} must be a text or a number.")
    try:
        if answer == UNKNOWN:
            interview.dont_know(place)
            return place, None
        if answer == SKIPPED:
            interview.skip(place)
            return place, None
        meant = parse_answer(bank, place, answer if question.type == "number" else str(answer))
        interview.answer(meant, place)
        return place, meant
    except BadArgument as error:
        raise BadData(f"The answer to {name!r} can't be used: {error}") from None
