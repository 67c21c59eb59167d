"""Evaluations of banks whose outcomes have variants."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from odm_tui.engine.interview import Ask, Interview
from odm_tui.engine.policy import policy_from
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Problem
from odm_tui.engine.variants.variants import Variants
from odm_tui.evaluation.bank.callers import CallerGroup, draw_callers
from odm_tui.evaluation.bank.trial import ask_everything, hold_interviews
from odm_tui.evaluation.data.dataset import Dataset
from odm_tui.evaluation.experiment.batch.simulation import BatchMember
from odm_tui.evaluation.experiment.batch.units import is_batchable
from odm_tui.evaluation.replay.in_step.drawn_policy import can_step


def exclusive_or() -> Posterior:
    """Two questions, of which neither tells anything by itself: the outcome is whether their answers agree."""
    problem = Problem.build(["a", "b", "noise"], ["same", "differ"], stakes=40)
    yes = np.array([[0.95, 0.05, 0.95, 0.05], [0.95, 0.05, 0.05, 0.95], [0.5, 0.5, 0.5, 0.5]])
    variants = Variants(np.array([0, 0, 1, 1]), np.full(4, 0.5), 2000 * np.stack([1 - yes, yes], axis=-1))
    return Posterior.of(problem, variants=variants)


def test_callers_are_drawn_from_the_variants_of_their_outcome() -> None:
    (group,) = draw_callers(exclusive_or(), 4000, 1, seed=1)
    assert set(group.outcomes.tolist()) == {0, 1}
    agree = group.answers[:, 0] == group.answers[:, 1]
    same = group.outcomes == 0
    assert agree[same].mean() > 0.88
    assert agree[~same].mean() < 0.12
    np.testing.assert_allclose(group.answers[same].mean(axis=0), 0.5, atol=0.05)


def test_asking_everything_is_the_policy_all_with_variants_too() -> None:
    (group,) = draw_callers(exclusive_or(), 60, 1, seed=2)
    fast, slow = ask_everything(group), hold_interviews(group, policy_from("all"), 0)
    np.testing.assert_array_equal(fast.decided, slow.decided)
    np.testing.assert_allclose(fast.said, slow.said)
    assert fast.right.mean() > 0.85


def test_what_naive_bayes_cannot_tell_variants_do() -> None:
    known = exclusive_or()
    (group,) = draw_callers(known, 300, 1, seed=3)
    policy = policy_from("lookahead-mean")
    plain = CallerGroup(replace(known, variants=None), group.answers, group.outcomes)
    assert hold_interviews(group, policy, 0).right.mean() > 0.85
    assert hold_interviews(plain, policy, 0).right.mean() < 0.6


def test_interviews_with_variants_are_held_one_by_one() -> None:
    known = exclusive_or()
    policy = policy_from("w-ig-ts", {"max_questions": 2})
    assert can_step(known.problem, policy, [replace(known, variants=None)])
    assert not can_step(known.problem, policy, [known])
    named = replace(known.problem, named_variants=known.variants)
    assert not can_step(named, policy)
    answers, labels = np.zeros((4, 3), dtype=np.int8), np.array([0, 1, 0, 1])
    dataset = Dataset.from_arrays(
        answers,
        labels,
        questions=known.problem.questions,
        outcomes=known.problem.outcomes,
        cost=np.ones((3, 2)),
    )
    member = BatchMember(dataset, policy_from("lookahead-ts"), 0)
    assert is_batchable(member)
    assert not is_batchable(replace(member, dataset=replace(dataset, problem=named)))


def test_the_chances_of_answers_are_those_given_the_answers_so_far() -> None:
    interview = Interview(exclusive_or().problem, "lookahead-mean", exclusive_or())
    np.testing.assert_allclose(interview.answer_chances(1), [0.5, 0.5])
    assert isinstance(interview.next, Ask)
    interview.answer("yes", 0)
    interview.rule_out(1)
    np.testing.assert_allclose(interview.answer_chances(1), [0.095, 0.905], atol=1e-9)
