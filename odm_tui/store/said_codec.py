"""Encode how many decisions were right and wrong by how sure they were, and decode it; keys are the bins' logits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from odm_tui.engine.certainty import BINS_PER_LOGIT, LARGEST_BIN
from odm_tui.store.counts import Counts
from odm_tui.store.state_layout import format_exact


def said_values(counts: Counts) -> dict[str, dict[str, int]]:
    """Return the right and wrong decisions of each bin that has any, by its logit.

    >>> said_values(Counts(said={(9, True): 3, (9, False): 1, (-2, True): 1}))
    {'-0.5': {'right': 1, 'wrong': 0}, '2.25': {'right': 3, 'wrong': 1}}
    """
    return {
        format_exact(place / BINS_PER_LOGIT): {
            "right": counts.said.get((place, True), 0),
            "wrong": counts.said.get((place, False), 0),
        }
        for place in sorted({place for place, _ in counts.said})
    }


def encode_said(counts: Counts) -> dict[str, str]:
    """Return the same as JSON texts, one for each bin."""
    return {
        logit: f'{{"right": {row["right"]}, "wrong": {row["wrong"]}}}'
        for logit, row in said_values(counts).items()
    }


def decode_said(encoded: Mapping[str, Any]) -> dict[tuple[int, bool], int]:
    """Decode what :func:`said_values` returns; raise KeyError or ValueError if it is something else."""
    said: dict[tuple[int, bool], int] = {}
    for logit, row in encoded.items():
        place = round(float(logit) * BINS_PER_LOGIT)
        if abs(place) > LARGEST_BIN:
            raise ValueError(f"{logit} is no logit of a bin")
        said.update({(place, right): int(row[key]) for key, right in _KEYS if int(row[key])})
    return said


_KEYS = (("right", True), ("wrong", False))
