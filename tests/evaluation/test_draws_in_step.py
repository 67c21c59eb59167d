"""Draws held in step make the choices of the engine's interviews, one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from odm_tui.engine.belief import entropy, safe_log
from odm_tui.engine.exploration import EpsilonGreedy
from odm_tui.engine.interview import Ask, Interview
from odm_tui.engine.policy import Policy, policy_from
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Problem, Question
from odm_tui.evaluation.replay import propensity
from odm_tui.evaluation.replay.in_step.chances import draw_others
from odm_tui.evaluation.replay.in_step.drawn_interviews import DrawnInterviews
from odm_tui.evaluation.replay.in_step.drawn_policy import DrawnPolicy, can_step
from odm_tui.evaluation.replay.in_step.stacked_paths import SKIPPED, UNKNOWN, StackedPaths
from odm_tui.evaluation.replay.logged_path import STOP, LoggedPath, QuestionReply, list_replies

POLICIES = [
    ("w-ig-ts", {"max_questions": 3}),
    ("w-ig-ts", "never"),
    ("w-ig-sts", {"confidence": 0.8}),
    ("w-ig-mean", {"any": [{"confidence": 0.9}, {"max_questions": 2}]}),
    ("w-ig-map", {"all": [{"confidence": 0.6}, {"max_questions": 2}]}),
    ("w-ig-ts", {"any": [{"budget": 3.0}, {"confidence": 0.9}]}),
    ("w-ig-ts", {"all": [{"budget": 3.0}, {"max_questions": 1}]}),
    ("w-ig-eps", {"max_questions": 3}),
    ("w-ig-eps", {"confidence": 0.5}),
    ("w-ig-eps", {"any": [{"confidence": 0.5}, {"max_questions": 2}]}),
    ("w-ig-eps", {"all": [{"confidence": 0.4}, {"max_questions": 1}]}),
    ("random", {"budget": 2.5}),
    ("random", {"confidence": 0.7}),
]


LEARNING = ("separate", "pooled", "shared")


def random_posterior(rng: np.random.Generator, width: int, learning: str) -> Posterior:
    n, m = int(rng.integers(2, 6)), int(rng.integers(2, 5))
    questions = [Question(f"q{i}", tuple(f"a{k}" for k in range(width))) for i in range(n)]
    prior = rng.dirichlet(np.ones(m))
    problem = Problem.build(
        questions, [f"y{j}" for j in range(m)], prior=prior, cost=rng.uniform(0.2, 2.0, (n, m, width))
    )
    learned = learning != "separate"
    problem = replace(problem, pooled=learned, shared=learning == "shared")
    posterior = Posterior.of(problem, unknown=rng.choice([0.0, 2.0, 9.0, 40.0], n) if learned else None)
    for _ in range(int(rng.integers(0, 12))):
        posterior = posterior.updated(rng.integers(-1, width, n), int(rng.integers(m)))
    return posterior


def drawn_as(interviews: list[Interview], path: list[int]) -> DrawnPolicy:
    """Return what these interviews drew, as rows."""
    first = interviews[0]
    order = np.stack([each.situation.draws.order for each in interviews])
    coins = np.stack([each.situation.draws.coins for each in interviews])
    if first.policy.oracle.name == "random":
        return DrawnPolicy(first.policy, np.array(path), order, coins)
    theta = np.stack([each.situation.model.theta for each in interviews])
    cost = (first.problem.cost * theta).sum(axis=-1)
    return DrawnPolicy(
        first.policy, np.array(path), order, coins, theta, safe_log(theta), entropy(theta), cost
    )


@pytest.mark.parametrize(("name", "stop"), POLICIES)
@pytest.mark.parametrize(
    ("width", "learning"), [(2, "separate"), (2, "pooled"), (2, "shared"), (3, "separate"), (3, "shared")]
)
def test_every_choice_is_that_of_the_engine(name: str, stop: object, width: int, learning: str) -> None:
    rng = np.random.default_rng([width, LEARNING.index(learning), len(name)])
    policy = policy_from(name, stop)
    if policy.exploration.epsilon:
        policy = replace(policy, exploration=EpsilonGreedy(0.5))
    for _ in range(6):
        before = random_posterior(rng, width, learning)
        assert can_step(before.problem, policy)
        n, outcome = len(before.problem.questions), int(rng.integers(before.problem.shape[1]))
        path = LoggedPath("one", policy, before, (), {}, outcome, 1.0)
        interviews = [Interview(before.problem, policy, before, seed) for seed in range(8)]
        held = DrawnInterviews(StackedPaths.of([path]), drawn_as(interviews, [0] * 8))
        state = held.start()
        replies = rng.choice([SKIPPED, UNKNOWN, *range(width)], size=(8, n)).astype(np.int16)
        finished = held.finish(state, replies)
        while interviews:
            expected = np.array([_find_choice(each) for each in interviews])
            assert held.choose(state).tolist() == expected.tolist(), (name, stop)
            for row in np.flatnonzero(expected == STOP).tolist():
                ended = interviews[row]
                upcoming = ended.next
                assert not isinstance(upcoming, Ask)
                paid = path.compute_cost(list_replies(ended.steps))
                assert finished[row] == pytest.approx([paid, float(upcoming.outcome == outcome)])
            going = np.flatnonzero(expected != STOP)
            state, replies, finished = state.take(going), replies[going], finished[going]
            interviews, chosen = [interviews[row] for row in going], expected[going]
            if not interviews:
                break
            given = replies[np.arange(len(going)), chosen]
            held.give(state, chosen, given)
            for interview, question, reply in zip(interviews, chosen.tolist(), given.tolist(), strict=True):
                _reply(reply).give(interview, question)


def _find_choice(interview: Interview) -> int:
    upcoming = interview.next
    return upcoming.question if isinstance(upcoming, Ask) else STOP


def _reply(reply: int) -> QuestionReply:
    if reply >= 0:
        return QuestionReply("answered", reply)
    return QuestionReply("unknown" if reply == UNKNOWN else "skipped")


@pytest.mark.parametrize("learning", ["pooled", "shared"])
@pytest.mark.parametrize("name", ["w-ig-ts", "w-ig-eps", "random"])
def test_the_value_model_in_step_has_the_same_mean_as_one_by_one(name: str, learning: str) -> None:
    rng = np.random.default_rng(3)
    before = random_posterior(rng, 2, learning)
    logged = policy_from("random", {"max_questions": 2})
    replies = {0: QuestionReply("answered", 1), 1: QuestionReply("unknown")}
    path = LoggedPath("one", logged, before, (0, 1), replies, 0, 1.0)
    other = policy_from(name, {"max_questions": 2})
    (found,) = draw_others(StackedPaths.of([path]), other, np.array([4000]), 0)
    slow = propensity.estimate_other_chances(path, other, 800, 0)
    error = (0.25 / 800) ** 0.5
    assert np.abs(found.shares - slow.shares).max() < 3.5 * error
    most = float(before.problem.cost.sum())
    assert np.abs(found.model - slow.model).max() < 3.5 * error * most
    assert np.abs(found.surprises - slow.surprises).max() < 3.5 * error * most


def test_each_path_gets_the_shares_of_its_own_draws() -> None:
    problem = Problem.build(["a", "b"], ["x", "y"], expected=[[0.9, 0.1], [0.6, 0.4]], worth=1e4)
    always_a = policy_from("w-ig-mean", {"max_questions": 1})
    paths = [
        LoggedPath(
            "one",
            policy_from("random", {"max_questions": 1}),
            Posterior.of(problem),
            (question,),
            {question: QuestionReply("answered", 1)},
            0,
            1.0,
        )
        for question in (0, 1, 0)
    ]
    found = draw_others(StackedPaths.of(paths), always_a, np.array([5, 7, 3]), 0)
    assert [each.shares.tolist() for each in found] == [[1.0, 1.0], [0.0, 0.0], [1.0, 1.0]]


@pytest.mark.parametrize("width", [2, 3])
@pytest.mark.parametrize("name", ["ts", "sts"])
def test_theta_is_drawn_as_the_engine_draws_it(name: str, width: int) -> None:
    """Means and spreads of draws that are sure of different things: the prior, and what was counted."""
    pseudo = np.array([[[1.0, 4.0, 0.0][:width]]]) + (width == 3)
    problem = Problem.build([Question("a", tuple("abc"[:width]))], ["x"], pseudo=pseudo)
    before = Posterior.of(problem, np.array([[[9.0, 3.0, 2.0][:width]]]), [12.0], 12)
    policy = policy_from(f"w-ig-{name}", {"max_questions": 1})
    rngs = [np.random.default_rng(1)]
    in_step = DrawnPolicy.draw(policy, [before], [0], [6000], rngs).theta
    assert in_step is not None
    exploration = policy.exploration
    own = np.stack([exploration.model(before, np.random.default_rng([2, i])).theta for i in range(6000)])
    spread = own.std(axis=0)
    assert np.abs(in_step.mean(axis=0) - own.mean(axis=0)).max() < 0.06 * spread.max()
    assert in_step.std(axis=0) == pytest.approx(spread, rel=0.06)


@pytest.mark.parametrize("name", ["ts", "sts"])
def test_where_shapes_are_shared_theta_is_drawn_as_the_engine_draws_it(name: str) -> None:
    """Also how theta under one outcome goes with theta under the other: a question has one shape in each draw."""
    problem = Problem.build(["a", "b"], ["x", "y"], pooled=True, shared=True)
    before = Posterior.of(problem, [[[3.0, 1.0], [0.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]]], [4.0, 1.0], 5)
    policy = policy_from(f"w-ig-{name}", {"max_questions": 1})
    in_step = DrawnPolicy.draw(policy, [before], [0], [6000], [np.random.default_rng(1)]).theta
    assert in_step is not None
    exploration = policy.exploration
    own = np.stack([exploration.model(before, np.random.default_rng([2, i])).theta for i in range(3000)])
    assert np.abs(in_step.mean(axis=0) - own.mean(axis=0)).max() < 0.025
    assert in_step.std(axis=0) == pytest.approx(own.std(axis=0), rel=0.06)
    for question in (0, 1):
        together = [
            np.cov(theta[:, question, 0, 1], theta[:, question, 1, 1])[0, 1] for theta in (in_step, own)
        ]
        assert together[0] == pytest.approx(together[1], abs=0.01)
    assert together[0] > 0.02


@pytest.mark.parametrize("name", ["w-ig-ts", "random"])
def test_each_draw_has_an_order_of_all_questions_of_its_own(name: str) -> None:
    before = Posterior.of(Problem.build(["a", "b", "c", "d"], ["x", "y"]))
    drawn = DrawnPolicy.draw(policy_from(name), [before], [0], [40], [np.random.default_rng(0)])
    assert np.sort(drawn.order, axis=1).tolist() == [[0, 1, 2, 3]] * 40
    assert len({tuple(order) for order in drawn.order.tolist()}) > 10
    assert drawn.coins.shape == (40, 5)


def test_policies_that_do_not_always_explore_are_held_one_by_one() -> None:
    problem = Problem.build(["a", "b"], ["x", "y"])
    policy = policy_from("w-ig-ts", {"max_questions": 2})
    for explore in ("quiet", "never"):
        assert not can_step(problem, replace(policy, explore=explore))


def test_other_policies_are_held_one_by_one() -> None:
    problem = Problem.build(["a", "b"], ["x", "y"])
    plain = {"max_questions": 2}
    assert can_step(problem, policy_from("w-ig-ts", plain))
    for name in ("w-ec2-ts", "lookahead-ts", "w-ig-bucb", "all", "dpp"):
        assert not can_step(problem, policy_from(name, plain))
    assert not can_step(problem, policy_from("w-ig-ts", "value"))
    assert not can_step(problem, policy_from("w-ig-ts", {"any": ["region", plain]}))


def test_draws_that_grow_in_rounds_are_counted_as_if_they_were_one_run() -> None:
    """The r-th match of each choice is counted at its own draw, however the draws were divided into rounds."""
    before = Posterior.of(Problem.build(["a", "b", "c"], ["x", "y"]))
    policy: Policy = policy_from("random", {"max_questions": 2})
    replies = {0: QuestionReply("answered", 1), 2: QuestionReply("answered", 0)}
    path = LoggedPath("one", policy, before, (0, 2), replies, 0, 1.0)
    stop_only, all_choices = np.array([[False, False, True]]), np.array([[True, True, True]])
    whole = propensity.start_draws([path], 20, 5000, 0)
    whole.draw_until_matched(all_choices)
    parts = propensity.start_draws([path], 20, 5000, 0)
    parts.draw_until_matched(stop_only)
    parts.draw_until_matched(all_choices)
    assert (
        parts.result(0, all_choices[0]).inverse.tolist() == whole.result(0, all_choices[0]).inverse.tolist()
    )
