"""The other forms of ``lookahead-learn`` that the results compare it with."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from odm_tui.engine.lookahead.learning_value import PLANNED
from odm_tui.engine.oracles.lookahead import Lookahead
from odm_tui.engine.policy import policy_from
from odm_tui.engine.problem import Floats
from odm_tui.evaluation.data.dataset import Dataset
from odm_tui.evaluation.experiment.batch.simulation import BatchMember, simulate_together
from odm_tui.evaluation.experiment.batch.stacked_posteriors import StackedPosteriors
from odm_tui.evaluation.experiment.settings import Knowledge, Prior, Regions
from odm_tui.evaluation.experiment.simulation import apply_settings
from tests.support.literal import information_directed as directed
from tests.support.literal import learning as literal

pytest.importorskip("numba")


def both(yes: Floats) -> list[list[list[float]]]:
    """P(no) and P(yes) as the literal versions take them."""
    return [[[1.0 - p, p] for p in row] for row in yes.tolist()]


@pytest.mark.parametrize("seed", range(3))
def test_the_prototype_s_losses_are_those_of_its_definition(seed: int) -> None:
    from benchmarks.learning_forms.kernel import find_losses_of_prototype

    rng = np.random.default_rng(seed)
    drawn, mean = rng.random((1, 3, 4, 2)), rng.random((1, 4, 2))
    prior, cost = rng.dirichlet([2.0, 2.0], 1), rng.uniform(0.1, 1.0, (1, 4, 2))
    losses = np.empty((1, 4))
    find_losses_of_prototype(drawn, mean, prior, cost, 8.0, 3, losses)
    expected = literal.prototype_losses(
        [both(theta) for theta in drawn[0]],
        both(mean[0]),
        [[row, row] for row in cost[0].tolist()],
        prior[0].tolist(),
        8.0,
        3,
    )
    assert max(expected) > 0
    assert_allclose(losses[0], expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_a_plan_with_the_draw_starts_from_the_answers_as_they_are_read(seed: int) -> None:
    from benchmarks.learning_forms.kernel import hold_form

    rng = np.random.default_rng(seed)
    n, m, stakes = 4, 3, 9.0
    models, bonus = rng.beta(0.7, 0.7, (1, 2, n, m)), rng.uniform(0.0, 0.3, (1, n, m))
    reading = np.stack([models[:, 1]] * 2, axis=1)
    prior, cost = rng.dirichlet([2.0] * m, 1), rng.uniform(0.1, 1.0, (1, n, 2))
    answers, asked = rng.integers(0, 2, (1, n)).astype(np.int8), np.empty((1, n), dtype=np.int16)
    hold_form(models, reading, bonus, prior, cost, stakes, answers, n, asked)
    belief, left, expected = prior[0], list(range(n)), []
    while True:
        found = None
        for yes in models[0]:
            asking = cost[0, :, :1] * (1 - yes) + cost[0, :, 1:] * yes - bonus[0]
            if found is None:
                found = literal.next_question(both(yes), asking.tolist(), belief.tolist(), stakes, left)
        if found is None:
            break
        expected.append(found)
        left.remove(found)
        yes = models[0, 1, found]
        belief = belief * (yes if answers[0, found] else 1 - yes)
        belief = belief / belief.sum()
    assert asked[0][asked[0] >= 0].tolist() == expected


def prepare_members() -> list[BatchMember]:
    policy = replace(policy_from("lookahead-learn"), oracle=Lookahead(0.3))
    return [
        BatchMember(*apply_settings(Dataset.load("led", seed, 12), policy, Prior.POOLED, 30.0, False), seed)
        for seed in (1, 2)
    ]


def test_the_product_s_form_has_the_product_s_values() -> None:
    from benchmarks.learning_forms.forms import FORMS, PRODUCT, hold_runs

    members = prepare_members()
    traces = simulate_together(members, Regions.UNKNOWN, 0.002)
    expected = [30.0 * trace.accuracy - trace.mean_cost for trace in traces]
    held = {form: hold_runs(members, form, 30.0, 0.3) for form in FORMS}
    assert_allclose(held[PRODUCT].value, expected)
    assert_allclose(held[PRODUCT].cost, [trace.mean_cost for trace in traces])
    assert len({each.value.tobytes() for each in held.values()}) > len(FORMS) // 2


def test_an_audit_asks_everything_and_the_product_goes_on_with_what_it_taught() -> None:
    from benchmarks.learning_forms.forms import PRODUCT, hold_runs

    members = prepare_members()
    dearest = np.array(
        [
            sum(member.dataset.mean_cost[:, label].sum() for label in member.dataset.labels) / 12
            for member in members
        ]
    )
    some, all_ = (hold_runs(members, replace(PRODUCT, audits=count), 30.0, 0.3) for count in (3, 12))
    assert_allclose(all_.cost, dearest)
    assert (some.cost < dearest).all()
    assert (some.value != hold_runs(members, PRODUCT, 30.0, 0.3).value).any()


def test_a_form_that_is_shown_all_answers_is_the_product_with_full_knowledge() -> None:
    from benchmarks.learning_forms.forms import PRODUCT, hold_runs

    members = prepare_members()
    traces = simulate_together(members, Regions.UNKNOWN, 0.002, knowledge=Knowledge.FULL)
    shown = hold_runs(members, replace(PRODUCT, shown=12), 30.0, 0.3)
    assert_allclose(shown.value, [30.0 * trace.accuracy - trace.mean_cost for trace in traces])
    assert_allclose(shown.cost, [trace.mean_cost for trace in traces])


def test_a_declining_horizon_counts_the_interviews_that_are_left() -> None:
    from benchmarks.learning_forms.forms import PRODUCT

    declining = replace(PRODUCT, declines=True)
    assert [declining.horizon_at(at, 4) for at in range(4)] == [3.0, 2.0, 1.0, 0.0]
    assert {PRODUCT.horizon_at(at, 4) for at in range(4)} == {PRODUCT.horizon}


def test_even_shares_divide_what_not_knowing_theta_costs_by_the_number_of_questions() -> None:
    from benchmarks.learning_forms.forms import PRODUCT, _find_losses

    problem = prepare_members()[0].dataset.problem
    posteriors = StackedPosteriors([problem])
    n, cost = len(problem.questions), problem.cost[None, :, 0]
    losses = _find_losses(
        posteriors, replace(PRODUCT, jointly=True), problem.prior[None], cost, 30.0, np.zeros((1, n))
    )
    regret, _ = directed.regret(
        posteriors.draw()[0].tolist(),
        posteriors.mean[0, ..., 1].tolist(),
        cost[0].tolist(),
        problem.prior.tolist(),
        30.0,
        PLANNED,
    )
    assert regret > 0
    assert_allclose(losses, np.full((1, n), regret / n))
