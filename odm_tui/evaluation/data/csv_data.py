"""Read scenarios and costs from CSV files, and the breast cancer data from scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from odm_tui.csv_files import bad_table
from odm_tui.engine.problem import Floats, Question
from odm_tui.errors import BadArgument
from odm_tui.evaluation.data.data_table import Column, DataTable, read_data_table
from odm_tui.evaluation.data.dataset import Dataset, cut_points, uniform_costs
from odm_tui.formatting import format_count
from odm_tui.text import unknown_name

_TRUE, _FALSE = frozenset({"yes", "true"}), frozenset({"no", "false"})
MAX_CHOICES = 100


@dataclass(frozen=True, eq=False)
class Scenarios:
    """What a CSV file holds: questions and outcomes, answers and labels as indices, values from 0 to 1, costs."""

    questions: list[Question]
    outcomes: list[str]
    answers: npt.NDArray[np.int8]
    labels: npt.NDArray[np.intp]
    values: Floats
    cost: Floats


def read_scenarios(
    path: Path, label: str, thresholds: int, costs: Path | None, cost_seed: int, pairs: bool = False
) -> Scenarios:
    """Read a CSV file as :meth:`Dataset.from_csv` describes it."""
    table = read_data_table(path)
    labels, outcomes = _read_outcomes(table, label)
    questions, answers, values = [], [], []
    for name, column in table.columns.items():
        if name != label:
            question, indices, scaled = _read_question(table, name, column, thresholds)
            questions.append(question)
            answers.append(indices)
            values.append(scaled)
    if not questions:
        raise bad_table(
            path, f"{label!r} is the only column, so there is nothing to ask; add one column per question"
        )
    cost = (
        uniform_costs(questions, cost_seed) if costs is None else read_cost_table(costs, questions, outcomes)
    )
    made = Scenarios(questions, outcomes, np.column_stack(answers), labels, np.column_stack(values), cost)
    return split_thresholds(made) if pairs else made


def split_thresholds(scenarios: Scenarios) -> Scenarios:
    """Make a yes/no question of every pair of a question and one of its thresholds: the paper's section 6.5.

    Each pair costs what its question costs below the first and above the last threshold, and learns on its own.
    """
    questions, answers, values, costs = [], [], [], []
    for i, question in enumerate(scenarios.questions):
        if not question.thresholds:
            questions.append(question)
            answers.append(scenarios.answers[:, i])
            values.append(scenarios.values[:, i])
            costs.append(scenarios.cost[i])
            continue
        last = len(question.thresholds)
        for number, cut in enumerate(question.thresholds):
            above = (scenarios.answers[:, i] > number).astype(np.int8)
            questions.append(Question(f"{question.id}>{cut:g}"))
            answers.append(above)
            values.append(above.astype(np.float64))
            costs.append(scenarios.cost[i][..., [0, last]])
    width = max(len(question.answers) for question in questions)
    cost = np.stack([_widen(each, width) for each in costs])
    return replace(
        scenarios,
        questions=questions,
        answers=np.column_stack(answers),
        values=np.column_stack(values),
        cost=cost,
    )


def _widen(costs: Floats, width: int) -> Floats:
    """Return the costs of one question for this many answers; those that it does not have cost 0."""
    made = np.zeros((*costs.shape[:-1], width))
    kept = min(costs.shape[-1], width)
    made[..., :kept] = costs[..., :kept]
    return made


def _read_outcomes(table: DataTable, label: str) -> tuple[npt.NDArray[np.intp], list[str]]:
    column = table.column(label)
    if column.dtype.kind == "f":
        numbers = table.numbers(label)
        if bool((numbers == np.floor(numbers)).all()) and numbers.min() >= 0 and numbers.max() < 10_000:
            return numbers.astype(np.intp), [str(j) for j in range(int(numbers.max()) + 1)]
    names, labels = np.unique(column.astype(str), return_inverse=True)
    return labels.astype(np.intp), [str(name) for name in names]


def _read_question(
    table: DataTable, name: str, column: Column, thresholds: int
) -> tuple[Question, npt.NDArray[np.int8], Floats]:
    """Return a column's question, the index of each answer, and each answer as a number from 0 to 1."""
    if column.dtype.kind == "f":
        numbers = column.astype(np.float64)
        if np.isin(numbers, (0.0, 1.0)).all():
            return Question(name), numbers.astype(np.int8), numbers
        low, high = float(numbers.min()), float(numbers.max())
        # Do not scale a part of data that was scaled as a whole: that would move the thresholds.
        scaled = numbers if low >= 0 and high <= 1 else (numbers - low) / max(high - low, 1e-300)
        question = Question(name, thresholds=cut_points(thresholds))
        above = np.searchsorted(np.asarray(question.thresholds), scaled, side="left")
        return question, above.astype(np.int8), scaled
    words = {str(word).lower() for word in np.unique(column)}
    if words <= _TRUE | _FALSE:
        yes = np.isin(np.char.lower(column.astype(str)), list(_TRUE))
        return Question(name), yes.astype(np.int8), yes.astype(np.float64)
    names, indices = np.unique(column.astype(str), return_inverse=True)
    if not 2 <= len(names) <= MAX_CHOICES:
        texts = format_count(len(names), "different text")
        raise bad_table(
            table.path,
            f"the column {name!r} has {texts}; a choice needs 2 to {MAX_CHOICES}, so leave the column out",
        )
    question = Question(name, answers=tuple(str(word) for word in names))
    return question, indices.astype(np.int8), indices / (len(names) - 1)


