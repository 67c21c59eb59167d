"""A simulated interview in a few flat matrices, so that a question takes microseconds.

The mathematics is the engine's (lists, weights, edges, entropies). The difference: a simulated interview never undoes
an answer, so everything is updated in place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from odm_tui.engine.belief import entropy
from odm_tui.engine.gains import edge_weights
from odm_tui.engine.hypotheses import Hypotheses
from odm_tui.engine.model import Model
from odm_tui.engine.problem import Floats, Ints

UNDECIDED = -1
"""The decision if the remaining hypotheses are contested or belong to more than one region."""

TINY = 1e-100
"""Below this mass, weights are scaled up: the square of a much smaller one is 0."""

Answers = npt.NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class HypothesisTable:
    """Hypotheses as rows: their answers, their regions, and the matrices for sums over them.

    ``region`` is the outcome's index, or m for a contested hypothesis that has its own region. ``columns`` is
    (R, n·K + 1): 1 where row h answers q to question i, and a last column of ones, so that one product with
    the weights gives the mass of every answer and the total mass.
    """

    rows: Answers
    region: Ints
    outcomes: int
    columns: Floats

    @classmethod
    def of(cls, hypotheses: Hypotheses, width: int) -> Self:
        """Convert the listed hypotheses of the engine, whose questions have at most ``width`` answers."""
        listed = hypotheses.listed
        region = np.nonzero(listed)[0]
        if hypotheses.apart:
            region[hypotheses.contested[listed]] = len(listed)
        return cls._with(hypotheses.answers[listed], region, len(listed), width)

    @classmethod
    def _with(cls, rows: Answers, region: Ints, outcomes: int, width: int) -> Self:
        count, n = rows.shape
        columns = np.ones((count, n * width + 1))
        columns[:, :-1] = (rows[:, :, None] == np.arange(width, dtype=np.int8)).reshape(count, n * width)
        return cls(rows, region, outcomes, columns)

    def with_row(self, answers: Answers, region: int) -> HypothesisTable:
        """Return the same list with one more hypothesis, as its last row."""
        n = self.rows.shape[1]
        width = (self.columns.shape[1] - 1) // n
        last = np.ones(self.columns.shape[1])
        last[:-1] = (answers[:, None] == np.arange(width)).ravel()
        return HypothesisTable(
            np.vstack([self.rows, answers[None]]),
            np.append(self.region, region),
            self.outcomes,
            np.vstack([self.columns, last[None]]),
        )

    def find(self, answers: Answers) -> int | None:
        """Return the row with exactly these answers, or None."""
        same = (self.rows == answers).all(axis=1)
        at = int(same.argmax())
        return at if same[at] else None

    @cached_property
    def by_region(self) -> npt.NDArray[np.bool_]:
        """Which rows belong to each region, (m + 1, R); the last region is the contested one."""
        return np.asarray(np.arange(self.outcomes + 1)[:, None] == self.region)

    def log_likelihoods(self, model: Model) -> Floats:
        """Return log P(h | y = j) for every row and outcome, (R, m)."""
        n, m, width = model.theta.shape
        by_answer = model.log_theta.transpose(0, 2, 1).reshape(n * width, m)
        return np.asarray(self.columns[:, :-1] @ by_answer)


class FastInterview:
    """One simulated interview: the belief, the consistent hypotheses, and the questions that can still be asked."""

    def __init__(self, model: Model, listed: HypothesisTable) -> None:
        self.model = model
        n = len(model.problem.questions)
        self.available = np.ones(n, dtype=bool)
        self.answers = np.full(n, -1, dtype=np.int8)
        self.asked: list[int] = []
        self.belief = model.prior
        self.use_hypotheses(listed)

    def use_hypotheses(self, listed: HypothesisTable) -> None:
        """Continue with this list of hypotheses, all consistent with the answers so far."""
        self.listed = listed
        self.alive = np.ones(len(listed.rows), dtype=bool)
        self.weights = listed.by_region * self.weigh(listed)

    def weigh(self, listed: HypothesisTable) -> Floats:
        """Return P(h) for every row, up to a factor, (R,)."""
        joint = listed.log_likelihoods(self.model) + self.model.log_prior
        return np.asarray(np.exp(joint - joint.max()).sum(axis=1))

    def add_answer(self, question: int, answer: int) -> None:
        """Update belief and hypotheses with an answer."""
        self.available[question] = False
        self.answers[question] = answer
        self.asked.append(question)
        joint = self.belief * self.model.theta[question, :, answer]
        total = joint.sum()
        if total > 0:
            self.belief = joint / total
        fits = self.listed.rows[:, question] == answer
        self.alive &= fits
        self.weights = self.weights * fits

    @property
    def regions(self) -> int:
        """How many regions have a consistent hypothesis."""
        return int(np.count_nonzero(self.listed.by_region @ self.alive))

    @property
    def decision(self) -> int:
        """The region that is left, or UNDECIDED if it is the contested one or there are several."""
        left = np.flatnonzero(self.listed.by_region @ self.alive)
        return int(left[0]) if len(left) == 1 and left[0] < self.listed.outcomes else UNDECIDED

    # -- gains -----------------------------------------------------------------------------------------

    def edges_cut(self) -> Floats:
        """Return the weight of the edges that each answer to each question cuts, (n · K,), up to a factor."""
        mass = self.weights @ self.listed.columns
        whole = float(mass[:, -1].sum())
        if 0 < whole < TINY:
            mass = mass / whole
        left = edge_weights(mass)
        return np.asarray(np.maximum(left[-1] - left[:-1], 0.0))

    def ec2_gains(self) -> Floats:
        """Return the expected weight of the edges that each question cuts (eq:gain_ec2), (n,), up to a factor."""
        chances = self.model.by_answer @ self.belief
        return np.asarray((chances * self.edges_cut()).reshape(len(self.available), -1).sum(axis=1))

    def information_gains(self) -> Floats:
        """Return the expected reduction of entropy by each question (eq:gain_ig), (n,)."""
        before = entropy(self.model.answer_chances(self.belief))
        return np.maximum(before - self.model.answer_entropy @ self.belief, 0.0)


Gains = Callable[[FastInterview], Floats]
"""Returns the gain of each question of an interview."""

GAINS: Mapping[str, Gains] = {
    "w-ec2": lambda interview: interview.ec2_gains(),
    "w-ig": lambda interview: interview.information_gains(),
}
"""The gain of each of the paper's oracles, by the oracle's name."""
