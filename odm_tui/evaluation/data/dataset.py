"""A data set: scenarios with all their answers and the right outcome, and what is known of the whole set.

theta and P(y) are the paper's letters. Both come from all scenarios, also where an experiment takes only
the first few of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from odm_tui.engine.problem import Floats, Problem, Question
from odm_tui.errors import BadArgument


@dataclass(frozen=True, eq=False)
class Dataset:
    """Scenarios of one seed, in the order in which they arrive.

    ``answers`` is (T, n): the index of every answer. ``values`` is (T, n): the same answers as numbers from
    0 to 1, before any threshold. ``labels`` is (T,): the right outcomes. ``theta`` is (n, m, K): how often
    each outcome gave each answer in the whole data set (the paper's theta "derived from the data").
    ``hypotheses`` is how many an outcome may list; ``size`` how many scenarios the whole data set has.
    """

    name: str
    seed: int
    problem: Problem
    answers: npt.NDArray[np.int8]
    values: Floats
    labels: npt.NDArray[np.intp]
    theta: Floats
    hypotheses: int
    source: str
    size: int

    @property
    def mean_cost(self) -> Floats:
        """mu_ij under the data's theta, (n, m): the paper's eq:params."""
        return np.asarray((self.problem.cost * self.theta).sum(axis=-1))

    def first(self, count: int | None) -> Dataset:
        """The first ``count`` scenarios; theta and P(y) stay those of all."""
        if count is None:
            return self
        if count < 1:
            raise BadArgument(f"an experiment needs at least one scenario, not {count}")
        return replace(
            self, answers=self.answers[:count], values=self.values[:count], labels=self.labels[:count]
        )


def make_dataset(
    name: str,
    seed: int,
    questions: Sequence[Question],
    outcomes: Sequence[str],
    answers: npt.NDArray[np.integer],
    labels: npt.NDArray[np.integer],
    cost: Floats,
    hypotheses: int,
    source: str,
    values: Floats | None = None,
) -> Dataset:
    """A data set from its scenarios; theta and P(y) are counted.

    >>> made = make_dataset("toy", 0, [Question("a")], ["no", "yes"], np.array([[0], [1], [1], [1]]),
    ...     np.array([0, 0, 1, 1]), np.array([[1.0, 2.0]]), 2, "by hand")
    >>> made.theta[0].tolist()
    [[0.5, 0.5], [0.0, 1.0]]
    >>> made.mean_cost.tolist()
    [[1.5, 2.0]]
    """
    frequencies = np.bincount(labels, minlength=len(outcomes))
    problem = Problem.build(questions, outcomes, prior=frequencies / len(labels), cost=cost)
    scale = np.maximum(problem.valid.sum(axis=1) - 1, 1)
    return Dataset(
        name=name,
        seed=seed,
        problem=problem,
        answers=np.ascontiguousarray(answers, dtype=np.int8),
        values=answers / scale if values is None else values,
        labels=labels.astype(np.intp),
        theta=answer_shares(problem, answers, labels),
        hypotheses=hypotheses,
        source=source,
        size=len(labels),
    )


def answer_shares(
    problem: Problem, answers: npt.NDArray[np.integer], labels: npt.NDArray[np.integer]
) -> Floats:
    """The share of each answer among the scenarios of each outcome, (n, m, K).

    An outcome without scenarios has all its answers equally often.
    """
    n, m, width = problem.shape
    counts = np.zeros((n, m, width))
    np.add.at(counts, (np.arange(n), labels[:, None], answers), 1.0)
    seen = counts.sum(axis=-1, keepdims=True)
    even = problem.valid[:, None, :] / problem.valid.sum(axis=1)[:, None, None]
    return np.asarray(np.where(seen > 0, counts / np.maximum(seen, 1.0), even))


def uniform_costs(questions: Sequence[Question], seed: int) -> Floats:
    """A cost for each question and answer, uniform in [0, 1] (section 6.1), shape (n, K)."""
    width = max(len(question.answers) for question in questions)
    drawn = np.random.default_rng(seed).random((len(questions), width))
    sizes = np.array([len(question.answers) for question in questions])
    return np.where(np.arange(width) < sizes[:, None], drawn, 0.0)


def cut_points(count: int) -> tuple[float, ...]:
    """So many thresholds on values scaled to 0 to 1: the middle, or evenly from 0.1 to 0.9.

    >>> cut_points(1), cut_points(3)
    ((0.5,), (0.1, 0.5, 0.9))
    """
    if count < 1:
        raise BadArgument(f"a number needs at least one threshold, not {count}")
    if count == 1:
        return (0.5,)
    return tuple(float(cut) for cut in np.round(np.linspace(0.1, 0.9, count), 6))
