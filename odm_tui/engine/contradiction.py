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
    mean: Model,
    log_joint: Floats,
    answers: npt.NDArray[np.integer],
    available: Bools,
    usual: Floats | None = None,
    coin: float = 1.0,
) -> ContradictingAnswer | None:
    """Find the answer that is most probably wrong and whose error changes the outcome, if the evidence is strong.

    ``log_joint`` is log P(y, x_P), (m,). The evidence is strong if interviews with right answers have as much of it in at
    most 5 % of the cases. ``usual`` is the evidence in such interviews, held by the same policy. Then the evidence is the
    sum of :func:`settled_odds`: errors count as far as one more answer could settle them. ``coin``, from 0 to 1, says how
    many of those with equal evidence count: drawn at random, it makes the share exact. Without ``usual``
    the evidence is the highest of :func:`error_odds`, compared with right answers to the same questions: outcomes drawn from the
    prior, answers from theta. The random numbers are the same every time.
    """
    asked = np.flatnonzero(answers >= 0)
    if len(asked) < 2:
        return None
    given = answers[asked][None]
    odds, without, chances = error_odds(mean, asked, given)
    if usual is None:
        usual, observed, instead = _simulate_odds(mean, asked), float(odds.max()), without.argmax(axis=-1)
    else:
        odds, instead = settled_odds(mean, asked, given, available[None])
        observed = float(odds.sum())
    if observed <= 0 or share_as_odd(usual, observed, coin) > FALSE_ALARMS:
        return None
    worst = int(odds[0].argmax())
    outcome, otherwise = int(mean.problem.by_outcome(normalise(log_joint)).argmax()), int(instead[0, worst])
    settle = _find_settling_question(mean, normalise(log_joint), outcome, otherwise, available)
    return ContradictingAnswer(int(asked[worst]), float(chances[0, worst]), outcome, otherwise, settle)


def share_as_odd(usual: Floats, observed: float, coin: float = 1.0) -> float:
    """In what share of interviews with right answers the evidence is stronger, or equal, as far as ``coin`` says.

    If the coin is drawn evenly, this share is evenly distributed, however many are equal.

    >>> share_as_odd(np.array([0.0, 0.0, 1.0]), 1.0), share_as_odd(np.array([0.0, 0.0, 1.0]), 1.0, coin=0.5)
    (0.5, 0.25)
    """
    rounding = 1e-9 * observed
    stronger, equal = (usual > observed + rounding).sum(), (abs(usual - observed) <= rounding).sum()
    return float((stronger + coin * (1 + equal)) / (len(usual) + 1))


def settled_odds(
    mean: Model, asked: Ints, given: npt.NDArray[np.integer], available: Bools
) -> tuple[Floats, Ints]:
    """The odds that an answer is wrong, changed the likeliest outcome, and one more answer settles it, (R, a).

    For each other answer q to question i: e / ((1 - e) · (K - 1)) · Σ_j P(j, the others, x_i = q) · settle_j / P(answers),
    where q makes another outcome d the likeliest. settle_j is the chance, under outcome j, that an answer to one
    of the ``available`` questions, (R, n), makes d the likeliest while the wrong answer stands. The sum over all answers is the ratio
    of two likelihoods, so no other rule with as many false alarms finds more of these errors (Neyman and Pearson).
    ``given`` is as in :func:`error_odds`. Returns also d for the likeliest q, (R, a).
    """
    problem, rates = mean.problem, _error_rates(mean, asked)
    log_given = _log_given(mean, asked, given)
    log_joint = mean.log_prior + log_given.sum(axis=1)
    beliefs = normalise(log_joint)
    decided = problem.by_outcome(beliefs).argmax(axis=-1)
    after = _likeliest_after(mean, beliefs, available)
    movable = (after >= 0) & (after != decided[:, None, None])
    open_rows = movable.any(axis=(1, 2))
    odds, instead = np.zeros(given.shape), np.repeat(decided[:, None], len(asked), axis=1)
    highest = np.zeros(given.shape)
    for at, question in enumerate(asked.tolist()):
        answers = np.flatnonzero(problem.valid[question])
        chance = rates[at] / (1.0 - rates[at]) / max(len(answers) - 1, 1)
        for other in answers.tolist():
            rows = np.flatnonzero(open_rows & (given[:, at] >= 0) & (given[:, at] != other))
            ratio = np.exp(mean.log_theta[question, :, other] - log_given[rows, at])
            weights = beliefs[rows] * ratio
            top = problem.by_outcome(weights).argmax(axis=-1)
            flips = top != decided[rows]
            rows, weights, top = rows[flips], weights[flips], top[flips]
            if not len(rows):
                continue
            hits = (after[rows] == top[:, None, None]).astype(np.float64)
            settles = 1.0 - np.prod(1.0 - np.einsum("rkq,kjq->rkj", hits, mean.theta), axis=1)
            found = chance * (weights * settles).sum(axis=1)
            odds[rows, at] += found
            better = found > highest[rows, at]
            instead[rows[better], at], highest[rows[better], at] = top[better], found[better]
    return odds, instead


