"""The format of a bank as a JSON Schema, for editors and other programs.

The schema says what each value may look like. What only the whole bank can tell (that a name in
``ask_if`` is a question, that probabilities sum to 1) is left to ``odm-tui check``.
"""

from __future__ import annotations

from typing import Any

from odm_tui.banks.checks.document import (
    FORMAT,
    LEARNING,
    MAX_OUTCOME_WORTH,
    MAX_QUESTIONS,
    SHORTEST_HALF_LIFE,
)
from odm_tui.banks.checks.fields import ID_PATTERN, LARGEST
from odm_tui.banks.checks.outcomes import MAX_OUTCOMES
from odm_tui.banks.checks.questions import (
    ERROR_RATES_END,
    MAX_ANSWERS,
    MAX_LABEL,
    MAX_LONG_TEXT,
    MAX_TEXT,
    TYPES,
)

Schema = dict[str, Any]


def bank_schema() -> Schema:
    """The JSON Schema (draft 2020-12) of a question bank."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "odm-tui question bank",
        "description": "What can be asked, what can come out of it, and what asking costs.",
        **_table(
            {
                "format": {"const": FORMAT, "description": "The version of this format."},
                "title": _text("The name that is shown.", MAX_LABEL, needed=True),
                "description": _text("What the bank is for, and for whom.", MAX_LONG_TEXT),
                "language": _text('The language of the texts, such as "en".', 35),
                "cost_unit": _text('What costs are counted in, such as "seconds" (default "points").', 40),
                "default_cost": _number("What a question costs where nothing else is said (default 1)."),
                "stakes": _number(
                    "What a wrong outcome costs, in the same unit (default: derived from the questions' costs)."
                ),
                "notice": _text("A sentence that is always shown with the bank.", MAX_LONG_TEXT),
                "outcome_prior": {
                    "enum": ["fixed", "learned"],
                    "description": "Whether the priors stay as written, or are learned from confirmed outcomes.",
                },
                "outcome_prior_worth": _number(
                    "How many interviews the priors are worth when they are learned (default 10).",
                    high=MAX_OUTCOME_WORTH,
                ),
                "learning": {
                    "enum": list(LEARNING),
                    "description": "Whether pairs of question and outcome that are not in [expected] start from what "
                    "all outcomes have taught about the question (default), or each from nothing.",
                },
                "half_life_days": {
                    "type": "number",
                    "minimum": SHORTEST_HALF_LIFE,
                    "maximum": LARGEST,
                    "description": "After how many days an interview counts half as much as a new one "
                    "(default: all count alike).",
                },
                "policy": _policy(),
                "outcomes": {
                    "type": "array",
                    "minItems": 2,
                    "maxItems": MAX_OUTCOMES,
                    "items": {"$ref": "#/$defs/outcome"},
                },
                "questions": {
                    "type": "array",
                    "minItems": 1,
                    "maxItems": MAX_QUESTIONS,
                    "items": {"$ref": "#/$defs/question"},
                },
                "expected": {"$ref": "#/$defs/expected"},
            },
            required=["format", "title", "outcomes", "questions"],
        ),
        "$defs": {
            "id": {
                "type": "string",
                "pattern": ID_PATTERN,
                "description": "A short name for files and logs; it should never change.",
            },
            "aliases": {
                "description": "Old ids of the same thing.",
                "anyOf": [{"$ref": "#/$defs/id"}, {"type": "array", "items": {"$ref": "#/$defs/id"}}],
            },
            "probability": {"type": "number", "minimum": 0, "maximum": 1},
            "outcome": _outcome(),
            "question": _question(),
            "expected": _expected(),
        },
    }


def _outcome() -> Schema:
    return _table(
        {
            "id": {"$ref": "#/$defs/id"},
            "label": _text("What is shown (default: the id).", MAX_LABEL),
            "advice": _text("What to do when this is the outcome; shown at the end.", MAX_LONG_TEXT),
            "prior": _number("How likely it is beforehand; for all outcomes or for none."),
            "aliases": {"$ref": "#/$defs/aliases"},
        },
        required=["id"],
    )


def _question() -> Schema:
    answer = _table({"id": {"$ref": "#/$defs/id"}, "label": _text("What is shown.", MAX_LABEL)}, ["id"])
    number: Schema = {"type": "number", "minimum": -LARGEST, "maximum": LARGEST}
    only_for_numbers: Schema = {"properties": {"unit": False, "range": False, "thresholds": False}}
    properties: Schema = {
        "id": {"$ref": "#/$defs/id", "not": {"const": "worth"}},
        "text": _text("What to ask.", MAX_TEXT, needed=True),
        "help": _text("How to find the answer.", MAX_LONG_TEXT),
        "type": {"enum": list(TYPES), "description": 'What kind of answer it takes (default "yes_no").'},
        "answers": {
            "description": "The answers of a choice.",
            "type": "array",
            "minItems": 2,
            "maxItems": MAX_ANSWERS,
            "items": {"anyOf": [{"type": "string", "minLength": 1, "maxLength": MAX_LABEL}, answer]},
        },
        "unit": _text('The unit of a number, such as "ms".', 40),
        "range": {
            "description": "The lowest and the highest number.",
            "type": "array",
            "minItems": 2,
            "maxItems": 2,
            "items": number,
        },
        "thresholds": {
            "description": "The numbers, increasing, that an answer is compared with.",
            "type": "array",
            "minItems": 1,
            "maxItems": MAX_ANSWERS - 1,
            "uniqueItems": True,
            "items": number,
        },
        "cost": {
            "description": 'One number, by answer, or by answer and outcome; "*" is all the rest.',
            "anyOf": [_number(""), _by_name({"anyOf": [_number(""), _by_name(_number(""))]})],
        },
        "ask_if": {
            "description": "Ask only after these answers to other questions; all must hold.",
            **_by_name(
                {
                    "anyOf": [
                        {"type": "string"},
                        {"type": "array", "minItems": 1, "items": {"type": "string"}},
                    ]
                }
            ),
        },
        "always_ask": {"type": "boolean", "description": "Ask it in every interview, before all others."},
        "error_rate": {
            "type": "number",
            "minimum": 0,
            "exclusiveMaximum": ERROR_RATES_END,
            "description": "How often its answer is wrong (default: judged from what was learned).",
        },
        "aliases": {"$ref": "#/$defs/aliases"},
    }
    return {
        **_table(properties, required=["id", "text"]),
        "oneOf": [
            {"properties": {"type": {"const": "yes_no"}, "answers": False}, "allOf": [only_for_numbers]},
            {
                "properties": {"type": {"const": "choice"}},
                "required": ["type", "answers"],
                "allOf": [only_for_numbers],
            },
            {
                "properties": {"type": {"const": "number"}, "answers": False},
                "required": ["type", "thresholds"],
            },
        ],
    }


def _expected() -> Schema:
    probability = {"$ref": "#/$defs/probability"}
    worth: Schema = {"type": "number", "exclusiveMinimum": 0, "maximum": LARGEST}
    return {
        "description": "What is known beforehand: P(answer | outcome), by question and outcome.",
        "type": "object",
        "properties": {
            "worth": {
                "description": "How many observations this knowledge is worth (default 8).",
                "anyOf": [worth, _by_name({"anyOf": [worth, _by_name(worth)]})],
            }
        },
        "additionalProperties": {
            "anyOf": [probability, _by_name({"anyOf": [probability, _by_name(probability)]})]
        },
    }


def _policy() -> Schema:
    return {
        "description": "How questions are chosen and when asking stops.",
        "anyOf": [
            {"type": "string"},
            _table(
                {
                    "oracle": {"type": "string"},
                    "exploration": {"type": "string"},
                    "stop": {"type": ["string", "object"]},
                    "hypotheses": {"type": "number", "minimum": 1},
                    "eta": {"type": "number", "minimum": 0, "exclusiveMaximum": 1},
                    "epsilon": {"type": "number"},
                    "contested": {"enum": ["likeliest", "apart"]},
                    "milliseconds": {"type": "number", "exclusiveMinimum": 0, "maximum": 60_000},
                },
                required=[],
            ),
        ],
    }


def _table(properties: Schema, required: list[str]) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _by_name(values: Schema) -> Schema:
    return {"type": "object", "additionalProperties": values}


def _text(description: str, most: int, needed: bool = False) -> Schema:
    schema: Schema = {"type": "string", "maxLength": most, "description": description}
    return {**schema, "minLength": 1} if needed else schema


def _number(description: str, high: float = LARGEST) -> Schema:
    schema: Schema = {"type": "number", "minimum": 0, "maximum": high}
    return {**schema, "description": description} if description else schema
