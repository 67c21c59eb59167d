"""The path of a logged interview: its choices, in order. New draws of a policy either repeat them or do not.

Thompson Sampling draws theta once per interview, before the first question. So the choices within an interview are
not independent: P(path) is the share of draws that make *all* of the choices, not a product of shares per step.

The cost and the decision of an interview depend on the questions asked, not on their order. So a draw repeats a logged
choice if it has asked the same set of questions, in any order, and then chooses the same question, or stops there. The
weights then have the same mean as those of ordered paths, and a smaller variance. The log has all answers that such a
draw needs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from odm_tui.banks.bank import Bank
from odm_tui.engine.interview import Ask, Decide, Interview, Kind, Step
from odm_tui.engine.policy import Policy, policy_from
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Floats, Problem
from odm_tui.engine.stopping import Never
from odm_tui.errors import BadArgument
from odm_tui.evaluation.replay.logged_interviews import LoggedInterview

STOP = -1
"""The choice to stop."""


class QuestionReply(NamedTuple):
    """The reply to a question: the index of an answer, "don't know", or a skip."""

    kind: Kind
    answer: int | None = None

    def give(self, interview: Interview, question: int) -> None:
        """Give this reply to a question of an interview."""
        if self.kind == "answered":
            interview.answer(interview.problem.questions[question].answers[self.answer or 0], question)
        elif self.kind == "unknown":
            interview.dont_know(question)
        else:
            interview.skip(question)


@dataclass(frozen=True, eq=False)
class LoggedPath:
    """The choices of one logged interview: ``steps`` are the questions in order; then it stopped.

    ``policy`` held it, with the posterior ``before``. ``outcome`` is the confirmed one; ``right`` is 1 if it was
    decided, else 0: also if it was handed over.
    """

    interview: str
    policy: Policy
    before: Posterior
    steps: tuple[int, ...]
    replies: Mapping[int, QuestionReply]
    outcome: int
    right: float

    @property
    def problem(self) -> Problem:
        """The questions and outcomes."""
        return self.before.problem

    @cached_property
    def choices(self) -> tuple[int, ...]:
        """What was chosen after 0, 1, … questions."""
        return (*self.steps, STOP)

    @cached_property
    def asked_before(self) -> tuple[frozenset[int], ...]:
        """The set of questions asked before each choice."""
        return tuple(frozenset(self.steps[:count]) for count in range(len(self.steps) + 1))

    @cached_property
    def answer_costs(self) -> Floats:
        """The cost of each answer under the confirmed outcome, (n, K)."""
        return np.asarray(self.problem.cost[:, self.outcome, :])

    @cached_property
    def unknown_costs(self) -> Floats:
        """The cost of "don't know": the mean cost of the question under the outcome, (n,)."""
        return np.asarray((self.answer_costs * self.before.mean()[:, self.outcome, :]).sum(axis=-1))

    def compute_cost(self, replies: Iterable[tuple[int, Kind, int | None]]) -> float:
        """Return the cost of these replies (question, kind, answer) under the confirmed outcome; a skip is free."""
        total = 0.0
        for question, kind, answer in replies:
            if kind == "answered":
                total += float(self.answer_costs[question, answer])
            elif kind == "unknown":
                total += float(self.unknown_costs[question])
        return total

    @cached_property
    def cost(self) -> float:
        """The cost of the logged interview, under the confirmed outcome."""
        return self.compute_cost((question, *self.replies[question]) for question in self.steps)

    def key(self, policy: Policy, use: str, seed: int) -> int:
        """Return the seed of this interview's own generator for the draws of a policy.

        It depends on the interview's id, the policy, the use and ``seed``. So no two interviews share a draw, and a
        second run repeats the first.
        """
        name = json.dumps([self.interview, policy.spec(), use, seed], sort_keys=True)
        return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=16).digest(), "big")

    def seeds(self, policy: Policy, use: str, seed: int) -> Iterator[int]:
        """Yield this interview's own seeds for the draws of a policy, without end."""
        rng = np.random.default_rng(self.key(policy, use, seed))
        while True:
            yield from rng.integers(2**62, size=64).tolist()


