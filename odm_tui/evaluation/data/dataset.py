"""A data set: scenarios with all their answers and the right outcome.

theta and P(y) are the paper's letters. Both are counted over all scenarios, even if an experiment uses only the
first few of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt

from odm_tui.engine.problem import Floats, Problem, Question
from odm_tui.errors import BadArgument

if TYPE_CHECKING:
    from odm_tui.evaluation.data.csv_data import Scenarios

HYPOTHESES = 70
"""How many hypotheses an outcome may list by default."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """Scenarios in the order in which they arrive. Use :meth:`from_arrays` or :meth:`from_csv` to make one.

    ``answers`` is (T, n): the index of every answer. ``values`` is (T, n): the same answers as numbers from
    0 to 1, before any threshold. ``labels`` is (T,): the right outcomes. ``theta`` is (n, m, K): the share of
    each answer among the scenarios of each outcome (the paper's theta "derived from the data").
    ``hypotheses`` is how many an outcome may list; ``size`` is the number of scenarios of the whole data set.
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

    @classmethod
    def load(cls, name: str, seed: int = 0, limit: int | None = None) -> Dataset:
        """Load a data set that comes with odm-tui, such as ``led`` or ``navigation``.

        ``seed`` draws its scenarios; ``limit`` takes only the first of them.
        """
        from odm_tui.evaluation.data.dataset_sources import Source

        return Source(name, limit=limit).load(seed)

    @classmethod
    def from_arrays(
        cls,
        answers: npt.ArrayLike,
        labels: npt.ArrayLike,
        *,
        questions: Sequence[Question | str] | None = None,
        outcomes: Sequence[str] | None = None,
        cost: npt.ArrayLike = 1.0,
        values: Floats | None = None,
        hypotheses: int = HYPOTHESES,
        name: str = "data",
        seed: int = 0,
        source: str = "arrays",
    ) -> Self:
        """Make a data set from its scenarios; count theta and P(y).

        ``answers`` is (T, n): the index of every answer, so 0 and 1 for no and yes. ``labels`` is (T,): the
        index of the right outcome. Without ``questions`` and ``outcomes`` they are called x0, x1, … and 0, 1, ….
        ``cost`` is one number, or of shape (n,), (n, K) or (n, m, K). ``values`` are the answers as numbers
        from 0 to 1, if they are more precise than ``answers``.

        >>> data = Dataset.from_arrays([[0], [1], [1], [1]], [0, 0, 1, 1], cost=[[1.0, 2.0]])
        >>> data.theta[0].tolist()
        [[0.5, 0.5], [0.0, 1.0]]
        >>> data.mean_cost.tolist()
        [[1.5, 2.0]]
        """
        given, right = _check_indices(answers, labels)
        if questions is None:
            questions = [_plain_question(f"x{i}", int(most)) for i, most in enumerate(given.max(axis=0))]
        if outcomes is None:
            outcomes = [str(j) for j in range(int(right.max()) + 1)]
        if right.max() >= len(outcomes):
            raise BadArgument(f"The label {right.max()} is too high: there are {len(outcomes)} outcomes.")
        shares = np.bincount(right, minlength=len(outcomes)) / len(right)
        problem = Problem.build(questions, outcomes, prior=shares, cost=cost)
        sizes = problem.valid.sum(axis=1)
        if given.shape[1] != len(sizes) or (given >= sizes).any():
            raise BadArgument(
                "The answers do not match the questions: each question needs one column of indices of its answers."
            )
        return cls(
            name=name,
            seed=seed,
            problem=problem,
            answers=np.ascontiguousarray(given, dtype=np.int8),
            values=given / np.maximum(sizes - 1, 1) if values is None else values,
            labels=right,
            theta=answer_shares(problem, given, right),
            hypotheses=hypotheses,
            source=source,
            size=len(right),
        )

    @classmethod
    def from_csv(
        cls,
        path: Path | str,
        *,
        label: str = "label",
        costs: Path | str | None = None,
        cost_seed: int = 0,
        thresholds: int = 1,
        hypotheses: int = HYPOTHESES,
        name: str | None = None,
        pairs: bool = False,
        seed: int = 0,
    ) -> Self:
        """Read a data set from a CSV file: one scenario per line, one question per column.

        The column ``label`` holds the right outcome. Columns of 0 and 1 (or yes and no) are yes/no questions,
        other numbers get ``thresholds``, other text is a choice. ``costs`` is a CSV file with one line per
        question and one column ``cost…`` per answer, or with a column ``outcome`` one line per question and outcome;
        without it, ``cost_seed`` draws costs from 0 to 1. With ``pairs``, every pair of a column of numbers and a
        threshold is a yes/no question of its own.
        """
        from odm_tui.evaluation.data.csv_data import read_scenarios

        path = Path(path)
        scenarios = read_scenarios(
            path, label, thresholds, None if costs is None else Path(costs), cost_seed, pairs
        )
        return cls.from_scenarios(
            scenarios,
            hypotheses=hypotheses,
            name=path.stem if name is None else name,
            seed=seed,
            source=str(path),
        )

    @classmethod
    def from_scenarios(
        cls, scenarios: Scenarios, *, hypotheses: int, name: str, seed: int, source: str
    ) -> Self:
        """Make a data set from scenarios that were read."""
        return cls.from_arrays(
            scenarios.answers,
            scenarios.labels,
            questions=scenarios.questions,
            outcomes=scenarios.outcomes,
            cost=scenarios.cost,
            values=scenarios.values,
            hypotheses=hypotheses,
            name=name,
            seed=seed,
            source=source,
        )

    @property
    def mean_cost(self) -> Floats:
        """mu_ij under the data's theta, (n, m): the paper's eq:params."""
        return np.asarray((self.problem.cost * self.theta).sum(axis=-1))

    def first(self, count: int | None) -> Dataset:
        """Return the first ``count`` scenarios, with the theta and P(y) of all."""
        return self.part(0, count)

    def part(self, start: int, count: int | None) -> Dataset:
        """Return ``count`` scenarios (None: all that are left) from ``start`` on, with the theta and P(y) of all."""
        if start == 0 and count is None:
            return self
        if count is not None and count < 1:
            raise BadArgument(f"An experiment needs at least one scenario, not {count}.")
        if start and not 0 <= start < len(self.labels):
            raise BadArgument(
                f"There are {len(self.labels)} scenarios, so the first one used can't be number {start + 1}."
            )
        part = slice(start, None if count is None else start + count)
        return replace(self, answers=self.answers[part], values=self.values[part], labels=self.labels[part])


def _check_indices(
    answers: npt.ArrayLike, labels: npt.ArrayLike
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return answers and labels as arrays of indices."""
    given, right = np.asarray(answers), np.asarray(labels)
    if given.ndim != 2 or right.ndim != 1 or len(given) != len(right) or not given.size:
        raise BadArgument(
            f"answers has the shape {given.shape} and labels {right.shape}; they must be (T, n) and (T,), "
            "with at least one scenario and one question."
        )
    for name, array in (("answers", given), ("labels", right)):
        if array.dtype.kind not in "biu" or (array.min() < 0):
            raise BadArgument(f"{name} must hold indices: whole numbers from 0.")
    return given.astype(np.intp), right.astype(np.intp)


def _plain_question(name: str, most: int) -> Question:
    return Question(name) if most < 2 else Question(name, tuple(str(answer) for answer in range(most + 1)))


def answer_shares(
    problem: Problem, answers: npt.NDArray[np.integer], labels: npt.NDArray[np.integer]
) -> Floats:
    """Return the share of each answer among the scenarios of each outcome, (n, m, K).

    For an outcome without scenarios, all answers have the same share.
    """
    n, m, width = problem.shape
    counts = np.zeros((n, m, width))
    np.add.at(counts, (np.arange(n), labels[:, None], answers), 1.0)
    seen = counts.sum(axis=-1, keepdims=True)
    even = problem.valid[:, None, :] / problem.valid.sum(axis=1)[:, None, None]
    return np.asarray(np.where(seen > 0, counts / np.maximum(seen, 1.0), even))


def uniform_costs(questions: Sequence[Question], seed: int, outcomes: int | None = None) -> Floats:
    """Draw a cost for each question and answer, uniform in [0, 1] (section 6.1), shape (n, K).

    With a number of outcomes, each outcome has its own, the paper's mu_ij(q): shape (n, m, K).
    """
    width = max(len(question.answers) for question in questions)
    shape = (len(questions), width) if outcomes is None else (len(questions), outcomes, width)
    drawn = np.random.default_rng(seed).random(shape)
    has = np.arange(width) < np.array([len(question.answers) for question in questions])[:, None]
    return np.where(has if outcomes is None else has[:, None], drawn, 0.0)


def cut_points(count: int) -> tuple[float, ...]:
    """Return this many thresholds for values from 0 to 1: the middle, or evenly from 0.1 to 0.9.

    >>> cut_points(1), cut_points(3)
    ((0.5,), (0.1, 0.5, 0.9))
    """
    if count < 1:
        raise BadArgument(f"A number needs at least one threshold, not {count}.")
    if count == 1:
        return (0.5,)
    return tuple(float(cut) for cut in np.round(np.linspace(0.1, 0.9, count), 6))
