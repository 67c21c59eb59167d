"""Explanations: why a question was chosen, and what its answers would change."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from odm_tui.engine.belief import belief_after
from odm_tui.engine.interview_state import Ask, Decide
from odm_tui.engine.model import Model
from odm_tui.engine.oracles import ORACLES, Oracle
from odm_tui.engine.problem import Floats
from odm_tui.engine.situation import Situation


@dataclass(frozen=True, eq=False)
class Candidate:
    """One question: its gain, expected cost and gain per cost as the oracle sees them.

    ``belief_after`` is (K, m): the belief after each answer, under the posterior mean. ``chances`` is how
    likely each answer is, (K,), under the same.
    """

    question: int
    gain: float
    cost: float
    score: float
    chances: Floats
    belief_after: Floats
    net: float | None = None
    """What the best plan that starts with it is worth, its costs subtracted; None for an oracle that does not plan."""


@dataclass(frozen=True, eq=False)
class Explanation:
    """The best few questions, the proposed one first, and whether it is asked in order to learn.

    ``explores``: without exploration, under the posterior mean, the policy would ask ``instead``, or decide if that is
    None.
    """

    candidates: tuple[Candidate, ...]
    explores: bool
    instead: int | None = None
    asked_first: bool = False
    """Whether the bank asks the proposed question before all others."""


def explain(
    oracle: Oracle,
    situation: Situation,
    mean: Model,
    belief: Floats,
    proposed: int | None,
    mean_step: Ask | Decide | None,
    top: int,
) -> Explanation:
    """Explain a choice. For an oracle without scores, use those of W-IG.

    ``belief`` is that in each outcome, or in each sub-outcome where outcomes have variants. ``mean_step`` is the next question or the decision without exploration; None where that makes no difference.
    """
    scores = oracle.scores(situation) or ORACLES["w-ig"].scores(situation)
    assert scores is not None
    ratio = scores.score
    order = np.lexsort((np.arange(len(ratio)), -np.where(situation.available, ratio, -np.inf)))
    if scores.net is not None:  # by the number that the choice is made by; those outside the plan come last
        net = np.where(situation.available, scores.net, -np.inf)
        order = order[np.argsort(-net[order], kind="stable")]
    best = [int(i) for i in order if situation.available[i] and i != proposed]
    ranked = ([] if proposed is None else [proposed]) + best
    candidates = []
    for i in ranked[:top]:
        answers = len(mean.problem.questions[i].answers)
        theta = mean.theta[i, :, :answers]
        candidates.append(
            Candidate(
                question=i,
                gain=float(scores.gain[i]),
                cost=float(scores.cost[i]),
                score=float(ratio[i]),
                chances=belief @ theta,
                belief_after=mean.problem.by_outcome(belief_after(belief, theta)),
                net=None if scores.net is None or not np.isfinite(scores.net[i]) else float(scores.net[i]),
            )
        )
    explores = proposed is not None and mean_step is not None and mean_step != Ask(proposed)
    instead = mean_step.question if explores and isinstance(mean_step, Ask) else None
    first = proposed is not None and bool(mean.problem.always[proposed])
    return Explanation(tuple(candidates), explores, instead, first)
