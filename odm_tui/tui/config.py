"""Read and write the user's config file: theme, operator, Why panel, exploration and keys; a change leaves the other lines as they are.

::

    theme = "light"
    operator = "desk-4"
    why = true                    # the Why panel is open from the start
    explore = "quiet"             # when questions are asked in order to learn; "bank" for what the bank says

    [keys]
    "interview.yes" = "j"         # the help screen lists all commands
    "interview.undo" = "z,backspace"
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from odm_tui.errors import CannotWrite

_LARGEST = 1_000_000
AS_THE_BANK_SAYS = "bank"
EXPLORE = (AS_THE_BANK_SAYS, "always", "quiet", "never")
"""When questions may be asked in order to learn."""


@dataclass(frozen=True)
class Config:
    """The settings in the file; invalid ones are left out and described in ``complaints``."""

    path: Path
    theme: str | None = None
    operator: str | None = None
    why: bool = False
    explore: str = AS_THE_BANK_SAYS
    keys: Mapping[str, str] = field(default_factory=dict)
    complaints: tuple[str, ...] = ()


def config_path() -> Path:
    """Return the path of the config file: ``ODM_TUI_CONFIG``, or ``config.toml`` in the user's config folder."""
    given = os.environ.get("ODM_TUI_CONFIG")
    if given:
        return Path(given)
    import platformdirs

    return Path(platformdirs.user_config_dir("odm-tui", appauthor=False)) / "config.toml"


def read_config(path: Path | None = None) -> Config:
    """Read the config. A missing file counts as empty; an invalid one is reported and not used."""
    path = path or config_path()
    try:
        data = path.read_bytes()
    except OSError:
        return Config(path)
    if len(data) > _LARGEST:
        return Config(path, complaints=(f"{path} is larger than 1 MB and is not used. Make it smaller.",))
    try:
        found = tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        return Config(path, complaints=(f"{path} is not valid TOML and is not used: {error}. Correct it.",))
    return _check_settings(path, found)


def _check_settings(path: Path, found: dict[str, Any]) -> Config:
    from odm_tui.text import unknown_name
    from odm_tui.tui.key_bindings import BY_ID, find_key_clashes
    from odm_tui.tui.themes import OWN_THEMES, THEME_NAMES

    complaints = []
    theme, operator, why = found.get("theme"), found.get("operator"), found.get("why", False)
    if theme is not None and theme not in THEME_NAMES:
        complaints.append(
            f"{path}: theme must be {', '.join(OWN_THEMES)}, or a theme of Textual; the settings (F5) list all."
        )
        theme = None
    explore = found.get("explore", AS_THE_BANK_SAYS)
    if explore not in EXPLORE:
        complaints.append(f"{path}: explore must be one of {', '.join(EXPLORE)}.")
        explore = AS_THE_BANK_SAYS
    if operator is not None and not (isinstance(operator, str) and 0 < len(operator.strip()) <= 64):
        complaints.append(f"{path}: operator must be a name of 1 to 64 characters.")
        operator = None
    if not isinstance(why, bool):
        complaints.append(f"{path}: why must be true or false.")
        why = False
    keys: dict[str, str] = {}
    table = found.get("keys", {})
    for id, key in (table if isinstance(table, dict) else {}).items():
        if id not in BY_ID:
            complaints.append(f"{path}: {unknown_name('command', id, BY_ID, 'the help screen')}")
        elif not isinstance(key, str) or not key.strip(" ,"):
            complaints.append(f'{path}: the key of {id!r} must be a text such as "w" or "ctrl+w".')
        else:
            keys[id] = ",".join(part.strip() for part in key.split(",") if part.strip())
    while found_twice := find_key_clashes(keys):
        key, one, other = found_twice[0]
        complaints.append(
            f"{path}: {key} is the key of both {one} and {other}. Give one of them another key."
        )
        for id in (one, other):
            keys.pop(id, None)
    return Config(path, theme, operator, why, explore, keys, tuple(complaints))


def write_setting(path: Path, name: str, value: str | bool) -> None:
    """Change one setting in the file and leave everything else as it is; on an error nothing changes."""
    from odm_tui.files import write_atomically

    try:
        text = path.read_bytes().decode("utf-8") if path.exists() else ""
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, set_setting(text, name, value).encode("utf-8"))
    except UnicodeDecodeError as error:
        raise _cannot_save(path, "it is not UTF-8 text, so save it as UTF-8") from error
    except (ValueError, RecursionError) as error:  # what tomlkit raises
        raise _cannot_save(path, f"it is not valid TOML, so correct it first ({error})") from error
    except OSError as error:
        raise _cannot_save(path, error.strerror) from error
    except CannotWrite as error:  # its message is about the state folder; only its reason applies here
        reason = error.__cause__.strerror if isinstance(error.__cause__, OSError) else None
        raise _cannot_save(path, reason) from error


def _cannot_save(path: Path, reason: str | None) -> CannotWrite:
    return CannotWrite(
        f"Can't write {path}: {reason or 'the disk refused'}; the setting holds until you leave."
    )


def set_setting(text: str, name: str, value: str | bool) -> str:
    """Set a top-level key in the text of a TOML file; comments and layout stay. A new key goes to the top.

    >>> set_setting('theme = "dark"  # at night\\n\\n[keys]\\n', "theme", "light")
    'theme = "light"  # at night\\n\\n[keys]\\n'
    """
    import tomlkit

    document = tomlkit.parse(text)
    if name not in document:
        return tomlkit.dumps({name: value}) + text
    document[name] = value
    return document.as_string()
