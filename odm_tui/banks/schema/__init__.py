"""The JSON Schema of the bank format, for editors and other programs."""

from __future__ import annotations

from odm_tui.banks.schema.document import SCHEMA_FILE, SCHEMA_ID, SCHEMA_LINE, bank_schema

__all__ = ["SCHEMA_FILE", "SCHEMA_ID", "SCHEMA_LINE", "bank_schema"]
