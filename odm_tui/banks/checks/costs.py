"""Check the cost of a question: one number, by answer, or by answer and outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from odm_tui.banks.checks.fields import describe_value, is_number, mistyped_number, read_number
from odm_tui.banks.parsing.findings import Place

REST = "*"
"""The key for all answers, outcomes or questions that are not named."""


def check_cost(
    value: object, answers: Sequence[str] | None, outcomes: Mapping[str, Any], place: Place
) -> dict[str, dict[str, float]]:
    """Return the cost as answer -> outcome -> number, with ``"*"`` for the rest.

    ``answers`` is None if the question's answers have errors themselves.
    """
    if not isinstance(value, dict):
        cost = _cost(value, place)
        return {} if cost is None else {REST: {REST: cost}}
    checked: dict[str, dict[str, float]] = {}
    for answer, by_outcome in value.items():
        here = place.at(answer)
        if answers is not None and answer != REST and answer not in answers:
            here.error(_describe_unknown_answer(answer, answers, outcomes, here))
        elif isinstance(by_outcome, dict):
            checked[answer] = _by_outcome(by_outcome, outcomes, here)
        else:
            cost = _cost(by_outcome, here)
            if cost is not None:
                checked[answer] = {REST: cost}
    return checked


def _by_outcome(table: dict[str, Any], outcomes: Mapping[str, Any], place: Place) -> dict[str, float]:
    checked: dict[str, float] = {}
    for outcome, value in table.items():
        if outcome != REST and outcome not in outcomes:
            place.at(outcome).error(describe_unknown_outcome(outcome, value, outcomes, place))
        elif is_number(value, 0):
            checked[outcome] = float(value)
        else:
            read_number(value, place.at(outcome))
    return checked


def _cost(value: object, place: Place) -> float | None:
    if isinstance(value, str | list | bool) and not (isinstance(value, str) and mistyped_number(value)):
        place.error(
            f"must be a number, or a table such as {{ yes = 5, no = 20 }}, not {describe_value(value)}."
        )
        return None
    return read_number(value, place)


def _describe_unknown_answer(
    answer: str, answers: Sequence[str], outcomes: Mapping[str, Any], place: Place
) -> str:
    if answer in outcomes:
        return f"{answer!r} is an outcome; costs go by answer first, such as {{ {answers[0]} = {{ {answer} = 5 }} }}."
    return place.report.describe_unknown("answer", answer, [*answers, REST])


def describe_unknown_outcome(outcome: str, value: object, outcomes: Mapping[str, Any], place: Place) -> str:
    """Return the message for a key that should be an outcome's id."""
    if isinstance(value, dict):
        for rest in value:
            if f"{outcome}.{rest}" in outcomes:
                return f'an id with a dot needs quotes: "{outcome}.{rest}".'
    return place.report.describe_unknown("outcome", outcome, [*outcomes, REST])
