"""Variants, case by case and question by question: the likelihood, the steps of EM, splits, and the choice by folds.

A case is a list of answers, None where a question was not asked. theta is a list over questions of lists over answers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Case = Sequence[int | None]
Theta = list[list[float]]


def chance_of_answers(case: Case, weights: Sequence[float], thetas: Sequence[Theta]) -> float:
    """P(answers | outcome) = Σ_v P(v | outcome) · Π over the questions asked of theta_v(answer)."""
    total = 0.0
    for weight, theta in zip(weights, thetas, strict=True):
        product = weight
        for i, answer in enumerate(case):
            if answer is not None:
                product *= theta[i][answer]
        total += product
    return total


def chance_of_outcomes(
    case: Case, prior: Sequence[float], weights: Sequence[Sequence[float]], thetas: Sequence[Sequence[Theta]]
) -> list[float]:
    """P(outcome | answers) by Bayes' rule."""
    joint = [p * chance_of_answers(case, w, t) for p, w, t in zip(prior, weights, thetas, strict=True)]
    return [each / sum(joint) for each in joint]


def shares_of(case: Case, weights: Sequence[float], thetas: Sequence[Theta]) -> list[float]:
    """The E step for one case: P(variant | outcome, answers)."""
    parts = [chance_of_answers(case, [w], [t]) for w, t in zip(weights, thetas, strict=True)]
    return [part / sum(parts) for part in parts]


def parameters_of(
    cases: Sequence[Case], counted: Sequence[float], shares: Sequence[float], base: Theta, worth: float
) -> Theta:
    """The M step for one variant: worth · theta_j plus the counts of the answers that were given."""
    made = [[worth * p for p in row] for row in base]
    for case, count, share in zip(cases, counted, shares, strict=True):
        for i, answer in enumerate(case):
            if answer is not None:
                made[i][answer] += count * share
    return made


def mean_of(parameters: Theta) -> Theta:
    """The mean of theta."""
    return [[value / sum(row) for value in row] for row in parameters]


def fit_of(parameters: Theta) -> float:
    """f(z) = Σ z log z - Σ_question (Σ z) log (Σ z)."""
    total = 0.0
    for row in parameters:
        for value in row:
            total += value * math.log(value)
        total -= sum(row) * math.log(sum(row))
    return total


def best_split(
    cases: Sequence[Case], counted: Sequence[float], base: Theta, worth: float
) -> tuple[int, int] | None:
    """The question and answer at which a variant is split; None if none has two cases on both sides."""
    best, found = -math.inf, None
    for i, row in enumerate(base):
        for answer in range(len(row)):
            gave = [c if case[i] == answer else 0.0 for case, c in zip(cases, counted, strict=True)]
            others = [
                c if case[i] is not None and case[i] != answer else 0.0
                for case, c in zip(cases, counted, strict=True)
            ]
            if sum(gave) < 2 or sum(others) < 2:
                continue
            one = [1.0] * len(cases)
            first = parameters_of(cases, gave, one, base, worth)
            second = parameters_of(cases, others, one, base, worth)
            both = [[a + b for a, b in zip(x, y, strict=True)] for x, y in zip(first, second, strict=True)]
            score = fit_of(first) + fit_of(second) - fit_of(both)
            if score > best + 1e-9 * abs(score):
                best, found = score, (i, answer)
    return found


def double_shares(
    cases: Sequence[Case],
    counted: Sequence[float],
    shares: Sequence[Sequence[float]],
    base: Theta,
    worth: float,
    number: int,
) -> list[list[float]] | None:
    """The shares of twice as many variants, by variant; None if there are too few cases or none can be split."""
    made, changed = [], False
    if sum(counted) < 8 * number:
        return None
    for own in shares:
        weighed = [c * s for c, s in zip(counted, own, strict=True)]
        split = best_split(cases, weighed, base, worth)
        if split is None:
            made.append(list(own))
            continue
        changed = True
        part = _first_part(cases, weighed, split)
        made.append([s * p for s, p in zip(own, part, strict=True)])
        made.append([s * (1 - p) for s, p in zip(own, part, strict=True)])
    return made if changed else None


def run_em(
    cases: Sequence[Case],
    counted: Sequence[float],
    shares: Sequence[Sequence[float]],
    base: Theta,
    worth: float,
) -> tuple[list[Theta], list[float], list[list[float]]]:
    """Parameters, weights and shares of the variants after EM, from these shares."""
    before, total, number = -math.inf, sum(counted), len(shares)
    current = [list(own) for own in shares]
    for rounds in range(40):
        parameters = [parameters_of(cases, counted, own, base, worth) for own in current]
        masses = [sum(c * s for c, s in zip(counted, own, strict=True)) for own in current]
        weights = [(mass + 1) / (total + number) for mass in masses]
        thetas = [mean_of(each) for each in parameters]
        likelihood = sum(
            c * math.log(chance_of_answers(case, weights, thetas))
            for case, c in zip(cases, counted, strict=True)
        )
        if likelihood - before < 1e-5 * total or rounds == 39:
            break
        before = likelihood
        by_case = [shares_of(case, weights, thetas) for case in cases]
        current = [[shares[v] for shares in by_case] for v in range(number)]
    return parameters, weights, current


