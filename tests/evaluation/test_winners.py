"""The intervals of the section "Better than the paper"."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.winners import Difference, Figures, ratio
from odm_tui.evaluation.experiment.simulation import Trace


def test_a_difference_that_is_the_same_in_every_scenario_has_no_width() -> None:
    theirs = [np.array([1.0, 5.0, 2.0]), np.array([4.0, 3.0, 9.0])]
    made = Difference.of([each - 0.5 for each in theirs], theirs)
    assert (made.mean, made.low, made.high) == pytest.approx((-0.5, -0.5, -0.5))
    assert "noise" not in str(made)


def test_a_difference_whose_interval_holds_nothing_is_called_noise() -> None:
    none = [np.zeros(40)]
    made = Difference.of([np.tile([1.0, -1.0], 20)], none)
    assert made.low < 0 < made.high
    assert str(made).endswith("(noise)")


def test_a_ratio_is_taken_on_the_same_scenarios() -> None:
    best = [np.array([1.0, 2.0, 30.0]), np.array([4.0, 0.5, 9.0])]
    assert ratio([2 * each for each in best], best) == "2.000 [2.000, 2.000]"


def test_the_second_half_leaves_out_the_first() -> None:
    held = Trace(
        cost=np.array([9.0, 9.0, 1.0, 3.0]),
        realised=np.zeros(4),
        questions=np.zeros(4, dtype=np.int32),
        decision=np.array([0, 0, 1, -1], dtype=np.int32),
        label=np.array([1, 1, 1, 1], dtype=np.int32),
        belief=np.array([0.9, 0.9, 0.3, np.nan]),
        seconds=0.0,
    )
    made = Figures.of([held], 0.5)
    assert [each[0].tolist() for each in (made.cost, made.right, made.utility)] == [[1, 3], [1, 0], [2, 0]]
    assert made.careful[0].tolist() == [0, 0]
