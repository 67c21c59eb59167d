"""Check ``[expected]``: P(answer | outcome), and how many observations that knowledge is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from odm_tui.banks.bank import Expected
from odm_tui.banks.checks.costs import REST, describe_unknown_outcome
from odm_tui.banks.checks.fields import describe_value, is_number, read_number
from odm_tui.banks.parsing.findings import Place
from odm_tui.text import quote_names

WORTH = 8.0
"""How many observations the author's knowledge is worth by default."""
_TOLERANCE = 1e-3


def check_expected(
    value: object,
    kind: str,
    answers: Sequence[str],
    thresholds: Sequence[float],
    outcomes: Mapping[str, Any],
    place: Place,
) -> Expected:
    """Return one question's entry in ``[expected]``, by outcome or ``"*"``, in the form of the bank."""
    if not isinstance(value, dict):
        if kind == "yes_no":
            p = read_number(value, place, 0, 1)
            return {} if p is None else {REST: p}
        example = _example(kind, answers, thresholds)
        place.error(f"must be a table by outcome, such as {example}, not {describe_value(value)}.")
        return {}
    for outcome in (key for key in value if key not in outcomes and key != REST):
        message = _describe_bad_key(outcome, value[outcome], kind, answers, thresholds, outcomes, place)
        place.at(outcome).error(message)
    if kind == "yes_no":
        return _yes_shares(value, outcomes, place)
    checked: dict[str, tuple[float, ...]] = {}
    for outcome, entry in value.items():
        if outcome != REST and outcome not in outcomes:
            continue
        shares = check_shares(entry, kind, answers, thresholds, place.at(outcome))
        if shares:
            checked[outcome] = shares
    return checked


def check_shares(
    value: object, kind: str, answers: Sequence[str], thresholds: Sequence[float], place: Place
) -> tuple[float, ...] | None:
    """Return P of every answer to one question, in the order of its answers; None after an error."""
    if kind == "yes_no":
        p = read_number(value, place, 0, 1)
        return None if p is None else (1 - p, p)
    if not isinstance(value, dict):
        example = _entry_example(kind, answers, thresholds)
        place.error(f"must be a table such as {example}, not {describe_value(value)}.")
        return None
    return _shares(value, answers, place) if kind == "choice" else _interval_shares(value, thresholds, place)


def _yes_shares(table: dict[str, Any], outcomes: Mapping[str, Any], place: Place) -> dict[str, float]:
    """Return P(yes) by outcome; a bank may have a million, so valid ones are checked all at once."""
    values = table.values()
    # min and max may miss a NaN, but the sum is NaN if any value is.
    if set(map(type, values)) == {float} and min(values) >= 0 and max(values) <= 1 and sum(values) >= 0:
        return table
    for outcome, value in table.items():
        if outcome == REST or outcome in outcomes:
            read_number(value, place.at(outcome), 0, 1)
    return {outcome: float(value) for outcome, value in table.items() if is_number(value, 0, 1)}


def _shares(table: dict[str, Any], answers: Sequence[str], place: Place) -> tuple[float, ...] | None:
    """Return P of each answer of a choice; answers without one share the rest up to 1."""
    given: dict[str, float] = {}
    for answer, value in table.items():
        if answer not in answers:
            place.at(answer).error(place.report.describe_unknown("answer", answer, answers))
            return None
        p = read_number(value, place.at(answer), 0, 1)
        if p is None:
            return None
        given[answer] = p
    total = sum(given.values())
    missing = len(answers) - len(given)
    if total > 1 + _TOLERANCE:
        place.error(f"the probabilities sum to {total:.4g}; they must not sum to more than 1.")
        return None
    if not missing and total < 1 - _TOLERANCE:
        place.error(f"the probabilities sum to {total:.4g}; make them sum to 1, or leave an answer out.")
        return None
    share = max(0.0, 1 - total) / missing if missing else 0.0
    scale = 1 / total if not missing or total > 1 else 1.0
    return tuple(given.get(answer, share / scale) * scale for answer in answers)


