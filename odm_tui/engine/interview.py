"""The interview: ask, answer, …, decide; a state machine without files, clock or screen.

The seed, the policy, the counts and the answers determine every question. All chance moves are drawn when
the interview starts, so undo, change and resume lead to the same questions again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from odm_tui.engine.belief import normalise
from odm_tui.engine.contradiction import ContradictingAnswer, find_contradiction
from odm_tui.engine.explain import Explanation, explain
from odm_tui.engine.exploration import Greedy
from odm_tui.engine.hypotheses import Hypotheses
from odm_tui.engine.model import Model
from odm_tui.engine.oracles import ORACLES
from odm_tui.engine.oracles.dpp import kernel_of_answers, kernel_of_counts, sample_dpp
from odm_tui.engine.oracles.w_eced import fading
from odm_tui.engine.policy import Policy, policy_from
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Bools, Floats, Problem, Question, floats
from odm_tui.engine.remaining_cost import ForecastStart, expected_remaining_cost
from odm_tui.engine.situation import Draws, Listing, Situation
from odm_tui.engine.stopping import Progress
from odm_tui.errors import BadArgument

Kind = Literal["answered", "unknown", "skipped"]


@dataclass(frozen=True, slots=True)
class Ask:
    """The next question, by index."""

    question: int


@dataclass(frozen=True, slots=True)
class Decide:
    """The end: the likeliest outcome under the posterior mean, its belief, and why asking stopped.

    ``rule`` is the stop rule's name, ``operator``, ``exhausted`` (nothing left to ask) or ``oracle`` (it
    wants no more).
    """

    outcome: int
    belief: float
    reason: str
    rule: str


@dataclass(frozen=True, slots=True)
class Step:
    """One question that was put: what came of it, what the oracle had proposed, what it cost.

    The cost of an answer that depends on the outcome is its mean under the belief after the answer.
    """

    question: int
    kind: Kind
    answer: int | None
    proposed: int | None
    cost: float


@dataclass(eq=False, slots=True)
class _Moment:
    """The interview after some steps; kept for each step, so that undo is exact and instant."""

    situation: Situation
    shown: Floats
    belief: Floats
    put: Bools
    among: Bools | None = None
    asked: int = 0
    cost: float = 0.0
    step: Step | None = None
    next: Ask | Decide | None = None
    following: dict[tuple[int, Kind, int | None], _Moment] = field(default_factory=dict)
    """What was thought of ahead: the moment after each answer that may come."""


class Interview:
    """One interview: which question is next, what is believed, and when to decide.

    >>> problem = Problem.build(["fever", "cough"], ["flu", "cold"], expected=[[.9, .2], [.6, .5]])
    >>> interview = Interview(problem, "w-ec2-ts", seed=1)
    >>> while isinstance(interview.next, Ask):
    ...     interview.answer("yes")
    >>> problem.outcomes[interview.next.outcome]
    'flu'
    """

    def __init__(
        self,
        problem: Problem,
        policy: str | Policy | dict[str, object] = "w-ec2-ts",
        posterior: Posterior | None = None,
        seed: int = 0,
        *,
        hypotheses: Hypotheses | None = None,
        seen: npt.ArrayLike | None = None,
    ) -> None:
        """Start an interview.

        ``hypotheses`` are regions known beforehand; they are listed from theta otherwise. ``seen`` are the
        answers of earlier interviews, (T, n), each scaled to 0 to 1, for DPP's kernel; without them it uses
        the counts.
        """
        if not problem.questions:
            raise BadArgument("an interview needs at least one question")
        if not isinstance(seed, (int, np.integer)) or seed < 0:
            raise BadArgument(f"a seed is a whole number, 0 or more, not {seed}")
        self.problem = problem
        self.policy = policy_from(policy)
        self.posterior = Posterior.of(problem) if posterior is None else posterior
        if not self.posterior.belongs_to(problem):
            raise BadArgument("the posterior belongs to another problem")
        if hypotheses is not None and hypotheses.answers.shape[::2] != (problem.shape[1], problem.shape[0]):
            raise BadArgument("the hypotheses belong to another problem")
        self.seed = seed
        self._rule = self.policy.listing_rule(len(problem.outcomes))
        if self.policy.oracle.tolerates_errors:
            self._rule = replace(self._rule, fading=fading(self._mean))
        theta_seed, draws_seed = np.random.SeedSequence(seed).spawn(2)
        model = self.policy.exploration.model(self.posterior, np.random.default_rng(theta_seed))
        draws = self._draw(np.random.default_rng(draws_seed), seen)
        listing = None
        if self.policy.needs_hypotheses:
            if hypotheses is None:
                listing = self._rule.listing(model)
            else:
                listing = Listing(hypotheses, model, self._rule.fading)
        self._regions = hypotheses
        none_put = np.zeros(len(problem.questions), dtype=bool)
        awake = self._awake(np.full(len(none_put), -1), none_put)
        start = Situation.at_start(model, draws, awake, listing)
        self._stopped = False
        self._moments = [_Moment(start, self._mean.log_prior, self._mean.prior, none_put)]

    def _draw(self, rng: np.random.Generator, seen: npt.ArrayLike | None) -> Draws:
        n = len(self.problem.questions)
        order, coins = rng.permutation(n), rng.random(n + 1)
        if not self.policy.oracle.draws_a_set:
            return Draws(order, coins)
        if seen is None:
            return Draws(order, coins, sample_dpp(kernel_of_counts(self.posterior), rng))
        answers = floats(seen, "seen")
        if answers.ndim != 2 or answers.shape[1] != n or not np.isfinite(answers).all():
            raise BadArgument(f"seen has the shape {answers.shape}; it must be (T, {n}), of finite numbers")
        return Draws(order, coins, sample_dpp(kernel_of_answers(answers), rng))

    @cached_property
    def _mean(self) -> Model:
        """The posterior mean: what beliefs, decisions and costs that people see are made of."""
        return Greedy().model(self.posterior, np.random.default_rng(0))

    # -- where it stands ------------------------------------------------------------------------------

    @property
    def _now(self) -> _Moment:
        return self._moments[-1]

    @property
    def next(self) -> Ask | Decide:
        """The next question, or the decision."""
        if self._stopped:
            return _decision(self._now, "you decided to stop here", "operator")
        if self._now.next is None:
            self._now.next = self._find_next(self._now)
        return self._now.next

    @property
    def question(self) -> Question | None:
        """The next question itself, or None when it is time to decide."""
        return self.problem.questions[self.next.question] if isinstance(self.next, Ask) else None

    @property
    def steps(self) -> tuple[Step, ...]:
        """What has been asked so far, in order."""
        return tuple(moment.step for moment in self._moments if moment.step)

    @property
    def answers(self) -> npt.NDArray[np.int16]:
        """One answer index a question, -1 where there is none: what the posterior learns from."""
        return self._now.situation.answers.copy()

    @property
    def belief(self) -> Floats:
        """P(outcome | answers) under the posterior mean, (m,)."""
        return self._now.belief.copy()

    @property
    def available(self) -> Bools:
        """Which questions can be asked now."""
        return self._now.situation.available.copy()

    @property
    def situation(self) -> Situation:
        """How things stand as the oracle sees them."""
        return self._now.situation

    @property
    def cost_so_far(self) -> float:
        """What has been asked has cost this much."""
        return self._now.cost

    @property
    def expected_cost_to_come(self) -> float:
        """About what the rest of the interview will cost; 0 when it is time to decide."""
        upcoming = self.next
        if isinstance(upcoming, Decide):
            return 0.0
        now = self._now
        outset = ForecastStart(
            self._mean,
            now.belief,
            now.situation.answers,
            now.put,
            upcoming.question,
            now.asked,
            now.cost,
        )
        return expected_remaining_cost(outset, self.policy.stop)

    def cost_if(self, outcome: int) -> float:
        """What the answers so far have cost if this is the right outcome."""
        given = self._now.situation.answers
        asked = np.flatnonzero(given >= 0)
        known = float(self.problem.cost[asked, outcome, given[asked]].sum())
        return known + sum(step.cost for step in self.steps if step.kind == "unknown")

    @property
    def contradiction(self) -> ContradictingAnswer | None:
        """An answer that the others clearly speak against, if there is one that changes the outcome."""
        now = self._now
        return find_contradiction(self._mean, now.shown, now.situation.answers, now.situation.available)

    def explain(self, top: int = 3) -> Explanation:
        """The best few questions: what each would tell, cost and change; and whether the choice explores."""
        proposed = self.next.question if isinstance(self.next, Ask) else None
        return explain(
            self.policy.oracle,
            self._now.situation,
            self._mean,
            self.belief,
            proposed,
            self._mean_choice(),
            top,
        )

    def _mean_choice(self) -> int | None:
        """What the same oracle would ask now without exploration; None where it makes no difference."""
        exploration = self.policy.exploration
        if not self.policy.oracle.uses_theta or (type(exploration) is Greedy):
            return None
        situation = self._mean_start
        for moment in self._moments[1:]:
            step = moment.step
            if step is not None:
                situation = situation.after(
                    step.question, step.answer, moment.situation.available, self._rule
                )
        if self._now.among is not None:
            situation = replace(situation, available=self._now.among)
        return self.policy.oracle.choose(situation)

    @cached_property
    def _mean_start(self) -> Situation:
        start = self._moments[0].situation
        listing = None
        if start.listing is not None:
            listing = self._rule.listing(self._mean)
            if self._regions is not None:
                listing = replace(listing, hypotheses=self._regions)
        return Situation.at_start(self._mean, start.draws, start.available, listing)

    # -- what the operator does -----------------------------------------------------------------------

    def answer(self, answer: int | str | float, question: int | str | None = None) -> None:
        """Answer the proposed question, or another one that is available."""
        index = self._which(question)
        self._push(index, "answered", self.problem.questions[index].index(answer))

    def dont_know(self, question: int | str | None = None) -> None:
        """The question was put and nobody knows: it costs, tells nothing, and is not asked again."""
        self._push(self._which(question), "unknown", None)

    def skip(self, question: int | str | None = None) -> None:
        """The question is passed over: it costs and tells nothing, and is not asked again."""
        self._push(self._which(question), "skipped", None)

    def undo(self, steps: int = 1) -> None:
        """Take back the last steps; stopping counts as one."""
        most = len(self._moments) - 1 + self._stopped
        if not 0 <= steps <= most:
            raise BadArgument(f"the number of steps to take back is from 0 to {most}, not {steps}")
        if steps and self._stopped:
            self._stopped = False
            steps -= 1
        del self._moments[len(self._moments) - steps :]

    def change(self, step: int, answer: int | str | float | None) -> tuple[Step, ...]:
        """Give another answer to an earlier step (None: don't know); later answers stay.

        Returns the later steps that had to go, because their question is asleep now.
        """
        taken = self.steps
        if not 0 <= step < len(taken):
            raise BadArgument(f"there is no step {step}; there are {len(taken)}")
        question = self.problem.questions[taken[step].question]
        index = None if answer is None else question.index(answer)
        self._stopped = False
        del self._moments[step + 1 :]
        dropped = []
        for at, old in enumerate(taken[step:]):
            if not self._now.situation.available[old.question]:
                dropped.append(old)
                continue
            if at == 0:
                self._push(old.question, "unknown" if index is None else "answered", index, old.proposed)
            else:
                self._push(old.question, old.kind, old.answer, old.proposed)
        return tuple(dropped)

    def stop(self) -> None:
        """The operator has heard enough: decide now."""
        self._stopped = True

    @contextmanager
    def rollback_on_error(self) -> Iterator[None]:
        """Take back everything that a ``with`` block did to this interview if the block raises."""
        moments, stopped = list(self._moments), self._stopped
        try:
            yield
        except BaseException:
            self._moments, self._stopped = moments, stopped
            raise

    def _which(self, question: int | str | None) -> int:
        if self._stopped:
            raise BadArgument("the interview was stopped; undo that before going on")
        if question is None:
            upcoming = self.next
            if isinstance(upcoming, Decide):
                raise BadArgument("there is no open question: the interview has come to its decision")
            return upcoming.question
        if isinstance(question, str):
            if question not in self.problem.positions:
                raise BadArgument(f"there is no question {question!r}")
            question = self.problem.positions[question]
        if not isinstance(question, (int, np.integer)) or not 0 <= question < len(self.problem.questions):
            raise BadArgument(f"there is no question {question}")
        if not self._now.situation.available[question]:
            raise BadArgument(f"question {self.problem.questions[question].id!r} can't be asked now")
        return question

    def think_ahead(self, question: int | None = None) -> Iterator[None]:
        """Find what comes after each answer to a question, the likeliest first, and pause before each.

        Nothing changes but that the next call of :attr:`next` finds its answer there. ``question`` is the one
        that is shown; None is the proposed one.
        """
        now, upcoming = self._now, self.next
        if question is None:
            question = upcoming.question if isinstance(upcoming, Ask) else None
        if question is None or self._stopped:
            return
        chances = self._mean.theta[question].T @ now.belief
        known = range(len(self.problem.questions[question].answers))
        ways: list[tuple[Kind, int | None]] = [
            ("answered", q) for q in sorted(known, key=lambda q: -chances[q])
        ]
        for kind, answer in (*ways, ("unknown", None), ("skipped", None)):
            yield
            following = self._after(now, question, kind, answer, self._proposal())
            if following.next is None:
                following.next = self._find_next(following)
                now.following[question, kind, answer] = following

    def _push(self, question: int, kind: Kind, answer: int | None, proposed: int | None = -1) -> None:
        if proposed == -1:
            proposed = self._proposal()
        now = self._now
        self._moments.append(self._after(now, question, kind, answer, proposed))
        now.following = {}  # the other ways were not taken, and would take memory

    def _after(
        self, now: _Moment, question: int, kind: Kind, answer: int | None, proposed: int | None
    ) -> _Moment:
        """The moment after a step; the one that was thought of ahead, if it was this very step."""
        known = now.following.get((question, kind, answer))
        if known is not None and known.step is not None and known.step.proposed == proposed:
            return known
        answers = now.situation.answers.copy()
        answers[question] = -1 if answer is None else answer
        put = now.put.copy()
        put[question] = True
        situation = now.situation.after(question, answer, self._awake(answers, put), self._rule)
        shown, belief = now.shown, now.belief
        if answer is not None:
            shown = shown + self._mean.log_theta[question, :, answer]
            belief = normalise(shown)
        cost = self._cost_of(question, kind, answer, belief)
        step = Step(question, kind, answer, proposed, cost)
        asked = now.asked + (kind != "skipped")
        return _Moment(situation, shown, belief, put, None, asked, now.cost + cost, step)

    def _proposal(self) -> int | None:
        upcoming = self.next
        return upcoming.question if isinstance(upcoming, Ask) else None

    def _cost_of(self, question: int, kind: Kind, answer: int | None, belief: Floats) -> float:
        if kind == "skipped":
            return 0.0
        if answer is None:
            return float(self._mean.mean_cost[question] @ belief)
        return float(self.problem.cost[question, :, answer] @ belief)

    def _awake(self, answers: npt.NDArray[np.integer], put: Bools) -> Bools:
        """Which questions are not put yet and have their prerequisites fulfilled."""
        awake = ~put
        for question, conditions in self.problem.prerequisites:
            if any(int(answers[other]) not in wanted for other, wanted in conditions):
                awake[question] = False
        return awake

    # -- what is next ---------------------------------------------------------------------------------

    def _find_next(self, now: _Moment) -> Ask | Decide:
        """The next question, or the decision.

        Questions that are always asked come first, as soon as they are awake: they cost the same whenever they are
        asked, and what they tell may spare others. No stop rule and no budget keeps them back.
        """
        situation, stop = now.situation, self.policy.stop
        available = situation.available
        if not available.any():
            return _decision(now, "everything that can be asked has been asked", "exhausted")
        due = self.problem.always & available
        if due.any():
            question = self._choose(now, due)
            return Ask(int(due.argmax()) if question is None else question)
        progress = Progress(
            self._mean,
            now.belief,
            now.asked,
            now.cost,
            available,
            situation.regions,
            lambda: self.policy.oracle.should_continue(situation),
        )
        found = stop.find_reason(progress)
        if found is not None:
            return _decision(now, *found)
        question = self._choose(now, stop.affordable(progress))
        if question is None:
            return _decision(now, "the oracle has no further question", "oracle")
        return Ask(question)

    def _choose(self, now: _Moment, among: Bools) -> int | None:
        situation = now.situation
        if not np.array_equal(among, situation.available):
            now.among = among
            situation = replace(situation, available=among)
        epsilon = self.policy.exploration.epsilon
        if epsilon and situation.draws.coins[situation.asked] < epsilon:
            return ORACLES["random"].choose(situation)
        return self.policy.oracle.choose(situation)


def _decision(now: _Moment, reason: str, rule: str) -> Decide:
    outcome = int(now.belief.argmax())
    return Decide(outcome, float(now.belief[outcome]), reason, rule)
