"""Checks what a question costs: one number, by answer, or by answer and outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from odm_tui.banks.checks.fields import describe_value, is_number, read_number
from odm_tui.banks.parsing.findings import Place
from odm_tui.text import listed

REST = "*"
"""The key that stands for all the rest: answers, outcomes or questions that are not named."""


def check_cost(
    value: object, answers: Sequence[str] | None, outcomes: Mapping[str, Any], place: Place
) -> dict[str, dict[str, float]]:
    """The cost as answer -> outcome -> number, with ``"*"`` for the rest.

    ``answers`` is None where the question's answers are in error themselves.
    """
    if not isinstance(value, dict):
        cost = _cost(value, place)
        return {} if cost is None else {REST: {REST: cost}}
    checked: dict[str, dict[str, float]] = {}
    for answer, by_outcome in value.items():
        here = place.at(answer)
        if answers is not None and answer != REST and answer not in answers:
            here.error(_no_such_answer(answer, answers, outcomes, here))
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
    if isinstance(value, str | list | bool):
        place.error(
            f"must be a number, or a table such as {{ yes = 5, no = 20 }}, not {describe_value(value)}"
        )
        return None
    return read_number(value, place)


def _no_such_answer(answer: str, answers: Sequence[str], outcomes: Mapping[str, Any], place: Place) -> str:
    if answer in outcomes:
        return f"{answer!r} is an outcome; costs go by answer first, such as {{ {answers[0]} = {{ {answer} = 5 }} }}"
    near = place.report.nearest(answer, answers)
    return f'the question has no such answer{near or f"; it has {listed(answers)}"}, and "*" is all the rest'


def describe_unknown_outcome(outcome: str, value: object, outcomes: Mapping[str, Any], place: Place) -> str:
    """The sentence for a key that should be an outcome's id, with the likely remedy."""
    if isinstance(value, dict):
        for rest in value:
            if f"{outcome}.{rest}" in outcomes:
                return f'put quotes around an id with a dot: "{outcome}.{rest}"'
    near = place.report.nearest(outcome, outcomes)
    return f'there is no such outcome{near or f"; there are {listed(outcomes)}"}, and "*" is all the rest'
