"""Planning: a plan over the most promising questions, and whether another question is worth its cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from odm_tui.engine.gains import expected_costs, information_gains, outcome_information
from odm_tui.engine.lookahead.dynamic_program import Plan, add_unknown, make_lattice, make_plan
from odm_tui.engine.lookahead.ranking import rank_by_gain
from odm_tui.engine.model import Model
from odm_tui.engine.prerequisites import holds
from odm_tui.engine.problem import Bools, Floats, Ints, Problem
from odm_tui.engine.situation import Situation

WORK_PER_MILLISECOND = 40_000
"""States × (outcomes + 2 · answers · questions) of a plan per millisecond, low enough for slow machines.

The number of questions follows from this figure and not from a clock, so the same answers always lead to the
same question.
"""

NOTHING = 1e-9
"""Smaller shares of a worth are rounding: the order of the answers decides which plan a situation is found in."""

_MOST_PLANS = 4
"""How many plans an interview stores; each may take some megabytes, and its choices are stored without it."""

_MEMORY = 64_000_000
"""How many bytes the plans for all questions may take together."""


Prerequisites = dict[int, list[int]]
"""Questions that may become available, each with the questions whose answers it needs."""


class PlannedQuestions(NamedTuple):
    """A plan, its questions, and the state of the plan that the interview is in."""

    questions: Ints
    plan: Plan
    state: int


@dataclass(frozen=True)
class Planner:
    """Plan for as many of the best questions as the time allows.

    If all questions fit, the plan is the exact optimum, and it holds for the rest of the interview. Otherwise a new
    plan is made after each answer.
    """

    milliseconds: float = 50.0

    def worths(self, situation: Situation) -> tuple[PlannedQuestions, Floats]:
        """The plan, and the worth of asking each of its questions now; -inf where it can't be asked."""
        made = self.plan_for(situation)
        available = situation.available[made.questions]
        return made, np.where(available, made.plan.worths(made.state), -np.inf)

    def should_continue(self, situation: Situation) -> bool:
        """Whether any question is worth more than deciding now."""
        made, worth = self.worths(situation)
        stop = made.plan.stop_worth(made.state)
        return bool(worth.max(initial=-np.inf) > stop * (1.0 + NOTHING))

    def plan_for(self, situation: Situation) -> PlannedQuestions:
        """The plan for a situation. The latest few are stored."""
        plans: dict[tuple[bytes, bytes], PlannedQuestions] = situation.model.memo.setdefault(
            ("plans", self), {}
        )
        key = (situation.answers.tobytes(), situation.available.tobytes())
        if key not in plans:
            plans[key] = self._within_whole(situation) or self._plan(situation)
            if len(plans) > _MOST_PLANS:
                del plans[next(iter(plans))]
        return plans[key]

    def _within_whole(self, situation: Situation) -> PlannedQuestions | None:
        """The state of this situation in an earlier plan for all questions, if one fits.

        Of several, the first one is used, which was made with the fewest answers. So thinking ahead and undo lead to
        the same questions.
        """
        model = situation.model
        for whole, start in model.memo.get(("whole plans", self), ()):
            before = situation.answers.copy()
            before[whole.questions] = -1
            if not np.array_equal(before, start):
                continue
            given = situation.answers[whole.questions].astype(np.intp)
            if model.answerable is not None:
                # "Don't know" is the last answer of each question in the plan.
                put = find_unanswered(situation)[whole.questions]
                given = np.where(put, np.array(whole.plan.lattice.answers, dtype=np.intp) - 1, given)
            state = whole.plan.lattice.state(given)
            open_ = np.isfinite(whole.plan.worths(state))
            if np.array_equal(np.sort(whole.questions[open_]), np.flatnonzero(situation.available)):
                return PlannedQuestions(whole.questions, whole.plan, state)
        return None

    def _plan(self, situation: Situation) -> PlannedQuestions:
        model, problem = situation.model, situation.model.problem
        needed = _may_become_available(situation)
        pool = situation.available.copy()
        pool[list(needed)] = True
        belief = situation.belief
        order = _rank_questions(situation, pool)
        sizes = problem.valid.sum(axis=1) + (model.answerable is not None)
        if needed:
            chosen = self._with_prerequisites(situation, order, needed, sizes)
        else:
            chosen = order[: self._how_many(sizes[order], _terms(problem))]
        # Sorted by number of answers, so that few shapes of lattices are needed.
        questions = chosen[np.lexsort((chosen, sizes[chosen]))]
        answers = tuple(int(size) for size in sizes[questions])
        theta = model.theta[questions]
        if model.answerable is not None:
            known = tuple(size - 1 for size in answers)
            theta, answers = add_unknown(theta, known, model.answerable[questions])
        plan = make_plan(
            belief,
            theta,
            model.plan_cost[questions],
            problem.decision_stakes,
            answers,
            _allowed(situation, questions, answers),
            None if problem.outcome_of is None else problem.membership,
        )
        made = PlannedQuestions(questions, plan, 0)
        if len(questions) == pool.sum():
            whole = model.memo.setdefault(("whole plans", self), [])
            whole.append((made, situation.answers))
            _limit_memory(model)
        return made

    def _how_many(self, sizes: Ints, terms: int) -> int:
        """How many of the best questions a plan can hold in time; at least one."""
        return max(1, int(self._in_time(sizes, terms).sum()))

    def _with_prerequisites(
        self, situation: Situation, order: Ints, needed: Prerequisites, sizes: Ints
    ) -> Ints:
        """The best questions that a plan can hold, each together with its prerequisites.

        A question whose prerequisites do not fit is left out: the plan could never ask it. The first question that
        does not fit even alone ends the search, as it does where all questions are available.
        """
        terms = _terms(situation.model.problem)
        chosen: list[int] = []
        for question in order.tolist():
            if question in chosen:
                continue
            if not self._in_time(sizes[[*chosen, question]], terms)[-1]:
                break
            together = [*chosen, *(i for i in _prerequisites_of(question, needed) if i not in chosen)]
            if self._in_time(sizes[together], terms)[-1]:
                chosen = together
        if not chosen:
            chosen = [next(question for question in order.tolist() if question not in needed)]
        return np.array(chosen, dtype=np.intp)

    def _in_time(self, sizes: Ints, terms: int) -> Bools:
        """Whether there is time for a plan of the first question, of the first two, and so on."""
        states = np.cumprod((sizes + 1).astype(np.float64))
        most = np.maximum.accumulate(sizes)
        work = states * (terms + 2.0 * most * np.arange(1, len(sizes) + 1))
        return np.asarray(work <= self.milliseconds * WORK_PER_MILLISECOND)


