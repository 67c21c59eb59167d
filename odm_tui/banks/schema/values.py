"""The schema of single values: tables, texts and numbers."""

from __future__ import annotations

from typing import Any

from odm_tui.banks.checks.fields import LARGEST

Schema = dict[str, Any]


def make_table(properties: Schema, required: list[str]) -> Schema:
    """Return the schema of a table with these keys and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def make_by_name(values: Schema) -> Schema:
    """Return the schema of a table whose keys are names: ids, columns or answers."""
    return {"type": "object", "additionalProperties": values}


def make_text(description: str, most: int, needed: bool = False) -> Schema:
    """Return the schema of a text."""
    schema: Schema = {"type": "string", "maxLength": most, "description": description}
    return {**schema, "minLength": 1} if needed else schema


def make_number(description: str, high: float = LARGEST) -> Schema:
    """Return the schema of a number, 0 or more."""
    schema: Schema = {"type": "number", "minimum": 0, "maximum": high}
    return {**schema, "description": description} if description else schema
