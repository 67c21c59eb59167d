"""Encode the counts of a bank with a half-life as exact whole numbers, and decode them.

An interview of the oldest generation g0 counts 1 here, one of generation g counts 2^(g - g0). These numbers can
be long, so they are written in hexadecimal.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from odm_tui.store.counts import BankIndex, Counts
from odm_tui.store.state_layout import format_block, format_exact


def encode_half_life(counts: Counts, index: BankIndex) -> str:
    """Encode the counts of a bank with a half-life as JSON, sorted by id."""
    problem = index.problem
    oldest = min(counts.generations, default=0)

    def whole(count: int) -> str:
        return f'"{count >> oldest:x}"'

    answers: dict[str, dict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for (i, j, k), count in sorted(counts.answers.items()):
        asked = problem.questions[i]
        answers[asked.id][problem.outcomes[j]][asked.answers[k]] = f"{count >> oldest:x}"
    inner = "      "
    parts = {
        "half_life_days": format_exact(float(index.half_life_days or 0)),
        "generations": format_block({str(g): str(n) for g, n in counts.generations.items()}, inner),
        "outcomes": format_block({problem.outcomes[j]: whole(c) for j, c in counts.outcomes.items()}, inner),
        "unknown": format_block(
            {problem.questions[i].id: whole(c) for i, c in counts.unknown.items()}, inner
        ),
        "answers": format_block(
            {
                question: format_block(
                    {o: json.dumps(c, ensure_ascii=False) for o, c in cells.items()}, inner + "  "
                )
                for question, cells in answers.items()
            },
            inner,
        ),
    }
    return format_block(parts, "    ")


def decode_half_life(encoded: Mapping[str, Any], index: BankIndex) -> Counts:
    """Decode what :func:`encode_half_life` wrote; raise KeyError or ValueError if it belongs to another bank."""
    counts = Counts(generations={int(g): int(n) for g, n in encoded["generations"].items()})
    oldest = min(counts.generations, default=0)

    def count(whole: str) -> int:
        return int(whole, 16) << oldest

    for outcome, whole in encoded["outcomes"].items():
        counts.outcomes[index.outcome_places[outcome]] = count(whole)
    for question, whole in encoded["unknown"].items():
        counts.unknown[index.question_places[question]] = count(whole)
    for question, cells in encoded["answers"].items():
        i = index.question_places[question]
        for outcome, answers in cells.items():
            j = index.outcome_places[outcome]
            for answer, whole in answers.items():
                counts.answers[i, j, index.problem.questions[i].answers.index(answer)] = count(whole)
    return counts
