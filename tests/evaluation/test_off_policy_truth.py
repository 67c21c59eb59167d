"""Off-policy estimates against a known truth: right on average, with intervals that cover it.

``python -m benchmarks.off_policy`` prints the whole table.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

from benchmarks.off_policy import TARGETS, Line, Trial, lines, run, small_bank, table, trials

JUDGED = ("plain", "weighted", "doubly_robust")
FEW, INTERVIEWS = ("w-ig-ts", "w-ig-eps"), 40


def of_size(made: list[Line], interviews: int) -> list[Line]:
    return [line for line in made if line.interviews == interviews and line.estimate in JUDGED]


@pytest.fixture(scope="module")
def few() -> list[Trial]:
    bank = small_bank()
    return [trial for seed in range(501, 517) for trial in trials(bank, INTERVIEWS, (INTERVIEWS,), seed, FEW)]


def test_no_estimate_is_off_on_average(few: list[Trial]) -> None:
    judged = of_size(list(lines(few)), INTERVIEWS)
    assert len(judged) == len(FEW) * len(JUDGED) * 2
    for line in judged:
        assert abs(line.bias) < 3 * line.bias_error, line
        assert line.bias_error < 0.12 * line.truth


def test_the_mean_weight_is_one(few: list[Trial]) -> None:
    for policy in FEW:
        weights = np.array([trial.found.mean_weight for trial in few if trial.found.policy == policy])
        error = weights.std(ddof=1) / len(weights) ** 0.5
        assert abs(weights.mean() - 1) < 3 * error
        assert error < 0.1


def test_intervals_hold_the_truth_as_often_as_they_say(few: list[Trial]) -> None:
    judged = of_size(list(lines(few)), INTERVIEWS)
    assert 0.87 < np.mean([line.covered for line in judged]) <= 1


@pytest.mark.soak
def test_the_estimates_hold_for_many_logs() -> None:
    """Hold 200 logs; ODM_TUI_LOGS asks for another number."""
    logs = int(os.environ.get("ODM_TUI_LOGS", "200"))
    made = list(lines(trial for log in run(logs, 300, jobs=2) for trial in log))
    judged = of_size(made, 300)
    text = table(made, 300, 75)
    assert len(judged) == len(TARGETS) * len(JUDGED) * 2, text
    # 24 estimates are judged: that one of them is beyond two standard errors by chance must not fail.
    assert np.mean([abs(line.bias) < 2 * line.bias_error for line in judged]) >= 0.85, text
    assert max(abs(line.bias) / line.bias_error for line in judged) < 3.2, text
    slack = 2 * (0.95 * 0.05 / logs) ** 0.5
    for line in judged:
        assert 0.90 - slack <= line.covered <= 0.98 + slack, text
    smaller = {(line.policy, line.estimate, line.kind): line.error for line in of_size(made, 75)}
    falls = [smaller[line.policy, line.estimate, line.kind] / line.error for line in judged]
    assert 1.6 < np.mean(falls) < 2.5, text
