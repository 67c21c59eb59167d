"""Intervals over random splits of one data set: they cover the truth about other data, too."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.results.random_splits import HALVES, find_ratio, split_interval
from odm_tui.engine.problem import Floats
from odm_tui.evaluation.intervals import mean_interval

ROWS, SPLITS, SETS = 80, 20, 400
P_YES = np.linspace(0.55, 0.75, 6)
"""P(yes) of six questions under the one outcome; under the other it is 1 less this."""


def shares_right(
    rng: np.random.Generator, sets: int, splits: int, callers: int, used: int = ROWS, rows: int = ROWS
) -> Floats:
    """Return the share of right decisions in each split of each data set, (sets, splits), with naive Bayes.

    A split draws ``used`` of the rows; the one half of them teaches, and ``callers`` rows of the other call.
    """
    labels = rng.integers(2, size=(sets, rows))
    chance = np.where(labels[:, :, None] == 1, P_YES, 1 - P_YES)
    answers = (rng.random((sets, rows, len(P_YES))) < chance).astype(float)
    found = np.empty((sets, splits))
    for split in range(splits):
        order = rng.permuted(np.tile(np.arange(rows), (sets, 1)), axis=1)
        half = used // 2
        learned, held = order[:, :half], order[:, half : half + callers]
        known, told = (np.take_along_axis(labels, each, axis=1) for each in (learned, held))
        seen, heard = (np.take_along_axis(answers, each[:, :, None], axis=1) for each in (learned, held))
        scores = np.empty((2, sets, callers))
        for label in (0, 1):
            mine = known == label
            theta = ((seen * mine[:, :, None]).sum(axis=1) + 1) / (mine.sum(axis=1)[:, None] + 2)
            scores[label] = np.log(mine.mean(axis=1) + 1e-9)[:, None]
            scores[label] += (
                heard * np.log(theta)[:, None, :] + (1 - heard) * np.log(1 - theta)[:, None, :]
            ).sum(axis=2)
        found[:, split] = (scores.argmax(axis=0) == told).mean(axis=1)
    return found


def coverage(values: Floats, truth: float, ratio: float) -> float:
    """Return in how many of the data sets the interval holds the truth."""
    ends = np.array([split_interval(each, ratio)[1] for each in values])
    return float(((ends[:, 0] <= truth) & (truth <= ends[:, 1])).mean())


@pytest.mark.parametrize("callers", [ROWS // 2, ROWS // 8], ids=["the whole other half", "a quarter of it"])
def test_intervals_over_random_halves_cover_what_other_data_would_give(callers: int) -> None:
    rng = np.random.default_rng(11)
    truth = float(shares_right(rng, 20_000, 1, callers).mean())
    values = shares_right(rng, SETS, SPLITS, callers)
    assert coverage(values, truth, callers / (ROWS // 2)) >= 0.90
    assert coverage(values, truth, 0.0) < (0.5 if callers == ROWS // 2 else 0.8)


def test_splits_that_take_only_a_few_of_the_rows_are_nearly_independent() -> None:
    rng = np.random.default_rng(12)
    truth = float(shares_right(rng, 20_000, 1, 20, used=40).mean())
    values = shares_right(rng, SETS, SPLITS, 20, used=40, rows=200)
    assert 0.90 <= coverage(values, truth, find_ratio(20, 200)) < 0.99


def test_the_standard_error_is_that_of_nadeau_and_bengio() -> None:
    values = np.array([0.9, 0.8, 0.95, 0.85, 0.7])
    mean, (low, high) = split_interval(values, 0.25)
    # t with 4 degrees of freedom is 2.7764
    half = 2.7764 * (values.var(ddof=1) * (1 / 5 + 0.25)) ** 0.5
    assert mean == pytest.approx(0.84)
    assert (low, high) == pytest.approx((0.84 - half, 0.84 + half), abs=1e-4)
    assert split_interval(values, 0.0) == mean_interval(values, 4)


def test_one_split_has_no_interval() -> None:
    assert np.isnan(split_interval(np.array([0.5]), HALVES)[1]).all()
