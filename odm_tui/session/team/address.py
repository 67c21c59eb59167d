"""The address of a team's store, for commands and screens; importing it loads nothing heavy."""

from __future__ import annotations

from odm_tui.store.team.address import (
    ENVIRONMENT,
    check_visible_address,
    describe_address,
    find_address,
    is_address,
)

__all__ = ["ENVIRONMENT", "check_visible_address", "describe_address", "find_address", "is_address"]
