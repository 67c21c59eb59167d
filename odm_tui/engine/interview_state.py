"""How an interview moves on: the state after an answer, and the question or decision that follows from a state."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from odm_tui.engine.belief import normalise
from odm_tui.engine.gains import expected_costs, information_bits, per_cost
from odm_tui.engine.model import Model
from odm_tui.engine.oracles import ORACLES
from odm_tui.engine.policy import Policy
from odm_tui.engine.prerequisites import holds
from odm_tui.engine.problem import Bools, Floats, Problem
from odm_tui.engine.situation import Draws, Listing, ListingRule, Situation
from odm_tui.engine.stopping import Progress

_NO_INFORMATION = 1e-9
"""Bits; a question that tells less is not worth asking."""
CLEAR_LEADER = 0.5
"""From this belief on an outcome leads clearly."""
RED_FLAG = "red_flag"
"""The rule of a decision that one answer made."""
Kind = Literal["answered", "unknown", "skipped"]


@dataclass(frozen=True, slots=True)
class Ask:
    """The next question, by index."""

    question: int


@dataclass(frozen=True, slots=True)
class Decide:
    """The end: the best decision under the posterior mean, its belief, and the reason to stop.

    With equal stakes the best decision is the likeliest outcome. ``refer`` says that handing over costs less than that
    decision; the outcome is the one that would be decided otherwise.

    ``rule`` is the stop rule's name, ``operator``, ``exhausted`` (no question is left), ``oracle`` (it proposes no
    more questions) or ``red_flag``. ``flag`` is the answer that is a red flag, as the indices of question and answer.
    """

    outcome: int
    belief: float
    reason: str
    rule: str
    refer: bool = False
    flag: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One question of an interview: its answer, its cost, and the question that the oracle had proposed.

    If the cost of the answer depends on the outcome, it is the mean under the belief after the answer.
    """

    question: int
    kind: Kind
    answer: int | None
    proposed: int | None
    cost: float


@dataclass(eq=False, slots=True)
class InterviewState:
    """An interview after some steps. Interviews store one for each step, so undo is exact and instant.

    ``log_joint`` and ``belief`` are those of the posterior mean; ``situation`` has those of the oracle's model. Where
    outcomes have variants, ``log_joint`` and ``sub_belief`` are by sub-outcome; ``belief`` is always by outcome.
    """

    situation: Situation
    log_joint: Floats
    belief: Floats
    sub_belief: Floats
    put: Bools
    """Which questions were put to the operator, answered or not."""
    quiet: Situation | None = None
    """The situation under the posterior mean, for a policy that does not explore while one outcome leads clearly."""
    fallback: Situation | None = None
    """The same answers under the model by which the interview goes on where the oracle's would stop."""
    allowed: Bools | None = None
    """The questions that the oracle had to choose from, where they are not all available ones."""
    flag: tuple[int, int] | None = None
    """The last answer that is a red flag: it ended the interview. As the indices of question and answer."""
    asked: int = 0
    cost: float = 0.0
    step: Step | None = None
    next: Ask | Decide | None = None
    next_on: tuple[tuple[float, tuple[int, ...]], Ask | Decide] | None = None
    """What comes next while the operator asks on, with the target and the outcomes that were tried."""
    following: dict[tuple[int, Kind, int | None], InterviewState] = field(default_factory=dict)
    """The states that were computed ahead, by question and answer."""

    def decide(self, reason: str, rule: str, without: tuple[int, ...] = ()) -> Decide:
        """Decide for the outcome with the least expected loss, or refer if that costs less.

        ``without`` are outcomes that can't be decided for, because their advice did not help.
        """
        stakes = self.situation.model.problem.decision_stakes
        belief = without_outcomes(self.belief, without)
        outcome = stakes.decide(belief)
        if outcome in without:
            outcome = int(belief.argmax())
        return Decide(outcome, float(belief[outcome]), reason, rule, stakes.should_refer(belief))

    def decide_at_flag(self) -> Decide | None:
        """Decide as the red flag says; None if no answer is one."""
        if self.flag is None:
            return None
        problem = self.situation.model.problem
        question, answer = problem.questions[self.flag[0]], self.flag[1]
        reason = f"the answer {question.answers[answer]!r} to {question.id!r} is a red flag"
        outcome = problem.red_flags[self.flag]
        if outcome is None:
            return replace(self.decide(reason, RED_FLAG), refer=False, flag=self.flag)
        return Decide(outcome, float(self.belief[outcome]), reason, RED_FLAG, flag=self.flag)


