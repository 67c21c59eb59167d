"""Counts of interviews that drift out of date, written down exactly.

An interview of the oldest generation g0 counts 1 here, one of the generation g counts 2^(g - g0). These whole
numbers may be long, so they are written in hexadecimal.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from odm_tui.store.counts import BankIndex, Counts
from odm_tui.store.json_layout import block, exactly


def half_life_text(knowledge: Counts, subject: BankIndex) -> str:
    """The counts of a bank with a half-record as JSON, by id, sorted."""
    problem = subject.problem
    oldest = min(knowledge.generations, default=0)

    def whole(count: int) -> str:
        return f'"{count >> oldest:x}"'

    answers: dict[str, dict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for (i, j, k), count in sorted(knowledge.answers.items()):
        asked = problem.questions[i]
        answers[asked.id][problem.outcomes[j]][asked.answers[k]] = f"{count >> oldest:x}"
    inner = "      "
    parts = {
        "half_life_days": exactly(float(subject.half_life_days or 0)),
        "generations": block({str(g): str(n) for g, n in knowledge.generations.items()}, inner),
        "outcomes": block({problem.outcomes[j]: whole(c) for j, c in knowledge.outcomes.items()}, inner),
        "unknown": block({problem.questions[i].id: whole(c) for i, c in knowledge.unknown.items()}, inner),
        "answers": block(
            {
                question: block(
                    {o: json.dumps(c, ensure_ascii=False) for o, c in cells.items()}, inner + "  "
                )
                for question, cells in answers.items()
            },
            inner,
        ),
    }
    return block(parts, "    ")


def half_life_counts(kept: Mapping[str, Any], subject: BankIndex) -> Counts:
    """The counts that were written down so; KeyError and the like where they are of another bank."""
    knowledge = Counts(generations={int(g): int(n) for g, n in kept["generations"].items()})
    oldest = min(knowledge.generations, default=0)

    def count(whole: str) -> int:
        return int(whole, 16) << oldest

    for outcome, whole in kept["outcomes"].items():
        knowledge.outcomes[subject.outcome_places[outcome]] = count(whole)
    for question, whole in kept["unknown"].items():
        knowledge.unknown[subject.question_places[question]] = count(whole)
    for question, cells in kept["answers"].items():
        i = subject.question_places[question]
        for outcome, counts in cells.items():
            j = subject.outcome_places[outcome]
            for answer, whole in counts.items():
                knowledge.answers[i, j, subject.problem.questions[i].answers.index(answer)] = count(whole)
    return knowledge
