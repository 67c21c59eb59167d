"""Dynamic programming: the best way to ask a few questions, computed exactly.

The objective is the value of the decision (see ``stakes``) − expected cost; where all wrong decisions cost the same,
that is stakes · P(right decision) − expected cost. A state says, for each of K questions, whether it has been asked and
what was answered: digit 0 for not asked, q + 1 for answer q. With two answers each there are 3^K states. All quantities of a state s are joint with reaching it, so nothing is ever divided:

- w_s(j) = P(y = j) · Π_{i asked in s} theta_ij(x_i)
- U(s) = max( max_d Σ_j value[d, j] · w_s(j),  max_{i not asked} [ Σ_q U(s + (i, q)) − Σ_j mu_ij · w_s(j) ] )

The first term is to stop and decide, or refer, the second to ask question i next; mu_ij is eq:params. States with
more questions asked are computed first, so each level is one array operation.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from odm_tui.engine.problem import Bools, Floats, Ints
from odm_tui.engine.stakes import Stakes


@dataclass(frozen=True, eq=False)
class Lattice:
    """The states of K questions with these numbers of answers, and which lead to which.

    ``strides[i] * (q + 1)`` leads from a state without question i to the one where it was answered q. ``levels`` holds
    the states by how many questions are asked, fewest first.
    """

    answers: tuple[int, ...]
    strides: Ints
    digits: Ints
    levels: tuple[Ints, ...]

    @property
    def size(self) -> int:
        """The number of states."""
        return len(self.digits)

    @cached_property
    def moves(self) -> tuple[Moves, ...]:
        """What can be asked at each level but the last, fewest answers first."""
        most = max(self.answers, default=0)
        sizes = np.array(self.answers, dtype=np.intp)
        made = []
        for asked, level in enumerate(self.levels[:-1]):
            questions = np.nonzero(self.digits[level] == 0)[1].reshape(-1, len(self.answers) - asked)
            first = level[:, None] + self.strides[questions]
            children = [
                np.where(q < sizes[questions], first + q * self.strides[questions], self.size)
                for q in range(most)
            ]
            made.append(Moves(level, questions, tuple(children)))
        return tuple(made)

    def state(self, given: Ints) -> int:
        """The state with these answers, one per question, -1 where it was not asked."""
        return int(((given + 1) * self.strides).sum())


class Moves(NamedTuple):
    """The questions that are open in the states of one level, and where their answers lead.

    All states of a level have as many open questions, so ``questions`` is (L, open). ``children`` has the state after
    each answer, in the same shape; it is one past the last state where a question has fewer answers.
    """

    level: Ints
    questions: Ints
    children: tuple[Ints, ...]


@lru_cache(maxsize=64)
def make_lattice(answers: tuple[int, ...]) -> Lattice:
    """The lattice for questions with these numbers of answers. It is cached, because the same few come again."""
    radices = np.array(answers, dtype=np.intp) + 1
    strides = np.concatenate([[1], np.cumprod(radices[:-1])]).astype(np.intp)[: len(answers)]
    states = np.arange(int(np.prod(radices)), dtype=np.intp)
    digits = (states[:, None] // strides) % radices
    asked = (digits > 0).sum(axis=1)
    order = np.argsort(asked, kind="stable")
    cuts = np.searchsorted(asked[order], np.arange(1, len(answers) + 1))
    return Lattice(answers, strides, digits, tuple(np.split(order, cuts)))


@dataclass(frozen=True, eq=False)
class Plan:
    """The best value of every state of a lattice, joint with reaching it.

    ``joint`` is w_s(j), (S, m); ``costs`` is the joint expected cost of each question in each state, (S, K);
    ``allowed`` says which questions may be asked where, None if all may.
    """

    lattice: Lattice
    stakes: Stakes
    joint: Floats
    costs: Floats
    values: Floats
    allowed: Bools | None = None

    @property
    def size(self) -> int:
        """The size in bytes."""
        return self.joint.nbytes + self.costs.nbytes + self.values.nbytes

    def worths(self, state: int = 0) -> Floats:
        """The worth of asking each question next in a state, given that it is reached; -inf where it can't be asked."""
        asked = self.lattice.digits[state] > 0
        closed = asked if self.allowed is None else asked | ~self.allowed[state]
        worth = np.full(len(asked), -np.inf)
        for i in np.flatnonzero(~closed):
            children = state + self.lattice.strides[i] * np.arange(1, self.lattice.answers[i] + 1)
            worth[i] = self.values[children].sum()
        return np.asarray((worth - self.costs[state]) / self.chance(state))

    def stop_worth(self, state: int = 0) -> float:
        """The worth of deciding now in a state, given that it is reached."""
        return float(self.stakes.worths(self.joint[state])) / self.chance(state)

    def chance(self, state: int) -> float:
        """How likely the state is to be reached if its questions are asked."""
        return max(float(self.joint[state].sum()), 1e-300)

    def moves(self, states: Ints) -> Ints:
        """The question that the plan asks in each of these states; -1 where it decides."""
        if not self.lattice.answers:
            return np.full(len(states), -1, dtype=np.intp)
        open_ = self.lattice.digits[states] == 0
        if self.allowed is not None:
            open_ &= self.allowed[states]
        worth = np.zeros(open_.shape)
        for i, answers in enumerate(self.lattice.answers):
            steps = self.lattice.strides[i] * np.arange(1, answers + 1)
            worth[open_[:, i], i] = self.values[states[open_[:, i], None] + steps].sum(axis=1)
        stop = self.stakes.worths(self.joint[states])
        worth = np.where(open_, worth - self.costs[states], -np.inf)
        best = worth.argmax(axis=1)
        # Both sides sum the same terms in another order, so a gain at the last digit is rounding.
        asks = worth.max(axis=1) > stop * (1.0 + 1e-12)
        return np.where(asks, best, -1)

    @cached_property
    def outcome(self) -> tuple[float, float, float]:
        """(expected cost, P(right), expected questions) of following the plan from its start."""
        cost = right = questions = 0.0
        reached = np.array([0], dtype=np.intp)
        while len(reached):
            moves = self.moves(reached)
            right += sum(self._right(int(state)) for state in reached[moves < 0])
            following: list[Ints] = []
            for best in np.unique(moves[moves >= 0]):
                asking = reached[moves == best]
                cost += float(self.costs[asking, best].sum())
                questions += float(self.joint[asking].sum())
                steps = self.lattice.strides[best] * np.arange(1, self.lattice.answers[best] + 1)
                following.append((asking[:, None] + steps).ravel())
            reached = np.concatenate(following) if following else reached[:0]
        return cost, right, questions

    def _right(self, state: int) -> float:
        """How likely it is to reach this state and decide it right; 0 if the plan refers there."""
        weights = self.joint[state]
        return 0.0 if self.stakes.should_refer(weights) else float(weights[self.stakes.decide(weights)])