def _interval_shares(table: dict[str, Any], cuts: Sequence[float], place: Place) -> tuple[float, ...] | None:
    """Return P of each interval of a number question, from P(number > threshold) for some thresholds.

    The others are interpolated by their position between the given ones; P is 1 below the first threshold
    and 0 above the last.
    """
    above: dict[int, float] = {-1: 1.0, len(cuts): 0.0}
    for key, value in table.items():
        index = find_threshold(key, "above_", cuts)
        if index is None or isinstance(value, dict):
            place.at(key).error(_describe_bad_threshold(key, value, cuts))
            return None
        if index in above:
            place.at(key).error("this threshold appears twice; remove one.")
            return None
        p = read_number(value, place.at(key), 0, 1)
        if p is None:
            return None
        above[index] = p
    known = sorted(above)
    for low, high in pairwise(known):
        if above[high] > above[low] + 1e-9:
            place.error(
                f"P(number > {cuts[high]:.10g}) is {above[high]:g}, which is more than {above[low]:g} for "
                f"> {cuts[low]:.10g}; it must not increase with the threshold."
            )
            return None
    exceed = [1.0]
    for low, high in pairwise(known):
        step = (above[high] - above[low]) / (high - low)
        exceed += [above[low] + step * (k - low) for k in range(low + 1, high)] + [above[high]]
    return tuple(max(0.0, a - b) for a, b in pairwise(exceed))


def find_threshold(key: str, prefix: str, thresholds: Sequence[float]) -> int | None:
    """Return the index of the threshold that ``above_37.5`` names, or None."""
    if not key.startswith(prefix) or len(key) > 64:
        return None
    try:
        wanted = float(key.removeprefix(prefix))
    except ValueError:
        return None
    return next((i for i, cut in enumerate(thresholds) if cut == wanted), None)


def list_above_keys(thresholds: Sequence[float]) -> list[str]:
    """Return the key ``above_X`` of each threshold."""
    return [f"above_{cut:.10g}" for cut in thresholds]


def check_worth(
    value: object, questions: Mapping[str, Any], outcomes: Mapping[str, Any], place: Place
) -> dict[str, dict[str, float]]:
    """Return how many observations the knowledge is worth: question or ``"*"`` -> outcome or ``"*"`` -> number."""
    if not isinstance(value, dict):
        worth = read_worth(value, place)
        return {} if worth is None else {REST: {REST: worth}}
    checked: dict[str, dict[str, float]] = {}
    for question, entry in value.items():
        here = place.at(question)
        if question != REST and question not in questions:
            remedy = 'Write the id of a question, or "*" for all others.'
            here.error(place.report.describe_unknown("question", question, questions, remedy))
        elif isinstance(entry, dict):
            checked[question] = {}
            for outcome, number_of in entry.items():
                if outcome != REST and outcome not in outcomes:
                    here.at(outcome).error(describe_unknown_outcome(outcome, number_of, outcomes, here))
                    continue
                worth = read_worth(number_of, here.at(outcome))
                if worth is not None:
                    checked[question][outcome] = worth
        else:
            worth = read_worth(entry, here)
            if worth is not None:
                checked[question] = {REST: worth}
    return checked


def read_worth(value: object, place: Place) -> float | None:
    """Read how many observations some knowledge is worth; None after an error."""
    if is_number(value) and value <= 0:  # type: ignore[operator]
        place.error(
            f"must be more than 0, not {describe_value(value)}; leave the entry out if nothing is known."
        )
        return None
    return read_number(value, place)


def _describe_bad_key(
    key: str,
    entry: object,
    kind: str,
    answers: Sequence[str],
    thresholds: Sequence[float],
    outcomes: Mapping[str, Any],
    place: Place,
) -> str:
    if key in answers or find_threshold(key, "above_", thresholds) is not None:
        if kind == "yes_no":
            return f"{key!r} is an answer; write P(yes) by outcome, such as {_example(kind, answers, thresholds)}."
        return f"{key!r} is an answer; go by outcome first, such as {_example(kind, answers, thresholds)}."
    return describe_unknown_outcome(key, entry, outcomes, place)


def _describe_bad_threshold(key: str, value: object, thresholds: Sequence[float]) -> str:
    if isinstance(value, dict) and key.startswith("above_"):
        return f'a key with a dot needs quotes: "{key}.{next(iter(value), "5")}" = 0.7.'
    return f"unknown threshold; choose one of {quote_names(list_above_keys(thresholds))}."


def _entry_example(kind: str, answers: Sequence[str], thresholds: Sequence[float]) -> str:
    key = list_above_keys(thresholds)[0] if kind == "number" else answers[0]
    return f'{{ "{key}" = 0.7 }}' if "." in key else f"{{ {key} = 0.7 }}"


def _example(kind: str, answers: Sequence[str], thresholds: Sequence[float]) -> str:
    entry = "0.7" if kind == "yes_no" else _entry_example(kind, answers, thresholds)
    return f'{{ "*" = {entry} }}'
