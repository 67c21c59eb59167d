"""The address of a team's store: the option, ODM_TUI_STORE, or the config file."""

from __future__ import annotations

import tomllib
from typing import Annotated

import typer

from odm_tui.errors import BadArgument

StoreOption = Annotated[
    str | None,
    typer.Option("--store", metavar="ADDRESS", help="The team's store: postgresql://USER@HOST/DATABASE."),
]


def find_store(given: str | None) -> str | None:
    """Find the team's store: the given address, else ODM_TUI_STORE, else ``store`` in the config file; None for none."""
    import os

    if not given and not os.environ.get("ODM_TUI_STORE"):
        configured = _read_config()
        if configured is None:
            return None
        from odm_tui.session.team.administration import find_address

        return find_address(configured)
    from odm_tui.session.team.administration import check_visible_address, find_address

    check_visible_address(given)
    return find_address(given)


def require_store(given: str | None) -> str:
    """Find the team's store; raise BadArgument if none is named."""
    found = find_store(given)
    if found is None:
        raise BadArgument(
            "No store was named. Name it with --store, in ODM_TUI_STORE, or as 'store' in the config file."
        )
    return found


def _read_config() -> str | None:
    from odm_tui.tui.config import config_path

    path = config_path()
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8")).get("store")
    except (OSError, ValueError, RecursionError):
        return None  # the screen reports what is wrong with the file
    if found is not None and not isinstance(found, str):
        raise BadArgument(f'{path}: store must be a text such as "postgresql://db.example/team".')
    return found
