"""The JSON Schema of the bank format, for editors and other programs.

The schema describes each value alone. Rules that need the whole bank (a name in ``ask_if`` is a question,
probabilities sum to 1) are checked by ``odm-tui check`` only.
"""

from __future__ import annotations

from typing import Any

from odm_tui.banks.checks.document import (
    CASES,
    EXPLORE,
    FORMAT,
    LEARNING,
    MAX_OUTCOME_WORTH,
    MAX_QUESTIONS,
    MAX_VERSION,
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
from odm_tui.banks.checks.variants import MOST_VARIANTS

Schema = dict[str, Any]

SCHEMA_ID = "https://odm-tui.github.io/schemas/bank-1.json"
"""The name of the schema, for good: it identifies the format, also where nothing is served under it."""
SCHEMA_FILE = "bank.schema.json"
SCHEMA_LINE = f"#:schema ./{SCHEMA_FILE}"
"""The first line of a new bank; editors (taplo, Even Better TOML) find the schema by it."""


def bank_schema() -> Schema:
    """Return the JSON Schema (draft 2020-12) of a question bank."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        "title": "odm-tui question bank",
        "description": "The questions, the possible outcomes, and the costs.",
        **_table(
            {
                "format": {"const": FORMAT, "description": "The version of this format."},
                "title": _text("The name to show.", MAX_LABEL, needed=True),
                "description": _text("What the bank is for, and for whom.", MAX_LONG_TEXT),
                "language": _text('The language of the texts, such as "en".', 35),
                "cost_unit": _text('What costs are counted in, such as "seconds" (default "points").', 40),
                "default_cost": _number("The cost of a question that has no cost of its own (default 1)."),
                "stakes": _stakes(),
                "notice": _text("A sentence to show with the bank at all times.", MAX_LONG_TEXT),
                "case": {
                    "enum": list(CASES),
                    "description": "Whether every interview needs a case reference, such as a ticket number.",
                },
                "explore": {
                    "enum": list(EXPLORE),
                    "description": "When a question may be asked in order to learn: always (the default), not while one "
                    "outcome leads clearly (quiet), or never.",
                },
                "sure_enough": {
                    "type": "number",
                    "minimum": 0,
                    "maximum": 1,
                    "description": "A decision with a lower belief is a guess, which one key does not confirm (default 0.5).",
                },
                "outcome_prior": {
                    "enum": ["fixed", "learned"],
                    "description": "Whether the priors stay as written (default), or are learned from confirmed outcomes.",
                },
                "outcome_prior_worth": _number(
                    "How many interviews the priors are worth when they are learned (default 10).",
                    high=MAX_OUTCOME_WORTH,
                ),
                "learning": {
                    "enum": list(LEARNING),
                    "description": "Whether a pair of question and outcome that is not in [expected] starts from what "
                    "was learned about the question with all outcomes (pooled, the default), or from nothing.",
                },
                "half_life_days": {
                    "type": "number",
                    "minimum": SHORTEST_HALF_LIFE,
                    "maximum": LARGEST,
                    "description": "After how many days an interview counts half as much as a new one "
                    "(default: all count the same).",
                },
                "horizon": _number(
                    "About how many interviews will follow; the more, the more is asked in order to learn (default 40)."
                ),
                "target_cost": {
                    "type": "number",
                    "exclusiveMinimum": 0,
                    "maximum": LARGEST,
                    "description": "What an interview should cost on average. The stakes start as written and then follow "
                    "from what interviews cost (default: the stakes stay as they are).",
                },
                "variants": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MOST_VARIANTS,
                    "description": "How many hidden variants an outcome may have at most; 1 switches them off "
                    f"(default {MOST_VARIANTS}).",
                },
                "policy": _policy(),
                "refer": {"$ref": "#/$defs/refer"},
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
                "cases": _cases(),
                "id": {
                    "$ref": "#/$defs/id",
                    "description": "The bank's own id, under which its interviews are kept (default: its file name).",
                },
                "version": _text("Your name for this state of the bank; it is logged.", MAX_VERSION),
            },
            required=["format", "title", "outcomes", "questions"],
        ),
        "$defs": {
            "id": {
                "type": "string",
                "pattern": ID_PATTERN,
                "description": "A short name for files and logs. Do not change it later, or add the old one to the aliases.",
            },
            "aliases": {
                "description": "Old ids of this question, answer or outcome.",
                "anyOf": [{"$ref": "#/$defs/id"}, {"type": "array", "items": {"$ref": "#/$defs/id"}}],
            },
            "conditions": _conditions(),
            "probability": {"type": "number", "minimum": 0, "maximum": 1},
            "stop": {
                "description": "End the interview at once: with this outcome, or with a label and an advice of its own.",
                "anyOf": [
                    {"$ref": "#/$defs/id"},
                    _table(
                        {
                            "outcome": {"$ref": "#/$defs/id"},
                            "label": _text("What it is.", MAX_LABEL, needed=True),
                            "advice": _text("What to do at once.", MAX_LONG_TEXT, needed=True),
                        },
                        required=["label", "advice"],
                    ),
                ],
            },
            "refer": _refer(),
            "outcome": _outcome(),
            "question": _question(),
            "expected": _expected(),
        },
    }


def _stakes() -> Schema:
    by_outcome = _by_name({"anyOf": [_number(""), _by_name(_number(""))]})
    return {
        "description": "What a wrong outcome costs, in the same unit (default: derived from the questions' costs).",
        "anyOf": [
            _number(""),
            _table(
                {
                    "default": _number("What a wrong outcome costs that the other keys do not name."),
                    "missed": {
                        **by_outcome,
                        "description": "What it costs if this outcome is true and another one was decided.",
                    },
                    "false": {
                        **by_outcome,
                        "description": "What it costs if this outcome was decided and another one is true.",
                    },
                },
                required=[],
            ),
        ],
    }


def _refer() -> Schema:
    return {
        "description": "Somebody who can take over, such as the second line.",
        **_table(
            {
                "cost": _number("What handing over costs, in the unit of the stakes."),
                "label": _text('The text to show (default "Hand over").', MAX_LABEL),
                "advice": _text("What to do then; shown at the end.", MAX_LONG_TEXT),
            },
            required=["cost"],
        ),
    }


def _outcome() -> Schema:
    return _table(
        {
            "id": {"$ref": "#/$defs/id"},
            "label": _text("The text to show (default: the id).", MAX_LABEL),
            "advice": _text("What to do if this is the outcome; shown at the end.", MAX_LONG_TEXT),
            "prior": _number(
                "How likely the outcome is before any answer; give it for all outcomes or for none."
            ),
            "aliases": {"$ref": "#/$defs/aliases"},
            "variants": {
                "description": "The forms that the outcome takes, with different answers each.",
                "type": "array",
                "minItems": 2,
                "maxItems": MOST_VARIANTS,
                "items": _variant(),
            },
        },
        required=["id"],
    )


def _variant() -> Schema:
    probability = {"$ref": "#/$defs/probability"}
    return _table(
        {
            "id": {"$ref": "#/$defs/id"},
            "label": _text("The text to show (default: the id).", MAX_LABEL),
            "share": {
                "type": "number",
                "exclusiveMinimum": 0,
                "maximum": LARGEST,
                "description": "How often the outcome takes this form; give it for all variants of the outcome or for none.",
            },
            "worth": {
                "type": "number",
                "exclusiveMinimum": 0,
                "maximum": LARGEST,
                "description": "How many observations this knowledge is worth (default: the worth in [expected], or 8).",
            },
            "expected": {
                "description": "P(answer | variant) by question; the other questions are as the outcome's.",
                "type": "object",
                "minProperties": 1,
                "additionalProperties": {"anyOf": [probability, _by_name(probability)]},
            },
        },
        required=["id", "expected"],
    )


def _question() -> Schema:
    answer = _table(
        {
            "id": {"$ref": "#/$defs/id"},
            "label": _text("The text to show (default: the id).", MAX_LABEL),
            "stop": {"$ref": "#/$defs/stop"},
            "warn": _text("A warning that stays on the screen after this answer.", MAX_LONG_TEXT),
            "aliases": {"$ref": "#/$defs/aliases"},
        },
        ["id"],
    )
    number: Schema = {"type": "number", "minimum": -LARGEST, "maximum": LARGEST}
    only_for_numbers: Schema = {"properties": {"unit": False, "range": False, "thresholds": False}}
    properties: Schema = {
        "id": {"$ref": "#/$defs/id", "not": {"const": "worth"}},
        "text": _text("The question to ask.", MAX_TEXT, needed=True),
        "help": _text("How to find the answer.", MAX_LONG_TEXT),
        "type": {"enum": list(TYPES), "description": 'The kind of answer (default "yes_no").'},
        "answers": {
            "description": "The answers of a choice question.",
            "type": "array",
            "minItems": 2,
            "maxItems": MAX_ANSWERS,
            "items": {"anyOf": [{"type": "string", "minLength": 1, "maxLength": MAX_LABEL}, answer]},
        },
        "unit": _text('The unit of a number, such as "ms".', 40),
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
            "anyOf": [_number(""), _by_name({"anyOf": [_number(""), _by_name(_number(""))]})],
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
            **_by_name({"$ref": "#/$defs/stop"}),
        },
        "warn": {
            "description": "Warnings that stay on the screen, by answer; for a number by above_20 or at_most_20.",
            **_by_name(_text("The warning.", MAX_LONG_TEXT, needed=True)),
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
        "description": "What is known before any interview: P(answer | outcome), by question and outcome.",
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


def _conditions() -> Schema:
    """Conditions on other questions; ``any`` and ``not`` take conditions again."""
    nested: Schema = {"$ref": "#/$defs/conditions"}
    number: Schema = {"type": "number", "minimum": -LARGEST, "maximum": LARGEST}
    compared = {**_table({"above": number, "at_most": number}, []), "minProperties": 1}
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


def _cases() -> Schema:
    count: Schema = {"type": "integer", "minimum": 0}
    positive: Schema = {"type": "number", "exclusiveMinimum": 0}
    text: Schema = {"type": "string"}
    return {
        "description": "Past cases, counted like interviews; `odm-tui import` writes them.",
        **_table(
            {
                "file": _text("The file that the cases came from.", 1_000),
                "outcome": {**text, "description": "The column of the data with the outcome."},
                "missing": {
                    "type": "array",
                    "items": text,
                    "description": "Cells that mean a missing answer, beside an empty one and ?.",
                },
                "rows": {**_by_name(count), "minProperties": 1, "description": "The cases of each outcome."},
                "outcome_values": {**_by_name(text), "description": "The cells that mean an outcome."},
                "columns": {**_by_name(text), "description": "The columns that are questions."},
                "values": {**_by_name(_by_name(text)), "description": "The cells that mean an answer."},
                "answers": {
                    **_by_name(_by_name({"type": "array", "items": count})),
                    "description": "How often each answer was given: one count per outcome, in the order of rows.",
                },
                "variants": {
                    "description": "Hidden variants of the outcomes that were fitted to the cases.",
                    **_table(
                        {
                            "shares": {
                                **_by_name(
                                    {"type": "array", "items": positive, "minItems": 1, "maxItems": 16}
                                ),
                                "minProperties": 1,
                                "description": "The share of each variant of an outcome.",
                            },
                            "answers": {
                                **_by_name(_by_name({"type": "array", "items": positive})),
                                "description": "Beta or Dirichlet parameters: one per variant, in the order of shares.",
                            },
                        },
                        required=["shares"],
                    ),
                },
            },
            required=["rows"],
        ),
    }


def _policy() -> Schema:
    return {
        "description": "How to choose questions and when to stop.",
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
                    "explore": {"enum": list(EXPLORE)},
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
