"""Check case references and notes, which operators type."""

from __future__ import annotations

from odm_tui.errors import BadArgument
from odm_tui.text import clean_text, one_line

MOST_IN_A_CASE = 100
MOST_IN_A_NOTE = 2_000
"""The most characters of each."""


def parse_case(text: str | None) -> str | None:
    """Clean a case reference; None if it is empty.

    >>> parse_case("  T-4711 "), parse_case(" ")
    ('T-4711', None)
    """
    return _check_length(one_line(text or "").strip(), MOST_IN_A_CASE, "case reference")


def parse_note(text: str | None) -> str | None:
    """Clean a note, which may have several lines; None if it is empty."""
    return _check_length(clean_text(text or "").strip(), MOST_IN_A_NOTE, "note")


def _check_length(text: str, most: int, kind: str) -> str | None:
    if len(text) > most:
        raise BadArgument(f"A {kind} has at most {most:,} characters, not {len(text):,}. Shorten it.")
    return text or None
