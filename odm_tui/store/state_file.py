"""The state file: what was learned, by id, sorted, one line a question and outcome, the same bytes always.

The Beta parameters it shows are the bank's prior plus whole counts, so the counts can be read back
exactly. Where interviews drift out of date the counts are fractions, and stand under ``drift`` once more as
the whole numbers they come from. The last line is a CRC of all before it; a state that does not match it is
not used.
"""

from __future__ import annotations

import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from odm_tui.errors import BadData
from odm_tui.store.counts import BankIndex, Counts
from odm_tui.store.half_life import half_life_counts, half_life_text
from odm_tui.store.json_layout import block, exactly, number, quoted
from odm_tui.strict_json import parse_json

FORMAT = 1
_SEAL = re.compile(rb',\n  "crc": "([0-9a-f]{8})"\n\}\n\Z')
Cells = dict[str, dict[str, Any]]


def seal(body: str) -> bytes:
    """A JSON object's text, without its closing brace, as a file's bytes with a CRC at the end."""
    data = body.encode("utf-8")
    return data + b',\n  "crc": "%08x"\n}\n' % zlib.crc32(data)


def unseal(data: bytes, source: str) -> dict[str, Any]:
    """The object of a sealed file, or BadData if a single bit is not as it was written."""
    found = _SEAL.search(data, max(0, len(data) - 64))
    if found is None or int(found.group(1), 16) != zlib.crc32(data[: found.start()]):
        raise BadData(f"{source} does not match its CRC: it was damaged or edited.")
    value = parse_json(data, source)
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise BadData(f"{source} has a format that this version of odm-tui does not know.")
    return value


def state_text(knowledge: Counts, subject: BankIndex) -> bytes:
    """The state file's bytes: the same for the same knowledge of the same bank."""
    names = subject.problem.outcomes
    outcomes = {names[j]: exactly(knowledge.weight(count)) for j, count in knowledge.outcomes.items()}
    posteriors = {
        question: block({outcome: _line(cell) for outcome, cell in cells.items()}, "      ")
        for question, cells in _cells(knowledge, subject).items()
    }
    head = {
        "format": str(FORMAT),
        "bank": quoted(subject.name),
        "bank_hash": quoted(subject.hash),
        "interviews": str(knowledge.interviews),
        "outcomes": block(outcomes, "    "),
        "posteriors": block(posteriors, "    "),
    }
    if knowledge.unknown:
        questions = subject.problem.questions
        unknown = {questions[i].id: exactly(knowledge.weight(c)) for i, c in knowledge.unknown.items()}
        head["unknown"] = block(unknown, "    ")
    if subject.half_life_days is not None:
        head["drift"] = half_life_text(knowledge, subject)
    return seal("{\n" + ",\n".join(f'  "{key}": {value}' for key, value in head.items()))


def counts_in(state: Mapping[str, Any], subject: BankIndex, source: str) -> Counts:
    """The counts that a state of this very bank holds."""
    problem = subject.problem
    knowledge = Counts()
    try:
        if subject.half_life_days is not None:
            return half_life_counts(state["drift"], subject)
        interviews = int(state["interviews"])
        knowledge.generations.update({0: interviews} if interviews else {})
        for question, count in state.get("unknown", {}).items():
            knowledge.unknown[subject.question_places[question]] = int(count)
        for outcome, count in state["outcomes"].items():
            knowledge.outcomes[subject.outcome_places[outcome]] = int(count)
        for i, asked in enumerate(problem.questions):
            for name, above in _columns(asked.id, asked.answers, asked.thresholds):
                for outcome in state["posteriors"].get(name, ()):
                    j = subject.outcome_places[outcome]
                    counts = _counts(i, j, above, state["posteriors"], subject)
                    knowledge.answers.update({(i, j, k): c for k, c in enumerate(counts) if c})
                break  # the other columns of a number question are read together with its first
    except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
        raise BadData(f"{source} is not a state of the bank {subject.name!r} ({error}).") from None
    return knowledge


def _cells(knowledge: Counts, subject: BankIndex) -> dict[str, Cells]:
    """Column name -> outcome id -> what is shown there, for all that differs from the prior."""
    problem, one = subject.problem, knowledge.one
    seen: dict[tuple[int, int], dict[int, int]] = defaultdict(dict)
    for (i, j, k), count in knowledge.answers.items():
        seen[i, j][k] = count
    cells: dict[str, Cells] = defaultdict(dict)
    for (i, j), counts in seen.items():
        question = problem.questions[i]
        prior = problem.pseudo[i, j, : len(question.answers)]
        parameters = [float(p) + counts.get(k, 0) / one for k, p in enumerate(prior)]
        for name, above in _columns(question.id, question.answers, question.thresholds):
            cells[name][problem.outcomes[j]] = _cell(parameters, above, question.answers)
    return cells


def _columns(
    question: str, answers: tuple[str, ...], thresholds: Iterable[float]
) -> list[tuple[str, int | None]]:
    """(name, the first answer that counts as yes) of each yes/no column; None for a choice."""
    cuts = list(thresholds)
    if cuts:
        return [(f"{question}>{number(cut)}", t + 1) for t, cut in enumerate(cuts)]
    return [(question, 1 if answers == ("no", "yes") else None)]


def _cell(parameters: list[float], above: int | None, answers: tuple[str, ...]) -> dict[str, Any]:
    if above is None:
        return {"counts": dict(zip(answers, parameters, strict=True))}
    return {"alpha": sum(parameters[above:]), "beta": sum(parameters[:above])}


def _counts(i: int, j: int, above: int | None, columns: Mapping[str, Any], subject: BankIndex) -> list[int]:
    """The whole counts of one question and outcome, from its column or columns."""
    question = subject.problem.questions[i]
    prior = [float(p) for p in subject.problem.pseudo[i, j, : len(question.answers)]]
    outcome = subject.problem.outcomes[j]
    if above is None:
        shown = columns[question.id][outcome]["counts"]
        return [round(shown[a] - p) for a, p in zip(question.answers, prior, strict=True)]
    names = _columns(question.id, question.answers, question.thresholds)
    first = columns[names[0][0]][outcome]
    reached = [round(first["alpha"] + first["beta"] - sum(prior))]  # how many were above each cut
    for name, cut in names:
        assert cut is not None
        reached.append(round(columns[name][outcome]["alpha"] - sum(prior[cut:])))
    return [more - fewer for more, fewer in zip(reached, [*reached[1:], 0], strict=True)]


def _line(cell: Mapping[str, Any]) -> str:
    parts = (
        f"{quoted(key)}: {_line(value) if isinstance(value, dict) else number(value)}"
        for key, value in cell.items()
    )
    return "{" + ", ".join(parts) + "}"
