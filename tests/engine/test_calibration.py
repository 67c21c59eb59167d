"""Reliability curves and the expected calibration error."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from odm_tui.engine.calibration import calibration_error, find_reliability
from odm_tui.errors import BadArgument
from tests.support.literal import calibration as literal

decisions = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60)


@given(decisions, st.integers(1, 20))
@settings(max_examples=100)
def test_the_calibration_error_is_the_literal_one(made: list[tuple[float, bool]], bins: int) -> None:
    said, right = [p for p, _ in made], [hit for _, hit in made]
    curve = find_reliability(said, right, bins=bins)
    assert_allclose(calibration_error(curve), literal.calibration_error(said, right, bins), atol=1e-12)
    assert sum(each.count for each in curve) == len(made)
    assert all(each.low <= each.said <= each.high + 1e-12 for each in curve)


@given(decisions)
@settings(max_examples=50)
def test_a_decision_of_weight_two_counts_like_two_decisions(made: list[tuple[float, bool]]) -> None:
    said, right = [p for p, _ in made], [hit for _, hit in made]
    twice = find_reliability(said, right, np.full(len(said), 2.0))
    assert_allclose(calibration_error(twice), calibration_error(find_reliability(said * 2, right * 2)))


def test_without_decisions_there_is_no_error_to_speak_of() -> None:
    assert find_reliability([], []) == ()
    assert calibration_error(()) == 0.0


@pytest.mark.parametrize(
    ("said", "right"), [([0.5], [True, False]), ([1.5], [True]), ([float("nan")], [True])]
)
def test_what_is_no_curve_is_refused(said: list[float], right: list[bool]) -> None:
    with pytest.raises(BadArgument):
        find_reliability(said, right)