def fit_levels(
    cases: Sequence[Case], counted: Sequence[float], base: Theta, worth: float, most: int
) -> list[tuple[list[Theta], list[float]]]:
    """Parameters and weights of 1, 2, 4, … variants of one outcome."""
    shares: list[list[float]] = [[1.0] * len(cases)]
    parameters = [parameters_of(cases, counted, shares[0], base, worth)]
    levels = [(parameters, [1.0])]
    number = 1
    while 2 * number <= most:
        doubled = double_shares(cases, counted, shares, base, worth, number)
        if doubled is None:
            levels.append(levels[-1])
        else:
            parameters, weights, shares = run_em(cases, counted, doubled, base, worth)
            levels.append((parameters, weights))
        number *= 2
    return levels


def criterion(
    cases: Sequence[Case], counted: Sequence[float], parameters: Sequence[Theta], weights: Sequence[float]
) -> float:
    """The Bayesian information criterion: -2 log L, and log N for each parameter that was estimated from N cases."""
    thetas = [mean_of(each) for each in parameters]
    total = 0.0
    for case, count in zip(cases, counted, strict=True):
        total -= 2 * count * math.log(chance_of_answers(case, weights, thetas))
    total += (len(weights) - 1) * math.log(max(sum(counted), 1.0))
    for i, row in enumerate(parameters[0]):
        answered = sum(c for case, c in zip(cases, counted, strict=True) if case[i] is not None)
        total += len(weights) * (len(row) - 1) * math.log(max(answered, 1.0))
    return total


def fit_steps(
    cases: Sequence[Case], counted: Sequence[float], base: Theta, worth: float, most: int
) -> tuple[list[Theta], list[float]]:
    """Split one variant at a time, the one whose split scores best, and keep the number with the lowest criterion."""
    shares: list[list[float]] = [[1.0] * len(cases)]
    best = [parameters_of(cases, counted, shares[0], base, worth)], [1.0]
    lowest, worse = criterion(cases, counted, *best), 0
    while worse < 2 and len(shares) < most and sum(counted) >= 8 * len(shares):
        found = []
        for own in shares:
            weighed = [c * s for c, s in zip(counted, own, strict=True)]
            split = best_split(cases, weighed, base, worth)
            found.append(
                (-math.inf, None) if split is None else (_score(cases, weighed, split, base, worth), split)
            )
        highest = max(score for score, _ in found)
        at = next(
            v
            for v, (score, _) in enumerate(found)
            if score >= highest - 1e-9 * abs(highest) or score == highest
        )
        split = found[at][1]
        if split is None:
            break
        part = _first_part(cases, [c * s for c, s in zip(counted, shares[at], strict=True)], split)
        halves = [
            [s * p for s, p in zip(shares[at], part, strict=True)],
            [s * (1 - p) for s, p in zip(shares[at], part, strict=True)],
        ]
        parameters, weights, shares = run_em(
            cases, counted, [*shares[:at], *shares[at + 1 :], *halves], base, worth
        )
        reached = criterion(cases, counted, parameters, weights)
        worse += 1
        if reached < lowest:
            best, lowest, worse = (parameters, weights), reached, 0
    return best


def needed_errors(cases: Sequence[Case], weights: Sequence[float]) -> float:
    """How many standard errors a candidate must gain on naive Bayes, at least."""
    sets = {tuple(case) for case in cases}
    possible = answered = 0.0
    for case, weight in zip(cases, weights, strict=True):
        for answer in case:
            possible += weight
            if answer is not None:
                answered += weight
    return max(0.0, 2.0 * (1.0 - len(sets) / sum(weights)), 2.5 * (1.0 - answered / possible))


def _score(
    cases: Sequence[Case], weighed: Sequence[float], split: tuple[int, int], base: Theta, worth: float
) -> float:
    i, answer = split
    gave = [w if case[i] == answer else 0.0 for case, w in zip(cases, weighed, strict=True)]
    others = [w if case[i] not in (None, answer) else 0.0 for case, w in zip(cases, weighed, strict=True)]
    one = [1.0] * len(cases)
    first = parameters_of(cases, gave, one, base, worth)
    second = parameters_of(cases, others, one, base, worth)
    both = [[a + b for a, b in zip(x, y, strict=True)] for x, y in zip(first, second, strict=True)]
    return fit_of(first) + fit_of(second) - fit_of(both)


def _first_part(cases: Sequence[Case], weighed: Sequence[float], split: tuple[int, int]) -> list[float]:
    i, answer = split
    gave = sum(w for case, w in zip(cases, weighed, strict=True) if case[i] == answer)
    asked = sum(w for case, w in zip(cases, weighed, strict=True) if case[i] is not None)
    return [float(case[i] == answer) if case[i] is not None else gave / asked for case in cases]