def make_plan(
    belief: Floats,
    theta: Floats,
    mean_cost: Floats,
    stakes: float | Stakes,
    answers: tuple[int, ...],
    allowed: Bools | None = None,
    membership: Floats | None = None,
) -> Plan:
    """Solve the finite problem exactly for K questions.

    ``belief`` is P(y | x_P), (m,); ``theta`` (K, m, A) and ``mean_cost`` mu_ij (K, m) are those of the K questions.
    For questions that may stay unanswered, :func:`add_unknown` makes theta and ``answers``. Where outcomes have variants,
    belief, theta and costs are by sub-outcome, and ``membership`` is 1 where a sub-outcome belongs to an outcome, (s, m):
    the plan decides for outcomes.
    """
    states = make_lattice(answers)
    joint = belief[None, :]
    for i in range(len(answers)):
        # Question i is the next digit: its strides are larger than those of all questions before it.
        factors = np.concatenate([np.ones((1, len(belief))), theta[i, :, : answers[i]].T])
        joint = (factors[:, None, :] * joint[None]).reshape(-1, len(belief))
    costs = joint @ mean_cost.T
    if membership is not None:
        joint = joint @ membership
    weighed = stakes if isinstance(stakes, Stakes) else Stakes.equal(stakes, joint.shape[1])
    values = np.append(weighed.worths(joint), 0.0)  # the last one is for answers that a question lacks
    for level, questions, children in reversed(states.moves):
        worth = values[children[0]]
        for following in children[1:]:
            worth += values[following]
        worth -= costs[level[:, None], questions]
        if allowed is not None:
            worth[~allowed[level[:, None], questions]] = -np.inf
        values[level] = np.maximum(values[level], worth.max(axis=1))
    return Plan(states, weighed, joint, costs, values[:-1], allowed)


def add_unknown(
    theta: Floats, answers: tuple[int, ...], answerable: Floats
) -> tuple[Floats, tuple[int, ...]]:
    """Give each of K questions "don't know" as its last answer; return theta (K, m, A + 1) and the numbers of answers.

    A question is answered with probability ``answerable``, (K,), whatever the outcome. So "don't know" is an answer
    that has the same chance under every outcome: it tells nothing, costs what asking costs, and the plan goes on.

    >>> theta, answers = add_unknown(np.array([[[0.2, 0.8], [0.6, 0.4]]]), (2,), np.array([0.5]))
    >>> theta.tolist(), answers
    ([[[0.1, 0.4, 0.5], [0.3, 0.2, 0.5]]], (3,))
    """
    made = np.concatenate([theta, np.zeros((*theta.shape[:2], 1))], axis=-1) * answerable[:, None, None]
    for i, size in enumerate(answers):
        made[i, :, size] = 1.0 - answerable[i]
    return made, tuple(size + 1 for size in answers)
