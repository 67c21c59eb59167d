"""Foresight: a plan over the most promising questions of a situation, and whether asking on is worth it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from odm_tui.engine.gains import expected_costs, information_gains, per_cost
from odm_tui.engine.lookahead.dynamic_program import Plan, make_lattice, make_plan
from odm_tui.engine.problem import Bools, Floats, Ints
from odm_tui.engine.situation import Situation

WORK_PER_MILLISECOND = 40_000
"""States × (outcomes + 2 · answers · questions) that a plan may take a millisecond, set so that slow machines keep up.

The number of questions follows from this figure and not from a clock, so that the same answers always lead
to the same question.
"""

NOTHING = 1e-9
"""Shares of a worth below this are rounding: which plan a situation is found in depends on the way to it."""

_KEPT = 4
"""How many plans an interview keeps; each may take some megabytes, and what it led to is kept without it."""

_MEMORY = 64_000_000
"""How many bytes the plans for all questions may take together."""


Waking = dict[int, list[int]]
"""Sleeping questions that may wake, each with the questions whose answers it waits for."""


class PlannedQuestions(NamedTuple):
    """A plan, the questions that it is about, and the state of it that the interview is in."""

    questions: Ints
    plan: Plan
    state: int


@dataclass(frozen=True)
class Planner:
    """Plans for as many of the best questions as the time allows.

    K grows with the time there is; when all questions fit, the plan is the exact optimum, and what follows
    after an answer is a part of it. Otherwise the plan is made again after each answer.
    """

    milliseconds: float = 50.0

    def worths(self, situation: Situation) -> tuple[PlannedQuestions, Floats]:
        """The plan, and what asking each of its questions now is worth; -inf where that can't be."""
        made = self.plan_for(situation)
        awake = situation.available[made.questions]
        return made, np.where(awake, made.plan.worths(made.state), -np.inf)

    def should_continue(self, situation: Situation) -> bool:
        """Whether any question is worth more than deciding now."""
        made, worth = self.worths(situation)
        stop = made.plan.stop_worth(made.state)
        return bool(worth.max(initial=-np.inf) > stop * (1.0 + NOTHING))

    def plan_for(self, situation: Situation) -> PlannedQuestions:
        """The plan for a situation; made once, and kept while it is among the latest few."""
        plans: dict[tuple[bytes, bytes], PlannedQuestions] = situation.model.memo.setdefault(
            ("plans", self), {}
        )
        key = (situation.answers.tobytes(), situation.available.tobytes())
        if key not in plans:
            plans[key] = self._within_whole(situation) or self._plan(situation)
            if len(plans) > _KEPT:
                del plans[next(iter(plans))]
        return plans[key]

    def _within_whole(self, situation: Situation) -> PlannedQuestions | None:
        """The place of this situation in an earlier plan for all questions, if there is one that fits.

        Of several it is the first that was made, which had the fewest answers: so thinking ahead and taking back
        lead to the same questions as the straight way.
        """
        for whole, start in situation.model.memo.get(("whole plans", self), ()):
            before = situation.answers.copy()
            before[whole.questions] = -1
            if not np.array_equal(before, start):
                continue
            given = situation.answers[whole.questions].astype(np.intp)
            state = whole.plan.lattice.state(given)
            open_ = np.isfinite(whole.plan.worths(state))
            if np.array_equal(np.sort(whole.questions[open_]), np.flatnonzero(situation.available)):
                return PlannedQuestions(whole.questions, whole.plan, state)
        return None

    def _plan(self, situation: Situation) -> PlannedQuestions:
        model, problem = situation.model, situation.model.problem
        waking = _may_wake(situation)
        pool = situation.available.copy()
        pool[list(waking)] = True
        belief = situation.belief
        rank = per_cost(
            model.scale_by_answerable(information_gains(model, belief)), expected_costs(model, belief)
        )
        order = np.argsort(-np.where(pool, rank, -np.inf), kind="stable")[: int(pool.sum())]
        sizes = problem.valid.sum(axis=1)
        if waking:
            chosen = self._with_what_wakes_them(situation, order, waking, sizes)
        else:
            chosen = order[: self._how_many(sizes[order], len(belief))]
        # By number of answers, so that the lattices of few shapes serve again and again.
        questions = chosen[np.lexsort((chosen, sizes[chosen]))]
        answers = tuple(int(size) for size in sizes[questions])
        plan = make_plan(
            belief,
            model.theta[questions],
            model.mean_cost[questions],
            problem.effective_stakes,
            answers,
            _allowed(situation, questions, answers),
            None if model.answerable is None else model.answerable[questions],
        )
        made = PlannedQuestions(questions, plan, 0)
        if len(questions) == pool.sum():
            whole = model.memo.setdefault(("whole plans", self), [])
            whole.append((made, situation.answers))
            while len(whole) > 1 and sum(kept.plan.size for kept, _ in whole) > _MEMORY:
                del whole[0]
        return made

    def _how_many(self, sizes: Ints, outcomes: int) -> int:
        """How many of the best questions a plan can hold in the time there is; at least one."""
        return max(1, int(self._in_time(sizes, outcomes).sum()))

    def _with_what_wakes_them(self, situation: Situation, order: Ints, waking: Waking, sizes: Ints) -> Ints:
        """The best questions that a plan can hold, each sleeping one with all that must be asked to wake it.

        One whose company does not fit is left out: a plan without it could never come to ask that question. One that
        would not even fit alone ends the walk down the ranking, as it does where all questions are awake.
        """
        outcomes = len(situation.belief)
        chosen: list[int] = []
        for question in order.tolist():
            if question in chosen:
                continue
            if not self._in_time(sizes[[*chosen, question]], outcomes)[-1]:
                break
            together = [*chosen, *(i for i in _company(question, waking) if i not in chosen)]
            if self._in_time(sizes[together], outcomes)[-1]:
                chosen = together
        if not chosen:
            chosen = [next(question for question in order.tolist() if question not in waking)]
        return np.array(chosen, dtype=np.intp)

    def _in_time(self, sizes: Ints, outcomes: int) -> Bools:
        """Whether there is time for a plan of the first question, of the first two, and so on."""
        states = np.cumprod((sizes + 1).astype(np.float64))
        most = np.maximum.accumulate(sizes)
        work = states * (outcomes + 2.0 * most * np.arange(1, len(sizes) + 1))
        return np.asarray(work <= self.milliseconds * WORK_PER_MILLISECOND)


