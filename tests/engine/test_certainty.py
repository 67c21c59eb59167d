"""What is shown as sure, from how often past decisions were right."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from odm_tui.engine.calibration import calibration_error
from odm_tui.engine.certainty import Certainty, curve_of, evidence_of, find_bin, middle_of_bin
from odm_tui.engine.problem import Floats
from tests.support.literal.certainty import share_right

decisions = st.lists(st.tuples(st.floats(0.02, 0.98), st.booleans()), min_size=1, max_size=12)
beliefs = st.lists(st.floats(0.001, 1), min_size=2, max_size=6).map(lambda row: np.array(row) / sum(row))


def evidence(made: list[tuple[float, bool]]) -> Floats:
    return evidence_of((find_bin(said), right, 1.0) for said, right in made)


@given(decisions, st.floats(0.01, 0.99))
@settings(max_examples=40, deadline=None)
def test_the_share_is_the_literal_one(made: list[tuple[float, bool]], said: float) -> None:
    past = [(middle_of_bin(find_bin(p)), right) for p, right in made]
    shown = float(Certainty.of(evidence(made)).share_right(said))
    assert_allclose(shown, share_right(said, past), rtol=1e-9)


@given(decisions)
@settings(max_examples=40, deadline=None)
def test_who_says_more_is_shown_as_surer_and_never_as_certain(made: list[tuple[float, bool]]) -> None:
    shown = Certainty.of(evidence(made)).share_right(np.linspace(0.001, 0.999, 99))
    assert (np.diff(shown) > 0).all()
    assert ((shown > 0) & (shown < 1)).all()


@given(beliefs)
def test_without_evidence_nothing_changes(belief: Floats) -> None:
    assert Certainty.of(None).shown(belief) is belief
    assert Certainty.of(evidence([])).shown(belief) is belief


@given(decisions, beliefs)
@settings(max_examples=60, deadline=None)
def test_the_order_stays_and_the_first_has_its_share(made: list[tuple[float, bool]], belief: Floats) -> None:
    certainty = Certainty.of(evidence(made))
    shown = certainty.shown(belief)
    assert_allclose(shown.sum(), 1)
    assert (shown[np.argsort(belief)] == np.sort(shown)).all()
    top, wanted = belief.max(), float(certainty.share_right(belief.max()))
    if (belief > 0.9 * top).sum() == 1 and 1.2 / len(belief) < wanted < 0.95:
        assert_allclose(shown.max(), wanted, atol=1e-6)


def test_an_outcome_that_is_ruled_out_stays_so_and_rows_are_shown_alike() -> None:
    certainty = Certainty.of(evidence([(0.9, False)] * 5))
    rows = np.array([[0.7, 0.3, 0.0], [0.1, 0.2, 0.7], [1.0, 0.0, 0.0]])
    shown = certainty.shown(rows)
    assert_array_equal(shown == 0, rows == 0)
    for row, each in zip(rows, shown, strict=True):
        assert_allclose(certainty.shown(row), each)


def test_who_is_often_wrong_is_shown_as_less_sure_and_the_reverse() -> None:
    bold = Certainty.of(evidence([(0.9, True)] * 60 + [(0.9, False)] * 40))
    shy = Certainty.of(evidence([(0.6, True)] * 95 + [(0.6, False)] * 5))
    assert 0.58 < float(bold.share_right(0.9)) < 0.7
    assert 0.8 < float(shy.share_right(0.6)) < 0.96


def test_the_curve_has_said_right_and_counts() -> None:
    curve = curve_of(evidence([(0.9, True)] * 3 + [(0.9, False)] + [(0.5, True)]))
    found = [(each.low, each.count, round(each.said, 3), each.right) for each in curve]
    assert found == [(0.5, 1, 0.5, 1), (0.9, 4, 0.905, 0.75)]
    assert calibration_error(curve) > 0.1
