"""The JSON Schema of the bank format, for editors and other programs.

The schema describes each value alone. Rules that need the whole bank (a name in ``ask_if`` is a question,
probabilities sum to 1) are checked by ``odm-tui check`` only.
"""

from __future__ import annotations

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
    MAX_LABEL,
    MAX_LONG_TEXT,
)
from odm_tui.banks.checks.variants import MOST_VARIANTS
from odm_tui.banks.schema.cases import make_cases
from odm_tui.banks.schema.outcomes import make_outcome
from odm_tui.banks.schema.questions import make_conditions, make_expected, make_question
from odm_tui.banks.schema.values import Schema, make_by_name, make_number, make_table, make_text

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
        **make_table(
            {
                "format": {"const": FORMAT, "description": "The version of this format."},
                "title": make_text("The name to show.", MAX_LABEL, needed=True),
                "description": make_text("What the bank is for, and for whom.", MAX_LONG_TEXT),
                "language": make_text('The language of the texts, such as "en".', 35),
                "cost_unit": make_text(
                    'What costs are counted in, such as "seconds" (default "points").', 40
                ),
                "default_cost": make_number(
                    "The cost of a question that has no cost of its own (default 1)."
                ),
                "stakes": _make_stakes(),
                "notice": make_text("A sentence to show with the bank at all times.", MAX_LONG_TEXT),
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
                "outcome_prior_worth": make_number(
                    "How many interviews the priors are worth when they are learned (default 10).",
                    high=MAX_OUTCOME_WORTH,
                ),
                "learning": {
                    "enum": list(LEARNING),
                    "description": "Whether a pair of question and outcome that is not in [expected] starts from what "
                    "was learned about all questions and outcomes (shared, the default), about the question with "
                    "all outcomes (pooled), or from nothing (separate).",
                },
                "half_life_days": {
                    "type": "number",
                    "minimum": SHORTEST_HALF_LIFE,
                    "maximum": LARGEST,
                    "description": "After how many days an interview counts half as much as a new one "
                    "(default: all count the same).",
                },
                "horizon": make_number(
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
                "policy": _make_policy(),
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
                "cases": make_cases(),
                "id": {
                    "$ref": "#/$defs/id",
                    "description": "The bank's own id, under which its interviews are kept (default: its file name).",
                },
                "version": make_text("Your name for this state of the bank; it is logged.", MAX_VERSION),
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
            "conditions": make_conditions(),
            "probability": {"type": "number", "minimum": 0, "maximum": 1},
            "stop": {
                "description": "End the interview at once: with this outcome, or with a label and an advice of its own.",
                "anyOf": [
                    {"$ref": "#/$defs/id"},
                    make_table(
                        {
                            "outcome": {"$ref": "#/$defs/id"},
                            "label": make_text("What it is.", MAX_LABEL, needed=True),
                            "advice": make_text("What to do at once.", MAX_LONG_TEXT, needed=True),
                        },
                        required=["label", "advice"],
                    ),
                ],
            },
            "refer": _make_refer(),
            "outcome": make_outcome(),
            "question": make_question(),
            "expected": make_expected(),
        },
    }


def _make_stakes() -> Schema:
    by_outcome = make_by_name({"anyOf": [make_number(""), make_by_name(make_number(""))]})
    return {
        "description": "What a wrong outcome costs, in the same unit (default: derived from the questions' costs).",
        "anyOf": [
            make_number(""),
            make_table(
                {
                    "default": make_number("What a wrong outcome costs that the other keys do not name."),
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


def _make_refer() -> Schema:
    return {
        "description": "Somebody who can take over, such as the second line.",
        **make_table(
            {
                "cost": make_number("What handing over costs, in the unit of the stakes."),
                "label": make_text('The text to show (default "Hand over").', MAX_LABEL),
                "advice": make_text("What to do then; shown at the end.", MAX_LONG_TEXT),
            },
            required=["cost"],
        ),
    }


def _make_policy() -> Schema:
    return {
        "description": "How to choose questions and when to stop.",
        "anyOf": [
            {"type": "string"},
            make_table(
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
