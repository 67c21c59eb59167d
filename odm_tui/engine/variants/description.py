"""Describe variants to people: few enough to read, and the answers that set each apart."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from odm_tui.engine.belief import TINY
from odm_tui.engine.problem import Bools, Floats, Ints
from odm_tui.engine.variants.variants import Variants

MOST_SHOWN = 6
"""How many variants of an outcome are shown at most."""
ALIKE = 0.25
"""Nats; variants that all answers together tell apart less well are shown as one."""
NOTICEABLE = 0.15
"""A chance that differs less than this from that of the other variants sets nothing apart."""


class Trait(NamedTuple):
    """An answer that sets a variant apart: how likely it is there, and in the outcome's other variants."""

    question: int
    answer: int
    chance: float
    others: float


def merge_alike(variants: Variants, most: int = MOST_SHOWN) -> Variants:
    """Merge variants that are hardly different until each outcome has at most ``most``, the heaviest first.

    A merged variant has the sum of the weights and the weighted mean of the counts. Those two are merged for which
    Σ_i [w_a · KL(theta_ia ‖ mean) + w_b · KL(theta_ib ‖ mean)] / (w_a + w_b) is least, as long as that is below
    :data:`ALIKE` or there are too many.
    """
    outcome, weight, counts = [], [], []
    for j, (start, number) in enumerate(zip(variants.starts, variants.numbers, strict=True)):
        own = slice(start, start + number)
        weights, parameters = _merge(variants.weight[own], variants.counts[:, own], most)
        order = np.argsort(-weights, kind="stable")
        outcome += [j] * len(weights)
        weight.append(weights[order])
        counts.append(parameters[:, order])
    return Variants(np.array(outcome, dtype=np.intp), np.concatenate(weight), np.concatenate(counts, axis=1))


def _merge(weight: Floats, counts: Floats, most: int) -> tuple[Floats, Floats]:
    while len(weight) > 1:
        first, second = np.triu_indices(len(weight), 1)
        losses = _losses(weight, counts / counts.sum(axis=-1, keepdims=True), first, second)
        best = int(losses.argmin())
        if len(weight) <= most and losses[best] >= ALIKE:
            break
        a, b = int(first[best]), int(second[best])
        mass = max(float(weight[a] + weight[b]), TINY)
        counts = counts.copy()
        counts[:, a] = (weight[a] * counts[:, a] + weight[b] * counts[:, b]) / mass
        weight = weight.copy()
        weight[a] += weight[b]
        weight, counts = np.delete(weight, b), np.delete(counts, b, axis=1)
    return weight, counts


def _losses(weight: Floats, theta: Floats, first: Ints, second: Ints) -> Floats:
    """What is lost by merging each pair, in nats per case, summed over all questions."""
    a, b = weight[first][:, None], weight[second][:, None]
    mass = np.maximum(a + b, TINY)
    one, other = theta[:, first], theta[:, second]
    mean = (a * one + b * other) / mass
    lost = a * _divergence(one, mean) + b * _divergence(other, mean)
    return np.asarray((lost / mass).sum(axis=(0, 2)))


def _divergence(p: Floats, q: Floats) -> Floats:
    """The terms of KL(p ‖ q)."""
    return np.asarray(p * np.log(np.maximum(p, TINY) / np.maximum(q, TINY)))


def mean_of_others(variants: Variants) -> Floats:
    """P(answer | another variant of the same outcome), (n, s, K); the variant's own where it has no other."""
    theta = variants.counts / variants.counts.sum(axis=-1, keepdims=True)
    weighed = theta * variants.weight[:, None]
    total = np.add.reduceat(weighed, variants.starts, axis=1)[:, variants.outcome]
    rest = 1.0 - variants.weight[:, None]
    return np.asarray(np.where(rest > 1e-9, (total - weighed) / np.where(rest > 1e-9, rest, 1.0), theta))


def find_traits(variants: Variants, most: int = 4) -> list[list[Trait]]:
    """Return the answers that are likelier in each sub-outcome than in its outcome's other variants, the largest first.

    That is the largest difference of chances; each question has one answer at most.
    """
    theta, others = variants.counts / variants.counts.sum(axis=-1, keepdims=True), mean_of_others(variants)
    gained = theta - others
    found = []
    for s in range(len(variants.weight)):
        traits = [
            Trait(i, int(q), float(theta[i, s, q]), float(others[i, s, q]))
            for i, q in enumerate(gained[:, s].argmax(axis=-1))
            if gained[i, s, q] >= NOTICEABLE
        ]
        found.append(sorted(traits, key=lambda trait: (trait.others - trait.chance, trait.question))[:most])
    return found


def find_different(variants: Variants) -> Bools:
    """Return which questions are answered differently by the variants of each outcome, (n, m)."""
    theta = variants.counts / variants.counts.sum(axis=-1, keepdims=True)
    highest = np.maximum.reduceat(theta, variants.starts, axis=1)
    lowest = np.minimum.reduceat(theta, variants.starts, axis=1)
    return np.asarray((highest - lowest >= NOTICEABLE).any(axis=-1))
