"""Check the answers that end an interview at once (``stop``) or show a warning (``warn``)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from odm_tui.banks.bank import Answer, RedFlag
from odm_tui.banks.checks import fields
from odm_tui.banks.checks.fields import Table, describe_value
from odm_tui.banks.checks.questions import (
    MAX_LABEL,
    MAX_LONG_TEXT,
    QuestionDraft,
    find_answer_places,
    list_answer_names,
)
from odm_tui.banks.parsing.findings import Place

_EXAMPLE = 'such as stop = { yes = "outcome-id" } or { yes = { label = "…", advice = "…" } }'


def check_red_flags(draft: QuestionDraft, outcomes: Mapping[str, int]) -> tuple[Answer, ...]:
    """Return the answers of a question with what they set off."""
    table, place, found = draft.table, draft.place, list(draft.answers or ())
    if not found:
        return ()
    for key in ("stop", "warn"):
        if key not in table:
            continue
        here = place.at(key)
        by_answer = table[key]
        if not isinstance(by_answer, dict):
            here.error(f"must be a table by answer, {_EXAMPLE}, not {describe_value(by_answer)}.")
            continue
        for name in by_answer:
            places = find_answer_places(name, draft)
            if not places:
                here.at(name).error(here.report.describe_unknown("answer", name, list_answer_names(draft)))
            for at in places:
                found[at] = _mark(found[at], key, by_answer, name, outcomes, here)
    for at, item in _tables(table.get("answers"), len(found)):
        for key in ("stop", "warn"):
            if key in item:
                found[at] = _mark(found[at], key, item, key, outcomes, place.at("answers").at(at))
    return tuple(found)


def _tables(value: object, most: int) -> Iterable[tuple[int, Table]]:
    """Give the answers of a choice that are written as tables, with their places."""
    if isinstance(value, list):
        for at, item in enumerate(value[:most]):
            if isinstance(item, dict):
                yield at, item


def _mark(
    answer: Answer, kind: str, table: Table, key: str, outcomes: Mapping[str, int], place: Place
) -> Answer:
    """Return the answer with the stop or the warning that ``table[key]`` describes."""
    if kind == "stop":
        return replace(answer, stop=_read_stop(table[key], outcomes, place.at(key)))
    remedy = "write the warning to show, or leave it out."
    return replace(
        answer, warn=fields.read_text(table, key, place, most=MAX_LONG_TEXT, required=remedy, lines=True)
    )


def _read_stop(value: object, outcomes: Mapping[str, int], place: Place) -> RedFlag | None:
    if isinstance(value, str):
        known = _read_outcome(value, outcomes, place)
        return None if known is None else RedFlag(known)
    if not isinstance(value, dict):
        place.error(
            f"must be the id of an outcome, or {{ label = …, advice = … }}, not {describe_value(value)}."
        )
        return None
    fields.report_unknown_keys(value, ("outcome", "label", "advice"), place)
    outcome = value.get("outcome")
    if outcome is not None:
        outcome = _read_outcome(outcome, outcomes, place.at("outcome"))
    label = fields.read_text(
        value, "label", place, most=MAX_LABEL, required='say what it is, such as label = "Gas leak".'
    )
    advice = fields.read_text(
        value,
        "advice",
        place,
        most=MAX_LONG_TEXT,
        required="say what to do at once.",
        lines=True,
    )
    return RedFlag(outcome, label, advice)


def _read_outcome(value: object, outcomes: Mapping[str, int], place: Place) -> str | None:
    if isinstance(value, str) and value in outcomes:
        return value
    if isinstance(value, str):
        place.error(place.report.describe_unknown("outcome", value, outcomes))
    else:
        place.error(f"must be the id of an outcome, not {describe_value(value)}.")
    return None
