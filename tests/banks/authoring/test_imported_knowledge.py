"""An imported bank knows what it would know after one confirmed interview per row: the same numbers, to the bit."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from odm_tui.banks import Bank, load_bank
from odm_tui.banks.authoring.importing import ImportOptions, import_bank
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Problem
from odm_tui.store.counts import BankIndex, Counts
from tests.support.sample_banks import written

REAL = {
    "car_evaluation": "classes",
    "dermatology": "class",
    "soybean": "class!",
    "symptoms": "prognosis",
}


def without_cases(problem: Problem) -> Problem:
    """The same problem for an engine that has seen nothing."""
    return replace(problem, cases=None, case_outcomes=None)


def learned_from_rows(bank: Bank, data: Path, outcome: str) -> Posterior:
    """What interviews with the same bank teach, one per row, counted as the store counts a log."""
    problem = without_cases(bank.problem)
    index = BankIndex(bank.name, bank.hash, problem)
    outcome_ids = {o.label: o.id for o in bank.outcomes}
    counts = Counts()
    with data.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            cells = {name.strip(): cell.strip() for name, cell in row.items()}
            answers: list[tuple[str, str | float | None]] = []
            for question in bank.questions:
                assert bank.cases is not None
                cell = cells[bank.cases.columns.get(question.id, question.id)]
                if cell in ("", "?"):
                    continue
                if question.type == "number":
                    answers.append((question.id, float(cell)))
                elif question.type == "yes_no":
                    answers.append((question.id, {"0": "no", "1": "yes", "no": "no", "yes": "yes"}[cell]))
                else:
                    answers.append((question.id, {a.label: a.id for a in question.answers}[cell]))
            counts.add_lesson((tuple(answers), outcome_ids[" ".join(cells[outcome].split())]), index)
    return counts.posterior(problem)


@pytest.mark.parametrize("name", REAL)
def test_the_import_knows_what_the_engine_would_know(tmp_path: Path, shared_data: Path, name: str) -> None:
    data = shared_data / "real" / f"{name}.csv"
    result = import_bank(data, REAL[name], ImportOptions())
    bank = load_bank(written(tmp_path, result.text, f"{name}.toml"))
    imported, learned = Posterior.of(bank.problem), learned_from_rows(bank, data, REAL[name])
    assert imported.experience == learned.interviews == result.rows
    np.testing.assert_array_equal(imported.alpha, learned.alpha)
    np.testing.assert_array_equal(imported.mean(), learned.mean())
    np.testing.assert_array_equal(imported.outcome_prior(), learned.outcome_prior())
    np.testing.assert_array_equal(
        imported.sample(np.random.default_rng(3)), learned.sample(np.random.default_rng(3))
    )
    for ours, theirs in zip(imported.bounds(0.9), learned.bounds(0.9), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_interviews_add_to_the_cases_and_can_be_retracted(tmp_path: Path) -> None:
    result = import_bank(written(tmp_path, "a,b,answer\n1,0,x\n0,1,y\n1,1,y\n", "t.csv"), "answer")
    problem = load_bank(written(tmp_path, result.text)).problem
    before = Posterior.of(problem)
    after = before.updated(["yes", None], "x")
    assert after.seen[0, 0].tolist() == [0, 2]
    assert after.seen_outcomes.tolist() == [2, 2]
    np.testing.assert_array_equal(after.retracted(["yes", None], "x").alpha, before.alpha)
    np.testing.assert_array_equal(after.merged(before).alpha, after.alpha)


def test_one_row_per_outcome_is_enough(tmp_path: Path) -> None:
    rows = "".join(f"animal{i},{i & 1},{i >> 1 & 1},{i >> 2 & 1},{i >> 3 & 1},{i >> 4}\n" for i in range(32))
    data = written(tmp_path, "name,a,b,c,d,e\n" + rows, "zoo.csv")
    result = import_bank(data, "name")
    assert (result.questions, result.outcomes, result.rows) == (5, 32, 32)
    bank = load_bank(written(tmp_path, result.text))
    np.testing.assert_allclose(Posterior.of(bank.problem).outcome_prior(), 1 / 32)
