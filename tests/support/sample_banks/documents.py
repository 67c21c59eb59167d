"""Documents that look like banks, with any value anywhere, for structured fuzzing; and TOML written from them."""

from __future__ import annotations

import copy
import datetime as dt
import json
import math
from functools import cache
from typing import Any

from hypothesis import strategies as st

_ids = st.sampled_from(["a", "b", "c", "q1", "q2", "q3", "worth", "*", "yes", "no", "a b", "", "x" * 80, "é"])
_odd_texts = st.sampled_from(
    ["", " ", "\x1b]0;x\x07", "\u202e", "x" * 300, "[@click=app.quit]x[/]", "yes", "above_1"]
)
_texts = st.one_of(st.sampled_from(["Is it?", "Which one?", "How many?"]), _odd_texts, st.text(max_size=12))
_numbers = st.one_of(
    st.sampled_from(
        [0, 1, 2, 0.5, 0.25, 5, 10, -1, 1.5, math.nan, math.inf, -math.inf, 10**15, 10**40, 1e300]
    ),
    st.floats(0, 1),
    st.integers(-5, 50),
)
_scalars = st.one_of(_numbers, _texts, st.booleans(), st.just(dt.date(2024, 2, 29)), st.just(dt.time(1, 2)))
anything = st.recursive(
    _scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_ids, inner, max_size=3),
    max_leaves=6,
)


_plain_texts = st.sampled_from(["Is it?", "Which one is it?", "How many are there?", "[b]bold[/]", "Größe?"])
_shares = st.sampled_from([0, 0.1, 0.3, 0.5, 0.9, 1])
_costs = st.sampled_from([0, 1, 5, 20.5])
_ANSWERS = {"yes_no": ["no", "yes"], "choice": ["red", "blue"], "number": ["<=1", "1..5", ">5"]}
_CONDITIONS = {**_ANSWERS, "number": ["above_1", "at_most_5"]}
_KINDS: dict[str, dict[str, Any]] = {
    "yes_no": {},
    "choice": {"type": "choice", "answers": ["red", {"id": "blue", "label": "Blue"}]},
    "number": {"type": "number", "thresholds": [1, 5], "unit": "ms", "range": [0, 10]},
}
_optional_parts = st.fixed_dictionaries(
    {},
    optional={
        "description": _texts,
        "language": st.just("de"),
        "cost_unit": _plain_texts,
        "default_cost": _costs,
        "notice": _texts,
        "outcome_prior": st.sampled_from(["fixed", "learned"]),
        "outcome_prior_worth": _costs,
        "stakes": _costs,
        "learning": st.sampled_from(["shared", "pooled", "separate"]),
        "half_life_days": st.sampled_from([1, 30.5, 180]),
        "variants": st.sampled_from([2, 16]),
        "policy": st.sampled_from(
            [
                "w-ig-bucb",
                "random",
                {"oracle": "w-ec2", "exploration": "ts", "stop": {"any": ["region", {"budget": 5}]}},
                {"oracle": "w-ig", "stop": {"confidence": 0.9}, "hypotheses": 20, "eta": 0.1},
            ]
        ),
    },
)


_error_rates = st.sampled_from([0, 0.05, 0.49])
_worths = st.sampled_from([4, {"*": 10, "q1": 3}, {"q1": {"a": 2, "*": 5}}])
_counts = {most: st.integers(0, most) for most in (3, 4)}
_changes = st.sampled_from(["replace", "replace", "remove", "rename"])
_expected_shares: dict[str, st.SearchStrategy[Any]] = {
    "yes_no": _shares,
    "choice": _shares.map(lambda p: {"red": p}),
    "number": _shares.map(lambda p: {"above_1": p, "above_5": p / 2}),
}

# Building a strategy takes hypothesis longer than drawing from it, so each one is built once.


