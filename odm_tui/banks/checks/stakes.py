"""Check the stakes: one number, or a table by missed and falsely decided outcome."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from odm_tui.banks.bank import PairStakes
from odm_tui.banks.checks.costs import REST
from odm_tui.banks.checks.fields import describe_value, read_number, read_table
from odm_tui.banks.parsing.findings import Place

KEYS = ("default", "missed", "false")
MAX_PAIRS = 4_000_000
"""The limit on decisions with stakes of their own x outcomes, so that plans stay fast and fit into memory."""


def check_stakes(
    value: object, outcomes: Mapping[str, Any], place: Place
) -> tuple[float | None, PairStakes | None]:
    """Return what a wrong outcome costs, None if it is not said, and what differs by pair of outcomes."""
    if not isinstance(value, dict):
        if isinstance(value, str | list | bool):
            place.error(
                f"must be a number, or a table such as {{ default = 60, missed = {{ … }} }}, not {describe_value(value)}."
            )
            return None, None
        return read_number(value, place), None
    for key in value:
        if key not in KEYS:
            place.at(key).error(_describe_unknown(key, outcomes, place))
    default = read_number(value["default"], place.at("default")) if "default" in value else None
    missed = _by_outcome(value.get("missed"), outcomes, place.at("missed"))
    false = _by_outcome(value.get("false"), outcomes, place.at("false"))
    pairs = PairStakes(missed, false)
    if len(pairs.decisions) * len(outcomes) > MAX_PAIRS:
        place.error(
            f"{len(pairs.decisions):,} decisions have stakes of their own, too many for {len(outcomes):,} outcomes; "
            f"their product must be at most {MAX_PAIRS:,}."
        )
    return default, pairs if missed or false else None


def _by_outcome(value: object, outcomes: Mapping[str, Any], place: Place) -> dict[str, dict[str, float]]:
    """Return costs as outcome -> other outcome or ``"*"`` -> number."""
    if value is None:
        return {}
    table = read_table(value, place)
    checked: dict[str, dict[str, float]] = {}
    for outcome, entry in (table or {}).items():
        here = place.at(outcome)
        if outcome not in outcomes:
            here.error(place.report.describe_unknown("outcome", outcome, list(outcomes)))
        elif isinstance(entry, dict):
            checked[outcome] = _by_other(outcome, entry, outcomes, here)
        elif (cost := read_number(entry, here)) is not None:
            checked[outcome] = {REST: cost}
    return checked


def _by_other(
    outcome: str, table: Mapping[str, Any], outcomes: Mapping[str, Any], place: Place
) -> dict[str, float]:
    checked: dict[str, float] = {}
    for other, value in table.items():
        here = place.at(other)
        if other == outcome:
            here.error("deciding the true outcome costs nothing; remove it.")
        elif other != REST and other not in outcomes:
            here.error(place.report.describe_unknown("outcome", other, [*outcomes, REST]))
        elif (cost := read_number(value, here)) is not None:
            checked[other] = cost
    return checked


def _describe_unknown(key: str, outcomes: Mapping[str, Any], place: Place) -> str:
    if key in outcomes:
        return f"{key!r} is an outcome; write missed = {{ {key} = … }} or false = {{ {key} = … }}."
    return place.report.describe_unknown("key", key, KEYS)