class DrawnChoice(NamedTuple):
    """One choice of a draw: after how many questions, which question (or STOP), and whether it repeats the log."""

    asked: int
    question: int
    logged: bool


def follow_path(interview: Interview, path: LoggedPath) -> Iterator[DrawnChoice]:
    """Yield the choices of a draw until it stops or asks a question that the log has no reply to.

    Each choice is yielded before its logged reply is given. Until then the caller may continue the interview, if it
    undoes its steps.
    """
    asked: set[int] = set()
    while True:
        question = find_choice(interview)
        count = len(asked)
        yield DrawnChoice(
            count, question, asked == path.asked_before[count] and question == path.choices[count]
        )
        reply = path.replies.get(question)
        if reply is None:
            return
        reply.give(interview, question)
        asked.add(question)


def find_choice(interview: Interview) -> int:
    """Return the next question, or STOP."""
    upcoming = interview.next
    return upcoming.question if isinstance(upcoming, Ask) else STOP


def list_replies(steps: Iterable[Step]) -> Iterator[tuple[int, Kind, int | None]]:
    """Yield (question, kind, answer) of each step, as :meth:`LoggedPath.compute_cost` takes it."""
    return ((step.question, step.kind, step.answer) for step in steps)


def is_random(policy: Policy, before: Posterior) -> bool:
    """Return whether a policy may hold the same interview in different ways.

    True for an oracle that draws questions (``random``, ``dpp``), for a share of random questions, and for a sampled
    theta, unless all questions are asked anyway.
    """
    oracle, exploration = policy.oracle, policy.exploration
    if oracle.name == "random" or oracle.draws_a_set or exploration.epsilon > 0:
        return True
    if oracle.asks_everything and isinstance(policy.stop, Never):
        return False
    first, second = (exploration.model(before, np.random.default_rng(seed)).theta for seed in (0, 1))
    return not np.array_equal(first, second)


def find_path(bank: Bank, logged: LoggedInterview) -> LoggedPath | str:
    """Return the path of a logged interview, or the reason why the probability of its choices is unknown.

    The path ends where the policy decided. What the operator did after that, because an advice did not help or the
    decision was not sure enough, is cut off: left out, the interviews with such decisions would be missing.
    """
    if logged.changed:
        return "an earlier answer was changed or left out"
    try:
        policy = policy_from(logged.started.policy)
    except BadArgument:
        return "its policy is unknown"
    if not is_random(policy, logged.before):
        return "its policy does not choose at random"
    path = _path_of(logged, policy, logged.path, logged.decided)
    interview = Interview(path.problem, policy, logged.before, logged.started.seed)
    for choice in follow_path(interview, path):
        if not choice.logged and choice.question != STOP:
            return _find_reason(logged)
    upcoming, own = interview.next, logged.path[: len(interview.steps)]
    if not isinstance(upcoming, Decide) or (own != logged.path and len(own) not in logged.decisions):
        return "its own seed asks other questions now"
    handed_over = len(own) in logged.referrals
    if upcoming.outcome != logged.decisions.get(len(own)) or upcoming.refer != handed_over:
        return "its own seed decides otherwise now"
    return _path_of(logged, policy, own, None if upcoming.refer else upcoming.outcome)


def _path_of(
    logged: LoggedInterview, policy: Policy, steps: tuple[int, ...], decided: int | None
) -> LoggedPath:
    return LoggedPath(
        logged.started.interview,
        policy,
        logged.before,
        steps,
        {question: _find_reply(logged, question) for question in steps},
        logged.outcome,
        float(decided == logged.outcome),
    )


def _find_reason(logged: LoggedInterview) -> str:
    """Return why the policy of an interview asks something else now than was asked then, or goes on."""
    if logged.picked:
        return "the operator picked a question"
    if logged.stopped:
        return "the operator stopped it"
    return "its own seed asks other questions now"


def _find_reply(logged: LoggedInterview, question: int) -> QuestionReply:
    if question in logged.unknown:
        return QuestionReply("unknown")
    if question in logged.skipped:
        return QuestionReply("skipped")
    return QuestionReply("answered", int(logged.answers[question]))