def read_cost_table(path: Path, questions: list[Question], outcomes: list[str] | None = None) -> Floats:
    """Read what asking costs: one line per question in their order, one column ``cost…`` per answer; (n, K).

    With a column ``outcome`` there is one line per question and outcome, the questions of each outcome in their order;
    (n, m, K). For numbers with more intervals than columns, the costs in between lie on the line from the first to the last.
    """
    table = read_data_table(path)
    columns = [name for name in table.columns if name.startswith("cost")]
    if not columns:
        raise bad_table(path, "no column's name begins with 'cost'; name one per answer, such as cost_yes")
    given = np.column_stack([table.numbers(name) for name in columns])
    if (given < 0).any():
        raise bad_table(path, "a cost is negative; costs must be 0 or more")
    if "outcome" not in table.columns:
        return _costs_of_answers(path, given, questions)
    if outcomes is None:
        raise bad_table(
            path, "there is a column 'outcome', but these costs can't depend on the outcome; leave it out"
        )
    named = np.array([_outcome_name(value) for value in table.columns["outcome"]])
    unknown = sorted(set(named.tolist()) - set(outcomes))
    if unknown:
        raise bad_table(path, unknown_name("outcome", unknown[0], outcomes))
    parts = [_costs_of_answers(path, given[named == outcome], questions, outcome) for outcome in outcomes]
    return np.stack(parts, axis=1)


def _outcome_name(value: object) -> str:
    """Return an outcome as :func:`_read_outcomes` names it: whole numbers without a point."""
    return str(int(value)) if isinstance(value, float) and value == int(value) else str(value)


def _costs_of_answers(
    path: Path, given: Floats, questions: list[Question], outcome: str | None = None
) -> Floats:
    """Return the costs of all answers of all questions, (n, K), from one line per question."""
    whose = "" if outcome is None else f" under the outcome {outcome!r}"
    if len(given) != len(questions):
        raise bad_table(
            path,
            f"there are {format_count(len(given), 'line')} of costs for {format_count(len(questions), 'question')}"
            f"{whose}; write one line per question",
        )
    width = max(len(question.answers) for question in questions)
    made = np.zeros((len(questions), width))
    for i, question in enumerate(questions):
        answers = len(question.answers)
        if question.thresholds:
            made[i, :answers] = np.linspace(given[i, 0], given[i, -1], answers)
        elif answers <= given.shape[1]:
            made[i, :answers] = given[i, :answers]
        else:
            costs = format_count(given.shape[1], "cost")
            raise bad_table(
                path, f"{question.id!r} has {answers} answers and {costs}; add the missing columns"
            )
    return made


def load_breast_cancer_data(
    seed: int, cost_seed: int, hypotheses: int, thresholds: int, pairs: bool = False
) -> Dataset:
    """Load Breast Cancer Wisconsin: 30 measurements scaled to 0 to 1; the seed shuffles and takes four fifths."""
    try:
        from sklearn.datasets import load_breast_cancer
    except ImportError:
        raise BadArgument(
            "The breast cancer data needs scikit-learn. Install it with pip install 'odm-tui[evaluation]', "
            "or name a CSV file with --data."
        ) from None
    measured, benign = load_breast_cancer(return_X_y=True)
    low, high = measured.min(axis=0), measured.max(axis=0)
    order = np.random.default_rng(seed).permutation(len(measured))[: len(measured) * 4 // 5]
    values = ((measured - low) / (high - low))[order]
    cuts = cut_points(thresholds)
    questions = [Question(f"x{i}", thresholds=cuts) for i in range(values.shape[1])]
    above = np.searchsorted(np.asarray(cuts), values, side="left").astype(np.int8)
    made = Scenarios(
        questions,
        ["benign", "malignant"],
        above,
        1 - benign[order],
        values,
        uniform_costs(questions, cost_seed),
    )
    if pairs:
        made = split_thresholds(made)
    return Dataset.from_scenarios(
        made,
        hypotheses=hypotheses,
        name="breast-cancer",
        seed=seed,
        source=f"scikit-learn, shuffled with seed {seed}",
    )
