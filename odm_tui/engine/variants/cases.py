"""Cases: the answers and confirmed outcomes that variants are fitted to, in an order that depends on nothing else."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Floats, Ints, Problem
from odm_tui.errors import BadArgument

FOLDS = 5


@dataclass(frozen=True, eq=False)
class LearningCases:
    """Distinct cases, each with how much it counts; use :meth:`of`.

    ``answers`` is (N, n): one answer index for each question, -1 where it was not asked or nobody knew. ``outcomes`` is
    (N,), and ``weights`` (N,) is how many confirmed interviews were like this; in a bank with a half-life old ones count
    less. The cases are sorted, so what is computed from them does not depend on the order in which they came.
    """

    problem: Problem
    answers: npt.NDArray[np.int16]
    outcomes: Ints
    weights: Floats

    @classmethod
    def of(
        cls,
        problem: Problem,
        answers: npt.ArrayLike,
        outcomes: npt.ArrayLike,
        weights: npt.ArrayLike | None = None,
    ) -> Self:
        """Sort the cases and count equal ones together.

        >>> problem = Problem.build(["fever"], ["flu", "cold"])
        >>> cases = LearningCases.of(problem, [[1], [0], [1]], [0, 1, 0])
        >>> cases.answers.tolist(), cases.outcomes.tolist(), cases.weights.tolist()
        ([[1], [0]], [0, 1], [2.0, 1.0])
        """
        n = len(problem.questions)
        given = np.asarray(answers, dtype=np.int16).reshape(-1, n)
        right = np.asarray(outcomes, dtype=np.intp)
        counted = np.ones(len(right)) if weights is None else np.asarray(weights, dtype=np.float64)
        if len(given) != len(right) or counted.shape != right.shape:
            raise BadArgument(
                f"There are {len(given)} sets of answers, {len(right)} outcomes and {counted.size} weights."
            )
        sizes = problem.valid.sum(axis=1)
        if ((given < -1) | (given >= sizes)).any() or ((right < 0) | (right >= problem.shape[1])).any():
            raise BadArgument("The cases have answers or outcomes that the problem does not have.")
        rows = np.concatenate([right[:, None], given], axis=1)
        distinct, place = np.unique(rows, axis=0, return_inverse=True)
        # Equal cases are added up in the order of their weights, so that the sum is the same in any order.
        order = np.lexsort((counted, place.ravel()))
        total = np.zeros(len(distinct))
        np.add.at(total, place.ravel()[order], counted[order])
        return cls(problem, distinct[:, 1:].astype(np.int16), distinct[:, 0].astype(np.intp), total)

    @cached_property
    def pairs(self) -> Floats:
        """Which answers each case has, (N, P): a column for each pair of question and answer, the problem's in order."""
        return np.asarray(self.answers[:, self.question_of] == self.answer_of, dtype=np.float64)

    @cached_property
    def question_of(self) -> Ints:
        """The question of each pair, (P,)."""
        return np.nonzero(self.problem.valid)[0]

    @cached_property
    def answer_of(self) -> Ints:
        """The answer of each pair, (P,)."""
        return np.nonzero(self.problem.valid)[1]

    @cached_property
    def first_pairs(self) -> Ints:
        """The first pair of each question, (n,)."""
        return np.flatnonzero(np.diff(self.question_of, prepend=-1))

    @cached_property
    def folds(self) -> Ints:
        """The fold of each case, (N,), by a hash of its answers: equal sets of answers are in one fold."""
        made = (hashlib.blake2b(row.tobytes(), digest_size=8).digest() for row in self.answers.astype("<i2"))
        return np.array([int.from_bytes(digest, "big") % FOLDS for digest in made], dtype=np.intp)

    @cached_property
    def answer_sets(self) -> Ints:
        """The number of each case's set of answers, (N,): equal for equal ones."""
        return np.unique(self.answers, axis=0, return_inverse=True)[1].ravel()

    def posterior(self, weights: Floats) -> Posterior:
        """What these cases teach without variants, with other weights."""
        n, m, width = self.problem.shape
        counts = np.zeros((n, m, width))
        by_outcome = self._by_outcome * weights
        counts[self.question_of, :, self.answer_of] = (by_outcome @ self.pairs).T
        return Posterior.of(self.problem, counts, by_outcome.sum(axis=1), round(float(weights.sum())))

    @cached_property
    def _by_outcome(self) -> Floats:
        return np.asarray(np.arange(self.problem.shape[1])[:, None] == self.outcomes, dtype=np.float64)
