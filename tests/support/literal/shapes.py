"""Shared shapes, literally: one shape, one question and one pair at a time, by scipy or by integration."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.special import betaln, expit, logsumexp

from odm_tui.engine.priors.base_rates import WEIGHTS
from odm_tui.engine.priors.shapes import ERRORS, KNOWN, OPEN, RATES, ROUNDS, SHARES, SURE


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
    """The chance of each shape beforehand: a fifth for two levels; a rate stands for those that are nearest to it."""
    made = []
    for _, p in product(WEIGHTS, RATES):
        below, above = [r for r in RATES if r < p], [r for r in RATES if r > p]
        low, high = (max(below) + p) / 2 if below else 0.0, (p + min(above)) / 2 if above else 1.0
        made.append(0.8 * (high - low) / len(WEIGHTS))
    leveled = len(ERRORS) * len(SHARES)
    return made + [0.2 / leveled] * leveled


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


def literal_shapes(counts: np.ndarray, evidence: np.ndarray) -> np.ndarray:
    """r_ic, (n, shapes), by turns: a question's shapes by what the others had in the round before."""
    base = base_chances()
    found = [weigh_question(base, log) for log in evidence]
    for _ in range(ROUNDS):
        found = [weigh_question(learn_from_others(counts, found, i), log) for i, log in enumerate(evidence)]
    return np.array(found)


def literal_open_shapes(counts: np.ndarray, evidence: np.ndarray, shapes: np.ndarray) -> np.ndarray:
    """The chances by which shapes are drawn, (n, shapes): a share of them as if there were no other questions."""
    made = []
    for i, log in enumerate(evidence):
        learned = learn_from_others(counts, shapes.tolist(), i)
        mixed = [
            (1.0 - OPEN) * weight / sum(learned) + OPEN * chance
            for weight, chance in zip(learned, base_chances(), strict=True)
        ]
        made.append(weigh_question(mixed, log))
    return np.array(made)


def learn_from_others(counts: np.ndarray, found: list[list[float]], i: int) -> list[float]:
    """h_ic up to a factor, for one question."""
    weights = [KNOWN * chance for chance in base_chances()]
    for k, shapes in enumerate(found):
        if k != i and counts[k].any():
            weights = [weight + share for weight, share in zip(weights, shapes, strict=True)]
    return weights


def weigh_question(before: list[float], evidence: np.ndarray) -> list[float]:
    """The chances of the shapes of one question, by those before its answers."""
    largest = max(evidence)
    weights = [h * float(np.exp(log - largest)) for h, log in zip(before, evidence, strict=True)]
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
