"""Figures of a trial: what interviews cost, how often they are right, and whether they are as right as they say."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from odm_tui.engine.calibration import ReliabilityBin, calibration_error, find_reliability
from odm_tui.engine.problem import Problem
from odm_tui.evaluation.bank.trial import Trial

NINETY = 0.9
_Z = 1.959964
MOST_CONFUSIONS = 20


@dataclass(frozen=True)
class EvaluationRow:
    """One line of an evaluation: a policy with its stakes, and what its interviews were like.

    ``cost_share`` is the cost as a share of asking everything. ``right`` is the share of right decisions with its 95 %
    interval, ``said`` how sure they were on average, ``ece`` the expected calibration error. ``total`` is the
    cost of an interview and of its decision, if that is wrong. ``referred`` are the interviews that were handed over.
    """

    policy: str
    stakes: float
    n: int
    questions: float
    questions_90: float
    cost: float
    cost_90: float
    cost_share: float | None
    right: float
    right_low: float
    right_high: float
    said: float
    ece: float
    total: float
    referred: float


@dataclass(frozen=True)
class QuestionFigures:
    """How often a question was asked, how much it raised the belief in the right outcome then, and what it cost.

    ``pays`` is what that rise is worth at the bank's stakes, less the cost, for one interview.
    """

    question: str
    asked: float
    gained: float
    cost: float
    pays: float


@dataclass(frozen=True)
class Confusion:
    """How often one outcome was taken for another."""

    outcome: str
    taken_for: str
    count: int
    share: float
    """Of the interviews with this outcome."""


@dataclass(frozen=True)
class Details:
    """What interviews with the bank's own policy were like, in detail."""

    calibration: tuple[ReliabilityBin, ...]
    confusions: tuple[Confusion, ...]
    never_asked: tuple[str, ...]
    never_named: tuple[str, ...]
    questions: tuple[QuestionFigures, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return asdict(self)


def summarise_trial(name: str, problem: Problem, trial: Trial, cost_of_all: float) -> EvaluationRow:
    """Return the figures of a trial; ``cost_of_all`` is what asking everything costs on average."""
    n = len(trial.cost)
    decided = ~trial.referred
    right, said = trial.right[decided], trial.said[decided]
    share = float(right.mean()) if len(right) else 0.0
    low, high = wilson_interval(int(right.sum()), len(right))
    losses = _losses(problem, trial)
    return EvaluationRow(
        policy=name,
        stakes=float(problem.effective_stakes),
        n=n,
        questions=float(trial.questions.mean()),
        questions_90=float(np.quantile(trial.questions, NINETY)),
        cost=float(trial.cost.mean()),
        cost_90=float(np.quantile(trial.cost, NINETY)),
        cost_share=float(trial.cost.mean() / cost_of_all) if cost_of_all > 0 else None,
        right=share,
        right_low=low,
        right_high=high,
        said=float(said.mean()) if len(said) else 0.0,
        ece=calibration_error(find_reliability(np.clip(said, 0, 1), right)),
        total=float((trial.cost + losses).mean()),
        referred=float(trial.referred.mean()),
    )


def _losses(problem: Problem, trial: Trial) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return what each wrong decision and each hand-over costs."""
    stakes = problem.decision_stakes
    table = np.pad(stakes.table, ((0, 0), (0, 1)), constant_values=stakes.most)  # an outcome the bank lacks
    losses = table[trial.decided, trial.outcomes]
    return np.where(trial.referred, stakes.refer or 0.0, losses)


def describe_trial(problem: Problem, trial: Trial) -> Details:
    """Return the calibration, the confusions and the questions of a trial."""
    n = len(trial.cost)
    decided = ~trial.referred
    pairs = Counter(
        (int(true), int(taken))
        for true, taken in zip(trial.outcomes[decided], trial.decided[decided], strict=True)
        if true != taken and true >= 0
    )
    seen = np.bincount(trial.outcomes[trial.outcomes >= 0], minlength=problem.shape[1])
    named = set(trial.decided[decided].tolist())
    ordered = sorted(pairs.items(), key=lambda pair: (-pair[1], pair[0]))
    asked = [i for i in range(len(problem.questions)) if trial.asked[i] > 0]
    worth = (trial.gained * problem.effective_stakes - trial.paid) / n
    return Details(
        calibration=find_reliability(np.clip(trial.said[decided], 0, 1), trial.right[decided]),
        confusions=tuple(
            Confusion(problem.outcomes[true], problem.outcomes[taken], count, count / int(seen[true]))
            for (true, taken), count in ordered[:MOST_CONFUSIONS]
        ),
        never_asked=tuple(q.id for i, q in enumerate(problem.questions) if trial.asked[i] == 0),
        never_named=tuple(id for j, id in enumerate(problem.outcomes) if j not in named and seen[j]),
        questions=tuple(
            QuestionFigures(
                problem.questions[i].id,
                float(trial.asked[i] / n),
                float(trial.gained[i] / trial.asked[i]),
                float(trial.paid[i] / trial.asked[i]),
                float(worth[i]),
            )
            for i in sorted(asked, key=lambda i: -worth[i])
        ),
    )


def wilson_interval(hits: int, count: int) -> tuple[float, float]:
    """Return the 95 % Wilson interval of a share.

    >>> tuple(round(x, 3) for x in wilson_interval(45, 50))
    (0.786, 0.957)
    """
    if not count:
        return 0.0, 1.0
    share, z2 = hits / count, _Z**2
    middle = (share + z2 / (2 * count)) / (1 + z2 / count)
    half = _Z / (1 + z2 / count) * (share * (1 - share) / count + z2 / (4 * count**2)) ** 0.5
    return max(0.0, middle - half), min(1.0, middle + half)
