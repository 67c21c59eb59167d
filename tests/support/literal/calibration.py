"""The expected calibration error as it is defined, one decision at a time."""

from __future__ import annotations

from collections.abc import Sequence


def calibration_error(said: Sequence[float], right: Sequence[bool], bins: int) -> float:
    """Sort the decisions into bins of the same width; average |mean said − share right|, weighted by bin sizes."""
    groups: list[list[tuple[float, bool]]] = [[] for _ in range(bins)]
    for p, hit in zip(said, right, strict=True):
        groups[min(int(p * bins), bins - 1)].append((p, hit))
    total = 0.0
    for group in groups:
        if group:
            mean = sum(p for p, _ in group) / len(group)
            share = sum(hit for _, hit in group) / len(group)
            total += len(group) * abs(mean - share)
    return total / len(said)
