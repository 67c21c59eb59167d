"""Encode and decode the state file: the counts by id, sorted, one line per question and outcome.

Equal counts of a bank always give the same bytes. The Beta parameters are the bank's prior plus whole counts,
so the counts can be read back exactly. With a half-life, ``drift`` has the counts of each period, from which the
weights follow. ``said`` has the decisions by how sure they were,
``target`` how far interviews with a target for their cost have moved the stakes, in millionths, and ``variants`` the hidden variants
of outcomes, once they were fitted. The last line is a CRC of all bytes before it; a state that does not match is not used.
"""

from __future__ import annotations

import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from odm_tui.errors import BadData
from odm_tui.store.counts import BankIndex, Counts
from odm_tui.store.half_life_codec import decode_half_life, encode_half_life
from odm_tui.store.said_codec import decode_said, encode_said
from odm_tui.store.state_layout import format_block, format_rounded, quote
from odm_tui.store.variants.codec import decode_variants, encode_variants
from odm_tui.strict_json import parse_json

FORMAT = 1
_SEAL = re.compile(rb',\n  "crc": "([0-9a-f]{8})"\n\}\n\Z')
Cells = dict[str, dict[str, Any]]


def seal(body: str) -> bytes:
    """Add a CRC and the closing brace to a JSON object's text, and encode it."""
    data = body.encode("utf-8")
    return data + b',\n  "crc": "%08x"\n}\n' % zlib.crc32(data)


def unseal(data: bytes, source: str) -> dict[str, Any]:
    """Parse a file that :func:`seal` wrote; raise BadData if any bit has changed."""
    found = _SEAL.search(data, max(0, len(data) - 64))
    if found is None or int(found.group(1), 16) != zlib.crc32(data[: found.start()]):
        raise BadData(f"{source} does not match its CRC: it was damaged or edited.")
    value = parse_json(data, source)
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise BadData(f"{source} has an unknown format; it may come from a newer version of odm-tui.")
    return value


def encode_state(counts: Counts, index: BankIndex) -> bytes:
    """Encode the counts as the bytes of a state file."""
    names = index.problem.outcomes
    outcomes = {names[j]: str(count) for j, count in counts.outcomes.items()}
    posteriors = {
        question: format_block({outcome: _line(cell) for outcome, cell in cells.items()}, "      ")
        for question, cells in _cells(counts, index).items()
    }
    head = {
        "format": str(FORMAT),
        "bank": quote(index.name),
        "bank_hash": quote(index.hash),
        "interviews": str(counts.interviews),
        "outcomes": format_block(outcomes, "    "),
        "posteriors": format_block(posteriors, "    "),
    }
    if counts.unknown:
        questions = index.problem.questions
        unknown = {questions[i].id: str(c) for i, c in counts.unknown.items()}
        head["unknown"] = format_block(unknown, "    ")
    head["decisions"] = format_block(encode_said(counts), "    ")
    if counts.aimed:
        head["target"] = f'{{"interviews": {counts.aimed}, "moved": {counts.moved}}}'
    if index.half_life_days is not None:
        head["drift"] = encode_half_life(counts, index)
    if counts.fitted is not None:
        head["variants"] = encode_variants(counts.fitted, index)
    return seal("{\n" + ",\n".join(f'  "{key}": {value}' for key, value in head.items()))


def decode_counts(state: Mapping[str, Any], index: BankIndex, source: str) -> Counts:
    """Read the counts from a state of this version of the bank."""
    problem = index.problem
    counts = Counts()
    try:
        if index.half_life_days is not None:
            counts = decode_half_life(state["drift"], index)
            counts.fitted = decode_variants(state.get("variants"), index)
            return counts
        counts.interviews = int(state["interviews"])
        for question, count in state.get("unknown", {}).items():
            counts.unknown[index.question_places[question]] = int(count)
        counts.said = decode_said(state["decisions"])
        if "target" in state:
            counts.aimed, counts.moved = (int(state["target"][key]) for key in ("interviews", "moved"))
        counts.fitted = decode_variants(state.get("variants"), index)
        for outcome, count in state["outcomes"].items():
            counts.outcomes[index.outcome_places[outcome]] = int(count)
        for i, asked in enumerate(problem.questions):
            for name, above in _columns(asked.id, asked.answers, asked.thresholds):
                for outcome in state["posteriors"].get(name, ()):
                    j = index.outcome_places[outcome]
                    seen = _counts(i, j, above, state["posteriors"], index)
                    counts.answers.update({(i, j, k): c for k, c in enumerate(seen) if c})
                break  # the other columns of a number question are read together with the first one
    except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
        raise BadData(f"{source} is not a state of the bank {index.name!r} ({error}).") from None
    return counts


def _cells(counts: Counts, index: BankIndex) -> dict[str, Cells]:
    """Map column name and outcome id to the parameters there, for all that differ from the prior."""
    problem = index.problem
    seen: dict[tuple[int, int], dict[int, int]] = defaultdict(dict)
    for (i, j, k), count in counts.answers.items():
        seen[i, j][k] = count
    cells: dict[str, Cells] = defaultdict(dict)
    for (i, j), by_answer in seen.items():
        question = problem.questions[i]
        prior = problem.pseudo[i, j, : len(question.answers)]
        parameters = [float(p) + by_answer.get(k, 0) for k, p in enumerate(prior)]
        for name, above in _columns(question.id, question.answers, question.thresholds):
            cells[name][problem.outcomes[j]] = _cell(parameters, above, question.answers)
    return cells


def _columns(
    question: str, answers: tuple[str, ...], thresholds: Iterable[float]
) -> list[tuple[str, int | None]]:
    """List each column's name and the first answer that counts as yes; None for a choice question."""
    steps = list(thresholds)
    if steps:
        return [(f"{question}>{format_rounded(cut)}", t + 1) for t, cut in enumerate(steps)]
    return [(question, 1 if answers == ("no", "yes") else None)]


def _cell(parameters: list[float], above: int | None, answers: tuple[str, ...]) -> dict[str, Any]:
    if above is None:
        return {"counts": dict(zip(answers, parameters, strict=True))}
    return {"alpha": sum(parameters[above:]), "beta": sum(parameters[:above])}


def _counts(i: int, j: int, above: int | None, columns: Mapping[str, Any], index: BankIndex) -> list[int]:
    """Compute the whole counts of one question and outcome from its column or columns."""
    question = index.problem.questions[i]
    prior = [float(p) for p in index.problem.pseudo[i, j, : len(question.answers)]]
    outcome = index.problem.outcomes[j]
    if above is None:
        shown = columns[question.id][outcome]["counts"]
        return [round(shown[a] - p) for a, p in zip(question.answers, prior, strict=True)]
    names = _columns(question.id, question.answers, question.thresholds)
    first = columns[names[0][0]][outcome]
    reached = [round(first["alpha"] + first["beta"] - sum(prior))]  # how many answers reached each threshold
    for name, cut in names:
        assert cut is not None
        reached.append(round(columns[name][outcome]["alpha"] - sum(prior[cut:])))
    return [more - fewer for more, fewer in zip(reached, [*reached[1:], 0], strict=True)]


def _line(cell: Mapping[str, Any]) -> str:
    parts = (
        f"{quote(key)}: {_line(value) if isinstance(value, dict) else format_rounded(value)}"
        for key, value in cell.items()
    )
    return "{" + ", ".join(parts) + "}"
