"""The files that pages load: our own, and the terminal of textual-serve. Only these can be read from the server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from odm_tui.errors import BadArgument

_OWN = Path(__file__).parent / "static"


@dataclass(frozen=True, slots=True)
class Asset:
    """A file with its type."""

    path: Path
    content_type: str


def find_assets() -> Mapping[str, Asset]:
    """All files by their name in the address; raise BadArgument if the extra is not installed."""
    terminal = find_terminal_package() / "static"
    return {
        "page.css": Asset(_OWN / "page.css", "text/css"),
        "page.js": Asset(_OWN / "page.js", "text/javascript"),
        "textual.js": Asset(terminal / "js" / "textual.js", "text/javascript"),
        "xterm.css": Asset(terminal / "css" / "xterm.css", "text/css"),
        "RobotoMono.ttf": Asset(terminal / "fonts" / "RobotoMono-VariableFont_wght.ttf", "font/ttf"),
    }


def find_terminal_package() -> Path:
    """The folder of textual-serve; raise BadArgument if it is not installed."""
    found = find_spec("textual_serve") if find_spec("aiohttp") else None
    if found is None or not found.submodule_search_locations:
        raise BadArgument("odm-tui serve needs the extra 'web'. Install it with: pip install 'odm-tui[web]'")
    return Path(found.submodule_search_locations[0])
