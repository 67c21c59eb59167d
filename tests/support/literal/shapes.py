"""Shared shapes, literally: one shape, one question and one pair at a time, by scipy or by integration."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.special import betaln, expit, logsumexp

from odm_tui.engine.priors.base_rates import WEIGHTS
from odm_tui.engine.priors.shapes import ERRORS, KNOWN, RATES, ROUNDS, SHARES, SURE


@dataclass(frozen=True)
class Part:
    """A share of a shape: theta ~ Beta(yes, no)."""

    share: float
    yes: float
    no: float


Shape = tuple[Part, ...]


def list_shapes() -> list[Shape]:
    """Every shape: those around a base rate by weight and rate, then those on two levels by error and share."""
    around: list[Shape] = [(Part(1.0, s * p, s * (1.0 - p)),) for s, p in product(WEIGHTS, RATES)]
    leveled: list[Shape] = [
        (Part(w, SURE * (1.0 - e), SURE * e), Part(1.0 - w, SURE * e, SURE * (1.0 - e)))
        for e, w in product(ERRORS, SHARES)
    ]
    return around + leveled


def base_chances() -> list[float]:
    """The chance of each shape beforehand: half for those around a base rate, half for those on two levels."""
    around, leveled = len(WEIGHTS) * len(RATES), len(ERRORS) * len(SHARES)
    return [0.5 / around] * around + [0.5 / leveled] * leveled


def weigh_part(part: Part, no: float, yes: float) -> float:
    """log of the part's share times ∫ theta^yes (1 − theta)^no dBeta(theta)."""
    return float(np.log(part.share) + betaln(part.yes + yes, part.no + no) - betaln(part.yes, part.no))


def literal_evidence(counts: np.ndarray) -> np.ndarray:
    """log L_ic, (n, shapes)."""
    shapes = list_shapes()
    evidence = np.zeros((len(counts), len(shapes)))
    for i, pairs in enumerate(counts):
        for c, shape in enumerate(shapes):
            for no, yes in pairs:
                evidence[i, c] += logsumexp([weigh_part(part, no, yes) for part in shape])
    return evidence


def literal_chances(evidence: np.ndarray) -> np.ndarray:
    """r_ic, (n, shapes), by EM: a question's shapes by the shared chances, then the shared chances by all questions."""
    n, shapes = evidence.shape
    base = base_chances()
    shared = list(base)
    for _ in range(ROUNDS):
        weights = [KNOWN * chance for chance in base]
        for i in range(n):
            found = weigh_question(shared, evidence[i])
            for c in range(shapes):
                weights[c] += found[c]
        shared = [weight / sum(weights) for weight in weights]
    return np.array([weigh_question(shared, evidence[i]) for i in range(n)])


def weigh_question(shared: list[float], evidence: np.ndarray) -> list[float]:
    """The chances of the shapes of one question."""
    largest = max(evidence)
    weights = [h * float(np.exp(log - largest)) for h, log in zip(shared, evidence, strict=True)]
    total = sum(weights)
    return [weight / total for weight in weights]


def list_known(pair: np.ndarray, chances: np.ndarray) -> list[Part]:
    """What is known of one pair: a mixture of Beta distributions, a part for each level of each shape."""
    no, yes = pair
    known = []
    for shape, chance in zip(list_shapes(), chances, strict=True):
        logs = [weigh_part(part, no, yes) for part in shape]
        for part, log in zip(shape, logs, strict=True):
            share = float(chance * np.exp(log - logsumexp(logs)))
            known.append(Part(share, part.yes + yes, part.no + no))
    return known


def literal_moments(known: list[Part]) -> tuple[float, float]:
    """The mean and the variance of a mixture of Beta distributions."""
    mean = sum(part.share * part.yes / (part.yes + part.no) for part in known)
    variance = 0.0
    for part in known:
        total = part.yes + part.no
        own = part.yes / total
        variance += part.share * (own * (1.0 - own) / (total + 1.0) + (own - mean) ** 2)
    return mean, variance


def moments_by_integration(pairs: np.ndarray, j: int) -> tuple[np.ndarray, float, float]:
    """log L_c of one question's pairs, (shapes,), and the mean and the variance of theta_ij by them alone.

    No formula of Beta distributions is used: all integrals are sums over a grid of theta. It is even in t where the
    log odds of theta are 5 · sinh(t), as wide as the narrowest weights need.
    """
    t = np.linspace(-8.0, 8.0, 6001)
    log_odds, width = 5.0 * np.sinh(t), 5.0 * np.cosh(t)
    log_yes, log_no, theta = -np.logaddexp(0.0, -log_odds), -np.logaddexp(0.0, log_odds), expit(log_odds)
    evidence, moments = [], []
    for shape in list_shapes():
        # The density of theta times dtheta/dt, for each part made to sum to its share.
        density = np.zeros_like(t)
        for part in shape:
            log_density = part.yes * log_yes + part.no * log_no
            unscaled = np.exp(log_density - log_density.max()) * width
            density += part.share * unscaled / unscaled.sum()
        likelihoods = [np.exp(no * log_no + yes * log_yes) for no, yes in pairs]
        evidence.append(sum(np.log((density * likelihood).sum()) for likelihood in likelihoods))
        after = density * likelihoods[j]
        moments.append([(after * theta).sum() / after.sum(), (after * theta**2).sum() / after.sum()])
    logs = np.array(evidence)
    chances = np.array(base_chances()) * np.exp(logs - logs.max())
    mean, square = chances @ np.array(moments) / chances.sum()
    return logs, float(mean), float(square - mean**2)