def _may_wake(situation: Situation) -> Waking:
    """Sleeping questions whose prerequisites can all be fulfilled yet, through other sleeping ones if need be.

    One that can't be asked although its prerequisites are fulfilled was put already, or is too dear.
    """
    asleep: Waking = {}
    for question, conditions in situation.model.problem.prerequisites:
        missing = [other for other, wanted in conditions if int(situation.answers[other]) not in wanted]
        if missing and not situation.available[question] and situation.answers[question] < 0:
            asleep[question] = missing
    waking: Waking = {}
    while found := {
        question: missing
        for question, missing in asleep.items()
        if question not in waking and all(situation.available[i] or i in waking for i in missing)
    }:
        waking |= found
    return waking


def _company(question: int, waking: Waking) -> list[int]:
    """A question and all that must be asked before it, in an order in which each wakes the next."""
    before: list[int] = []
    for other in waking.get(question, ()):
        before += [i for i in _company(other, waking) if i not in before]
    return [*before, question]


def _allowed(situation: Situation, questions: Ints, answers: tuple[int, ...]) -> Bools | None:
    """In which states of a plan each of its questions is awake, (S, K); None if all are, always."""
    position = {int(question): at for at, question in enumerate(questions)}
    conditional = [
        (position[question], conditions)
        for question, conditions in situation.model.problem.prerequisites
        if question in position and not situation.available[question]
    ]
    if not conditional:
        return None
    digits = make_lattice(answers).digits
    allowed = np.ones(digits.shape, dtype=bool)
    for at, conditions in conditional:
        for other, wanted in conditions:
            if int(situation.answers[other]) in wanted:
                continue
            asked = digits[:, position[other]] - 1 if other in position else np.full(len(digits), -1)
            allowed[:, at] &= np.isin(asked, wanted)
    return allowed
