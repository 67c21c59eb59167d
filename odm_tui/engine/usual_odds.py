"""How much evidence for a contradiction there is in interviews with right answers: the bar above which it counts."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

import numpy as np

from odm_tui.engine.contradiction import settled_odds
from odm_tui.engine.interview_state import InterviewState, Transitions
from odm_tui.engine.oracles.lookahead import Lookahead
from odm_tui.engine.problem import Floats, Ints
from odm_tui.engine.state_tree import StateTree

MOST, FEWEST = 200, 100
"""How many interviews a bar is taken from."""
WORK = 3_000_000
"""How many interviews times parameters may be simulated."""
MILLISECONDS = 5.0
"""The most that a plan may take in simulated interviews, if it can't hold all questions."""


def simulated_interviews(transitions: Transitions) -> int:
    """How many interviews the bar is taken from; 0 where they would take too long.

    They are held by the policy itself, but its plans are small. Policies that do not plan list hypotheses, which takes
    longer.
    """
    if not isinstance(transitions.policy.oracle, Lookahead):
        return 0
    count = min(MOST, WORK // max(transitions.mean.theta.size, 1))
    return count if count >= FEWEST else 0


class UsualOdds:
    """The evidence at the ends of interviews with right answers, held by one policy with one theta.

    Outcomes are drawn from the prior and answers from the mean of theta, with the same random numbers every time. It is
    computed step by step, so that it can be made ready between key presses; the values do not depend on when.
    """

    def __init__(self, transitions: Transitions, start: InterviewState) -> None:
        if start.next is None:
            start.next = transitions.find_next(start)
        oracle, memo = transitions.policy.oracle, start.situation.model.memo
        whole = isinstance(oracle, Lookahead) and memo.get(("whole plans", oracle.planner))
        if not whole and isinstance(oracle, Lookahead) and oracle.milliseconds > MILLISECONDS:
            policy = replace(transitions.policy, oracle=Lookahead(MILLISECONDS))
            transitions = replace(transitions, policy=policy)
        self._mean = transitions.mean
        self._tree = StateTree(transitions, replace(start, next=None, next_on=None, following={}))
        self._steps = self._simulate(simulated_interviews(transitions))
        self._values: Floats | None = None

    def extend(self) -> bool:
        """Compute a little; return whether there is more to do."""
        if self._values is None:
            try:
                next(self._steps)
            except StopIteration as end:
                self._values = end.value
        return self._values is None

    def values(self) -> Floats:
        """All of it, (R,)."""
        while self.extend():
            pass
        assert self._values is not None
        return self._values

    def _simulate(self, count: int) -> Generator[None, None, Floats]:
        model, rng = self._mean, np.random.default_rng(0)
        found = np.empty(count)
        for number in range(count):
            truth = int(rng.choice(len(model.prior), p=model.prior))
            cuts = np.cumsum(model.theta[:, truth], axis=-1)[:, :-1]
            drawn: Ints = (rng.random((len(cuts), 1)) > cuts).sum(axis=-1)
            answers = np.minimum(drawn, model.problem.valid.sum(axis=1) - 1)
            states = yield from self._tree.follow(answers)
            end = states[-1].situation
            asked = np.flatnonzero(end.answers >= 0)
            odds, _ = settled_odds(model, asked, end.answers[asked][None], end.available[None])
            found[number] = odds.sum()
            yield
        return found
