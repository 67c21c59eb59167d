"""Thresholds of numbers stand where they tell the outcome."""

from __future__ import annotations

import numpy as np
import pytest

from odm_tui.banks.authoring.thresholds import find_telling_thresholds, find_thresholds
from tests.support.literal.cuts import mdl_cuts


@pytest.mark.parametrize("seed", range(40))
def test_the_thresholds_are_those_of_the_literal_method(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(5, 90))
    labels = rng.integers(0, int(rng.integers(2, 5)), size)
    values = np.round(labels * rng.uniform(0, 3) + rng.normal(size=size), int(rng.integers(0, 3)))
    wanted = mdl_cuts(list(zip(values.tolist(), labels.tolist(), strict=True)))
    found = find_telling_thresholds(values.tolist(), labels.tolist(), 1000)
    assert len(found) == len(wanted)
    assert all(low <= cut < high for cut, (low, high) in zip(found, wanted, strict=True))


def test_of_many_cuts_the_telling_ones_come_first() -> None:
    values = list(range(300))
    outcomes = [0 if x < 100 else 1 if x < 200 else 2 + x % 2 * (x > 290) for x in values]
    assert find_telling_thresholds(values, outcomes, 2) == [99.5, 199.5]


def test_numbers_that_tell_nothing_are_cut_into_equal_parts() -> None:
    assert find_thresholds(list(range(8)), [0, 1] * 4, 3) == [1.5, 3.5, 5.5]


def test_a_column_of_nearly_all_zeros_is_cut_above_zero() -> None:
    assert find_thresholds([0.0] * 99 + [7.0], [0, 1] * 50, 3) == [3.5]


def test_a_thousand_outcomes_do_not_overflow() -> None:
    assert find_thresholds(list(range(2000)), [x // 2 for x in range(2000)], 3)
