"""Contradictions: an answer that the other answers contradict, and a question that could settle it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from odm_tui.engine.belief import TINY, normalise
from odm_tui.engine.gains import expected_costs, outcome_information
from odm_tui.engine.model import Model
from odm_tui.engine.problem import Bools, Floats, Ints

FALSE_ALARMS = 0.05
"""How often a contradiction may be found where no answer is wrong."""
USUAL_ERROR = 0.02
"""The error rate of a question for which the bank names none."""
SIMULATED = 600
"""How many sets of right answers the bar is taken from."""
TELLING = 0.5
"""A question settles a contradiction if it has at least this share of the highest information gain."""


@dataclass(frozen=True, slots=True)
class ContradictingAnswer:
    """The answer that is most probably wrong.

    ``chance`` is P(that answer | the other answers). With it ``outcome`` is the likeliest, without it ``otherwise``.
    ``settle`` is the cheapest available question that tells the two apart well, or None.
    """

    question: int
    chance: float
    outcome: int
    otherwise: int
    settle: int | None


def find_contradiction(
    mean: Model, log_joint: Floats, answers: npt.NDArray[np.integer], available: Bools
) -> ContradictingAnswer | None:
    """Find the answer that is most probably wrong and whose error changes the outcome, if the evidence is strong.

    ``log_joint`` is log P(y, x_P), (m,). The evidence is the highest of :func:`error_odds`. It is strong if right
    answers to the same questions have as much of it in at most 5 % of the cases: outcomes drawn from the prior, answers
    from theta, with the same random numbers every time.
    """
    asked = np.flatnonzero(answers >= 0)
    if len(asked) < 2:
        return None
    given = answers[asked][None]
    odds, without, chances = error_odds(mean, asked, given)
    worst = int(odds[0].argmax())
    observed = float(odds[0, worst])
    if observed <= 0 or _share_as_odd(mean, asked, observed) > FALSE_ALARMS:
        return None
    outcome = int(mean.problem.by_outcome(normalise(log_joint)).argmax())
    otherwise = int(without[0, worst].argmax())
    settle = _find_settling_question(mean, normalise(log_joint), outcome, otherwise, available)
    return ContradictingAnswer(int(asked[worst]), float(chances[0, worst]), outcome, otherwise, settle)


def error_odds(mean: Model, asked: Ints, given: npt.NDArray[np.integer]) -> tuple[Floats, Floats, Floats]:
    """The posterior odds that one answer is wrong and all others are right, for rows of answers, (R, a).

    With the error rate e of the question and K answers, a wrong answer is any of the K - 1 others, so the odds are
    e / ((1 - e) · (K - 1)) · (1 - p) / p, where p = P(this answer | the other answers). They are 0 where the likeliest outcome
    is the same without the answer. ``given`` has one row per interview and one column per question ``asked``. Returns
    also P(y | the other answers), (R, a, m), and p, (R, a).
    """
    rates = np.full(len(asked), USUAL_ERROR)
    if mean.problem.error_rates is not None:
        said = mean.problem.error_rates[asked]
        rates = np.where(np.isnan(said), rates, said)
    others = np.maximum(mean.problem.valid[asked].sum(axis=1) - 1, 1)
    columns = np.arange(len(asked))
    log_given = mean.log_theta[asked][columns, :, given]
    log_joint = mean.log_prior + log_given.sum(axis=1)
    without = normalise(log_joint[:, None, :] - log_given)
    p = np.einsum("ram,ram->ra", without, mean.theta[asked][columns, :, given])
    odds = rates / ((1.0 - rates) * others) * (1.0 - p) / np.maximum(p, TINY)
    without = mean.problem.by_outcome(without)
    believed = log_joint if mean.problem.outcome_of is None else mean.problem.by_outcome(normalise(log_joint))
    changes = without.argmax(axis=-1) != believed.argmax(axis=-1)[:, None]
    return np.where(changes, odds, 0.0), without, p


def _share_as_odd(mean: Model, asked: Ints, observed: float) -> float:
    """In what share of simulated right answers to these questions the evidence is at least as strong."""
    key = ("odds of right answers", asked.tobytes())
    simulated: Floats | None = mean.memo.get(key)
    if simulated is None:
        rng = np.random.default_rng(0)
        truth = rng.choice(len(mean.prior), size=SIMULATED, p=mean.prior)
        levels = rng.random((SIMULATED, len(asked), 1))
        cumulative = np.cumsum(mean.theta[asked][:, truth].transpose(1, 0, 2), axis=-1)
        answers = (levels > cumulative[..., :-1]).sum(axis=-1)
        answers = np.minimum(answers, mean.problem.valid[asked].sum(axis=1) - 1)
        simulated = mean.memo[key] = error_odds(mean, asked, answers)[0].max(axis=1)
    return float((1 + (simulated >= observed * (1.0 - 1e-9)).sum()) / (SIMULATED + 1))


def _find_settling_question(
    mean: Model, belief: Floats, outcome: int, otherwise: int, available: Bools
) -> int | None:
    """The cheapest available question that tells two outcomes apart nearly as well as any can.

    Their variants are as likely as they are now.
    """
    even = np.zeros(len(mean.prior))
    of = mean.problem.outcome_of
    for each in (outcome, otherwise):
        own = np.array([each]) if of is None else np.flatnonzero(of == each)
        weights = belief[own] if belief[own].sum() > 0 else mean.prior[own]
        even[own] = 0.5 if of is None else 0.5 * weights / weights.sum()
    gains = np.where(available, outcome_information(mean, even), 0.0)
    if gains.max(initial=0.0) <= 0.01:
        return None
    costs = np.where(gains >= TELLING * gains.max(), expected_costs(mean, even), np.inf)
    return int(costs.argmin())
