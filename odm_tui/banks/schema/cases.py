"""The schema of past cases."""

from __future__ import annotations

from odm_tui.banks.schema.values import Schema, make_by_name, make_table, make_text


def make_cases() -> Schema:
    """Return the schema of ``[cases]``."""
    count: Schema = {"type": "integer", "minimum": 0}
    positive: Schema = {"type": "number", "exclusiveMinimum": 0}
    text: Schema = {"type": "string"}
    return {
        "description": "Past cases, counted like interviews; `odm-tui import` writes them.",
        **make_table(
            {
                "file": make_text("The file that the cases came from.", 1_000),
                "outcome": {**text, "description": "The column of the data with the outcome."},
                "missing": {
                    "type": "array",
                    "items": text,
                    "description": "Cells that mean a missing answer, beside an empty one and ?.",
                },
                "rows": {
                    **make_by_name(count),
                    "minProperties": 1,
                    "description": "The cases of each outcome.",
                },
                "outcome_values": {**make_by_name(text), "description": "The cells that mean an outcome."},
                "columns": {**make_by_name(text), "description": "The columns that are questions."},
                "values": {
                    **make_by_name(make_by_name(text)),
                    "description": "The cells that mean an answer.",
                },
                "answers": {
                    **make_by_name(make_by_name({"type": "array", "items": count})),
                    "description": "How often each answer was given: one count per outcome, in the order of rows.",
                },
                "variants": {
                    "description": "Hidden variants of the outcomes that were fitted to the cases.",
                    **make_table(
                        {
                            "shares": {
                                **make_by_name(
                                    {"type": "array", "items": positive, "minItems": 1, "maxItems": 16}
                                ),
                                "minProperties": 1,
                                "description": "The share of each variant of an outcome.",
                            },
                            "answers": {
                                **make_by_name(make_by_name({"type": "array", "items": positive})),
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
