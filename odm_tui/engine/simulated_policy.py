"""Interviews of a policy that are only simulated: what they would cost, and where they would end."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import replace

import numpy as np

from odm_tui.engine.interview_state import Ask, InterviewState, Step, Transitions
from odm_tui.engine.model import Model
from odm_tui.engine.oracles.lookahead import Lookahead
from odm_tui.engine.problem import Bools, Floats, Ints
from odm_tui.engine.state_tree import StateTree

MILLISECONDS = 5.0
"""The most that a plan may take in simulated interviews, if it can't hold all questions."""
LARGEST = 30_000
"""How many parameters theta may have; interviews of larger banks take too long to simulate."""
LARGEST_WITHOUT_PLANS = 400
"""The same for policies that do not plan: the hypotheses that they list take longer than a small plan."""
CONTINUED = 48
"""How many continuations the forecast of the cost is the mean of."""


def can_simulate(transitions: Transitions) -> bool:
    """Whether whole interviews of a policy can be simulated in a fraction of a second."""
    plans = isinstance(transitions.policy.oracle, Lookahead)
    return transitions.mean.theta.size <= (LARGEST if plans else LARGEST_WITHOUT_PLANS)


class SimulatedPolicy:
    """The interviews that one policy with one theta would hold, as far as they were computed.

    The policy is the interview's own, but plans that can't hold all questions are small.
    """

    def __init__(self, transitions: Transitions, start: InterviewState) -> None:
        if start.next is None:
            start.next = transitions.find_next(start)
        oracle = transitions.policy.oracle
        if isinstance(oracle, Lookahead) and not _holds_all_questions(oracle, start):
            small = Lookahead(min(oracle.milliseconds, MILLISECONDS))
            transitions = replace(transitions, policy=replace(transitions.policy, oracle=small))
        self._transitions = transitions
        self._root = replace(start, following={})

    def follow(self, answers: Ints) -> Generator[None, None, list[InterviewState]]:
        """Hold a whole interview with these answers, (n,); yield before each longer computation."""
        return StateTree(self._transitions, self._root).follow(answers)

    def expected_cost(
        self, steps: Iterable[Step], first: int, belief: Floats
    ) -> Generator[None, None, float]:
        """The mean cost of what is to come after these steps, if ``first`` is asked next; yield before each longer computation.

        Outcomes are drawn from the belief, answers from the mean of theta, and "don't know" as often as was learned, with
        the same random numbers every time: the figure changes only with the answers.
        """
        mean, rng = self._transitions.mean, np.random.default_rng(0)
        unknown = draw_unknown(mean, CONTINUED, np.random.default_rng(1))
        before = self._find_state(tuple(steps))
        if before.next != Ask(first):
            before = replace(before, next=Ask(first), following={})
        tree, paid = StateTree(self._transitions, before), 0.0
        levels, cumulative = rng.permutation(CONTINUED), np.cumsum(belief)
        for number in range(CONTINUED):
            level = (levels[number] + 0.5) / CONTINUED * cumulative[-1]
            truth = min(int((level > cumulative).sum()), len(belief) - 1)
            answers = draw_answers(mean, truth, rng)
            answers[unknown[number]] = -1
            states = yield from tree.follow(answers)
            taken = [state.step for state in states[1:] if state.step is not None]
            paid += sum(
                each.cost
                if each.answer is None
                else float(mean.problem.cost[each.question, truth, each.answer])
                for each in taken
            )
        return paid / CONTINUED

    def _find_state(self, steps: tuple[Step, ...]) -> InterviewState:
        """The state after these steps; those that simulated interviews came through are there already."""
        state = self._root
        for step in steps:
            key = (step.question, step.kind, step.answer)
            following = state.following.get(key)
            if following is None:
                following = self._transitions.after(
                    state, step.question, step.kind, step.answer, step.question
                )
                state.following[key] = following
            state = following
        return state


def _holds_all_questions(oracle: Lookahead, start: InterviewState) -> bool:
    """Whether the plan that was made at the start is for all questions, so that no other is needed."""
    questions = len(start.situation.available)
    whole = start.situation.model.memo.get(("whole plans", oracle.planner), ())
    return any(len(made.questions) == questions for made, _ in whole)


def draw_answers(mean: Model, truth: int, rng: np.random.Generator) -> Ints:
    """Answers to all questions, (n,), as someone with this outcome gives them under the mean of theta."""
    cuts = np.cumsum(mean.theta[:, truth], axis=-1)[:, :-1]
    drawn = (rng.random((len(cuts), 1)) > cuts).sum(axis=-1)
    return np.asarray(np.minimum(drawn, mean.problem.valid.sum(axis=1) - 1))


def draw_unknown(mean: Model, count: int, rng: np.random.Generator) -> Bools:
    """Which questions each of some callers has no answer to, (count, n); none if no "don't know" was ever counted.

    Each question is unknown to as near the expected number of callers as possible.
    """
    questions = len(mean.theta)
    if mean.answerable is None:
        return np.zeros((count, questions), dtype=bool)
    places = rng.permuted(np.tile(np.arange(count)[:, None], questions), axis=0)
    return np.asarray((places + rng.random(places.shape)) / count >= mean.answerable)
