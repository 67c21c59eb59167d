"""The schema of questions, of the conditions for asking them, and of what is known about their answers."""

from __future__ import annotations

from odm_tui.banks.checks.fields import LARGEST
from odm_tui.banks.checks.questions import (
    ERROR_RATES_END,
    MAX_ANSWERS,
    MAX_LABEL,
    MAX_LONG_TEXT,
    MAX_TEXT,
    TYPES,
)
from odm_tui.banks.schema.values import Schema, make_by_name, make_number, make_table, make_text


def make_question() -> Schema:
    """Return the schema of one question."""
    answer = make_table(
        {
            "id": {"$ref": "#/$defs/id"},
            "label": make_text("The text to show (default: the id).", MAX_LABEL),
            "stop": {"$ref": "#/$defs/stop"},
            "warn": make_text("A warning that stays on the screen after this answer.", MAX_LONG_TEXT),
            "aliases": {"$ref": "#/$defs/aliases"},
        },
        ["id"],
    )
    number: Schema = {"type": "number", "minimum": -LARGEST, "maximum": LARGEST}
    only_for_numbers: Schema = {"properties": {"unit": False, "range": False, "thresholds": False}}
    properties: Schema = {
        "id": {"$ref": "#/$defs/id", "not": {"const": "worth"}},
        "text": make_text("The question to ask.", MAX_TEXT, needed=True),
        "help": make_text("How to find the answer.", MAX_LONG_TEXT),
        "type": {"enum": list(TYPES), "description": 'The kind of answer (default "yes_no").'},
        "answers": {
            "description": "The answers of a choice question.",
            "type": "array",
            "minItems": 2,
            "maxItems": MAX_ANSWERS,
            "items": {"anyOf": [{"type": "string", "minLength": 1, "maxLength": MAX_LABEL}, answer]},
        },
        "unit": make_text('The unit of a number, such as "ms".', 40),
        "range": {
            "description": "The lowest and the highest number allowed.",
            "type": "array",
            "minItems": 2,
            "maxItems": 2,
            "items": number,
        },
        "thresholds": {
            "description": "Increasing numbers that split the answers into intervals.",
            "type": "array",
            "minItems": 1,
            "maxItems": MAX_ANSWERS - 1,
            "uniqueItems": True,
            "items": number,
        },
        "cost": {
            "description": 'The cost: one number, a table by answer, or a table by answer and outcome; "*" means all others.',
            "anyOf": [
                make_number(""),
                make_by_name({"anyOf": [make_number(""), make_by_name(make_number(""))]}),
            ],
        },
        "ask_if": {
            "description": "Ask only after these answers to other questions; all conditions must hold.",
            "$ref": "#/$defs/conditions",
        },
        "always_ask": {
            "type": "boolean",
            "description": "Ask in every interview, before all other questions.",
        },
        "stop": {
            "description": "The answers that end the interview at once, by answer; for a number by above_20 or at_most_20.",
            **make_by_name({"$ref": "#/$defs/stop"}),
        },
        "warn": {
            "description": "Warnings that stay on the screen, by answer; for a number by above_20 or at_most_20.",
            **make_by_name(make_text("The warning.", MAX_LONG_TEXT, needed=True)),
        },
        "error_rate": {
            "type": "number",
            "minimum": 0,
            "exclusiveMaximum": ERROR_RATES_END,
            "description": "How often the answer is wrong (default: estimated from what was learned).",
        },
        "aliases": {"$ref": "#/$defs/aliases"},
    }
    return {
        **make_table(properties, required=["id", "text"]),
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


def make_expected() -> Schema:
    """Return the schema of ``[expected]``."""
    probability = {"$ref": "#/$defs/probability"}
    worth: Schema = {"type": "number", "exclusiveMinimum": 0, "maximum": LARGEST}
    return {
        "description": "What is known before any interview: P(answer | outcome), by question and outcome.",
        "type": "object",
        "properties": {
            "worth": {
                "description": "How many observations this knowledge is worth (default 8).",
                "anyOf": [worth, make_by_name({"anyOf": [worth, make_by_name(worth)]})],
            }
        },
        "additionalProperties": {
            "anyOf": [probability, make_by_name({"anyOf": [probability, make_by_name(probability)]})]
        },
    }


def make_conditions() -> Schema:
    """Conditions on other questions; ``any`` and ``not`` take conditions again."""
    nested: Schema = {"$ref": "#/$defs/conditions"}
    number: Schema = {"type": "number", "minimum": -LARGEST, "maximum": LARGEST}
    compared = {**make_table({"above": number, "at_most": number}, []), "minProperties": 1}
    answers: list[Schema] = [
        {"type": "string"},
        {"type": "array", "minItems": 1, "items": {"type": "string"}},
        compared,
    ]
    return {
        "type": "object",
        "properties": {
            "any": {
                "description": "One of these must hold.",
                "anyOf": [*answers, {"type": "array", "minItems": 1, "items": nested}],
            },
            "not": {"description": "This must not hold.", "anyOf": [*answers, nested]},
        },
        "additionalProperties": {"anyOf": answers},
    }
