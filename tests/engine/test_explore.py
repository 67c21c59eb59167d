"""``explore``: always, not while one outcome leads clearly, or never."""

from __future__ import annotations

import numpy as np
import pytest

from odm_tui.engine.interview import Ask, Interview
from odm_tui.engine.interview_state import CLEAR_LEADER
from odm_tui.engine.policy import EXPLORE, policy_from
from odm_tui.engine.problem import Problem
from odm_tui.errors import BadArgument

EXPLORING = ("lookahead-ts", "w-ec2-ts", "w-ig-ts", "w-ig-bucb", "w-ig-eps")


def problem(seed: int) -> Problem:
    rng = np.random.default_rng(seed)
    return Problem.build(
        [f"q{i}" for i in range(6)],
        ["a", "b", "c"],
        prior=[0.5, 0.3, 0.2],
        cost=rng.uniform(1, 5, 6),
        stakes=60.0,
    )


def policy(name: str, explore: str) -> dict[str, object]:
    return policy_from(name).spec() | {"explore": explore}


@pytest.mark.parametrize("name", EXPLORING)
def test_a_quiet_policy_acts_as_the_mean_does_while_one_outcome_leads(name: str) -> None:
    differs = 0
    for seed in range(25):
        quiet = Interview(problem(seed), policy(name, "quiet"), seed=seed)
        mean = Interview(problem(seed), policy(name, "never"), seed=seed)
        always = Interview(problem(seed), name, seed=seed)
        while True:
            if quiet.belief.max() >= CLEAR_LEADER:
                assert quiet.next == mean.next
                assert not quiet.explain().explores
            else:
                assert quiet.next == always.next
            differs += quiet.next != always.next
            upcoming = quiet.next
            if not isinstance(upcoming, Ask):
                break
            for interview in (quiet, mean, always):
                interview.answer("yes", upcoming.question)
    assert differs  # otherwise this test compares nothing


@pytest.mark.parametrize("name", EXPLORING)
def test_a_policy_that_never_explores_asks_the_same_with_every_seed(name: str) -> None:
    asked = {Interview(problem(1), policy(name, "never"), seed=seed).next for seed in range(10)}
    assert len(asked) == 1


@pytest.mark.parametrize("explore", EXPLORE)
def test_the_log_has_it_and_it_is_read_again(explore: str) -> None:
    spec = policy_from(policy("w-ig-ts", explore)).spec()
    assert spec.get("explore", "always") == explore
    assert policy_from(spec).explore == explore


def test_another_word_is_refused() -> None:
    with pytest.raises(BadArgument, match="'always', 'quiet' or 'never', not 'loud'"):
        policy_from(policy("w-ig-ts", "loud"))
