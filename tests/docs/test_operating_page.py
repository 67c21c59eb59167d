"""docs/operating.md names every exit code, every environment variable and every key."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from odm_tui import errors
from odm_tui.tui.key_bindings import GROUPS
from tests.docs.examples import ROOT, blocks_of, first_table, in_code

PAGE = ROOT / "docs" / "operating.md"
TEXT = PAGE.read_text(encoding="utf-8")
_READ = re.compile(
    r"""environ(?:\.get|\.setdefault)?[(\[]\s*["']([A-Z_]+)|["']([A-Z_]+)["'] in os\.environ"""
)
_OWN = re.compile(r"""["'](ODM_TUI_[A-Z_]+)["']""")


def test_the_page_names_every_exit_code() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    codes = {kind.exit_code for kind in kinds if issubclass(kind, errors.OdmError)}
    assert {str(code) for code in codes} <= {row[0] for row in first_table(TEXT, "## Exit codes")}


def test_the_page_names_every_environment_variable() -> None:
    named = {name for row in first_table(TEXT, "## Environment variables") for name in in_code(row[0])}
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "odm_tui").rglob("*.py")]
    read = {name for text in sources for pair in _READ.findall(text) for name in pair if name}
    own = {name for text in sources for name in _OWN.findall(text)}
    assert {"NO_COLOR", "TERM"} <= read
    assert "ODM_TUI_STATE_DIR" in own
    assert read | own <= named


def test_the_page_names_every_command_with_its_keys() -> None:
    rows = [
        (screen, command.strip("`"), keys.replace("`", "").split())
        for screen, command, keys, _ in first_table(TEXT, "## Keys")
    ]
    assert rows == [
        (screen, action.id, [key.strip() for key in action.keys.split(",")])
        for screen, actions in GROUPS.items()
        for action in actions
    ]


def test_the_config_file_on_the_page_is_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from odm_tui.tui.config import read_config

    shown = next(block for block in blocks_of(PAGE) if block.language == "toml")
    file = tmp_path / "config.toml"
    file.write_text(shown.text, encoding="utf-8")
    monkeypatch.setenv("ODM_TUI_CONFIG", str(file))
    config = read_config()
    assert config.complaints == ()
    assert dict(config.keys) == tomllib.loads(shown.text)["keys"]
    assert (config.theme, config.operator, config.why) == ("light", "desk-4", True)
