"""Encode the counts of a bank with a half-life by period, and decode them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from odm_tui.store.counts import BankIndex, Counts
from odm_tui.store.said_codec import decode_said, said_values
from odm_tui.store.state_layout import format_block, format_exact


def encode_half_life(counts: Counts, index: BankIndex) -> str:
    """Encode the counts of each period as JSON, sorted by id."""
    periods = {str(period): _encode_period(part, index) for period, part in sorted(counts.by_period.items())}
    parts = {
        "half_life_days": format_exact(float(index.half_life_days or 0)),
        "periods": format_block(periods, "      "),
    }
    return format_block(parts, "    ")


def _encode_period(counts: Counts, index: BankIndex) -> str:
    problem = index.problem
    answers: dict[str, dict[str, dict[str, int]]] = defaultdict(lambda: defaultdict(dict))
    for (i, j, k), count in sorted(counts.answers.items()):
        asked = problem.questions[i]
        answers[asked.id][problem.outcomes[j]][asked.answers[k]] = count
    whole = {
        "interviews": counts.interviews,
        "outcomes": {problem.outcomes[j]: c for j, c in sorted(counts.outcomes.items())},
        "unknown": {problem.questions[i].id: c for i, c in sorted(counts.unknown.items())},
        "answers": answers,
        "said": said_values(counts),
    }
    if counts.aimed:
        whole["target"] = {"interviews": counts.aimed, "moved": counts.moved}
    return json.dumps(whole, ensure_ascii=False)


def is_outdated(state: Mapping[str, Any]) -> bool:
    """Whether an older version wrote a state; it is then counted again.

    Such states have weights, or no decisions, or under another name the last decision of each interview instead of the
    first.
    """
    drift = state.get("drift")
    return "decisions" not in state or (isinstance(drift, dict) and "periods" not in drift)


def decode_half_life(encoded: Mapping[str, Any], index: BankIndex) -> Counts:
    """Decode what :func:`encode_half_life` wrote; raise KeyError or ValueError if it belongs to another bank."""
    by_period = {int(period): _decode_period(part, index) for period, part in encoded["periods"].items()}
    counts = Counts()
    for part in by_period.values():
        counts = counts.plus(part)
    counts.by_period = by_period
    return counts


def _decode_period(encoded: Mapping[str, Any], index: BankIndex) -> Counts:
    counts = Counts(interviews=int(encoded["interviews"]))
    for outcome, count in encoded["outcomes"].items():
        counts.outcomes[index.outcome_places[outcome]] = int(count)
    for question, count in encoded["unknown"].items():
        counts.unknown[index.question_places[question]] = int(count)
    counts.said = decode_said(encoded["said"])
    if "target" in encoded:
        counts.aimed, counts.moved = (int(encoded["target"][key]) for key in ("interviews", "moved"))
    for question, cells in encoded["answers"].items():
        i = index.question_places[question]
        for outcome, answers in cells.items():
            j = index.outcome_places[outcome]
            for answer, count in answers.items():
                counts.answers[i, j, index.problem.questions[i].answers.index(answer)] = int(count)
    return counts
