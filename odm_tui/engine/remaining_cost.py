"""The expected cost of the rest of an interview."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from odm_tui.engine.belief import entropy
from odm_tui.engine.gains import per_cost
from odm_tui.engine.model import Model
from odm_tui.engine.problem import Bools, Floats, Ints
from odm_tui.engine.stopping import AllOf, AnyOf, Budget, Confidence, MaxQuestions, Never, StopRule, Value

MOST_STEPS = 40
RESERVE = 1.15
"""How much more than its least possible cost certainty takes, as measured in interviews of the lookahead."""
FALL = 0.85
"""How far what certainty is worth per its cost falls within an interview that goes on, as measured in the same way."""
WORK = 4_000_000
"""About how many products one step of all simulated interviews may take."""


@dataclass(frozen=True, eq=False)
class ForecastStart:
    """The state that the simulated interviews start from.

    ``model`` and ``belief`` are those of the posterior mean: they say what will be answered, what it costs, and how sure
    the interview becomes. ``oracle`` and ``oracle_belief`` are those that the policy chooses and stops by. ``put`` are
    the questions that were put so far, answered or not; ``first`` is the next one.
    """

    model: Model
    belief: Floats
    oracle: Model
    oracle_belief: Floats
    answers: npt.NDArray[np.int16]
    put: Bools
    first: int
    asked: int
    spent: float


class _Simulated(NamedTuple):
    """The simulated interviews after the same number of questions, one per row."""

    beliefs: Floats
    oracle_beliefs: Floats
    asked: int
    spent: Floats
    cheapest: Floats
    not_worth_it: Bools
    """Whether another question is not worth its cost."""


class _Prerequisites(NamedTuple):
    """The alternatives of all questions: how many conditions each has, (A,), and which an answer fulfils, (n, K, A).

    ``opens`` says which question an alternative makes available, (A, n). The last alternative has no condition and is
    that of all questions without prerequisites.
    """

    wanted: Ints
    fulfils: Ints
    opens: Ints


def expected_remaining_cost(start: ForecastStart, stop: StopRule) -> float:
    """The mean cost of a few dozen simulated continuations of this interview, starting with question ``first``.

    Each draws an outcome from the belief, answers from the mean of theta, and "don't know" as often as was learned. It asks by information gain per cost under
    the theta of the policy, and ends when the stop rule is met: on a fresh bank all outcomes look alike under the mean,
    and only the theta that was drawn says how long the interview will be. A red flag ends it too. Prerequisites and
    always-ask questions work as in the interview itself. The draws are the same every time, so the figure changes only with the answers. A stop rule of another package is treated like a
    confidence of 0.95.
    """
    model, belief, oracle = start.model, start.belief, start.oracle
    n, m, width = model.theta.shape
    count = int(np.clip(WORK // max(n * m * width, 1), 8, 64))
    rng, unknown_rng = np.random.default_rng(0), np.random.default_rng(1)
    prerequisites = _prerequisites(model)
    given = np.flatnonzero(start.answers >= 0)
    met = np.repeat(prerequisites.fulfils[given, start.answers[given]].sum(axis=0)[None], count, axis=0)
    put = np.repeat(start.put[None], count, axis=0)
    truth = rng.choice(m, size=count, p=belief)
    beliefs = np.repeat(belief[None], count, axis=0)
    oracle_beliefs = np.repeat(start.oracle_belief[None], count, axis=0)
    rows, spent, going = np.arange(count), np.zeros(count), np.ones(count, dtype=bool)
    asking = np.full(count, start.first)
    reserve = _reserve(start, ~start.put & ((met[0] == prerequisites.wanted) @ prerequisites.opens > 0))
    for step in range(1, MOST_STEPS + 1):
        chances = model.theta[asking, truth]
        answers = (rng.random((count, 1)) > np.cumsum(chances, axis=-1)[:, :-1]).sum(axis=-1)
        known = np.ones(count, dtype=bool)
        if model.answerable is not None:
            known = unknown_rng.random(count) < model.answerable[asking]
        costs_now = np.where(
            known, model.problem.cost[asking, truth, answers], model.mean_cost[asking, truth]
        )
        spent += np.where(going, costs_now, 0.0)
        beliefs = np.where(known[:, None], _after(beliefs, model, asking, answers), beliefs)
        oracle_beliefs = (
            beliefs
            if oracle is model
            else np.where(known[:, None], _after(oracle_beliefs, oracle, asking, answers), oracle_beliefs)
        )
        going &= ~(known & model.problem.ends_at_once[asking, answers])
        put[rows, asking] = True
        met += np.where(known[:, None], prerequisites.fulfils[asking, answers], 0)
        open_ = ~put & ((met == prerequisites.wanted) @ prerequisites.opens > 0)
        due = open_ & model.problem.always
        gains, costs = _weighed(oracle, oracle_beliefs)
        scores = np.where(open_, per_cost(gains, costs), 0.0)
        cheapest = np.where(open_, costs, np.inf).min(axis=1)
        simulated = _Simulated(
            model.problem.by_outcome(beliefs),
            oracle.problem.by_outcome(oracle_beliefs),
            start.asked + step,
            start.spent + spent,
            cheapest,
            _gain_per_loss(oracle, oracle_beliefs, scores) <= reserve,
        )
        going &= open_.any(axis=1) & (due.any(axis=1) | ~_ended(stop, simulated))
        if not going.any():
            break
        must = due.any(axis=1, keepdims=True)
        asking = np.where(np.where(must, due, open_), scores, -1.0).argmax(axis=1)
    # The first question is certain, so the result must not be below its expected cost.
    return max(float(spent.mean()), float(model.mean_cost[start.first] @ belief))


def _after(beliefs: Floats, model: Model, asked: Ints, answers: Ints) -> Floats:
    """The beliefs after one more answer each."""
    weights = beliefs * model.theta[asked, :, answers]
    total = weights.sum(axis=1, keepdims=True)
    return np.asarray(np.where(total > 0, weights / np.where(total > 0, total, 1.0), beliefs))


def _weighed(model: Model, beliefs: Floats) -> tuple[Floats, Floats]:
    """The information gain and the expected cost of every question, for every simulated interview."""
    n, _, width = model.theta.shape
    chances = (beliefs @ model.by_answer.T).reshape(len(beliefs), n, width)
    gains = np.maximum(entropy(chances) - beliefs @ model.answer_entropy.T, 0.0)
    if model.problem.outcome_of is not None:
        gains = _telling_gains(model, beliefs, chances, gains)
    return model.scale_by_answerable(gains), np.asarray(beliefs @ model.mean_cost.T)


def _telling_gains(model: Model, beliefs: Floats, chances: Floats, together: Floats) -> Floats:
    """The gains by which W-IG chooses where outcomes have variants, for every simulated interview."""
    problem = model.problem
    n, _, width = model.theta.shape
    weights = problem.by_outcome(beliefs)
    joint = problem.by_outcome(beliefs[:, None, :] * model.by_answer).reshape(len(beliefs), n, width, -1)
    given = np.divide(
        joint, weights[:, None, None], out=np.zeros_like(joint), where=weights[:, None, None] > 0
    )
    left = np.einsum("cnm,cm->cn", entropy(given.transpose(0, 1, 3, 2)), weights)
    about_outcome = np.maximum(entropy(chances) - left, 0.0)
    still_open = 1.0 - weights.max(axis=1, keepdims=True)
    return np.asarray(about_outcome + still_open * np.maximum(together - about_outcome, 0.0))


def _gain_per_loss(model: Model, beliefs: Floats, scores: Floats) -> Floats:
    """What certainty is worth per what it costs, for every simulated interview; ``scores`` are gains per cost.

    Certainty is worth the expected loss of deciding now, and it costs at least entropy / (best gain per cost) to get
    there. The plan of an oracle can't be used for this: on large banks it holds only the few best questions, and with them a
    third of the cost to come. Where it holds all questions, the two nearly agree.
    """
    stakes = model.problem.decision_stakes
    beliefs = model.problem.by_outcome(beliefs)
    worth, open_ = stakes.most - stakes.worths(beliefs), entropy(beliefs)
    return np.asarray(np.divide(worth * scores.max(axis=1), open_, out=np.zeros_like(worth), where=open_ > 0))


def _reserve(start: ForecastStart, open_: Bools) -> float:
    """How much certainty must be worth per what it costs for another question to be asked.

    This is :data:`RESERVE`, and less where questions are often not answered: their cost is paid, but they are not asked
    again, and with what is left the interview decides less surely and sooner. How much less shows in that the policy
    asks its next question although certainty is worth no more than it is now.
    """
    oracle = start.oracle
    if oracle.answerable is None or oracle.problem.always[start.first]:
        return RESERVE
    gains, costs = _weighed(oracle, start.oracle_belief[None])
    scores = np.where(open_, per_cost(gains, costs), 0.0)
    now = float(_gain_per_loss(oracle, start.oracle_belief[None], scores)[0])
    return float(np.clip(FALL * now, RESERVE * oracle.answerable[open_].mean(), RESERVE))


def _ended(rule: StopRule, simulated: _Simulated) -> Bools:
    """Which simulated interviews a stop rule ends. The region rule is treated like a confidence of 0.95."""
    if isinstance(rule, (AnyOf, AllOf)):
        parts = [_ended(part, simulated) for part in rule.rules]
        return np.asarray((np.logical_or if isinstance(rule, AnyOf) else np.logical_and).reduce(parts))
    if isinstance(rule, Value):
        return simulated.not_worth_it
    if isinstance(rule, MaxQuestions):
        return np.full(len(simulated.spent), simulated.asked >= rule.count)
    if isinstance(rule, Budget):
        return np.asarray(simulated.spent + simulated.cheapest > rule.cost * (1 + 1e-9))
    if isinstance(rule, Never):
        return np.zeros(len(simulated.spent), dtype=bool)
    if isinstance(rule, Confidence):
        return np.asarray(simulated.beliefs.max(axis=1) >= rule.level)
    return np.asarray(simulated.oracle_beliefs.max(axis=1) >= Confidence().level)


def _prerequisites(model: Model) -> _Prerequisites:
    """The prerequisites as arrays; computed once per interview."""
    known: _Prerequisites | None = model.memo.get("prerequisites")
    if known is None:
        problem = model.problem
        n, _, width = problem.shape
        ways = [(question, way) for question, alternatives in problem.prerequisites for way in alternatives]
        wanted = np.zeros(len(ways) + 1, dtype=np.intp)
        fulfils = np.zeros((n, width, len(ways) + 1), dtype=np.intp)
        opens = np.zeros((len(ways) + 1, n), dtype=np.intp)
        opens[-1] = 1
        for at, (question, conditions) in enumerate(ways):
            wanted[at], opens[at, question], opens[-1, question] = len(conditions), 1, 0
            for other, answers in conditions:
                fulfils[other, list(answers), at] += 1
        known = model.memo["prerequisites"] = _Prerequisites(wanted, fulfils, opens)
    return known
