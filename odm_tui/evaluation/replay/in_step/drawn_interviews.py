"""The state of many drawn interviews at once: what was answered, what is believed, and what each does next.

The mathematics is the engine's; a test compares every choice with that of its interviews.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from odm_tui.engine.belief import entropy, normalise
from odm_tui.engine.gains import per_cost
from odm_tui.engine.prerequisites import find_fulfilled
from odm_tui.engine.problem import Bools, Floats, Ints
from odm_tui.engine.stopping import AllOf, AnyOf, Budget, Confidence, MaxQuestions, StopRule
from odm_tui.evaluation.replay.in_step.drawn_policy import DrawnPolicy
from odm_tui.evaluation.replay.in_step.stacked_paths import SKIPPED, UNKNOWN, StackedPaths
from odm_tui.evaluation.replay.logged_path import STOP

Replies = npt.NDArray[np.int16]
"""Answers by index, UNKNOWN or SKIPPED."""


@dataclass(eq=False)
class StepState:
    """The state of R interviews. ``row`` is (R,): the draw of each; the others have R rows too."""

    row: Ints
    log_joint: Floats
    mean_log_joint: Floats
    put: Bools
    answers: Replies
    asked: Ints
    steps: Ints
    cost: Floats
    true_cost: Floats

    def take(self, which: npt.NDArray[np.bool_] | Ints) -> StepState:
        """Return a copy of some of the interviews."""
        return StepState(*(getattr(self, each.name)[which] for each in fields(self)))


@dataclass(frozen=True, eq=False)
class DrawnInterviews:
    """The rules by which states follow from each other: the paths' knowledge and the drawn policy."""

    paths: StackedPaths
    drawn: DrawnPolicy

    def start(self) -> StepState:
        """Return the state before the first question of every draw."""
        path = self.drawn.path
        count, n = len(path), len(self.paths.problem.questions)
        prior = self.paths.log_prior[path]
        return StepState(
            np.arange(count),
            prior,
            prior.copy(),
            np.zeros((count, n), dtype=bool),
            np.full((count, n), UNKNOWN, dtype=np.int16),
            np.zeros(count, dtype=np.intp),
            np.zeros(count, dtype=np.intp),
            np.zeros(count),
            np.zeros(count),
        )

    def choose(self, state: StepState) -> npt.NDArray[np.intp]:
        """Return the next question of each interview, or STOP."""
        belief = normalise(state.mean_log_joint)
        available = self._available(state)
        allowed = available & self._affordable(self.drawn.policy.stop, state, belief, available)
        stops = self._stops(self.drawn.policy.stop, state, belief, available)
        if self.drawn.policy.exploration.epsilon:
            # A random question is asked also where the mean would stop, but not beyond a limit.
            stops &= ~self._asks_at_random(state) | self._is_limited(
                self.drawn.policy.stop, state, belief, available
            )
        stops |= ~available.any(axis=1)
        chosen = np.full(len(state.row), STOP, dtype=np.intp)
        going = np.flatnonzero(~stops & allowed.any(axis=1))
        if len(going):
            chosen[going] = self._choose(state.take(going), allowed[going])
        return chosen

    def _choose(self, state: StepState, allowed: Bools) -> npt.NDArray[np.intp]:
        drawn, rows = self.drawn, state.row
        order = drawn.order[rows]
        first = np.take_along_axis(allowed, order, axis=1).argmax(axis=1)
        at_random = np.take_along_axis(order, first[:, None], axis=1)[:, 0]
        if drawn.theta is None or drawn.answer_entropy is None or drawn.mean_cost is None:
            return at_random
        belief = normalise(state.log_joint)
        chances = np.einsum("rnmk,rm->rnk", drawn.theta[rows], belief)
        gains = entropy(chances) - np.einsum("rnm,rm->rn", drawn.answer_entropy[rows], belief)
        gains = np.maximum(gains, 0.0)
        if self.paths.known is not None:
            gains = gains * self.paths.known[drawn.path[rows]]
        costs = np.einsum("rnm,rm->rn", drawn.mean_cost[rows], belief)
        score = np.where(allowed, per_cost(gains, costs), -np.inf)
        cheapest = np.where(allowed, costs, np.inf).argmin(axis=1)
        chosen = np.where(score.max(axis=1) > 0, score.argmax(axis=1), cheapest)
        return np.where(self._asks_at_random(state), at_random, chosen)

    def _asks_at_random(self, state: StepState) -> Bools:
        coins = self.drawn.coins[state.row, state.steps]
        return np.asarray(coins < self.drawn.policy.exploration.epsilon)

    def _available(self, state: StepState) -> Bools:
        return np.asarray(~state.put & find_fulfilled(self.paths.problem, state.answers))

    def _stops(self, rule: StopRule, state: StepState, belief: Floats, available: Bools) -> Bools:
        if isinstance(rule, Confidence):
            return np.asarray(belief.max(axis=1) >= rule.level)
        if isinstance(rule, MaxQuestions):
            return np.asarray(state.asked >= rule.count)
        if isinstance(rule, Budget):
            return np.asarray(~self._affordable(rule, state, belief, available).any(axis=1))
        if isinstance(rule, AnyOf | AllOf) and rule.rules:
            parts = [self._stops(part, state, belief, available) for part in rule.rules]
            return np.asarray((np.logical_or if isinstance(rule, AnyOf) else np.logical_and).reduce(parts))
        return np.zeros(len(state.row), dtype=bool)

    def _is_limited(self, rule: StopRule, state: StepState, belief: Floats, available: Bools) -> Bools:
        """Whether a limit forbids another question, whatever it could teach."""
        if isinstance(rule, AnyOf | AllOf) and rule.rules:
            parts = [self._is_limited(part, state, belief, available) for part in rule.rules]
            return np.asarray((np.logical_or if isinstance(rule, AnyOf) else np.logical_and).reduce(parts))
        if rule.is_limit:
            return self._stops(rule, state, belief, available)
        return np.zeros(len(state.row), dtype=bool)

    def _affordable(self, rule: StopRule, state: StepState, belief: Floats, available: Bools) -> Bools:
        if isinstance(rule, Budget):
            left = (rule.cost - state.cost) * (1 + 1e-9)
            costs = np.einsum("rnm,rm->rn", self._mean_cost(state), belief)
            return np.asarray(available & (costs <= left[:, None]))
        if isinstance(rule, AnyOf):
            masks = [self._affordable(part, state, belief, available) for part in rule.rules]
            return np.asarray(np.logical_and.reduce([available, *masks]))
        return available

    def _mean_cost(self, state: StepState) -> Floats:
        """Cost(i, j) under the posterior mean, (R, n, m)."""
        mean = self.paths.mean[self.drawn.path[state.row]]
        return np.asarray((self.paths.problem.cost * mean).sum(axis=-1))

    def give(self, state: StepState, questions: Ints, replies: Replies) -> None:
        """Give one reply to a question in each interview."""
        rows = np.arange(len(state.row))
        path = self.drawn.path[state.row]
        state.put[rows, questions] = True
        state.steps += 1
        state.asked += replies != SKIPPED
        answered = np.flatnonzero(replies >= 0)
        if len(answered):
            which, answer = questions[answered], replies[answered]
            state.answers[answered, which] = answer
            if self.drawn.log_theta is not None:
                state.log_joint[answered] += self.drawn.log_theta[state.row[answered], which, :, answer]
            state.mean_log_joint[answered] += self.paths.log_mean[path[answered], which, :, answer]
            state.true_cost[answered] += self.paths.answer_costs[path[answered], which, answer]
        unknown = np.flatnonzero(replies == UNKNOWN)
        state.true_cost[unknown] += self.paths.unknown_costs[path[unknown], questions[unknown]]
        if _has_budget(self.drawn.policy.stop):
            state.cost += self._shown_costs(state, questions, replies)

    def _shown_costs(self, state: StepState, questions: Ints, replies: Replies) -> Floats:
        """Return what each reply costs under the belief after it."""
        rows = np.arange(len(state.row))
        belief = normalise(state.mean_log_joint)
        answered = self.paths.problem.cost[questions, :, np.maximum(replies, 0)]
        costs = np.where((replies >= 0)[:, None], answered, self._mean_cost(state)[rows, questions])
        return np.where(replies == SKIPPED, 0.0, (costs * belief).sum(axis=1))

    def finish(self, state: StepState, replies: Replies) -> Floats:
        """Return (cost, right) of each whole interview if the rest gets these replies, (R, n); the state stays."""
        value = np.empty((len(state.row), 2))
        going, left = state.take(np.arange(len(state.row))), np.arange(len(state.row))
        while len(left):
            chosen = self.choose(going)
            ends = chosen == STOP
            value[left[ends]] = self.evaluate(going.take(ends))
            going, left, chosen = going.take(~ends), left[~ends], chosen[~ends]
            if len(left):
                self.give(going, chosen, replies[left, chosen])
        return value

    def evaluate(self, state: StepState) -> Floats:
        """Return (cost, right) of interviews that end here."""
        decided = normalise(state.mean_log_joint).argmax(axis=1)
        right = decided == self.paths.outcome[self.drawn.path[state.row]]
        return np.column_stack([state.true_cost, right.astype(np.float64)])


def _has_budget(rule: StopRule) -> bool:
    if isinstance(rule, AnyOf | AllOf):
        return any(_has_budget(part) for part in rule.rules)
    return isinstance(rule, Budget)
