"""Compute the next question or the decision from given answers, for other programs that run interviews."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Literal, NotRequired, TypedDict

from odm_tui.banks.bank import Bank, BankQuestion
from odm_tui.banks.policies import policy_for
from odm_tui.engine.certainty import Certainty
from odm_tui.engine.explain import Candidate
from odm_tui.engine.interview import Decide, Interview
from odm_tui.engine.problem import Floats
from odm_tui.engine.target import with_target
from odm_tui.errors import BadArgument, BadData
from odm_tui.session.answers import parse_answer
from odm_tui.session.contradiction import find_contradiction
from odm_tui.session.red_flags import describe_reason, find_red_flag, find_warnings
from odm_tui.store.counts import BankIndex, Counts
from odm_tui.store.events import Answer, timestamp
from odm_tui.text import unknown_name

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


class ReferralValues(TypedDict):
    """How to hand over, and what it costs."""

    label: str
    advice: str
    cost: float


class NextQuestion(TypedDict):
    """What :func:`next_step` returns when there is a question to ask."""

    status: Literal["question"]
    question: QuestionValues
    belief: dict[str, float]
    cost_so_far: float
    expected_cost_to_come: float
    explain: list[CandidateValues]
    explores: bool
    warnings: list[str]
    contradiction: dict[str, Any] | None


class NextDecision(TypedDict):
    """What :func:`next_step` returns when it is time to decide."""

    status: Literal["decision"]
    outcome: str
    belief: dict[str, float]
    sure: float
    stop_reason: str
    red_flag: dict[str, Any] | None
    warnings: list[str]
    cost_so_far: float
    contradiction: dict[str, Any] | None
    refer: NotRequired[ReferralValues]


def next_step(
    bank: Bank,
    answers: Mapping[str, Any],
    *,
    policy: str | Mapping[str, Any] | None = None,
    seed: int = 0,
    counts: Counts | None = None,
    target_cost: float | None = None,
    top: int = 3,
) -> NextQuestion | NextDecision:
    """Compute the next question or the decision after these answers, by question id, in their order; write nothing.

    A yes/no question takes "yes" or "no", a choice question the answer's id, a number question the number; every
    question takes "unknown" and "skipped". The result is one of::

        {"status": "question",
         "question": {"id", "text", "type": "yes_no" | "choice", "answers": [{"id", "label"}, …]}
                   | {"id", "text", "type": "number", "unit", "range": [low, high]},
         "belief": {outcome id: p, …}, "cost_so_far": c, "expected_cost_to_come": c,
         "explain": [{"question", "gain", "cost", "score", "belief_after": {answer: {outcome id: p}}}, …],
         "explores": whether the question is asked partly to learn}

        {"status": "decision", "outcome": outcome id, "belief": {outcome id: p, …}, "sure": p of the outcome,
         "stop_reason": in words, "cost_so_far": c,
         "red_flag": None or {"label", "advice", "question", "answer", "outcome"}: the answer that ended it,
         "refer": {"label", "advice", "cost"}, only if handing over is better than deciding}

    ``target_cost`` replaces the bank's. Both have "warnings": the warnings that the answers set off. Beliefs are as they are shown to people: as sure as
    past decisions were right. Without counts they are the beliefs themselves.

    Both have "contradiction": None, or at a decision the answer that contradicts the others, its probability given the others,
    the likeliest outcome with it and without it, and the cheapest question that decides between them (or None)::

        {"question": question id, "answer", "chance": p, "outcome", "otherwise": outcome ids, "settle": question id}
    """
    known = counts or Counts()
    problem = bank.problem if target_cost is None else with_target(bank.problem, target_cost)
    interview = Interview(
        problem,
        policy_for(bank, policy),
        known.posterior(problem, BankIndex.of(bank).find_moment(timestamp(time.time()))),
        seed,
    )
    given = dict(_apply_answer(interview, bank, question, answer) for question, answer in answers.items())
    contradiction = find_contradiction(interview, bank, given)
    against = None if contradiction is None else contradiction.values()
    shown = interview.shown_belief
    beliefs = _belief_values(bank, shown)
    upcoming = interview.next
    if isinstance(upcoming, Decide) and upcoming.flag is not None:
        against = None  # nothing else counts now
    flag, warnings = find_red_flag(bank, upcoming), list(find_warnings(bank, interview))
    if isinstance(upcoming, Decide):
        decided: NextDecision = {
            "status": "decision",
            "outcome": bank.outcomes[upcoming.outcome].id,
            "belief": beliefs,
            "sure": float(shown[upcoming.outcome]),
            "stop_reason": describe_reason(bank, upcoming),
            "red_flag": None if flag is None else flag._asdict(),
            "warnings": warnings,
            "cost_so_far": interview.cost_so_far,
            "contradiction": against,
        }
        if upcoming.refer and bank.refer is not None:
            refer = bank.refer
            decided["refer"] = {"label": refer.label, "advice": refer.advice, "cost": refer.cost}
        return decided
    explanation = interview.explain(top)
    return {
        "status": "question",
        "question": question_values(bank.questions[upcoming.question]),
        "belief": beliefs,
        "cost_so_far": interview.cost_so_far,
        "expected_cost_to_come": interview.expected_cost_to_come,
        "explain": [
            _candidate_values(bank, candidate, interview.certainty) for candidate in explanation.candidates
        ],
        "explores": explanation.explores,
        "warnings": warnings,
        "contradiction": against,
    }


def _belief_values(bank: Bank, belief: Floats) -> dict[str, float]:
    return {outcome.id: float(p) for outcome, p in zip(bank.outcomes, belief, strict=True)}


def _candidate_values(bank: Bank, candidate: Candidate, certainty: Certainty) -> CandidateValues:
    answers = bank.problem.questions[candidate.question].answers
    return {
        "question": bank.questions[candidate.question].id,
        "gain": candidate.gain,
        "cost": candidate.cost,
        "score": candidate.score,
        "belief_after": {
            answer: _belief_values(bank, belief)
            for answer, belief in zip(answers, certainty.shown(candidate.belief_after), strict=True)
        },
    }


def question_values(question: BankQuestion) -> QuestionValues:
    """Return a question as a dict, for other programs."""
    values: QuestionValues = {"id": question.id, "text": question.text, "type": question.type}
    if question.type == "number":
        values["unit"] = question.unit
        if question.range is not None:
            values["range"] = list(question.range)
    else:
        values["answers"] = [{"id": answer.id, "label": answer.label} for answer in question.answers]
    return values


def _apply_answer(interview: Interview, bank: Bank, name: str, answer: Any) -> tuple[int, Answer | None]:
    """Apply one answer; return the question's index and the parsed answer, None for unknown and skipped."""
    try:
        question = bank.question(name)
    except KeyError:
        raise BadData(unknown_name("question", name, [q.id for q in bank.questions])) from None
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
        parsed = parse_answer(bank, place, answer if question.type == "number" else str(answer))
        interview.answer(parsed, place)
        return place, parsed
    except BadArgument as error:
        raise BadData(f"The answer to {name!r} can't be used: {error}") from None
