"""Thresholds by minimum description length, as Fayyad and Irani (1993) write them: slow and literal."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence


def entropy(labels: Sequence[int]) -> float:
    """Ent(S) in bits."""
    return -sum(c / len(labels) * math.log2(c / len(labels)) for c in Counter(labels).values())


def mdl_cuts(pairs: Sequence[tuple[float, int]]) -> list[tuple[float, float]]:
    """All accepted cuts, each as the two neighbouring values that it separates, by recursion."""
    ordered = sorted(pairs)
    best: tuple[float, int] | None = None
    labels = [label for _, label in ordered]
    size = len(ordered)
    for at in range(1, size):
        if ordered[at - 1][0] == ordered[at][0]:
            continue
        left, right = labels[:at], labels[at:]
        gain = entropy(labels) - len(left) / size * entropy(left) - len(right) / size * entropy(right)
        if best is None or gain > best[0] + 1e-12:
            best = (gain, at)
    if best is None:
        return []
    gain, at = best
    left, right = labels[:at], labels[at:]
    k, k1, k2 = len(set(labels)), len(set(left)), len(set(right))
    delta = math.log2(3**k - 2) - (k * entropy(labels) - k1 * entropy(left) - k2 * entropy(right))
    if gain <= math.log2(size - 1) / size + delta / size:
        return []
    here = (ordered[at - 1][0], ordered[at][0])
    return sorted([*mdl_cuts(ordered[:at]), here, *mdl_cuts(ordered[at:])])
