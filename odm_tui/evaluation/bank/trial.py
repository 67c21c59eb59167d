"""Hold interviews with callers whose answers and outcomes are known, and record what happened."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

import numpy as np

from odm_tui.engine.belief import normalise
from odm_tui.engine.interview import Interview
from odm_tui.engine.interview_tree import HeldInterview, InterviewTree
from odm_tui.engine.policy import Policy
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Bools, Floats, Ints
from odm_tui.engine.stepping import finish
from odm_tui.evaluation.bank.callers import CallerGroup, Outcomes, find_asked_of_all

SEEDS = 2
"""How many samples of theta the callers of one group share. Each is a sample like those of real interviews."""


@dataclass(frozen=True, eq=False)
class Trial:
    """The interviews of one policy with some callers, (T,) each; ``asked`` counts each question, (n,).

    ``gained`` is how much the belief in the right outcome rose by each question, summed over the interviews, and
    ``paid`` what the question cost in all, (n,). ``belief`` is how sure each decision was.
    """

    questions: Floats
    cost: Floats
    decided: Ints
    outcomes: Outcomes
    said: Floats
    referred: Bools
    asked: Floats
    gained: Floats
    paid: Floats

    @property
    def right(self) -> Bools:
        """Which decisions were right."""
        return np.asarray(self.decided == self.outcomes)


def join_trials(parts: Sequence[Trial]) -> Trial:
    """Return all interviews of several groups as one."""
    rows = ("questions", "cost", "decided", "outcomes", "said", "referred")
    return Trial(
        **{name: np.concatenate([getattr(part, name) for part in parts]) for name in rows},
        **{
            name: np.sum([getattr(part, name) for part in parts], axis=0)
            for name in ("asked", "gained", "paid")
        },
    )


def hold_interviews(group: CallerGroup, policy: Policy, seed: int) -> Trial:
    """Hold an interview with every caller of a group."""
    return finish(hold_stepwise(group, policy, seed))


def hold_stepwise(
    group: CallerGroup, policy: Policy, seed: int, count: Callable[[], None] = lambda: None
) -> Generator[None, None, Trial]:
    """Hold the same interviews; yield before each longer computation, and call ``count`` after each interview."""
    size, n = group.answers.shape
    samples = min(SEEDS, size) if policy.exploration.explores or not policy.oracle.uses_theta else 1
    record = _Record(group, n)
    for sample in range(samples):
        yield
        tree = InterviewTree(Interview(group.posterior.problem, policy, group.posterior, seed + sample))
        for caller in range(sample, size, samples):
            held = yield from tree.hold_stepwise(group.answers[caller])
            record.add(caller, held)
            count()
    return record.finish()


class _Record:
    """The arrays of a trial while it is held."""

    def __init__(self, group: CallerGroup, n: int) -> None:
        size = len(group.outcomes)
        self.group = group
        self.costs = charges(group.posterior)
        self.questions, self.cost, self.said = np.zeros(size), np.zeros(size), np.zeros(size)
        self.decided = np.zeros(size, dtype=np.intp)
        self.referred = np.zeros(size, dtype=bool)
        self.asked, self.gained, self.paid = np.zeros(n), np.zeros(n), np.zeros(n)

    def add(self, caller: int, held: HeldInterview) -> None:
        outcome = int(self.group.outcomes[caller])
        questions = np.array(held.questions, dtype=np.intp)
        paid = self.costs[questions, outcome, np.array(held.answers, dtype=np.intp)]
        self.questions[caller] = len(questions)
        self.cost[caller] = paid.sum()
        self.decided[caller], self.said[caller] = held.decision.outcome, held.decision.belief
        self.referred[caller] = held.decision.refer
        self.asked[questions] += 1
        self.paid[questions] += paid
        if outcome >= 0:
            self.gained[questions] += np.diff(held.beliefs[:, outcome])

    def finish(self) -> Trial:
        return Trial(
            self.questions,
            self.cost,
            self.decided,
            self.group.outcomes,
            self.said,
            self.referred,
            self.asked,
            self.gained,
            self.paid,
        )


def charges(posterior: Posterior) -> Floats:
    """Return what each answer costs by question and outcome, (n, m + 1, K + 1).

    The last answer is "don't know", which costs the question's mean; the last outcome, -1, is one that the bank does not
    have, and costs the mean over the outcomes.
    """
    problem = posterior.problem
    n, m, width = problem.shape
    costs = np.zeros((n, m + 1, width + 1))
    costs[:, :m, :width] = problem.cost
    costs[:, :m, width] = (problem.cost * posterior.mean()).sum(axis=-1)
    costs[:, m] = np.einsum("imk,m->ik", costs[:, :m], posterior.outcome_prior())
    return costs


def ask_everything(group: CallerGroup) -> Trial:
    """Return the interviews in which everything is asked that may be asked."""
    posterior = group.posterior
    asked = find_asked_of_all(posterior.problem, group.answers)
    answers = np.where(asked, group.answers, -1).astype(np.intp)
    beliefs = _beliefs(posterior, answers)
    costs, size = charges(posterior), len(group.outcomes)
    rows = np.arange(size)
    paid = np.where(
        asked,
        costs[np.arange(answers.shape[1])[None], group.outcomes[:, None], group.answers.astype(np.intp)],
        0.0,
    )
    stakes = posterior.problem.decision_stakes
    decided = np.array([stakes.decide(belief) for belief in beliefs], dtype=np.intp)
    none = np.zeros(answers.shape[1])
    return Trial(
        asked.sum(axis=1).astype(float),
        paid.sum(axis=1),
        decided,
        group.outcomes,
        beliefs[rows, decided],
        np.array([stakes.should_refer(belief) for belief in beliefs], dtype=bool),
        asked.sum(axis=0).astype(float),
        none,
        paid.sum(axis=0),
    )


def _beliefs(posterior: Posterior, answers: Ints) -> Floats:
    """Return P(outcome | all answers) under the posterior mean, (T, m)."""
    known = posterior.by_variant
    n, m, width = known.problem.shape
    with np.errstate(divide="ignore"):
        log_theta = np.log(known.mean())
        log_prior = np.log(known.outcome_prior())
    padded = np.zeros((n, m, width + 1))
    padded[..., :width] = log_theta
    joint = log_prior + padded[np.arange(n)[None], :, answers].sum(axis=1)
    return known.problem.by_outcome(np.array([normalise(each) for each in joint]))
