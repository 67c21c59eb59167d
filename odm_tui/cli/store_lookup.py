"""Find the team's store: the option, ODM_TUI_STORE, or the config file."""

from __future__ import annotations

import os

from odm_tui.errors import BadArgument
from odm_tui.session.team.address import ENVIRONMENT, check_visible_address, find_address


def find_store(given: str | None) -> str | None:
    """Find the team's store: the given address, else ODM_TUI_STORE, else ``store`` in the config file; None for none."""
    check_visible_address(given)
    if given or os.environ.get(ENVIRONMENT):
        return find_address(given)
    configured = _read_config()
    return None if configured is None else find_address(configured)


def require_store(given: str | None) -> str:
    """Find the team's store; raise BadArgument if none is named."""
    found = find_store(given)
    if found is None:
        raise BadArgument(
            f"No store was named. Name it with --store, in {ENVIRONMENT}, or as 'store' in the config file."
        )
    return found


def _read_config() -> str | None:
    from odm_tui.tui.config import config_path

    path = config_path()
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None
    if "store" not in text:  # most files name none, and parsing takes time
        return None
    import tomllib

    try:
        found = tomllib.loads(text).get("store")
    except (ValueError, RecursionError):
        return None  # the screen reports what is wrong with the file
    if found is not None and not isinstance(found, str):
        raise BadArgument(f'{path}: store must be a text such as "postgresql://db.example/team".')
    return found
