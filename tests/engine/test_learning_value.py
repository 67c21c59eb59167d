"""The value of learning, and the policy that counts it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from odm_tui.engine.exploration import EXPLORATIONS, LearningValue, sureness
from odm_tui.engine.interview import Ask, Interview
from odm_tui.engine.lookahead import learning_value
from odm_tui.engine.lookahead.learning_value import learning_bonus, losses_by_ignorance
from odm_tui.engine.policy import DEFAULT_POLICY, policy_from, policy_names
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.priors.base_rates import WEIGHTS, weigh_evidence
from odm_tui.engine.problem import Floats, Problem, Question
from odm_tui.engine.stakes import Stakes
from odm_tui.errors import BadArgument
from tests.support.literal import learning as literal


def random_posterior(seed: int, sizes: tuple[int, ...] = (2, 2, 3, 2, 2), interviews: int = 8) -> Posterior:
    rng = np.random.default_rng(seed)
    questions = [
        Question(f"q{i}", tuple("abcdef"[:size]) if size > 2 else ("no", "yes"))
        for i, size in enumerate(sizes)
    ]
    width = max(sizes)
    cost = (
        rng.uniform(0.05, 1.0, (len(sizes), 3, width))
        * (np.arange(width) < np.array(sizes)[:, None])[:, None]
    )
    problem = Problem.build(
        questions,
        ["x", "y", "z"],
        prior=rng.dirichlet(np.full(3, 3.0)),
        cost=cost,
        stakes=float(rng.uniform(1, 8)),
        pooled=bool(rng.random() < 0.5),
        horizon=float(rng.integers(1, 100)),
    )
    if problem.pooled and seed % 2:
        problem = replace(problem, shared=True)
    posterior = Posterior.of(problem)
    for _ in range(interviews):
        given = [int(rng.integers(size)) if rng.random() < 0.6 else -1 for size in sizes]
        posterior = posterior.updated(np.array(given, dtype=np.int16), int(rng.integers(3)))
    return posterior


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("sizes", [(2, 2, 2, 2, 2), (2, 3, 2)])
def test_the_bonus_is_the_one_of_the_definition(
    seed: int, sizes: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning_value, "DRAWS", 3)
    monkeypatch.setattr(learning_value, "PLANNED", 3)
    posterior = random_posterior(seed, sizes)
    problem = posterior.problem
    drawn = posterior.draw(np.random.default_rng(learning_value.SEED), 3)

    def trim(array: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> list[list[list[float]]]:
        return [[row[: sizes[i]].tolist() for row in rows] for i, rows in enumerate(array)]

    expected = literal.bonus(
        [trim(theta) for theta in drawn],
        trim(posterior.alpha),
        trim(problem.cost),
        posterior.outcome_prior().tolist(),
        problem.effective_stakes,
        problem.horizon,
        3,
    )
    assert_allclose(learning_bonus(posterior), expected, rtol=1e-9, atol=1e-12)


def test_some_answers_are_worth_learning() -> None:
    assert sum(learning_bonus(random_posterior(seed)).max() > 0 for seed in range(12)) >= 8


def test_draws_of_a_pooled_posterior_have_weights_of_their_own() -> None:
    """Their mean and spread are those of the mixture over weights, not of the one weight that the mean uses."""
    posterior = random_posterior(2)
    posterior = replace(posterior, problem=replace(posterior.problem, pooled=True))
    rates, chances = weigh_evidence(posterior.problem, posterior.counts)
    drawn = posterior.draw(np.random.default_rng(1), 20_000)
    mean, square = np.zeros(drawn.shape[1:]), np.zeros(drawn.shape[1:])
    for weight, rate, chance in zip(WEIGHTS, rates, chances, strict=True):
        alpha = weight * rate[:, None, :] + posterior.counts
        total = alpha.sum(axis=-1, keepdims=True)
        mean += chance[:, None, None] * alpha / total
        square += chance[:, None, None] * alpha * (alpha + 1) / (total * (total + 1))
    assert_allclose(drawn.mean(axis=0), mean, atol=0.02)
    assert_allclose(drawn.std(axis=0), np.sqrt(square - mean**2), atol=0.02)


def test_the_bonus_follows_from_the_counts_alone() -> None:
    posterior = random_posterior(3)
    again = Posterior.of(posterior.problem, posterior.counts, posterior.outcome_counts, posterior.interviews)
    assert learning_bonus(posterior).tobytes() == learning_bonus(again).tobytes()
    model = [LearningValue().model(posterior, np.random.default_rng(seed)) for seed in (1, 2)]
    assert model[0].learning is not None
    assert np.array_equal(model[0].learning, model[1].learning)  # type: ignore[arg-type]  # it has one, too
    assert not np.array_equal(model[0].theta, model[1].theta)


def test_what_is_known_well_is_worth_nothing_to_learn() -> None:
    problem = Problem.build(["a", "b"], ["x", "y"], cost=[0.5, 0.5], stakes=5.0)
    counts = np.zeros((2, 2, 2))
    counts[:, 0], counts[:, 1] = (90_000, 10_000), (20_000, 80_000)
    sure = learning_bonus(Posterior.of(problem, counts, [100_000, 100_000], 200_000))
    assert sure.max() < 1e-6
    assert learning_bonus(Posterior.of(problem)).max() > 0.01


def test_the_bonus_grows_with_the_horizon_and_is_none_without_one() -> None:
    posterior = random_posterior(5)
    once = replace(posterior, problem=replace(posterior.problem, horizon=10.0))
    twice = replace(posterior, problem=replace(posterior.problem, horizon=20.0))
    none = replace(posterior, problem=replace(posterior.problem, horizon=0.0))
    assert_allclose(2 * learning_bonus(once), learning_bonus(twice))
    assert not learning_bonus(none).any()
    with pytest.raises(BadArgument, match="horizon"):
        replace(posterior.problem, horizon=-1.0)


def test_losses_are_never_negative_with_stakes_by_pair_and_referring() -> None:
    for seed in range(5):
        posterior = random_posterior(seed)
        table = np.random.default_rng(seed).uniform(1, 9, (3, 3)) * (1 - np.eye(3))
        problem = replace(posterior.problem, stakes=Stakes.by_pair(table), refer_cost=2.0)
        losses = losses_by_ignorance(replace(posterior, problem=problem))
        assert (losses >= 0).all()
        assert np.isfinite(losses).all()


def test_questions_with_many_answers_are_planned_in_shorter_plans() -> None:
    problem = Problem.build(
        [Question(f"q{i}", tuple(f"a{q}" for q in range(40))) for i in range(6)], ["x", "y"], stakes=10.0
    )
    assert learning_bonus(Posterior.of(problem)).shape == (6, 2)


def test_where_the_draw_would_stop_the_mean_goes_on() -> None:
    """The two models of an interview: the draw asks first, the mean has the last word."""
    problem = Problem.build(
        ["telling"], ["x", "y"], expected=[[0.7, 0.3]], worth=4.0, cost=1.0, stakes=8.0, horizon=0.0
    )
    by_draw, by_mean = 0, 0
    for seed in range(60):
        interview = Interview(problem, "lookahead-learn", seed=seed)
        assert isinstance(interview.next, Ask)
        draw = interview.situation
        if interview.policy.oracle.should_continue(draw):
            by_draw += 1
        else:
            by_mean += 1
    assert min(by_draw, by_mean) > 0


def test_a_question_that_is_asked_only_to_learn_says_so() -> None:
    problem = Problem.build(["dull", "new"], ["x", "y"], cost=[1.0, 0.4], stakes=4.0, horizon=400.0)
    counts = np.zeros((2, 2, 2))
    counts[0] = 500.0
    interview = Interview(
        problem, "lookahead-learn", Posterior.of(problem, counts, [1000, 1000], 2000), seed=1
    )
    assert interview.next == Ask(1)
    assert interview.situation.model.mean_cost.min() > 0
    assert Interview(problem, "lookahead-mean", interview.posterior).next != Ask(1)


def test_the_draw_becomes_surer_up_to_a_limit() -> None:
    assert sureness(0, 10) == 1.0
    assert sureness(250, 10) == 2.0
    assert sureness(10_000, 10) == 3.0


def test_learning_goes_with_plans_only() -> None:
    assert [name for name in policy_names() if name.endswith("-learn")] == ["lookahead-learn"]
    assert EXPLORATIONS["learn"].needs_plans
    with pytest.raises(BadArgument, match="oracle that plans"):
        policy_from({"oracle": "w-ig", "exploration": "learn"})
    with pytest.raises(BadArgument, match="w-ig-learn"):
        policy_from("w-ig-learn")


def test_default_names_the_default_policy() -> None:
    assert policy_from("default").name == DEFAULT_POLICY == "lookahead-learn"
    assert policy_from("default").spec() == policy_from(DEFAULT_POLICY).spec()


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[Posterior]:
    """The posteriors whose value of learning was computed."""
    seen: list[Posterior] = []

    def count(posterior: Posterior) -> Floats:
        seen.append(posterior)
        return losses_by_ignorance(posterior)

    monkeypatch.setattr(learning_value, "losses_by_ignorance", count)
    monkeypatch.setattr(learning_value, "_computed", {})
    return seen


def test_the_value_of_learning_is_computed_once_for_the_same_knowledge(computed: list[Posterior]) -> None:
    first = learning_bonus(random_posterior(1))
    again = learning_bonus(random_posterior(1))
    assert_array_equal(first, again)
    assert len(computed) == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda known: known.updated([0, 1, 2, 0, 1], 2),
        lambda known: replace(known, problem=replace(known.problem, stakes=9.5)),
        lambda known: replace(known, problem=replace(known.problem, refer_cost=0.5)),
        lambda known: replace(known, problem=replace(known.problem, cost=known.problem.cost * 1.5)),
        lambda known: replace(known, problem=replace(known.problem, pooled=not known.problem.pooled)),
        lambda known: replace(known, problem=replace(known.problem, pooled=True, shared=True)),
    ],
    ids=["counts", "stakes", "refer", "cost", "pooled", "shared"],
)
def test_other_knowledge_is_computed_anew(
    change: Callable[[Posterior], Posterior], computed: list[Posterior]
) -> None:
    known = random_posterior(2)
    learning_bonus(known)
    changed = change(known)
    found = learning_bonus(changed)
    assert len(computed) == 2
    expected = learning_value.share_bonus(
        losses_by_ignorance(changed), changed.alpha, changed.outcome_prior(), changed.problem.horizon
    )
    assert_array_equal(found, expected)


def test_only_the_last_few_are_kept(computed: list[Posterior]) -> None:
    for seed in range(20):
        learning_bonus(random_posterior(seed))
    assert len(computed) == 20
    learning_bonus(random_posterior(19))
    assert len(computed) == 20
    learning_bonus(random_posterior(0))
    assert len(computed) == 21
