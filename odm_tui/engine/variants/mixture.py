"""Fit the variants of one outcome: expectation maximisation from a deterministic start.

Several weightings of the same cases are fitted at once, (B, …): all cases, and all but one fold each. The arrays are
over pairs of question and answer, (P,), as :class:`~odm_tui.engine.variants.cases.LearningCases` orders them.

- E: r_v ∝ pi_v · Π_asked theta_v(x)
- M: theta_v = (prior_v + counts_v) / Σ over the question's answers; pi_v = (n_v + one) / (N + their number)

Answers that were not asked are left out of the product and of the counts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from odm_tui.engine.problem import Bools, Floats, Ints

MOST_ROUNDS = 40
SMALLEST_GAIN = 1e-5
"""Rounds end when the log-likelihood gains less than this for each case."""
_LEAST_PART = 2.0
"""A split needs so many cases that gave the answer, and so many that gave another."""
_TIE = 1e-9


@dataclass(frozen=True, eq=False)
class OutcomeCases:
    """The cases of one outcome: their answers by pair, (N, P), and what each counts in each weighting, (B, N)."""

    pairs: Floats
    weights: Floats
    question_of: Ints
    """The question of each pair, (P,)."""
    first_pairs: Ints
    """The first pair of each question, (n,)."""

    def by_question(self, values: Floats) -> Floats:
        """Sum values over the answers of each question, (…, P) to (…, n)."""
        return np.asarray(np.add.reduceat(values, self.first_pairs, axis=-1))


@dataclass(frozen=True, eq=False)
class Mixture:
    """The variants of one outcome in each weighting.

    ``parameters`` are the Dirichlet parameters, (B, V, P), ``weight`` is P(variant | outcome), (B, V), with 0 where a weighting
    has fewer variants. ``shares`` is how likely each case belongs to each variant, (B, V, N).
    """

    parameters: Floats
    weight: Floats
    shares: Floats

    def only(self, weighting: int) -> Mixture:
        """The same for one weighting alone."""
        at = slice(weighting, weighting + 1)
        return Mixture(self.parameters[at], self.weight[at], self.shares[at])

    def replaced(self, weighting: int, other: Mixture) -> Mixture:
        """The same with other variants in one weighting."""
        width = max(self.weight.shape[1], other.weight.shape[1])
        wide, new = self._widened(width), other._widened(width)
        for ours, theirs in (
            (wide.parameters, new.parameters),
            (wide.weight, new.weight),
            (wide.shares, new.shares),
        ):
            ours[weighting] = theirs[0]
        return wide

    def _widened(self, width: int) -> Mixture:
        """A copy with room for more variants."""
        missing = width - self.weight.shape[1]
        return Mixture(
            np.pad(self.parameters, ((0, 0), (0, missing), (0, 0))),
            np.pad(self.weight, ((0, 0), (0, missing))),
            np.pad(self.shares, ((0, 0), (0, missing), (0, 0))),
        )


def fit_levels(cases: OutcomeCases, base: Floats, worth: float, most: int) -> list[Mixture]:
    """Fit 1, 2, 4, … up to ``most`` variants, each level from the one before.

    ``base`` is the outcome's own theta in each weighting, (B, P), and counts as ``worth`` observations of each question. A
    weighting in which an outcome has too few cases for a level keeps the level before.
    """
    prior = worth * base[:, None, :]
    shares = np.ones((len(base), 1, len(cases.pairs)))
    levels = [maximise(cases, shares, prior, np.ones((len(base), 1)))]
    number = 1
    while 2 * number <= most:
        split, changed = double(cases, levels[-1], worth * base, number)
        if not changed.any():
            levels.append(levels[-1])
        else:
            alive = (split.sum(axis=2) > 0).astype(np.float64)
            fitted = run_em(cases, split, prior, alive)
            levels.append(_choose(changed, fitted, levels[-1]))
        number *= 2
    return levels


def maximise(cases: OutcomeCases, shares: Floats, prior: Floats, prior_mass: Floats) -> Mixture:
    """The M step: the parameters and weights that follow from shares of the cases, (B, V, N)."""
    weighed = shares * cases.weights[:, None, :]
    size, number, _ = weighed.shape
    counts = (weighed.reshape(size * number, -1) @ cases.pairs).reshape(size, number, -1)
    mass = weighed.sum(axis=2) + prior_mass
    return Mixture(
        np.where(prior_mass[..., None] > 0, prior + counts, 0.0),
        mass / mass.sum(axis=1, keepdims=True),
        shares,
    )


def expect(cases: OutcomeCases, mixture: Mixture) -> tuple[Floats, Floats]:
    """The E step: the shares of each case, (B, V, N), and the log-likelihood of each weighting, (B,)."""
    size, number, width = mixture.parameters.shape
    logs = log_theta(cases, mixture.parameters).reshape(size * number, width)
    with np.errstate(divide="ignore"):
        joint = (logs @ cases.pairs.T).reshape(size, number, -1) + np.log(mixture.weight)[..., None]
    top = joint.max(axis=1, keepdims=True)
    joint = np.exp(joint - top)
    total = joint.sum(axis=1, keepdims=True)
    likelihood = ((np.log(total) + top)[:, 0] * cases.weights).sum(axis=1)
    return joint / total, np.asarray(likelihood)


def run_em(cases: OutcomeCases, shares: Floats, prior: Floats, prior_mass: Floats) -> Mixture:
    """Alternate both steps until the likelihood hardly grows, for each weighting on its own."""
    known = maximise(cases, shares, prior, prior_mass)
    before = np.full(len(shares), -np.inf)
    going = np.arange(len(shares))
    enough = SMALLEST_GAIN * cases.weights.sum(axis=1)
    for rounds in range(MOST_ROUNDS):
        part = OutcomeCases(cases.pairs, cases.weights[going], cases.question_of, cases.first_pairs)
        current = Mixture(known.parameters[going], known.weight[going], known.shares[going])
        found, likelihood = expect(part, current)
        grows = likelihood - before[going] >= enough[going]
        before[going] = likelihood
        if not grows.any() or rounds == MOST_ROUNDS - 1:
            break
        going = going[grows]
        part = OutcomeCases(cases.pairs, cases.weights[going], cases.question_of, cases.first_pairs)
        wide = prior if len(prior) == 1 else prior[going]
        better = maximise(part, found[grows], wide, prior_mass[going])
        known.parameters[going] = better.parameters
        known.weight[going] = better.weight
        known.shares[going] = better.shares
    return known


def log_theta(cases: OutcomeCases, parameters: Floats) -> Floats:
    """The logarithm of the mean of theta, (…, P); 0 where there is no variant."""
    total = cases.by_question(parameters)[..., cases.question_of]
    exists = parameters > 0
    return np.log(np.where(exists, parameters, 1.0) / np.where(exists, total, 1.0))


def double(cases: OutcomeCases, mixture: Mixture, prior: Floats, number: int) -> tuple[Floats, Bools]:
    """Split every variant in two where that is possible; return the shares, (B, 2V, N), and which weightings changed, (B,)."""
    size, width, count = mixture.shares.shape
    split = np.zeros((size, 2 * width, count))
    changed = np.zeros(size, dtype=bool)
    enough = cases.weights.sum(axis=1) >= 8.0 * number
    for b in range(size):
        for v in np.flatnonzero(mixture.weight[b]):
            shares = mixture.shares[b, v]
            found = split_variant(cases, shares * cases.weights[b], prior[b]) if enough[b] else None
            if found is None:
                split[b, 2 * v] = shares
            else:
                changed[b] = True
                split[b, 2 * v], split[b, 2 * v + 1] = shares * found.part, shares * (1.0 - found.part)
    return split, changed


def fit_steps(cases: OutcomeCases, base: Floats, worth: float, most: int) -> Mixture:
    """Fit as many variants as the Bayesian information criterion finds, by splitting one at a time.

    In each step the variant with the best split is split. Steps end when two in a row have not improved the criterion.
    """
    prior, size = worth * base[:, None, :], len(base)
    start = best = maximise(cases, np.ones((size, 1, len(cases.pairs))), prior, np.ones((size, 1)))
    lowest = criterion(cases, best)
    for b in range(size):
        alone = OutcomeCases(cases.pairs, cases.weights[b : b + 1], cases.question_of, cases.first_pairs)
        current, worse, number = start.only(b), 0, 1
        while worse < 2 and number < most:
            shares = split_best(alone, current, worth * base[b], number)
            if shares is None:
                break
            number += 1
            current = run_em(alone, shares, prior[b : b + 1], np.ones((1, number)))
            found = criterion(alone, current)[0]
            worse += 1
            if found < lowest[b]:
                lowest[b], worse, best = found, 0, best.replaced(b, current)
    return best


def split_best(cases: OutcomeCases, mixture: Mixture, prior: Floats, number: int) -> Floats | None:
    """Split the variant of one weighting with the best split; return the shares, (1, V + 1, N), or None."""
    if cases.weights.sum() < 8.0 * number:
        return None
    found = [split_variant(cases, own * cases.weights[0], prior) for own in mixture.shares[0]]
    scores = [each.score for each in found if each is not None]
    if not scores:
        return None
    enough = max(scores) - _TIE * abs(max(scores))
    at, chosen = next((v, each) for v, each in enumerate(found) if each is not None and each.score >= enough)
    parts = [mixture.shares[0, at] * chosen.part, mixture.shares[0, at] * (1.0 - chosen.part)]
    return np.stack([*np.delete(mixture.shares[0], at, axis=0), *parts])[None]


def criterion(cases: OutcomeCases, mixture: Mixture) -> Floats:
    """The Bayesian information criterion of each weighting, (B,); a question counts with the cases that answered it."""
    _, likelihood = expect(cases, mixture)
    answered = cases.by_question(cases.weights @ cases.pairs)
    free = np.diff(cases.first_pairs, append=len(cases.question_of)) - 1
    number = (mixture.weight > 0).sum(axis=1)
    total = np.maximum(cases.weights.sum(axis=1), 1.0)
    parameters = (free * np.log(np.maximum(answered, 1.0))).sum(axis=1)
    return np.asarray((number - 1) * np.log(total) + number * parameters - 2.0 * likelihood)


@dataclass(frozen=True, eq=False)
class Split:
    """How a variant is split: the part of each case that goes to the first half, (N,), and how much better that fits."""

    part: Floats
    score: float


def split_variant(cases: OutcomeCases, weighed: Floats, prior: Floats) -> Split | None:
    """Return the best split of a variant; None if there is none.

    Each answer that some cases gave and others did not is a possible split. With the counts A of the cases that gave it, and B of
    those that gave another, both with the prior, it scores f(A) + f(B) - f(A + B), where
    f(z) = Σ z log z - Σ_question (Σ z) log (Σ z). Cases in which it was not asked are shared in proportion.
    """
    together = (cases.pairs * weighed[:, None]).T @ cases.pairs
    gave = np.diagonal(together)
    asked = cases.by_question(gave)[cases.question_of]
    possible = np.flatnonzero((gave >= _LEAST_PART) & (asked - gave >= _LEAST_PART))
    if not possible.size:
        return None
    questions, where = np.unique(cases.question_of[possible], return_inverse=True)
    by_question = np.add.reduceat(together, cases.first_pairs, axis=0)[questions]
    givers = together[possible]
    others = np.maximum(by_question[where] - givers, 0.0)
    score = _fit(cases, givers + prior) + _fit(cases, others + prior)
    score -= _fit(cases, by_question + 2.0 * prior)[where]
    best = score.max()
    chosen = possible[np.flatnonzero(score >= best - _TIE * abs(best))[0]]
    unasked = 1.0 - cases.pairs[:, cases.question_of == cases.question_of[chosen]].sum(axis=1)
    part = cases.pairs[:, chosen] + unasked * gave[chosen] / asked[chosen]
    return Split(part, float(best))


def _fit(cases: OutcomeCases, counts: Floats) -> Floats:
    totals = cases.by_question(counts)
    return np.asarray((counts * np.log(counts)).sum(axis=-1) - (totals * np.log(totals)).sum(axis=-1))


def _choose(changed: Bools, fitted: Mixture, before: Mixture) -> Mixture:
    """The new level where something was split, and the level before elsewhere."""
    for b in np.flatnonzero(~changed).tolist():
        fitted = fitted.replaced(b, before.only(b))
    return fitted
