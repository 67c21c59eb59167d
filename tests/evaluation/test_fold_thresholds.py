"""Folds of rows with numbers: the thresholds of a fold come from the other rows alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from odm_tui.banks.authoring.importing import import_bank
from odm_tui.banks.authoring.thresholds import find_thresholds
from odm_tui.banks.bank import Bank
from odm_tui.banks.loading import load_bank
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.stepping import finish
from odm_tui.evaluation.bank.callers import CallerGroup, count_rows
from odm_tui.evaluation.bank.case_groups import read_groups
from odm_tui.evaluation.bank.fold_thresholds import choose_again, find_free_numbers
from odm_tui.evaluation.bank.trial import ask_everything
from odm_tui.evaluation.data.case_table import read_case_table


def noise(folder: Path, seed: int, rows: int = 60, columns: int = 40) -> tuple[Bank, Path]:
    """A bank from numbers that tell nothing about two outcomes, with some cells missing and a yes/no column."""
    rng = np.random.default_rng(seed)
    lines = [",".join([*(f"n{i}" for i in range(columns)), "flag", "answer"])]
    for _ in range(rows):
        cells = [f"{value:.4f}" if rng.random() > 0.03 else "" for value in rng.normal(size=columns)]
        flag = "yes" if rng.random() < 0.5 else "no"
        lines.append(",".join([*cells, flag, "ab"[int(rng.integers(2))]]))
    data = folder / f"noise{seed}.csv"
    data.write_text("\n".join(lines) + "\n", encoding="utf-8")
    bank = folder / f"noise{seed}.toml"
    bank.write_text(import_bank(data, "answer").text, encoding="utf-8")
    return load_bank(bank), data


def folds_of(bank: Bank, data: Path, folds: int = 5) -> list[CallerGroup]:
    posterior = Posterior.of(bank.problem)
    way, groups, _ = finish(read_groups(bank, posterior, data, label=None, folds=folds, most=None, seed=0))
    assert way == "folds"
    return groups


def test_the_thresholds_of_a_fold_are_those_of_the_other_rows(tmp_path: Path) -> None:
    bank, data = noise(tmp_path, 1)
    table = read_case_table(data, bank)
    most = max(len(question.thresholds) for question in bank.problem.questions)
    changed = 0
    for group in folds_of(bank, data):
        problem = group.posterior.problem
        assert group.learned is not None
        counts, totals = count_rows(problem, *group.learned)
        np.testing.assert_array_equal(group.posterior.seen, counts)
        np.testing.assert_array_equal(group.posterior.seen_outcomes, totals)
        assert len(group.learned[1]) + len(group.outcomes) == len(table.outcomes)
        for at in table.numbers:
            changed += problem.questions[at].thresholds != bank.problem.questions[at].thresholds
            assert len(problem.questions[at].thresholds) <= most
            assert problem.cost[at, 0, 0] == bank.problem.cost[at, 0, 0]
    assert changed > 0


def test_what_is_held_out_does_not_move_the_thresholds(tmp_path: Path) -> None:
    bank, data = noise(tmp_path, 2)
    table = read_case_table(data, bank)
    known = np.arange(len(table.outcomes)) % 4 != 0
    problem, coded = choose_again(bank.problem, table.numbers, table.answers, table.outcomes, known)
    flipped = np.where(known, table.outcomes, 1 - table.outcomes)
    moved = {at: np.where(known, values, 99.0) for at, values in table.numbers.items()}
    again, _ = choose_again(bank.problem, moved, table.answers, flipped, known)
    assert again.questions == problem.questions
    np.testing.assert_array_equal(again.cases, problem.cases)
    most = max(len(question.thresholds) for question in bank.problem.questions)
    for at, values in table.numbers.items():
        there = known & ~np.isnan(values)
        expected = find_thresholds(values[there].tolist(), table.outcomes[there].tolist(), most)
        assert problem.questions[at].thresholds == tuple(expected)
        np.testing.assert_array_equal(
            coded[there, at], [problem.questions[at].interval(value) for value in values[there]]
        )
    flag = len(bank.problem.questions) - 1
    np.testing.assert_array_equal(coded[:, flag], table.answers[:, flag])


def test_numbers_that_mean_nothing_are_not_recognised(tmp_path: Path) -> None:
    tables = [folds_of(*noise(tmp_path, seed)) for seed in range(12)]
    right = np.concatenate([ask_everything(group).right for groups in tables for group in groups])
    assert abs(right.mean() - 0.5) < 2.5 * 0.5 / len(right) ** 0.5


@pytest.mark.parametrize("what", ["cost", "pseudo", "prerequisite"])
def test_intervals_that_the_bank_depends_on_stay(tmp_path: Path, what: str) -> None:
    bank, data = noise(tmp_path, 3, columns=3)
    problem, numbers = bank.problem, read_case_table(data, bank).numbers
    assert find_free_numbers(problem, numbers) == [0, 1, 2]
    if what == "prerequisite":
        first = problem.questions[0].id
        asked = replace(problem.questions[3], ask_if=((first, (1,)),))
        problem = replace(problem, questions=(*problem.questions[:3], asked))
    else:
        array = getattr(problem, what).copy()
        array[0, :, 1] += 1.0
        problem = replace(problem, **{what: array})
    assert find_free_numbers(problem, numbers) == [1, 2]
