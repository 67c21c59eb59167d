"""Runs in which one question among many tells the outcomes apart, and little is at stake: none ends up silent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from odm_tui.engine.policy import policy_from
from odm_tui.engine.priors import shapes
from odm_tui.engine.problem import Bools, Problem
from odm_tui.evaluation.data.dataset import Dataset
from odm_tui.evaluation.experiment.batch import simulation as batch_simulation
from odm_tui.evaluation.experiment.batch.simulation import BatchMember, simulate_together
from odm_tui.evaluation.experiment.batch.stacked_posteriors import StackedPosteriors
from odm_tui.evaluation.experiment.settings import Prior, Regions
from odm_tui.evaluation.experiment.simulation import apply_settings

pytest.importorskip("numba")
CASES = {
    "one likelier outcome": ((0.7, 0.3), (0.95, 0.05), 10.0),
    "equally likely": ((0.5, 0.5), (0.9, 0.1), 5.0),
}
"""The outcomes' shares, how often each answers yes to the telling question, and the stakes; a question costs 1."""
SILENT = 0.05
"""A run has ended up silent if its last fifth asks fewer questions than this in an interview."""


def count_silent(policy: str, questions: int, case: str, learning: Prior, runs: int, interviews: int) -> int:
    """How many runs with plans of five questions end up silent."""
    prior, telling, stakes = CASES[case]
    members = []
    for seed in range(1000, 1000 + runs):
        rng = np.random.default_rng([seed, 77])
        labels = rng.choice(2, size=interviews, p=prior)
        theta = np.full((questions, 2), 0.5)
        theta[1] = telling
        answers = (rng.random((interviews, questions)) < theta[:, labels].T).astype(np.int8)
        dataset = Dataset.from_arrays(answers, labels, outcomes=["x", "y"])
        dataset = replace(dataset, problem=replace(dataset.problem, prior=np.array(prior)))
        members.append(
            BatchMember(*apply_settings(dataset, policy_from(policy), learning, stakes, False), seed)
        )
    traces = simulate_together(members, Regions.UNKNOWN, 0.002, depth=5)
    return sum(trace.questions[-interviews // 5 :].mean() < SILENT for trace in traces)


@pytest.mark.parametrize("learning", [Prior.POOLED, Prior.SHARED])
def test_the_default_policy_does_not_end_up_silent(learning: Prior) -> None:
    assert count_silent("lookahead-learn", 12, "one likelier outcome", learning, 12, 200) == 0


def test_without_redraws_it_would_with_pooled_priors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_simulation, "REDRAWS", 0)
    assert count_silent("lookahead-learn", 12, "one likelier outcome", Prior.POOLED, 12, 200) > 4


@pytest.mark.soak
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("questions", [12, 30])
@pytest.mark.parametrize("learning", [Prior.POOLED, Prior.SHARED])
@pytest.mark.parametrize("policy", ["lookahead-ts", "lookahead-sts", "lookahead-learn"])
def test_of_forty_long_runs_at_most_one_ends_up_silent(
    policy: str, learning: Prior, questions: int, case: str
) -> None:
    assert count_silent(policy, questions, case, learning, 40, 400) <= 1


def find_first_asked(
    monkeypatch: pytest.MonkeyPatch, learning: Prior, runs: int, interviews: int
) -> np.ndarray:
    """In which interview each run first asks a new question that tells, (runs,), after 200 about 29 that tell nothing."""
    prior, old, n = np.array([0.7, 0.3]), np.array([140, 60]), 30
    counts, members, asked = np.zeros((runs, n, 2, 2)), [], []
    for run in range(runs):
        rng = np.random.default_rng([run, 4])
        theta = np.repeat(rng.random((n, 1)), 2, axis=1)
        theta[-1] = 0.95, 0.05
        counts[run, :-1, :, 1] = rng.binomial(old, theta[:-1])
        counts[run, :-1, :, 0] = old - counts[run, :-1, :, 1]
        labels = rng.choice(2, size=interviews, p=prior)
        answers = (rng.random((interviews, n)) < theta[:, labels].T).astype(np.int8)
        dataset = Dataset.from_arrays(answers, labels, outcomes=["x", "y"])
        dataset = replace(dataset, problem=replace(dataset.problem, prior=prior))
        settings = apply_settings(dataset, policy_from("lookahead-learn"), learning, 10.0, False)
        members.append(BatchMember(*settings, run))

    class Experienced(StackedPosteriors):
        def __init__(self, problems: Sequence[Problem]) -> None:
            super().__init__(problems)
            self.counts[:], self.interviews = counts, int(old.sum())
            self._refresh(np.repeat(np.arange(runs), n), np.tile(np.arange(n), runs))

        def learn(self, seen: Bools, answers: np.ndarray, outcomes: np.ndarray) -> None:
            asked.append(seen[:, -1].copy())
            super().learn(seen, answers, outcomes)

    monkeypatch.setattr(batch_simulation, "StackedPosteriors", Experienced)
    simulate_together(members, Regions.UNKNOWN, 0.002, depth=4)
    new = np.array(asked)
    return np.where(new.any(axis=0), new.argmax(axis=0), interviews)


def test_a_new_question_is_tried_soon_where_all_others_tell_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    shared = find_first_asked(monkeypatch, Prior.SHARED, 40, 60)
    assert shared.max() < 60
    assert shared.mean() < 9
    monkeypatch.setattr(shapes, "OPEN", 0.0)
    assert find_first_asked(monkeypatch, Prior.SHARED, 40, 60).mean() > shared.mean() + 2
