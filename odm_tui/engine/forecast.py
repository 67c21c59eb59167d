"""What the rest of an interview is expected to cost."""

from __future__ import annotations

import numpy as np

from odm_tui.engine.belief import entropy
from odm_tui.engine.gains import per_cost
from odm_tui.engine.model import Model
from odm_tui.engine.problem import Bools, Floats, Ints
from odm_tui.engine.stopping import AllOf, AnyOf, Confidence, MaxQuestions, StopRule

MOST_STEPS = 40
WORK = 4_000_000
"""About how many products one step of all imagined interviews may take."""


def cost_to_come(
    model: Model, belief: Floats, available: Bools, first: int, stop: StopRule, asked: int
) -> float:
    """The mean cost of a few dozen imagined ends of this interview, starting with question ``first``.

    Each draws an outcome from the belief and answers from theta, asks by information gain per cost and
    ends when the belief is as sure as the stop rule wants (0.95 where it names no confidence), or at its
    limit of questions. The draws are the same every time, so the figure moves only with the answers.
    """
    n, m, width = model.theta.shape
    count = int(np.clip(WORK // max(n * m * width, 1), 8, 32))
    rng = np.random.default_rng(0)
    level, most = _targets(stop)
    steps = min(int(available.sum()), MOST_STEPS, max(most - asked, 1))
    truth = rng.choice(m, size=count, p=belief)
    beliefs = np.repeat(belief[None], count, axis=0)
    open_ = np.repeat(available[None], count, axis=0)
    rows, spent, going = np.arange(count), np.zeros(count), np.ones(count, dtype=bool)
    for step in range(steps):
        asked_now = np.full(count, first) if step == 0 else _choices(model, beliefs, open_)
        chances = model.theta[asked_now, truth]
        answers = (rng.random((count, 1)) > np.cumsum(chances, axis=-1)[:, :-1]).sum(axis=-1)
        spent += np.where(going, model.problem.cost[asked_now, truth, answers], 0.0)
        weights = beliefs * model.theta[asked_now, :, answers]
        total = weights.sum(axis=1, keepdims=True)
        beliefs = np.where(total > 0, weights / np.where(total > 0, total, 1.0), beliefs)
        open_[rows, asked_now] = False
        going &= beliefs.max(axis=1) < level
        if not going.any():
            break
    return float(spent.mean())


def _choices(model: Model, beliefs: Floats, open_: Bools) -> Ints:
    """The open question with the highest information gain per cost, for every imagined interview."""
    n, _, width = model.theta.shape
    chances = (beliefs @ model.by_answer.T).reshape(len(beliefs), n, width)
    gains = np.maximum(entropy(chances) - beliefs @ model.answer_entropy.T, 0.0)
    scores = per_cost(gains, beliefs @ model.mean_cost.T)
    return np.asarray(np.where(open_, scores, -1.0).argmax(axis=1))


def _targets(stop: StopRule) -> tuple[float, int]:
    """The confidence and the number of questions at which a stop rule ends an interview."""
    if isinstance(stop, (AnyOf, AllOf)):
        parts = [_targets(rule) for rule in stop.rules]
        named = [
            level for rule, (level, _) in zip(stop.rules, parts, strict=True) if isinstance(rule, Confidence)
        ]
        return min(named, default=Confidence().level), min((most for _, most in parts), default=10**9)
    level = stop.level if isinstance(stop, Confidence) else Confidence().level
    return level, stop.count if isinstance(stop, MaxQuestions) else 10**9