def _limit_memory(model: Model) -> None:
    """Drop the oldest plans for all questions, of whichever planner has most, until all together fit."""
    kept = [plans for key, plans in model.memo.items() if isinstance(key, tuple) and key[0] == "whole plans"]
    while sum(made.plan.size for plans in kept for made, _ in plans) > _MEMORY:
        most = max(kept, key=len)
        if len(most) == 1:
            return
        del most[0]


def _rank_questions(situation: Situation, pool: Bools) -> Ints:
    """The questions of ``pool``, the most promising first: by information gain per cost.

    Where outcomes have variants, the best by information about the outcome and the best by information about outcome
    and variant take turns: those that make others telling come in, and those that tell now stay.
    """
    model, belief = situation.model, situation.belief
    questions = np.flatnonzero(pool)
    costs = expected_costs(model, belief)[questions]
    # Of questions that tell nothing yet, those from which most can be learned.
    teaches = None if model.learning is None else (model.learning @ belief)[questions]

    def ranked(gains: Floats) -> Ints:
        return questions[rank_by_gain(model.scale_by_answerable(gains)[questions], costs, teaches)]

    order = ranked(information_gains(model, belief))
    if model.problem.outcome_of is None:
        return order
    about_outcome = ranked(outcome_information(model, belief))
    turns = np.stack([order, about_outcome], axis=1).ravel()
    return turns[np.sort(np.unique(turns, return_index=True)[1])]


def _terms(problem: Problem) -> int:
    """How many products one state of a plan takes: those of the decision, and one for each sub-outcome."""
    terms = problem.decision_stakes.terms
    return terms if problem.outcome_of is None else terms + len(problem.outcomes)


def find_unanswered(situation: Situation) -> Bools:
    """Which questions can't be asked any more although their prerequisites hold and they have no answer, (n,).

    They were put and not answered, or they exceed the budget.
    """
    unanswered = ~situation.available & (situation.answers < 0)
    for question, alternatives in situation.model.problem.prerequisites:
        if not holds(alternatives, situation.answers):
            unanswered[question] = False
    return np.asarray(unanswered)


def _may_become_available(situation: Situation) -> Prerequisites:
    """Unavailable questions whose prerequisites can all still be fulfilled, through other such questions if need be.

    A question that is unavailable although its prerequisites hold was put before, or exceeds the budget.
    """
    unavailable: dict[int, list[list[int]]] = {}
    for question, alternatives in situation.model.problem.prerequisites:
        if situation.available[question] or situation.answers[question] >= 0:
            continue
        ways = [
            [other for other, wanted in conditions if int(situation.answers[other]) not in wanted]
            for conditions in alternatives
        ]
        if all(ways):
            unavailable[question] = ways
    needed: Prerequisites = {}
    while found := {
        question: way
        for question, ways in unavailable.items()
        if question not in needed
        and (way := next((w for w in ways if all(situation.available[i] or i in needed for i in w)), None))
    }:
        needed |= found
    return needed


def _prerequisites_of(question: int, needed: Prerequisites) -> list[int]:
    """A question and all its prerequisites, in an order in which they can be asked."""
    before: list[int] = []
    for other in needed.get(question, ()):
        before += [i for i in _prerequisites_of(other, needed) if i not in before]
    return [*before, question]


def _allowed(situation: Situation, questions: Ints, answers: tuple[int, ...]) -> Bools | None:
    """In which states of a plan each of its questions is available, (S, K); None if all always are.

    A question with prerequisites waits for them. After a red flag there is no question: the interview ends there, and
    its decision counts as the best one, because the bank prescribes it whatever else is likely.
    """
    problem = situation.model.problem
    position = {int(question): at for at, question in enumerate(questions)}
    conditional = [
        (position[question], alternatives)
        for question, alternatives in problem.prerequisites
        if question in position and not situation.available[question]
    ]
    ends = [(position[question], answer) for question, answer in problem.red_flags if question in position]
    if not conditional and not ends:
        return None
    digits = make_lattice(answers).digits
    allowed = np.ones(digits.shape, dtype=bool)
    for at, alternatives in conditional:
        allowed[:, at] = False
        for conditions in alternatives:
            fulfilled = np.ones(len(digits), dtype=bool)
            for other, wanted in conditions:
                if int(situation.answers[other]) in wanted:
                    continue
                asked = digits[:, position[other]] - 1 if other in position else np.full(len(digits), -1)
                fulfilled &= np.isin(asked, wanted)
            allowed[:, at] |= fulfilled
    for at, answer in ends:
        allowed[digits[:, at] == answer + 1] = False
    return allowed
