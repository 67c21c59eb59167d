"""Interviews with one wrong answer, to see how often a contradiction is found, and how often it could be.

A case is an interview in which a wrong answer changed the decision, and in which one more right answer would bring back
the decision of the interview without it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from odm_tui.banks import load_bank
from odm_tui.banks.policies import policy_for
from odm_tui.engine.contradiction import USUAL_ERROR, settled_odds
from odm_tui.engine.interview import Ask, Decide, Interview
from odm_tui.engine.model import Model
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Floats, Problem

Answers = npt.NDArray[np.int16]


@dataclass(frozen=True)
class Ending:
    """An interview at its decision: whether a contradiction was found, and the evidence that is the best possible.

    ``weight`` is how likely such an error is; 1 without an error.
    """

    seed: int
    flagged: bool
    evidence: float
    weight: float = 1.0


@dataclass(frozen=True)
class BankTrial:
    """Interviews with right answers, and those with a wrong one that changed the decision and could be settled."""

    bank: str
    right: list[Ending]
    cases: list[Ending]
    changed: int
    """How many wrong answers changed the decision, settled or not."""
    errors: int


def try_bank(name: str, seeds: range, callers: int) -> BankTrial:
    """Hold interviews with callers of a bank as it is shipped, each with right answers and with one wrong answer."""
    bank = load_bank(name)
    problem, policy, posterior = bank.problem, policy_for(bank, None), Posterior.of(bank.problem)
    mean = Model.of(posterior, posterior.mean())
    rates = error_rates(problem)
    right, cases, changed, errors = [], [], 0, 0
    for seed in seeds:
        rng = np.random.default_rng([seed, 13])
        interview = Interview(problem, policy, posterior, seed)
        for _ in range(callers):
            truth = int(rng.choice(len(mean.prior), p=mean.prior))
            answers = draw_answers(problem, mean.theta[:, truth], rng)
            decided = _hold(interview, answers)
            right.append(_ending(interview, mean, seed))
            asked = [step.question for step in interview.steps]
            if asked:
                errors += 1
                chances = rates[asked] / rates[asked].sum()
                at = int(rng.choice(len(asked), p=chances))
                others = np.flatnonzero(problem.valid[asked[at]])
                wrong = answers.copy()
                wrong[asked[at]] = rng.choice(others[others != answers[asked[at]]])
                interview.undo(len(asked) - at)
                after = _hold(interview, wrong)
                if after.outcome != decided.outcome:
                    changed += 1
                    if can_be_settled(interview, mean, answers, decided.outcome):
                        weight = float(rates[asked].sum())
                        cases.append(_ending(interview, mean, seed, weight))
            interview.undo(len(interview.steps))
    return BankTrial(bank.title, right, cases, changed, errors)


def error_rates(problem: Problem) -> Floats:
    """How often each question's answer is wrong, (n,)."""
    usual = np.full(len(problem.questions), USUAL_ERROR)
    if problem.error_rates is None:
        return usual
    return np.where(np.isnan(problem.error_rates), usual, problem.error_rates)


def draw_answers(problem: Problem, theta: Floats, rng: np.random.Generator) -> Answers:
    """Draw an answer to every question, (n,), from theta of one outcome, (n, K)."""
    cuts = np.cumsum(theta, axis=-1)[:, :-1]
    answers = (rng.random((len(cuts), 1)) > cuts).sum(axis=-1)
    return np.asarray(np.minimum(answers, problem.valid.sum(axis=1) - 1), dtype=np.int16)


def _hold(interview: Interview, answers: Answers) -> Decide:
    while True:
        upcoming = interview.next
        if not isinstance(upcoming, Ask):
            return upcoming
        question = interview.problem.questions[upcoming.question]
        interview.answer(question.answers[int(answers[upcoming.question])])


def _ending(interview: Interview, mean: Model, seed: int, weight: float = 1.0) -> Ending:
    evidence = best_evidence(mean, interview.answers, interview.available)
    return Ending(seed, interview.contradiction is not None, evidence, weight)


def can_be_settled(interview: Interview, mean: Model, answers: Answers, outcome: int) -> bool:
    """Whether the right answer to one more question would make this outcome the likeliest."""
    asked = np.flatnonzero(interview.answers >= 0)
    joint = mean.log_prior + mean.log_theta[asked, :, interview.answers[asked]].sum(axis=0)
    left = np.flatnonzero(interview.available)
    after = joint + mean.log_theta[left, :, answers[left]]
    return bool((after.argmax(axis=1) == outcome).any())


def best_evidence(mean: Model, answers: Answers, available: npt.NDArray[np.bool_]) -> float:
    """P(these answers, one is wrong, changed the decision and can be settled) / P(these answers, all are right).

    No rule with as many false alarms finds more cases than one that flags where this is high (Neyman and Pearson), as
    far as the decision without the error is that of the same questions with the right answer.
    """
    asked = np.flatnonzero(answers >= 0)
    if len(asked) < 2:
        return 0.0  # there are no others that could contradict it
    return float(settled_odds(mean, asked, answers[asked][None], available[None])[0].sum())


def best_power(right: list[Ending], cases: list[Ending], alarms: float) -> float:
    """The share of cases that the best rule finds if it raises so many false alarms; ties are divided by chance."""
    usual = np.sort([each.evidence for each in right])[::-1]
    weights = np.array([each.weight for each in cases])
    evidence = np.array([each.evidence for each in cases])
    allowed = alarms * len(usual)
    bar = usual[min(int(allowed), len(usual) - 1)]
    above, at = (usual > bar).sum(), (usual == bar).sum()
    share = (allowed - above) / at if at else 0.0
    found = (evidence > bar) + (evidence == bar) * (min(max(share, 0.0), 1.0) if bar > 0 else 0.0)
    return float((found * weights).sum() / weights.sum())
