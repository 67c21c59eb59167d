"""What the rest of an interview is expected to cost."""

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
WORK = 4_000_000
"""About how many products one step of all imagined interviews may take."""


@dataclass(frozen=True, eq=False)
class ForecastStart:
    """Where the imagined interviews start, under the posterior mean, as the beliefs that people see.

    ``put`` are the questions that were put already, answered or not; ``first`` is the one that comes next.
    """

    model: Model
    belief: Floats
    answers: npt.NDArray[np.int16]
    put: Bools
    first: int
    asked: int
    spent: float


class _Imagined(NamedTuple):
    """How some imagined interviews stand after the same number of questions, one a row."""

    beliefs: Floats
    asked: int
    spent: Floats
    cheapest: Floats
    content: Bools
    """Whether asking on is not worth its cost."""


class _Wakes(NamedTuple):
    """How many prerequisites each question has, (n,), and which of them an answer fulfils, (n, K, n)."""

    wanted: Ints
    fulfils: Ints


def expected_remaining_cost(outset: ForecastStart, stop: StopRule) -> float:
    """The mean cost of a few dozen imagined ends of this interview, starting with question ``first``.

    Each draws an outcome from the belief and answers from theta, asks by information gain per cost and
    ends when the stop rule is met. Questions sleep, wake and come first as in the interview itself. The draws are the same every time, so the figure moves only with the answers.
    """
    model, belief = outset.model, outset.belief
    n, m, width = model.theta.shape
    count = int(np.clip(WORK // max(n * m * width, 1), 8, 32))
    rng = np.random.default_rng(0)
    wakes = _wakes(model)
    given = np.flatnonzero(outset.answers >= 0)
    met = np.repeat(wakes.fulfils[given, outset.answers[given]].sum(axis=0)[None], count, axis=0)
    put = np.repeat(outset.put[None], count, axis=0)
    truth = rng.choice(m, size=count, p=belief)
    beliefs = np.repeat(belief[None], count, axis=0)
    rows, spent, going = np.arange(count), np.zeros(count), np.ones(count, dtype=bool)
    asking = np.full(count, outset.first)
    for step in range(1, MOST_STEPS + 1):
        chances = model.theta[asking, truth]
        answers = (rng.random((count, 1)) > np.cumsum(chances, axis=-1)[:, :-1]).sum(axis=-1)
        spent += np.where(going, model.problem.cost[asking, truth, answers], 0.0)
        weights = beliefs * model.theta[asking, :, answers]
        total = weights.sum(axis=1, keepdims=True)
        beliefs = np.where(total > 0, weights / np.where(total > 0, total, 1.0), beliefs)
        put[rows, asking] = True
        met += wakes.fulfils[asking, answers]
        open_ = ~put & (met == wakes.wanted)
        due = open_ & model.problem.always
        gains, costs = _weighed(model, beliefs)
        scores = np.where(open_, per_cost(gains, costs), 0.0)
        cheapest = np.where(open_, costs, np.inf).min(axis=1)
        imagined = _Imagined(
            beliefs, outset.asked + step, outset.spent + spent, cheapest, _content(model, beliefs, scores)
        )
        going &= open_.any(axis=1) & (due.any(axis=1) | ~_ended(stop, imagined))
        if not going.any():
            break
        must = due.any(axis=1, keepdims=True)
        asking = np.where(np.where(must, due, open_), scores, -1.0).argmax(axis=1)
    # The first question is certain: a few dozen draws may not say that it costs less than it does.
    return max(float(spent.mean()), float(model.mean_cost[outset.first] @ belief))


def _weighed(model: Model, beliefs: Floats) -> tuple[Floats, Floats]:
    """The information gain and the expected cost of every question, for every imagined interview."""
    n, _, width = model.theta.shape
    chances = (beliefs @ model.by_answer.T).reshape(len(beliefs), n, width)
    gains = np.maximum(entropy(chances) - beliefs @ model.answer_entropy.T, 0.0)
    return model.scale_by_answerable(gains), np.asarray(beliefs @ model.mean_cost.T)


def _content(model: Model, beliefs: Floats, scores: Floats) -> Bools:
    """Whether asking on is not worth its cost, for every imagined interview; ``scores`` are gains per cost.

    Certainty is worth stakes · P(wrong) and is some entropy away, which costs at least entropy / (best gain per
    cost). The plan that an oracle makes can't be used for this: it holds the few best questions only, so that on
    large banks it sees a third of the cost that comes; where it holds all, this says nearly the same.
    """
    worth = model.problem.effective_stakes * (1.0 - beliefs.max(axis=1))
    return np.asarray(worth * scores.max(axis=1) <= entropy(beliefs))


def _ended(rule: StopRule, imagined: _Imagined) -> Bools:
    """Which imagined interviews a stop rule ends; the one that looks at regions is taken to want 0.95."""
    if isinstance(rule, (AnyOf, AllOf)):
        parts = [_ended(part, imagined) for part in rule.rules]
        return np.asarray((np.logical_or if isinstance(rule, AnyOf) else np.logical_and).reduce(parts))
    if isinstance(rule, Value):
        return imagined.content
    if isinstance(rule, MaxQuestions):
        return np.full(len(imagined.spent), imagined.asked >= rule.count)
    if isinstance(rule, Budget):
        return np.asarray(imagined.spent + imagined.cheapest > rule.cost * (1 + 1e-9))
    if isinstance(rule, Never):
        return np.zeros(len(imagined.spent), dtype=bool)
    level = rule.level if isinstance(rule, Confidence) else Confidence().level
    return np.asarray(imagined.beliefs.max(axis=1) >= level)


def _wakes(model: Model) -> _Wakes:
    """What wakes which question; worked out once an interview."""
    known: _Wakes | None = model.memo.get("wakes")
    if known is None:
        problem = model.problem
        n, _, width = problem.shape
        wanted, fulfils = np.zeros(n, dtype=np.intp), np.zeros((n, width, n), dtype=np.intp)
        for question, conditions in problem.prerequisites:
            wanted[question] = len(conditions)
            for other, answers in conditions:
                fulfils[other, list(answers), question] += 1
        known = model.memo["wakes"] = _Wakes(wanted, fulfils)
    return known
