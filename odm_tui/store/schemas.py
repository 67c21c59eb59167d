"""JSON Schemas of the state file and of a line of the log, for programs that read them."""

from __future__ import annotations

from typing import Any

from odm_tui.store.events import EVENTS
from odm_tui.store.log_codec import LARGEST_AMOUNT, LARGEST_COUNT, REQUIRED_FIELDS

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_CRC = {"type": "string", "pattern": "^[0-9a-f]{8}$", "description": "CRC-32 of all bytes before ',\"crc\"'."}
_PREVIOUS = {
    "type": "string",
    "pattern": "^[0-9a-f]{16}$",
    "description": "A digest of the line before this one: BLAKE2b with 8 bytes.",
}
_TEXT = {"type": "string", "minLength": 1}
_MAYBE_TEXT = {"type": ["string", "null"], "minLength": 1}
_AMOUNT = {"type": "number", "minimum": 0, "maximum": LARGEST_AMOUNT}
_COUNT = {"type": "integer", "minimum": 1, "maximum": LARGEST_COUNT}
_FIELDS: dict[str, dict[str, Any]] = {
    "n": {**_COUNT, "description": "The event's number in its interview."},
    "time": {"type": "string", "format": "date-time", "description": "RFC 3339, UTC, microseconds."},
    "confirmed": {
        "type": "string",
        "format": "date-time",
        "description": "The right time of the confirmation.",
    },
    "after": {
        "type": "string",
        "pattern": "^[0-9a-f]{12}$",
        "description": "The identity of the event before it in the same interview.",
    },
    "bank": _TEXT,
    "bank_hash": _TEXT,
    "policy": {"type": ["string", "object"]},
    "seed": {"type": "integer", "minimum": 0},
    "operator": {**_MAYBE_TEXT, "description": "A pseudonym."},
    "scripted": {"type": "boolean", "description": "Whether a program gave the answers."},
    "version": {"type": "string", "description": "The author's name for the state of the bank."},
    "target_cost": {
        "type": "number",
        "exclusiveMinimum": 0,
        "description": "What an interview should cost on average.",
    },
    "stakes_factor": {
        "type": "number",
        "exclusiveMinimum": 0,
        "description": "By what the target has multiplied the stakes.",
    },
    "variants": {
        **_COUNT,
        "description": "How many interviews the variants that it began with were fitted to; only if outcomes had variants.",
    },
    "folder": {
        "type": "string",
        "pattern": "^[0-9a-f]{16}$",
        "description": "The name of the state folder in a team's store.",
    },
    "knew": {
        "type": "integer",
        "minimum": 1,
        "description": "The head of the team's store up to which the folder had everything.",
    },
    "case": {**_MAYBE_TEXT, "description": "A case reference; null if it was removed."},
    "note": {**_MAYBE_TEXT, "description": "A note; null if it was removed."},
    "question": _TEXT,
    "proposed": {
        **_MAYBE_TEXT,
        "description": "The policy's choice, if the operator picked another question.",
    },
    "answer": {
        "type": ["string", "number", "null"],
        "description": "yes, no, a choice's id, or the number typed.",
    },
    "cost": _AMOUNT,
    "seconds": _AMOUNT,
    "steps": _COUNT,
    "step": {"type": "integer", "minimum": 0},
    "dropped": {"type": "array", "items": _TEXT},
    "against": {
        "type": "array",
        "items": _TEXT,
        "description": "The identities of the last events of the branches that do not count.",
    },
    "questions": {"type": "array", "items": _TEXT},
    "outcome": {**_MAYBE_TEXT, "description": "An outcome's id; null for none of the bank's outcomes."},
    "belief": {"type": "number", "minimum": 0, "maximum": 1},
    "target": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
    "reason": _TEXT,
    "rule": _TEXT,
}


def log_schema() -> dict[str, Any]:
    """Return the schema of one line of a log."""
    return {
        "$schema": _DRAFT,
        "title": "One line of an odm-tui log",
        "description": "A log is JSON Lines: one such object per line; a line is complete only with its newline.",
        "oneOf": [_event_schema(name) for name in EVENTS],
    }


