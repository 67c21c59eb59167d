"""The risk–coverage curve as it is defined, one decision at a time."""

from __future__ import annotations

from collections.abc import Sequence


def surest_right(beliefs: Sequence[float], right: Sequence[bool], count: int) -> float:
    """The share of right ones among the ``count`` surest decisions; equally sure ones take part in equal shares."""
    found, left = 0.0, float(count)
    for level in sorted(set(beliefs), reverse=True):
        group = [hit for belief, hit in zip(beliefs, right, strict=True) if belief == level]
        part = min(left, len(group))
        found += part * sum(group) / len(group)
        left -= part
    return found / count