@dataclass(frozen=True, eq=False)
class Transitions:
    """The rules by which the states of one interview follow from each other.

    ``mean`` is the model of the posterior mean, which gives the beliefs, decisions and costs that people see.
    """

    problem: Problem
    policy: Policy
    mean: Model
    rule: ListingRule

    def start(
        self, model: Model, draws: Draws, listing: Listing | None, fallback: Model | None = None
    ) -> InterviewState:
        """The state before the first question. ``model`` is the oracle's; ``fallback`` goes on where it stops."""
        put = np.zeros(len(self.problem.questions), dtype=bool)
        available = self._available(np.full(len(put), -1), put)
        situation = Situation.at_start(model, draws, available, listing)
        second = None if fallback is None else Situation.at_start(fallback, draws, available, None)
        prior = self.mean.prior
        return InterviewState(
            situation, self.mean.log_prior, self.sum_variants(prior), prior, put, fallback=second
        )

    def sum_variants(self, sub_belief: Floats) -> Floats:
        """The belief in each outcome, (m,), from that in each sub-outcome of the mean's model."""
        return self.mean.problem.by_outcome(sub_belief)

    def after(
        self, state: InterviewState, question: int, kind: Kind, answer: int | None, proposed: int | None
    ) -> InterviewState:
        """The state after a step: the one computed ahead, if it was this very step, or a new one."""
        known = state.following.get((question, kind, answer))
        if known is not None and known.step is not None and known.step.proposed == proposed:
            return known
        answers = state.situation.answers.copy()
        answers[question] = -1 if answer is None else answer
        put = state.put.copy()
        put[question] = True
        available = self._available(answers, put)
        situation = state.situation.after(question, answer, available, self.rule)
        second = (
            None if state.fallback is None else state.fallback.after(question, answer, available, self.rule)
        )
        log_joint, belief, sub_belief = state.log_joint, state.belief, state.sub_belief
        if answer is not None:
            log_joint = log_joint + self.mean.log_theta[question, :, answer]
            sub_belief = normalise(log_joint)
            belief = self.sum_variants(sub_belief)
        cost = self._cost_of(question, kind, answer, sub_belief)
        step = Step(question, kind, answer, proposed, cost)
        asked = state.asked + (kind != "skipped")
        flag = state.flag
        if answer is not None and (question, answer) in self.problem.red_flags:
            flag = question, answer
        quiet = state.quiet
        if quiet is not None:
            quiet = quiet.after(question, answer, situation.available, self.rule)
        return InterviewState(
            situation,
            log_joint,
            belief,
            sub_belief,
            put,
            quiet=quiet,
            fallback=second,
            flag=flag,
            asked=asked,
            cost=state.cost + cost,
            step=step,
        )

    def find_next(self, state: InterviewState) -> Ask | Decide:
        """The next question, or the decision. A red flag comes before everything else.

        Questions that are always asked come first, as soon as they are available: they cost the same whenever they are
        asked, and their answers may make others unnecessary. No stop rule and no budget applies to them.
        """
        flagged = state.decide_at_flag()
        if flagged is not None:
            return flagged
        available = self._acting(state).available
        if not available.any():
            skipped = int(state.put.sum()) - state.asked
            return state.decide(f"no questions left{f' ({skipped} skipped)' if skipped else ''}", "exhausted")
        due = self.problem.always & available
        if due.any():
            question = self._choose(state, due)
            return Ask(int(due.argmax()) if question is None else question)
        return self._find_own(state)

    def _find_own(self, state: InterviewState) -> Ask | Decide:
        """The question that the oracle chooses, or the decision by the stop rule."""
        situation, stop = self._acting(state), self.policy.stop
        available = situation.available
        progress = Progress(
            self.mean,
            state.belief,
            state.asked,
            state.cost,
            available,
            situation.regions,
            lambda: self._should_continue(state),
            state.sub_belief,
        )
        found = stop.find_reason(progress)
        if found is not None and not (self._draws_random(situation) and not stop.has_reached_limit(progress)):
            return state.decide(*found)
        question = self._choose(state, stop.affordable(progress))
        if question is None:
            return state.decide("the oracle has no further question", "oracle")
        return Ask(question)

    def is_silent(self, start: InterviewState) -> bool:
        """Whether an interview would end before any question of its own choice, though it may explore.

        Questions that are always asked are not its choice. Where a quiet policy does not explore, it is not called
        silent.
        """
        if self._acting(start) is not start.situation:
            return False
        if not self.problem.always.any():
            if start.next is None:
                start.next = self.find_next(start)
            return isinstance(start.next, Decide)
        own = start.situation.available & ~self.problem.always
        fallback = None if start.fallback is None else replace(start.fallback, available=own)
        without = replace(start.situation, available=own)
        return bool(own.any()) and isinstance(
            self._find_own(replace(start, situation=without, fallback=fallback, following={})), Decide
        )

    def find_next_on(self, state: InterviewState, target: float, without: tuple[int, ...]) -> Ask | Decide:
        """The next question for an operator who asks on, or the decision: the most information per cost.

        Under the posterior mean: the operator wants certainty, and nothing is asked in order to learn.
        """
        flagged = state.decide_at_flag()
        if flagged is not None:
            return flagged
        belief, available = without_outcomes(state.belief, without), state.situation.available
        sub_belief = self.without_variants(state.sub_belief, without)
        if belief.max() >= target:
            return state.decide("the belief has reached your target", "target", without)
        gains = np.where(available, information_bits(self.mean, sub_belief), 0.0)
        if gains.max(initial=0.0) <= _NO_INFORMATION:
            return state.decide("no question that is left tells any more", "target", without)
        return Ask(int(per_cost(gains, expected_costs(self.mean, sub_belief)).argmax()))

    def without_variants(self, sub_belief: Floats, without: tuple[int, ...]) -> Floats:
        """The belief in each sub-outcome if these outcomes are impossible; a copy."""
        of = self.mean.problem.outcome_of
        if of is None or not without:
            return without_outcomes(sub_belief, without)
        return without_outcomes(sub_belief, tuple(np.flatnonzero(np.isin(of, without)).tolist()))

    def _should_continue(self, state: InterviewState) -> bool:
        """Whether another question is worth its cost under the oracle's model, or under the fallback."""
        return self.policy.oracle.should_continue(self.followed(state))

    def _acting(self, state: InterviewState) -> Situation:
        """The situation to choose from: without exploration if the policy is quiet and one outcome leads clearly."""
        return state.quiet if state.quiet is not None and _leads(state.belief) else state.situation

    def followed(self, state: InterviewState) -> Situation:
        """The situation that the oracle chooses by: the fallback's, where it would stop under its own model."""
        acting = self._acting(state)
        if acting is not state.situation or state.fallback is None:
            return acting
        return acting if self.policy.oracle.should_continue(acting) else state.fallback

    def _choose(self, state: InterviewState, allowed: Bools) -> int | None:
        situation = self.followed(state)
        if not np.array_equal(allowed, situation.available):
            state.allowed = allowed
            situation = replace(situation, available=allowed)
        if self._draws_random(situation):
            return ORACLES["random"].choose(situation)
        return self.policy.oracle.choose(situation)

    def _draws_random(self, situation: Situation) -> bool:
        """Whether this step asks a random question to learn from, also where the policy would stop."""
        if situation.model is self.mean:
            return False
        return bool(situation.draws.coins[situation.asked] < self.policy.exploration.epsilon)

    def _cost_of(self, question: int, kind: Kind, answer: int | None, belief: Floats) -> float:
        if kind == "skipped":
            return 0.0
        if answer is None:
            return float(self.mean.mean_cost[question] @ belief)
        return float(self.mean.problem.cost[question, :, answer] @ belief)

    def _available(self, answers: npt.NDArray[np.integer], put: Bools) -> Bools:
        """Which questions were not put yet and have their prerequisites fulfilled."""
        available = ~put
        for question, alternatives in self.problem.prerequisites:
            if not holds(alternatives, answers):
                available[question] = False
        return available


def _leads(belief: Floats) -> bool:
    """Whether one outcome is likelier than all others together."""
    return float(belief.max()) >= CLEAR_LEADER


def without_outcomes(belief: Floats, without: tuple[int, ...]) -> Floats:
    """The belief if these outcomes are impossible; a copy.

    >>> without_outcomes(np.array([0.5, 0.3, 0.2]), (0,)).tolist()
    [0.0, 0.6, 0.4]
    """
    left = belief.copy()
    if without:
        left[list(without)] = 0.0
        total = left.sum()
        if total > 0:
            left /= total
        else:
            left[[j for j in range(len(left)) if j not in without]] = 1.0 / (len(left) - len(without))
    return left
