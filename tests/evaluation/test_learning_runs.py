"""What policies and horizons mean for a bank: simulated interviews that learn from each other."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from typer.testing import CliRunner

from odm_tui.banks import Bank, load_bank
from odm_tui.cli.app import app
from odm_tui.engine.policy import DEFAULT_POLICY
from odm_tui.engine.posterior import Posterior
from odm_tui.errors import BadArgument
from odm_tui.evaluation.bank.callers import draw_callers
from odm_tui.evaluation.bank.learning_runs import compare_learning, list_contenders
from tests.support.sample_banks import written

BANK = """\
format = 1
title = "Desk"
stakes = 12
policy = "lookahead-mean"

[[outcomes]]
id = "cable"

[[outcomes]]
id = "line"

[[questions]]
id = "lights"
text = "Are the lights on?"
cost = 1

[[questions]]
id = "tone"
text = "Is there a tone?"
cost = 2

[expected]
worth = 4
lights = { cable = 0.8, line = 0.3 }
"""


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    return load_bank(written(tmp_path, BANK))


def test_asking_nothing_is_worth_the_stakes_of_the_share_that_is_right(bank: Bank) -> None:
    silent = load_bank(written(bank.path.parent, BANK.replace("stakes = 12", "stakes = 0.5")))
    (row, *_) = compare_learning(silent, policies=["lookahead-mean"], runs=3, interviews=8)
    assert row.questions == row.cost == 0
    assert_allclose(row.value, 0.5 * row.right)
    first = silent.problem.prior.argmax()
    known = Posterior.of(silent.problem)
    outcomes = np.concatenate(
        [draw_callers(known, 8, 1, run, one_theta=True)[0].outcomes for run in range(3)]
    )
    assert_allclose(row.right, (outcomes == first).mean())


def test_all_policies_meet_the_same_callers_and_the_banks_own_comes_first(bank: Bank) -> None:
    rows = compare_learning(bank, policies=["all", "lookahead-mean", "default"], runs=3, interviews=8)
    assert [(row.policy, row.horizon, row.is_own) for row in rows] == [
        ("lookahead-mean", None, True),
        ("all", None, False),
        *((DEFAULT_POLICY, horizon, False) for horizon in (0, 40, 150)),
    ]
    assert (rows[0].gap, rows[1].questions, rows[1].cost) == (0, 2, 3)
    for row in rows:
        assert_allclose(row.value, 12 * row.right - row.cost)
        assert_allclose(row.gap, row.value - rows[0].value, atol=1e-12)
        assert row.gap_low <= row.gap <= row.gap_high


def test_the_runs_learn(bank: Bank) -> None:
    plain = load_bank(written(bank.path.parent, BANK.split("[expected]")[0]))
    (*_, row) = compare_learning(plain, policies=["all"], runs=12, interviews=60)
    assert row.late > row.value


def test_two_processes_find_what_one_finds(bank: Bank) -> None:
    one, two = (compare_learning(bank, policies=["w-ig-ts"], runs=2, interviews=4, jobs=n) for n in (1, 2))
    assert one == two


def test_too_few_runs_are_refused(bank: Bank) -> None:
    with pytest.raises(BadArgument, match="at least 2 runs"):
        compare_learning(bank, runs=1)


def test_the_own_policy_is_not_listed_twice(bank: Bank) -> None:
    names = [each.policy.name for each in list_contenders(bank, ["lookahead-mean", "random"])]
    assert names == ["lookahead-mean", "random"]


def test_the_command_prints_the_table_or_json(bank: Bank) -> None:
    common = ["stakes", str(bank.path), "--learning", "--no-state", "--runs", "2", "--interviews", "4"]
    shown = CliRunner().invoke(app, [*common, "--jobs", "1"])
    assert "lookahead-mean (this bank)" in shown.stdout
    found = json.loads(CliRunner().invoke(app, [*common, "--jobs", "1", "--json"]).stdout)
    assert (found["runs"], found["interviews"], found["rows"][0]["is_own"]) == (2, 4, True)
