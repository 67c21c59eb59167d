"""Check the questions: their texts, their answers or thresholds, and when they may be asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, cast

from odm_tui.banks.bank import Answer, QuestionType
from odm_tui.banks.checks import fields
from odm_tui.banks.checks.expected import find_threshold
from odm_tui.banks.checks.fields import Table, describe_value
from odm_tui.banks.parsing.findings import Place
from odm_tui.text import clean_text, find_unprintable, one_line, shorten, slug

MAX_TEXT = 1_000
MAX_LABEL = 200
MAX_LONG_TEXT = 10_000
MAX_ANSWERS = 100
ERROR_RATES_END = 0.5
RESERVED_ANSWERS = ("unknown", "skipped")
RESERVED_QUESTIONS = ("worth",)
TYPES = ("yes_no", "choice", "number")
QUESTION_KEYS = (
    "id",
    "text",
    "help",
    "type",
    "answers",
    "unit",
    "range",
    "thresholds",
    "cost",
    "ask_if",
    "always_ask",
    "error_rate",
    "stop",
    "warn",
    "aliases",
)
_ONLY_FOR = {"answers": "choice", "unit": "number", "range": "number", "thresholds": "number"}
_YES_NO = (Answer("no", "No"), Answer("yes", "Yes"))


@dataclass(slots=True)
class QuestionDraft:
    """A question whose own fields are checked, but not yet its references to other questions."""

    place: Place
    table: Table
    id: str | None = None
    text: str = ""
    help: str = ""
    type: QuestionType = "yes_no"
    answers: tuple[Answer, ...] | None = None
    unit: str = ""
    range: tuple[float, float] | None = None
    thresholds: tuple[float, ...] = ()
    always_ask: bool = False
    error_rate: float | None = None
    aliases: tuple[str, ...] = ()
    answer_ids: Sequence[str] | None = field(default=None)


def draft_question(value: object, place: Place) -> QuestionDraft | None:
    """Check the fields of one question; None if it is not a table."""
    table = fields.read_table(value, place)
    if table is None:
        return None
    raw_id = table.get("id")
    if isinstance(raw_id, str) and raw_id:
        place = place.of(f"question {shorten(one_line(raw_id[:200]), 64)!r}")
    named = raw_id if isinstance(raw_id, str) and fields.is_id(raw_id) else "question-id"
    elsewhere = {"expected": f"Write it below [expected], as {named} = {{ … }}."}
    fields.report_unknown_keys(table, QUESTION_KEYS, place, elsewhere)
    draft = QuestionDraft(place, table)
    draft.id = fields.read_id(raw_id, place.at("id"))
    if draft.id in RESERVED_QUESTIONS:
        place.at("id").error(f"{draft.id!r} has another meaning in [expected]; choose another id.")
    ask = 'write what to ask, such as text = "Is the light green?".'
    draft.text = fields.read_text(table, "text", place, most=MAX_TEXT, required=ask, lines=True)
    draft.help = fields.read_text(table, "help", place, most=MAX_LONG_TEXT, lines=True)
    draft.unit = fields.read_text(table, "unit", place, most=40)
    draft.always_ask = fields.read_flag(table, "always_ask", place)
    draft.error_rate = _error_rate(table.get("error_rate"), place.at("error_rate"))
    draft.aliases = fields.read_aliases(table, place)
    draft.type = cast(QuestionType, fields.read_option(table, "type", place, TYPES))
    if "type" in table and table["type"] not in TYPES:
        return draft  # the answers of an unknown type can't be checked
    for key, kind in _ONLY_FOR.items():
        if key in table and draft.type != kind:
            place.at(key).error(
                f'only a {kind} question has this key; write type = "{kind}", or leave it out.'
            )
    if draft.type == "yes_no":
        draft.answers = _YES_NO
    elif draft.type == "choice":
        draft.answers = _choices(table.get("answers"), place.at("answers"))
    else:
        draft.range = _range(table.get("range"), place.at("range"))
        draft.thresholds = _thresholds(table.get("thresholds"), place.at("thresholds"))
        draft.answers = _intervals(draft.thresholds, draft.unit) if draft.thresholds else None
    draft.answer_ids = None if draft.answers is None else [answer.id for answer in draft.answers]
    return draft


def find_answer_places(answer: str, other: QuestionDraft) -> Sequence[int]:
    """Find the places of the answers that a name stands for; ``above_`` a threshold stands for several."""
    if other.type != "number":
        ids = list(other.answer_ids or ())
        return [ids.index(answer)] if answer in ids else ()
    cut = find_threshold(answer, "above_", other.thresholds)
    if cut is not None:
        return range(cut + 1, len(other.thresholds) + 1)
    cut = find_threshold(answer, "at_most_", other.thresholds)
    return () if cut is None else range(cut + 1)


def list_answer_names(question: QuestionDraft) -> list[str]:
    """List the names that the answers of a question have in other fields."""
    if question.type == "number":
        return [f"{side}_{cut:.10g}" for cut in question.thresholds for side in ("at_most", "above")]
    return list(question.answer_ids or ())


def _choices(value: object, place: Place) -> tuple[Answer, ...] | None:
    """Read the answers of a choice: texts, or tables with an id and a label."""
    example = 'such as answers = ["red", "amber"]'
    if not isinstance(value, list):
        problem = "is missing" if value is None else f"must be a list, not {describe_value(value)}"
        place.error(f"{problem}; list the answers of a choice question, {example}.")
        return None
    if not 2 <= len(value) <= MAX_ANSWERS:
        place.error(f"must have 2 to {MAX_ANSWERS} answers, {example}, not {len(value)}.")
        return None
    answers = [_choice(item, place.at(i)) for i, item in enumerate(value)]
    for i, answer in enumerate(answers):
        if answer is not None:
            for id in (answer.id, *answer.aliases):
                fields.refuse_reserved_id(id, RESERVED_ANSWERS, "that there was no answer", place.at(i))
    fields.report_duplicate_ids(
        (id, place.at(i)) for i, a in enumerate(answers) if a is not None for id in (a.id, *a.aliases)
    )
    return tuple(a for a in answers if a) if all(answers) else None


def _choice(value: object, place: Place) -> Answer | None:
    if isinstance(value, dict):
        fields.report_unknown_keys(value, ("id", "label", "stop", "warn", "aliases"), place)
        id = fields.read_id(value.get("id"), place.at("id"))
        label = fields.read_text(value, "label", place, most=MAX_LABEL, default=id or "")
        return Answer(id, label or id, fields.read_aliases(value, place)) if id else None
    if not isinstance(value, str):
        place.error(
            f'must be a text in quotes, or {{ id = "red", label = "Red" }}, not {describe_value(value)}.'
        )
        return None
    if len(value) > MAX_LABEL:
        place.error(f"has {len(value):,} characters; at most {MAX_LABEL} are allowed.")
        return None
    label = one_line(value)
    id = make_answer_id(value)
    if not id:
        place.error(
            f'has no letters or digits for an id; write {{ id = "…", label = {describe_value(value)} }}.'
        )
        return None
    if label != value and not value.isprintable():
        place.note_unshowable(find_unprintable(value))
    return Answer(id, label)


def make_answer_id(text: str) -> str:
    """Return the id of an answer that is written as a text alone: the text itself if it is a valid id.

    >>> make_answer_id("red"), make_answer_id("Very slow")
    ('red', 'very-slow')
    """
    return text if fields.is_id(text) else slug(text)


def _range(value: object, place: Place) -> tuple[float, float] | None:
    if value is None:
        return None
    if (
        isinstance(value, list)
        and len(value) == 2
        and all(fields.is_number(v) for v in value)
        and value[0] < value[1]
    ):
        return float(value[0]), float(value[1])
    place.error(
        f"must be the lowest and the highest number, such as [0, 100], not {_describe_numbers(value)}."
    )
    return None


def _error_rate(value: object, place: Place) -> float | None:
    """Read how often the answer is wrong; half of the time or more would carry no information."""
    if value is None:
        return None
    if fields.is_number(value, 0, ERROR_RATES_END) and value != ERROR_RATES_END:
        return float(cast(float, value))
    place.error(
        f"must be a share from 0 to below {ERROR_RATES_END}, such as 0.05, not {describe_value(value)}."
    )
    return None


def _thresholds(value: object, place: Place) -> tuple[float, ...]:
    example = "such as thresholds = [20, 80]"
    if value is None:
        place.error(f"is missing; a number question needs thresholds, {example}.")
        return ()
    if not isinstance(value, list) or not 1 <= len(value) < MAX_ANSWERS:
        given = f"{len(value)} of them" if isinstance(value, list) else describe_value(value)
        place.error(f"must be a list of 1 to {MAX_ANSWERS - 1} numbers, {example}, not {given}.")
        return ()
    for i, item in enumerate(value):
        if fields.read_number(item, place.at(i), -fields.LARGEST) is None:
            return ()
    if any(low >= high for low, high in pairwise(value)):
        place.error(f"must increase from each to the next, {example}, not {_describe_numbers(value)}.")
        return ()
    # The names of intervals have ten digits of their thresholds; closer ones would share a name.
    if len({f"{cut:.10g}" for cut in value}) < len(value):
        place.error("two thresholds have the same first ten digits; remove one.")
        return ()
    return tuple(float(cut) for cut in value)


def _intervals(thresholds: tuple[float, ...], unit: str) -> tuple[Answer, ...]:
    from odm_tui.engine.problem import Question

    names = Question("number", thresholds=thresholds).answers
    cuts = [f"{cut:.10g}" for cut in thresholds]
    between = [f"{low} to {high}" for low, high in pairwise(cuts)]
    labels = [f"at most {cuts[0]}", *between, f"above {cuts[-1]}"]
    return tuple(
        Answer(id, clean_text(f"{label} {unit}".strip())) for id, label in zip(names, labels, strict=True)
    )


def _describe_numbers(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(describe_value(v) for v in value[:6]) + (", …]" if len(value) > 6 else "]")
    return describe_value(value)