@cache
def _one_of(*choices: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from(choices)


@cache
def _by_outcome(outcomes: tuple[str, ...], values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.dictionaries(_one_of(*outcomes, "*"), values, max_size=3)


@cache
def _question_parts(kind: str, outcomes: tuple[str, ...]) -> st.SearchStrategy[dict[str, Any]]:
    by_answer = st.dictionaries(
        _one_of(*_ANSWERS[kind], "*"), _costs | _by_outcome(outcomes, _costs), max_size=3
    )
    return st.fixed_dictionaries(
        {},
        optional={
            "cost": _costs | by_answer,
            "always_ask": st.booleans(),
            "help": _texts,
            "error_rate": _error_rates,
        },
    )


@cache
def _conditions(kind: str) -> st.SearchStrategy[Any]:
    condition = _one_of(*_CONDITIONS[kind])
    return condition | st.lists(condition, min_size=1, max_size=2)


@cache
def _expectations(kind: str, outcomes: tuple[str, ...]) -> st.SearchStrategy[Any]:
    by_outcome = _by_outcome(outcomes, _expected_shares[kind])
    return _shares | by_outcome if kind == "yes_no" else by_outcome


@st.composite
def good_documents(draw: st.DrawFn) -> dict[str, Any]:
    """A valid bank with two or three outcomes and up to three questions of any kind."""
    outcomes = ("a", "b", "c")[: draw(_one_of(2, 3))]
    kinds = {f"q{i}": draw(_one_of(*_KINDS)) for i in range(1, draw(_one_of(2, 3, 4)))}
    document: dict[str, Any] = {"format": 1, "title": "A bank", **draw(_optional_parts)}
    with_priors = draw(st.booleans())
    document["outcomes"] = [{"id": id, **({"prior": 0.5} if with_priors else {})} for id in outcomes]
    document["questions"] = []
    for id, kind in kinds.items():
        question = {"id": id, "text": f"{draw(_plain_texts)} ({id})", **_KINDS[kind]}
        question |= draw(_question_parts(kind, outcomes))
        others = [other for other in kinds if other != id]
        if len(others) > 0 and draw(st.booleans()):
            other = draw(_one_of(*others))
            question["ask_if"] = {other: draw(_conditions(kinds[other]))}
        document["questions"].append(question)
    if draw(_one_of(False, False, True)):
        with_shares = draw(st.booleans())
        document["outcomes"][0]["variants"] = [
            {
                "id": id,
                "expected": {id: draw(_expected_shares[kind]) for id, kind in kinds.items()},
                **(
                    {"share": 2, "worth": draw(_one_of(3, 20.5))}
                    if with_shares
                    else {"label": draw(_plain_texts)}
                ),
            }
            for id in ("v1", "v2")
        ]
    if draw(st.booleans()):
        expected = {id: draw(_expectations(kind, outcomes)) for id, kind in kinds.items()}
        document["expected"] = {**expected, "worth": draw(_worths)}
    return document


_good = good_documents()


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """A bank in which up to three values, keys or items have been replaced by anything, or removed."""
    document = copy.deepcopy(draw(_good))
    for _ in range(draw(_counts[3])):
        container: Any = document
        while True:
            keys = list(container) if isinstance(container, dict) else list(range(len(container)))
            if not keys:
                break
            key = draw(_one_of(*keys))
            inside = container[key]
            if isinstance(inside, dict | list) and inside and draw(_counts[4]):
                container = inside
                continue
            change = draw(_changes)
            if change == "replace":
                container[key] = draw(anything)
            else:
                taken = container.pop(key)
                if change == "rename" and isinstance(container, dict):
                    container[draw(_ids)] = taken
            break
    return document


def as_toml(document: dict[str, Any]) -> str:
    """The document as TOML, each top-level value on a line of its own."""
    return "".join(f"{_key(key)} = {_value(value)}\n" for key, value in document.items())


def _key(name: str) -> str:
    return _value(name)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # JSON's escapes are TOML's, but for the delete character, which JSON leaves as it is.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)} = {_value(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_value(part) for part in value) + "]"
    if isinstance(value, float):
        return repr(value)
    return str(value)
