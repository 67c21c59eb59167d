"""Data sets from CSV files, and the breast cancer data that comes with scikit-learn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from odm_tui.engine.problem import Floats, Question
from odm_tui.errors import BadArgument, BadData
from odm_tui.evaluation.data.data_table import DataTable, read_data_table
from odm_tui.evaluation.data.dataset import Dataset, cut_points, make_dataset, uniform_costs

_TRUE, _FALSE = frozenset({"yes", "true"}), frozenset({"no", "false"})


def from_csv(
    name: str,
    path: Path,
    seed: int,
    *,
    label: str,
    costs: Path | None,
    cost_seed: int,
    thresholds: int,
    hypotheses: int,
) -> Dataset:
    """One scenario a line: the column ``label`` is the outcome, every other column a question.

    Columns of 0 and 1 (or yes and no) are yes/no questions, other numbers get thresholds, text is a choice.
    """
    table = read_data_table(path)
    labels, outcomes = _outcomes(table, label)
    questions, answers, values = [], [], []
    for column in table.columns:
        if column != label:
            question, indices, scaled = _question(column, table.columns[column], thresholds)
            questions.append(question)
            answers.append(indices)
            values.append(scaled)
    if not questions:
        raise BadData(f"{path}: there is no column besides {label!r}, so there is nothing to ask")
    cost = uniform_costs(questions, cost_seed) if costs is None else read_costs(costs, questions)
    return make_dataset(
        name,
        seed,
        questions,
        outcomes,
        np.column_stack(answers),
        labels,
        cost,
        hypotheses,
        str(path),
        values=np.column_stack(values),
    )


def _outcomes(table: DataTable, label: str) -> tuple[npt.NDArray[np.intp], list[str]]:
    column = table.column(label)
    if column.dtype.kind == "f":
        numbers = table.numbers(label)
        if bool((numbers == np.floor(numbers)).all()) and numbers.min() >= 0 and numbers.max() < 10_000:
            return numbers.astype(np.intp), [str(j) for j in range(int(numbers.max()) + 1)]
    names, labels = np.unique(column.astype(str), return_inverse=True)
    return labels.astype(np.intp), [str(name) for name in names]


def _question(
    name: str, column: npt.NDArray[np.float64] | npt.NDArray[np.str_], thresholds: int
) -> tuple[Question, npt.NDArray[np.int8], Floats]:
    """The question of a column, the index of each answer, and each answer as a number from 0 to 1."""
    if column.dtype.kind == "f":
        numbers = column.astype(np.float64)
        if np.isin(numbers, (0.0, 1.0)).all():
            return Question(name), numbers.astype(np.int8), numbers
        low, high = float(numbers.min()), float(numbers.max())
        # A part of data that was scaled as a whole must not be scaled again: it would move the cuts.
        scaled = numbers if low >= 0 and high <= 1 else (numbers - low) / max(high - low, 1e-300)
        question = Question(name, thresholds=cut_points(thresholds))
        above = np.searchsorted(np.asarray(question.thresholds), scaled, side="left")
        return question, above.astype(np.int8), scaled
    words = {str(word).lower() for word in np.unique(column)}
    if words <= _TRUE | _FALSE:
        yes = np.isin(np.char.lower(column.astype(str)), list(_TRUE))
        return Question(name), yes.astype(np.int8), yes.astype(np.float64)
    names, indices = np.unique(column.astype(str), return_inverse=True)
    if not 2 <= len(names) <= 100:
        raise BadData(f"the column {name!r} has {len(names)} different texts; a choice has 2 to 100")
    question = Question(name, answers=tuple(str(word) for word in names))
    return question, indices.astype(np.int8), indices / (len(names) - 1)


def read_costs(path: Path, questions: list[Question]) -> Floats:
    """What asking costs, one line a question in their order, one column ``cost…`` an answer; (n, K).

    With more intervals than columns, the costs in between lie on the line from the first to the last.
    """
    table = read_data_table(path)
    columns = [name for name in table.columns if name.startswith("cost")]
    if not columns:
        raise BadData(f"{path}: no column's name begins with 'cost'")
    given = np.column_stack([table.numbers(name) for name in columns])
    if len(given) != len(questions):
        raise BadData(f"{path}: {len(given)} lines of costs for {len(questions)} questions")
    if (given < 0).any():
        raise BadData(f"{path}: a cost is negative; costs are 0 or more")
    width = max(len(question.answers) for question in questions)
    made = np.zeros((len(questions), width))
    for i, question in enumerate(questions):
        answers = len(question.answers)
        if question.thresholds:
            made[i, :answers] = np.linspace(given[i, 0], given[i, -1], answers)
        elif answers <= given.shape[1]:
            made[i, :answers] = given[i, :answers]
        else:
            raise BadData(f"{path}: {question.id!r} has {answers} answers and {given.shape[1]} costs")
    return made


def breast_cancer(seed: int, cost_seed: int, hypotheses: int, thresholds: int) -> Dataset:
    """Breast Cancer Wisconsin: 30 measurements scaled to 0 to 1; the seed shuffles, four fifths are taken."""
    try:
        from sklearn.datasets import load_breast_cancer
    except ImportError:
        raise BadArgument(
            "the breast cancer data comes with scikit-learn: pip install 'odm-tui[evaluation]', "
            "or name a CSV file with --data"
        ) from None
    measured, benign = load_breast_cancer(return_X_y=True)
    low, high = measured.min(axis=0), measured.max(axis=0)
    order = np.random.default_rng(seed).permutation(len(measured))[: len(measured) * 4 // 5]
    values = ((measured - low) / (high - low))[order]
    cuts = cut_points(thresholds)
    questions = [Question(f"x{i}", thresholds=cuts) for i in range(values.shape[1])]
    return make_dataset(
        "breast-cancer",
        seed,
        questions,
        ["benign", "malignant"],
        np.searchsorted(np.asarray(cuts), values, side="left"),
        1 - benign[order],
        uniform_costs(questions, cost_seed),
        hypotheses,
        f"scikit-learn, shuffled with seed {seed}",
        values=values,
    )
