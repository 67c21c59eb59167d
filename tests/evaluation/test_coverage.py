"""Risk and coverage: the surest decisions, those that are handed over, and what both are worth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from odm_tui.evaluation.data.dataset import Dataset
from odm_tui.evaluation.experiment.coverage import find_coverage
from odm_tui.evaluation.experiment.metrics import utilities
from odm_tui.evaluation.experiment.simulation import Trace, simulate
from tests.support.literal.coverage import surest_right

decisions = st.lists(st.tuples(st.sampled_from([0.2, 0.5, 0.6, 0.9]), st.booleans()), min_size=1, max_size=20)


def trace_of(made: list[tuple[float, bool]], undecided: int = 0) -> Trace:
    size = len(made) + undecided
    return Trace(
        cost=np.zeros(size),
        realised=np.zeros(size),
        questions=np.zeros(size, dtype=np.int32),
        decision=np.array([int(right) for _, right in made] + [-1] * undecided, dtype=np.int32),
        label=np.ones(size, dtype=np.int32),
        belief=np.array([belief for belief, _ in made] + [0.1] * undecided),
        seconds=0.0,
    )


@given(decisions, st.integers(0, 5))
@settings(deadline=None)
def test_the_curve_is_the_literal_one(made: list[tuple[float, bool]], undecided: int) -> None:
    size = len(made) + undecided
    points = find_coverage([trace_of(made, undecided)], steps=size)
    assert_allclose([point.coverage for point in points], np.arange(1, len(made) + 1) / size)
    beliefs, right = zip(*made, strict=True)
    for count, point in enumerate(points, start=1):
        share = surest_right(beliefs, right, count)
        assert_allclose(point.right, share)
        assert_allclose(point.utility, (3 * share - 1) * count / size, atol=1e-12)


@given(decisions, st.integers(0, 5))
@settings(deadline=None)
def test_the_last_point_is_everything_that_was_decided(
    made: list[tuple[float, bool]], undecided: int
) -> None:
    trace = trace_of(made, undecided)
    last = find_coverage([trace])[-1]
    assert_allclose(last.coverage, len(made) / len(trace.cost))
    assert_allclose(last.utility, utilities(trace.decision, trace.label).mean(), atol=1e-12)


def test_an_experiment_without_decisions_has_no_curve() -> None:
    assert find_coverage([trace_of([], undecided=3)]) == ()


@pytest.mark.parametrize("policy", ["lookahead-ts", "lookahead-learn"])
def test_what_is_handed_over_is_undecided_and_more_is_handed_over_where_it_is_cheap(policy: str) -> None:
    rng = np.random.default_rng(5)
    theta, labels = rng.beta(0.7, 0.7, (4, 3)), rng.integers(0, 3, 60)
    answers = (rng.random((60, 4)) < theta[:, labels].T).astype(np.int8)
    dataset = Dataset.from_arrays(answers, labels, cost=rng.uniform(0.2, 1.0, (4, 2)))
    shares = []
    for refer in (None, 4.0, 1.0):
        trace = simulate(dataset, policy, protocol="live", stakes=10.0, seed=1, refer_cost=refer)
        shares.append(float((trace.decision < 0).mean()))
        if refer is not None:
            assert (trace.belief[trace.decision < 0] < 1 - refer / 10 + 1e-9).all()
            assert (trace.belief[trace.decision >= 0] >= 1 - refer / 10 - 1e-9).all()
    assert shares[0] == 0 < shares[1] < shares[2]
