"""The operators of browser sessions: a name that is typed once, and the pseudonym of it that the log gets."""

from __future__ import annotations

from odm_tui.session import derive_pseudonym, state_folder

_LONGEST = 64


def read_operator(text: str) -> str | None:
    """The name in this text; None if it can't be one.

    >>> read_operator("  Ada ")
    'Ada'
    >>> read_operator("   ") is None
    True
    """
    name = " ".join(text.split())
    return name if 0 < len(name) <= _LONGEST and name.isprintable() else None


def find_operator_pseudonym(state_dir: str | None, name: str) -> str:
    """The pseudonym of this name in the state folder: always the same, and nobody can tell the name from it."""
    return derive_pseudonym(state_folder(state_dir), name)