def _likeliest_after(mean: Model, beliefs: Floats, available: Bools) -> Ints:
    """The likeliest outcome after each answer to each available question, (R, n, K); -1 where there is none."""
    after = np.full((*available.shape, mean.theta.shape[2]), -1)
    for answer in range(mean.theta.shape[2]):
        joint = beliefs[:, None, :] * mean.theta[None, :, :, answer]
        possible = available & mean.problem.valid[:, answer] & (joint.sum(axis=-1) > 0)
        after[..., answer] = np.where(possible, mean.problem.by_outcome(joint).argmax(axis=-1), -1)
    return after


def error_odds(mean: Model, asked: Ints, given: npt.NDArray[np.integer]) -> tuple[Floats, Floats, Floats]:
    """The posterior odds that one answer is wrong and all others are right, for rows of answers, (R, a).

    With the error rate e of the question and K answers, a wrong answer is any of the K - 1 others, so the odds are
    e / ((1 - e) · (K - 1)) · (1 - p) / p, where p = P(this answer | the other answers). They are 0 where the likeliest outcome
    is the same without the answer. ``given`` has one row per interview and one column per question ``asked``, and -1
    where that interview has no answer; the odds are 0 there. Returns also P(y | the other answers), (R, a, m), and p,
    (R, a).
    """
    rates = _error_rates(mean, asked)
    others = np.maximum(mean.problem.valid[asked].sum(axis=1) - 1, 1)
    log_given = _log_given(mean, asked, given)
    log_joint = mean.log_prior + log_given.sum(axis=1)
    without = normalise(log_joint[:, None, :] - log_given)
    p = np.einsum("ram,ram->ra", without, np.exp(log_given))
    odds = rates / ((1.0 - rates) * others) * (1.0 - p) / np.maximum(p, TINY)
    without = mean.problem.by_outcome(without)
    believed = log_joint if mean.problem.outcome_of is None else mean.problem.by_outcome(normalise(log_joint))
    changes = without.argmax(axis=-1) != believed.argmax(axis=-1)[:, None]
    return np.where(changes & (given >= 0), odds, 0.0), without, p


def _error_rates(mean: Model, asked: Ints) -> Floats:
    said = mean.problem.error_rates
    usual = np.full(len(asked), USUAL_ERROR)
    return usual if said is None else np.where(np.isnan(said[asked]), usual, said[asked])


def _log_given(mean: Model, asked: Ints, given: npt.NDArray[np.integer]) -> Floats:
    """log theta of every answer, (R, a, m); 0 where there is none."""
    found = mean.log_theta[asked][np.arange(len(asked)), :, np.maximum(given, 0)]
    return np.where((given >= 0)[..., None], found, 0.0)


def _simulate_odds(mean: Model, asked: Ints) -> Floats:
    """The evidence in simulated right answers to these questions."""
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
    return simulated


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
