"""The smooth line with its band."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odm_tui.views.trend import smooth_trend
from tests.support.literal import trend as literal

COSTS = st.lists(st.floats(0, 1000), min_size=1, max_size=160)
SHARES = st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=160)


@given(COSTS)
def test_the_line_and_its_band_are_those_of_the_literal_formula(values: list[float]) -> None:
    for point in smooth_trend(values)[::7]:
        assert tuple(point[1:]) == pytest.approx(
            literal.smooth(values, point.at - 1, False), rel=1e-6, abs=1e-6
        )


@given(SHARES)
def test_the_band_of_a_share_is_wilsons_and_stays_within_0_and_1(values: list[float]) -> None:
    for point in smooth_trend(values, is_share=True)[::7]:
        assert tuple(point[1:]) == pytest.approx(
            literal.smooth(values, point.at - 1, True), rel=1e-6, abs=1e-6
        )
        assert 0 <= point.low <= point.mean + 1e-12
        assert point.mean - 1e-12 <= point.high <= 1


@given(st.integers(1, 700))
def test_a_long_series_keeps_its_ends_and_at_most_120_places(many: int) -> None:
    places = [point.at for point in smooth_trend([1.0] * many)]
    assert (places[0], places[-1]) == (1, many)
    assert len(places) == min(many, 120)
    assert places == sorted(set(places))


def test_a_step_is_smoothed_and_its_band_is_widest_there() -> None:
    points = smooth_trend([0.0] * 60 + [100.0] * 60)
    means = [point.mean for point in points]
    assert all(after >= before - 1e-9 for before, after in pairwise(means))
    widths = [point.high - point.low for point in points]
    assert 55 <= widths.index(max(widths)) <= 65


def test_no_values_are_no_trend() -> None:
    assert smooth_trend([]) == ()