def _event_schema(name: str) -> dict[str, Any]:
    fields = REQUIRED_FIELDS[name]
    properties: dict[str, Any] = {
        "seq": {**_COUNT, "description": "The line's number in the log."},
        "event": {"const": name},
        "interview": {"type": "string", "pattern": "^[0-9a-z][0-9a-z-]{3,63}$"},
        **{field: _FIELDS[field] for field in fields},
        "prev": _PREVIOUS,
        "crc": _CRC,
    }
    required = ["seq", "event", "interview", *(field for field, needed in fields.items() if needed), "crc"]
    return {
        "title": name,
        "description": (EVENTS[name].__doc__ or "").splitlines()[0],
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def state_schema() -> dict[str, Any]:
    """Return the schema of a state file."""
    beta = {
        "type": "object",
        "properties": {"alpha": _AMOUNT, "beta": _AMOUNT},
        "required": ["alpha", "beta"],
    }
    counts = {
        "type": "object",
        "properties": {"counts": {"type": "object", "additionalProperties": _AMOUNT}},
        "required": ["counts"],
    }
    return {
        "$schema": _DRAFT,
        "title": "An odm-tui state file",
        "description": "The counts of the log by id; only what differs from the bank's prior.",
        "type": "object",
        "properties": {
            "format": {"const": 1},
            "bank": _TEXT,
            "bank_hash": _TEXT,
            "interviews": {"type": "integer", "minimum": 0},
            "outcomes": {
                "type": "object",
                "description": "How many interviews had each outcome.",
                "additionalProperties": _AMOUNT,
            },
            "posteriors": {
                "type": "object",
                "description": "By question id, or '<question id>>37.5' for a threshold; then by outcome id.",
                "additionalProperties": {
                    "type": "object",
                    "additionalProperties": {
                        "oneOf": [
                            {**beta, "additionalProperties": False},
                            {**counts, "additionalProperties": False},
                        ]
                    },
                },
            },
            "unknown": {
                "type": "object",
                "description": "How often the answer to each question was not known; only questions with such answers.",
                "additionalProperties": _AMOUNT,
            },
            "decisions": _said_schema(),
            "target": _target_schema(),
            "drift": _drift_schema(),
            "variants": _variants_schema(),
            "crc": {**_CRC, "description": "CRC-32 of all bytes before the comma in front of this key."},
        },
        "required": [
            "format",
            "bank",
            "bank_hash",
            "interviews",
            "outcomes",
            "posteriors",
            "decisions",
            "crc",
        ],
        "additionalProperties": False,
    }


def _target_schema() -> dict[str, Any]:
    """Return the schema of how far interviews with a target for their cost have moved the stakes."""
    return {
        "type": "object",
        "description": "How many interviews had a target for their cost, and how far they moved the stakes, in millionths.",
        "properties": {"interviews": _COUNT, "moved": {"type": "integer"}},
        "required": ["interviews", "moved"],
        "additionalProperties": False,
    }


def _said_schema() -> dict[str, Any]:
    """Return the schema of the decisions by how sure they were."""
    count = {"type": "integer", "minimum": 0}
    row = {"right": count, "wrong": count}
    return {
        "type": "object",
        "description": "How many decisions were right and wrong, by the logit of what was said, in steps of a quarter.",
        "propertyNames": {"pattern": r"^-?[0-9]+(\.(25|5|75))?$"},
        "additionalProperties": {
            "type": "object",
            "properties": row,
            "required": list(row),
            "additionalProperties": False,
        },
    }


def _variants_schema() -> dict[str, Any]:
    """Return the schema of the hidden variants of outcomes."""
    numbers = {"type": "array", "items": {"type": "number", "minimum": 0}, "minItems": 1}
    properties: dict[str, Any] = {
        "method": {**_COUNT, "description": "The version of the fit."},
        "interviews": {
            **_COUNT,
            "description": "How many interviews they were fitted to: the first by confirmation.",
        },
        "until": {
            "type": "object",
            "description": "The last of these interviews.",
            "properties": {"confirmed": _FIELDS["confirmed"], "interview": _TEXT},
            "required": ["confirmed", "interview"],
            "additionalProperties": False,
        },
        "weights": {
            "type": "object",
            "description": "By outcome id: the share of each of its variants. Empty if one variant predicts as well.",
            "additionalProperties": numbers,
        },
        "posteriors": {
            "type": "object",
            "description": "By question id and outcome id: for each answer the Beta or Dirichlet parameter in each variant.",
            "additionalProperties": {
                "type": "object",
                "additionalProperties": {"type": "object", "additionalProperties": numbers},
            },
        },
    }
    return {
        "type": "object",
        "description": "Hidden variants of the outcomes, once there are enough interviews to fit them to.",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _drift_schema() -> dict[str, Any]:
    """Return the schema of the counts by period of a bank with a half-life."""
    by_id = {"type": "object", "additionalProperties": _COUNT}
    period: dict[str, Any] = {
        "interviews": _COUNT,
        "outcomes": by_id,
        "unknown": by_id,
        "answers": {
            "type": "object",
            "description": "By question id, outcome id and answer id.",
            "additionalProperties": {"type": "object", "additionalProperties": by_id},
        },
        "said": _said_schema(),
    }
    properties: dict[str, Any] = {
        "half_life_days": {"type": "number", "exclusiveMinimum": 0},
        "periods": {
            "type": "object",
            "description": "The counts of the interviews confirmed in each sixteenth of a half-life since 1970.",
            "propertyNames": {"pattern": "^[0-9]+$"},
            "additionalProperties": {
                "type": "object",
                "properties": {**period, "target": _target_schema()},
                "required": list(period),
                "additionalProperties": False,
            },
        },
    }
    return {
        "type": "object",
        "description": "Only for a bank with half_life_days: the counts by period, from which old interviews count less.",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
