"""The schema of outcomes and their variants."""

from __future__ import annotations

from odm_tui.banks.checks.fields import LARGEST
from odm_tui.banks.checks.questions import MAX_LABEL, MAX_LONG_TEXT
from odm_tui.banks.checks.variants import MOST_VARIANTS
from odm_tui.banks.schema.values import Schema, make_by_name, make_number, make_table, make_text


def make_outcome() -> Schema:
    """Return the schema of one outcome."""
    return make_table(
        {
            "id": {"$ref": "#/$defs/id"},
            "label": make_text("The text to show (default: the id).", MAX_LABEL),
            "advice": make_text("What to do if this is the outcome; shown at the end.", MAX_LONG_TEXT),
            "prior": make_number(
                "How likely the outcome is before any answer; give it for all outcomes or for none."
            ),
            "aliases": {"$ref": "#/$defs/aliases"},
            "variants": {
                "description": "The forms that the outcome takes, with different answers each.",
                "type": "array",
                "minItems": 2,
                "maxItems": MOST_VARIANTS,
                "items": _make_variant(),
            },
        },
        required=["id"],
    )


def _make_variant() -> Schema:
    probability = {"$ref": "#/$defs/probability"}
    return make_table(
        {
            "id": {"$ref": "#/$defs/id"},
            "label": make_text("The text to show (default: the id).", MAX_LABEL),
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
                "additionalProperties": {"anyOf": [probability, make_by_name(probability)]},
            },
        },
        required=["id", "expected"],
    )
