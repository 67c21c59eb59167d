"""Encode counts compactly, by index; they belong to one version of one bank."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from odm_tui.store.counts import Counts


def encode_counts(counts: Counts) -> bytes:
    """Encode counts."""
    return json.dumps(_values(counts), separators=(",", ":")).encode()


def decode_counts_of(data: bytes) -> Counts:
    """Decode what :func:`encode_counts` returns; raise ValueError, TypeError or KeyError if it is something else."""
    return _counts(json.loads(data))


def _values(counts: Counts) -> list[Any]:
    return [
        counts.interviews,
        [number for (i, j, k), count in counts.answers.items() for number in (i, j, k, count)],
        [number for pair in counts.outcomes.items() for number in pair],
        [number for pair in counts.unknown.items() for number in pair],
        [number for (place, right), count in counts.said.items() for number in (place, int(right), count)],
        {str(period): _values(part) for period, part in counts.by_period.items()},
        counts.aimed,
        counts.moved,
    ]


def _counts(values: Any) -> Counts:
    interviews, answers, outcomes, unknown, said, periods, aimed, moved = values
    return Counts(
        {(i, j, k): count for i, j, k, count in _groups(answers, 4)},
        dict(_groups(outcomes, 2)),
        dict(_groups(unknown, 2)),
        int(interviews),
        {int(period): _counts(part) for period, part in periods.items()},
        said={(place, bool(right)): count for place, right, count in _groups(said, 3)},
        aimed=int(aimed),
        moved=int(moved),
    )


def _groups(numbers: list[Any], size: int) -> Iterator[tuple[Any, ...]]:
    if any(type(number) is not int for number in numbers):
        raise ValueError("not counts")
    return zip(*[iter(numbers)] * size, strict=True)
