"""An interview: ask, answer, …, decide. A state machine without files, clock or screen.

The seed, the policy, the counts and the answers determine every question. All random draws are made when the
interview starts, so undo, change and resume lead to the same questions again.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from odm_tui.engine.certainty import Certainty
from odm_tui.engine.contradiction import ContradictingAnswer, find_contradiction
from odm_tui.engine.evidence import Evidence, weigh_answers
from odm_tui.engine.explain import Explanation, explain
from odm_tui.engine.exploration import REDRAWS, Greedy, redraw_chance
from odm_tui.engine.hypotheses import Hypotheses
from odm_tui.engine.interview_state import (
    Ask,
    Decide,
    InterviewState,
    Kind,
    Step,
    Transitions,
    without_outcomes,
)
from odm_tui.engine.model import Model
from odm_tui.engine.operator_marks import (
    Mark,
    MarkKind,
    Marks,
    find_target,
    find_tried,
    is_stopped,
    keep_after_change,
    undo_mark,
)
from odm_tui.engine.oracles.dpp import draw_questions, kernel_of_answers, kernel_of_posterior
from odm_tui.engine.oracles.w_eced import fading
from odm_tui.engine.policy import Policy, policy_from
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Bools, Floats, Problem, Question, floats
from odm_tui.engine.remaining_cost import ForecastStart, expected_remaining_cost
from odm_tui.engine.simulated_policy import SimulatedPolicy, can_simulate
from odm_tui.engine.situation import Draws, Listing, Situation
from odm_tui.engine.stepping import finish
from odm_tui.engine.target import apply_target
from odm_tui.engine.usual_odds import UsualOdds
from odm_tui.errors import BadArgument
from odm_tui.text import unknown_name

__all__ = ["Ask", "Decide", "Interview", "Kind", "Step"]


class Interview:
    """One interview: the next question, the belief so far, and the decision.

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

        ``hypotheses`` are regions known beforehand; otherwise they are listed from theta. ``seen`` are the
        answers of earlier interviews for DPP's kernel, (T, n), each scaled to 0 to 1; without them they are
        those that the posterior has learned from.
        """
        if not problem.questions:
            raise BadArgument("An interview needs at least one question.")
        if not isinstance(seed, (int, np.integer)) or seed < 0:
            raise BadArgument(f"A seed must be a whole number, 0 or more, not {seed}.")
        self.problem = problem
        self.policy = policy_from(policy)
        explores = self.policy.explore != "never"
        acting = self.policy if explores else replace(self.policy, exploration=Greedy())
        self.posterior = Posterior.of(problem) if posterior is None else posterior
        if not self.posterior.belongs_to(problem):
            raise BadArgument(
                "The posterior belongs to another problem. Make it with Posterior.of for this problem."
            )
        if hypotheses is not None and hypotheses.answers.shape[::2] != (problem.shape[1], problem.shape[0]):
            raise BadArgument("The hypotheses belong to another problem. List them for this problem.")
        if problem.target_cost is not None:
            problem = self.problem = apply_target(problem, self.posterior.moved)
            self.posterior = replace(self.posterior, problem=problem)
        self.seed = seed
        knowledge = self.posterior.by_variant
        rule = self.policy.listing_rule(len(knowledge.problem.outcomes))
        if self.policy.oracle.tolerates_errors:
            rule = replace(rule, fading=fading(self._mean))
        self._transitions = Transitions(problem, acting, self._mean, rule)
        theta_seed, draws_seed, redraw_seed = np.random.SeedSequence(seed).spawn(3)
        model = acting.exploration.model(knowledge, np.random.default_rng(theta_seed))
        draws = self._draw(np.random.default_rng(draws_seed), seen)
        self._regions = hypotheses
        self._marks: Marks = ()
        self._shown: tuple[Floats, Floats] | None = None
        """The last belief and how it is shown."""
        self._referred: Marks | None = None
        """The marks at which the operator handed over; it holds while they are the very same object."""
        self._changes: list[tuple[int, list[InterviewState], Marks]] = []
        self._states = [self._start(model, draws)]
        if self.policy.explore == "quiet" and acting.exploration.explores:
            self._states[0].quiet = self._mean_start
        self._states[0] = self._redraw_if_silent(self._states[0], np.random.default_rng(redraw_seed))

    def _start(self, model: Model, draws: Draws) -> InterviewState:
        """The state before the first question under a model."""
        rule, listing = self._transitions.rule, None
        if self.policy.needs_hypotheses:
            regions = self._regions
            listing = rule.listing(model) if regions is None else Listing(regions, model, rule.fading)
        fallback = self._transitions.policy.exploration.fallback(self.posterior.by_variant, model)
        return self._transitions.start(model, draws, listing, fallback)

    def _redraw_if_silent(self, start: InterviewState, rng: np.random.Generator) -> InterviewState:
        """Draw theta again, with a chance that falls, if the interview would ask nothing of its own choice.

        An interview that asks nothing teaches nothing, so without this a policy could stay silent for ever.
        """
        exploration, knowledge = self._transitions.policy.exploration, self.posterior.by_variant
        interviews = float(self.posterior.seen_outcomes.sum())
        chance = redraw_chance(interviews, len(self.problem.questions)) if exploration.explores else 0.0
        if rng.random() >= chance or not self._transitions.is_silent(start):
            return start
        for _ in range(REDRAWS):
            model = exploration.redraw(knowledge, start.situation.model, rng)
            if model is None:
                break
            state = self._start(model, start.situation.draws)
            state.quiet = start.quiet
            if not self._transitions.is_silent(state):
                return state
        return start

    def _draw(self, rng: np.random.Generator, seen: npt.ArrayLike | None) -> Draws:
        n = len(self.problem.questions)
        order, coins = rng.permutation(n), rng.random(n + 1)
        if not self.policy.oracle.draws_a_set:
            return Draws(order, coins)
        if seen is None:
            return Draws(order, coins, draw_questions(kernel_of_posterior(self.posterior), rng))
        answers = floats(seen, "seen")
        if answers.ndim != 2 or answers.shape[1] != n or not np.isfinite(answers).all():
            raise BadArgument(
                f"The array seen has the shape {answers.shape}; it must have the shape (T, {n}) and hold finite numbers."
            )
        return Draws(order, coins, draw_questions(kernel_of_answers(answers), rng))

    @cached_property
    def _mean(self) -> Model:
        """The model of the posterior mean, which gives the beliefs, decisions and costs that people see."""
        return Greedy().model(self.posterior.by_variant, np.random.default_rng(0))

    # -- the state of the interview -------------------------------------------------------------------

    @property
    def _state(self) -> InterviewState:
        return self._states[-1]

    @property
    def transitions(self) -> Transitions:
        """The rules by which the states of this interview follow from each other."""
        return self._transitions

    @property
    def start(self) -> InterviewState:
        """The state before the first question."""
        return self._states[0]

    @property
    def next(self) -> Ask | Decide:
        """The next question, or the decision."""
        state, ruled_out = self._state, self.ruled_out
        if is_stopped(self._marks) and state.flag is None:
            if self._referred is self._marks:
                return replace(state.decide("you decided to hand over", "operator", ruled_out), refer=True)
            return state.decide("you decided to stop here", "operator", ruled_out)
        target = find_target(self._marks)
        if target is not None:
            if state.next_on is None or state.next_on[0] != (target, ruled_out):
                state.next_on = (target, ruled_out), self._transitions.find_next_on(state, target, ruled_out)
            return state.next_on[1]
        if state.next is None:
            state.next = self._transitions.find_next(state)
        if ruled_out and isinstance(state.next, Decide) and state.flag is None:
            return state.decide(state.next.reason, state.next.rule, ruled_out)
        return state.next

    @property
    def ruled_out(self) -> tuple[int, ...]:
        """The outcomes whose advice was tried and did not help."""
        return tuple(self.problem.outcomes.index(outcome) for outcome in find_tried(self._marks))

    @property
    def last_action(self) -> Literal["change", "mark", "step"] | None:
        """What :meth:`undo` or :meth:`revert` takes back next; None if there is nothing."""
        depth = len(self._states) - 1
        if undo_mark(self._marks, depth) is not None:
            return "mark"
        if self._changes and self._changes[-1][0] == depth:
            return "change"
        return "step" if depth else None

    @property
    def question(self) -> Question | None:
        """The next question itself, or None when it is time to decide."""
        return self.problem.questions[self.next.question] if isinstance(self.next, Ask) else None

    @property
    def steps(self) -> tuple[Step, ...]:
        """The questions that were put so far, in order."""
        return tuple(state.step for state in self._states if state.step)

    @property
    def answers(self) -> npt.NDArray[np.int16]:
        """One answer index for each question, -1 where there is none. The posterior learns from these."""
        return self._state.situation.answers.copy()

    @property
    def belief(self) -> Floats:
        """P(outcome | answers) under the posterior mean, (m,); 0 for outcomes that were tried."""
        return without_outcomes(self._state.belief, self.ruled_out)

    @property
    def sub_belief(self) -> Floats:
        """The belief in each sub-outcome, (s,); that in each outcome if they have no variants."""
        return self._transitions.without_variants(self._state.sub_belief, self.ruled_out)

    @cached_property
    def certainty(self) -> Certainty:
        """What past decisions say about how sure to be; unchanged if none were counted."""
        return Certainty.of(self.posterior.said)

    @property
    def shown_belief(self) -> Floats:
        """The belief as people see it, (m,): as sure as such decisions were right. Nothing is decided by it."""
        belief = self.belief
        if self._shown is None or not np.array_equal(self._shown[0], belief):
            self._shown = belief, self.certainty.shown(belief)
        return self._shown[1]

    def answer_chances(self, question: int) -> Floats:
        """How likely each answer to a question is after the answers so far, under the posterior mean, (K,)."""
        return np.asarray(self.sub_belief @ self._mean.theta[question])

    @property
    def available(self) -> Bools:
        """Which questions can be asked now, (n,)."""
        return self._state.situation.available.copy()

    @property
    def situation(self) -> Situation:
        """The answers so far as the oracle sees them."""
        return self._state.situation

    @property
    def cost_so_far(self) -> float:
        """The cost of all questions so far."""
        return self._state.cost

    @property
    def expected_cost_to_come(self) -> float:
        """About what the rest of the interview will cost; 0 when it is time to decide."""
        return finish(self.forecast_cost())

    def forecast_cost(self) -> Generator[None, None, float]:
        """Compute the expected cost to come; yield before each longer computation, so that the caller can stop."""
        upcoming = self.next
        if isinstance(upcoming, Decide):
            return 0.0
        state = self._state
        if self._simulated is not None:
            cost = yield from self._simulated.expected_cost(self.steps, upcoming.question, state.sub_belief)
            # The first question is certain, so the result must not be below its expected cost.
            return max(cost, float(self._mean.mean_cost[upcoming.question] @ state.sub_belief))
        start = ForecastStart(
            self._mean,
            state.sub_belief,
            state.situation.model,
            state.situation.belief,
            state.situation.answers,
            state.put,
            upcoming.question,
            state.asked,
            state.cost,
        )
        return expected_remaining_cost(start, self.policy.stop)

    @cached_property
    def _simulated(self) -> SimulatedPolicy | None:
        """The interviews that this policy would hold; None where they take too long to simulate."""
        return SimulatedPolicy(self._transitions, self.start) if can_simulate(self._transitions) else None

    def cost_if(self, outcome: int) -> float:
        """The cost of the answers so far if this is the right outcome."""
        given = self._state.situation.answers
        asked = np.flatnonzero(given >= 0)
        known = float(self.problem.cost[asked, outcome, given[asked]].sum())
        return known + sum(step.cost for step in self.steps if step.kind == "unknown")

    def cost_of_all(self, outcome: int | None = None) -> float:
        """The expected cost of asking every question, given the right outcome or, without one, the belief."""
        weights = self.sub_belief
        if outcome is not None:
            others = tuple(j for j in range(len(self.problem.outcomes)) if j != outcome)
            weights = self._transitions.without_variants(self._state.sub_belief, others)
        return float(np.einsum("imk,imk,m->", self._mean.problem.cost, self._mean.theta, weights))

    @property
    def contradiction(self) -> ContradictingAnswer | None:
        """The answer that the others clearly contradict, if there is one that changes the decision.

        Only decisions are looked at: after every answer, alarms would add up to more than is allowed an interview.
        """
        if not isinstance(self.next, Decide):
            return None
        state, usual, coin = self._state, None, 1.0
        own = not self._marks and all(step.proposed == step.question for step in self.steps)
        if own and self._usual_odds is not None:
            usual = self._usual_odds.values()
            coin = float(np.random.default_rng([self.seed, len(self.steps)]).random())
        return find_contradiction(
            self._mean, state.log_joint, state.situation.answers, state.situation.available, usual, coin
        )

    @cached_property
    def _usual_odds(self) -> UsualOdds | None:
        """The evidence for contradictions in interviews of this policy with right answers."""
        return None if self._simulated is None else UsualOdds(self._mean, self._simulated, self.seed)

    def evidence(self, outcome: int) -> list[Evidence]:
        """How much each answer speaks for or against an outcome, the strongest first."""
        state = self._state
        return weigh_answers(self._mean, state.log_joint, state.situation.answers, outcome)

    def explain(self, top: int = 3) -> Explanation:
        """Explain the choice: the best few questions with their gains, costs and effects."""
        proposed = self.next.question if isinstance(self.next, Ask) else None
        return explain(
            self.policy.oracle,
            self._transitions.followed(self._state),
            self._mean,
            self.sub_belief,
            proposed,
            self._mean_step(),
            top,
        )

    def _mean_step(self) -> Ask | Decide | None:
        """The step that the same policy would take now without exploration; None where it makes no difference."""
        if not self.policy.oracle.uses_theta or type(self._transitions.policy.exploration) is Greedy:
            return None
        situation = self._mean_start
        for state in self._states[1:]:
            step = state.step
            if step is not None:
                situation = situation.after(
                    step.question, step.answer, state.situation.available, self._transitions.rule
                )
        greedy = replace(self._transitions, policy=replace(self.policy, exploration=Greedy()))
        return greedy.find_next(
            replace(self._state, situation=situation, fallback=None, allowed=None, following={})
        )

    @cached_property
    def _mean_start(self) -> Situation:
        start = self._states[0].situation
        listing = None
        if start.listing is not None:
            listing = self._transitions.rule.listing(self._mean)
            if self._regions is not None:
                listing = replace(listing, hypotheses=self._regions)
        return Situation.at_start(self._mean, start.draws, start.available, listing)

    # -- the operator's actions -----------------------------------------------------------------------

    def answer(self, answer: int | str | float, question: int | str | None = None) -> None:
        """Answer the proposed question, or another one that is available."""
        index = self._find_question(question)
        self._push(index, "answered", self.problem.questions[index].index(answer))

    def dont_know(self, question: int | str | None = None) -> None:
        """Record that nobody knows the answer. The question costs, teaches nothing, and is not asked again."""
        self._push(self._find_question(question), "unknown", None)

    def skip(self, question: int | str | None = None) -> None:
        """Skip the question. It costs nothing, teaches nothing, and is not asked again."""
        self._push(self._find_question(question), "skipped", None)

    def undo(self, steps: int = 1) -> None:
        """Take back the last steps. Stopping, asking on and ruling out count as one each; changes stay."""
        most = len(self._states) - 1 + len(self._marks)
        if not 0 <= steps <= most:
            raise BadArgument(f"The number of steps to take back is from 0 to {most}, not {steps}.")
        for _ in range(steps):
            depth = len(self._states) - 1
            fewer = undo_mark(self._marks, depth)
            if fewer is not None:
                self._marks = fewer
                continue
            self._states.pop()
            while self._changes and self._changes[-1][0] >= depth:
                self._changes.pop()

    def revert(self) -> None:
        """Take back the last change of an answer, and with it what it dropped."""
        if self.last_action != "change":
            raise BadArgument("The last action is not the change of an answer.")
        _, self._states, self._marks = self._changes.pop()

    def change(self, step: int, answer: int | str | float | None) -> tuple[Step, ...]:
        """Change the answer of an earlier step (None: don't know). Later answers stay.

        Returns the later steps that were dropped, because their question's prerequisites no longer hold.
        """
        taken = self.steps
        if not 0 <= step < len(taken):
            raise BadArgument(
                f"There is no step {step}. The number of steps is {len(taken)}, counted from 0."
            )
        question = self.problem.questions[taken[step].question]
        index = None if answer is None else question.index(answer)
        before = list(self._states), self._marks
        del self._states[step + 1 :]
        dropped = []
        for at, old in enumerate(taken[step:]):
            if not self._state.situation.available[old.question]:
                dropped.append(old)
                continue
            if at == 0:
                self._push(old.question, "unknown" if index is None else "answered", index, old.proposed)
            else:
                self._push(old.question, old.kind, old.answer, old.proposed)
        depth = len(self._states) - 1
        self._marks = keep_after_change(self._marks, depth)
        self._changes.append((depth, *before))
        return tuple(dropped)

    def stop(self) -> None:
        """Stop asking and decide now."""
        if not is_stopped(self._marks):
            self._mark("stopped")

    def refer(self) -> None:
        """Stop asking and hand over. Undo takes it back like a stop."""
        if self.problem.refer_cost is None:
            raise BadArgument("Nobody can take over: the problem has no refer_cost.")
        self.stop()
        self._referred = self._marks

    @property
    def is_stopped(self) -> bool:
        """Whether the operator has stopped the interview."""
        return is_stopped(self._marks)

    def ask_on(self, target: float) -> None:
        """Go on asking after the decision, until the belief in one outcome reaches ``target``.

        The questions are chosen by information per cost, since the policy has no further one.
        """
        if not 0 < target <= 1:
            raise BadArgument(f"The target is a belief above 0, at most 1, not {target:g}.")
        if self._state.flag is not None:
            raise BadArgument("A red flag has ended this interview. Take its answer back first.")
        if not isinstance(self.next, Decide):
            raise BadArgument("The interview has no decision yet; answer its question.")
        if not self._state.situation.available.any():
            raise BadArgument("There is no question left to ask.")
        self._mark("asked_on", target=target)

    def rule_out(self, outcome: int) -> None:
        """Record that an outcome's advice was tried and did not help: decide for the next one."""
        tried = {*self.ruled_out, outcome}
        if outcome in self.ruled_out or not 0 <= outcome < len(self.problem.outcomes):
            raise BadArgument(f"Outcome {outcome} can't be ruled out: there is none, or it was tried before.")
        if len(tried) == len(self.problem.outcomes):
            raise BadArgument("Every other outcome was tried already.")
        self._mark("tried", outcome=self.problem.outcomes[outcome])

    def restore_marks(self, marks: Marks) -> None:
        """Set what the operator did beside answering, when an interview is resumed."""
        depth, names = len(self._states) - 1, ("", *self.problem.outcomes)
        self._marks = tuple(
            mark._replace(depth=min(mark.depth, depth)) for mark in marks if mark.outcome in names
        )

    def _mark(self, kind: MarkKind, *, target: float = 0.0, outcome: str = "") -> None:
        self._marks = (*self._marks, Mark(kind, len(self._states) - 1, target, outcome))

    @contextmanager
    def rollback_on_error(self) -> Iterator[None]:
        """Take back everything that a ``with`` block did to this interview if the block raises."""
        states, marks, changes = list(self._states), self._marks, list(self._changes)
        try:
            yield
        except BaseException:
            self._states, self._marks, self._changes = states, marks, changes
            raise

    def _find_question(self, question: int | str | None) -> int:
        if is_stopped(self._marks):
            raise BadArgument("The interview was stopped. Undo that before you go on.")
        if question is None:
            upcoming = self.next
            if isinstance(upcoming, Decide):
                raise BadArgument("There is no open question: the interview has come to its decision.")
            return upcoming.question
        if isinstance(question, str):
            if question not in self.problem.positions:
                raise BadArgument(unknown_name("question", question, self.problem.positions))
            question = self.problem.positions[question]
        if not isinstance(question, (int, np.integer)) or not 0 <= question < len(self.problem.questions):
            raise BadArgument(
                f"There is no question {question}. Questions are numbered from 0 to {len(self.problem.questions) - 1}."
            )
        if not self._state.situation.available[question]:
            name = self.problem.questions[question].id
            raise BadArgument(
                f"Question {name!r} can't be asked now: it was asked before, or its prerequisites do not hold."
            )
        return question

    def think_ahead(self, question: int | None = None) -> Iterator[None]:
        """Compute the state after each possible answer, the likeliest first, and yield before each.

        This changes nothing that can be seen: it only makes the next call of :attr:`next` fast. ``question`` is the one
        that is shown; None is the proposed one.
        """
        state, upcoming = self._state, self.next
        if question is None:
            question = upcoming.question if isinstance(upcoming, Ask) else None
        if question is None or is_stopped(self._marks) or find_target(self._marks) is not None:
            return
        chances = self._mean.theta[question].T @ state.sub_belief
        known = range(len(self.problem.questions[question].answers))
        possible: list[tuple[Kind, int | None]] = [
            ("answered", q) for q in sorted(known, key=lambda q: -chances[q])
        ]
        for kind, answer in (*possible, ("unknown", None), ("skipped", None)):
            yield
            following = self._transitions.after(state, question, kind, answer, self._proposal())
            if following.next is None:
                following.next = self._transitions.find_next(following)
                state.following[question, kind, answer] = following
        usual = self._usual_odds
        while usual is not None and usual.extend():
            yield

    def _push(self, question: int, kind: Kind, answer: int | None, proposed: int | None = -1) -> None:
        if proposed == -1:
            proposed = self._proposal()
        state = self._state
        self._states.append(self._transitions.after(state, question, kind, answer, proposed))
        state.following = {}  # the other answers were not given, and their states take memory

    def _proposal(self) -> int | None:
        upcoming = self.next
        return upcoming.question if isinstance(upcoming, Ask) else None
