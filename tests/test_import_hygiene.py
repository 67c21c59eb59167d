"""What must not be loaded: each check runs in a fresh interpreter, where nothing is loaded yet."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = {"matplotlib", "networkx", "numpy", "scipy", "sklearn", "textual"}

REPORT = "import json, sys; print(json.dumps(sorted(sys.modules)))"


def loaded_by(code: str) -> set[str]:
    """The top-level packages that are loaded once the code has run."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{REPORT}"], capture_output=True, text=True, check=True
    )
    return {name.partition(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}


def run_command(*arguments: str) -> str:
    """Code that runs one command line and survives its exit."""
    return (
        "from odm_tui.cli.app import main\n"
        f"try: main({list(arguments)!r})\n"
        "except SystemExit as end: assert end.code == 0, end.code"
    )


def test_importing_odm_tui_loads_nothing_heavy() -> None:
    assert not loaded_by("import odm_tui") & HEAVY


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_a_quick_answer_loads_nothing_heavy(option: str) -> None:
    assert not loaded_by(run_command(option)) & HEAVY


@pytest.mark.parametrize(
    "start",
    [
        run_command("--version"),
        "from odm_tui.tui.config import read_config\nimport odm_tui.tui.app\nread_config()",
        "from odm_tui.banks import load_bank\nimport odm_tui.session.cost_patch\nload_bank('lung').problem",
    ],
    ids=["--version", "the screens", "a bank"],
)
def test_the_toml_editor_is_loaded_for_an_edit_only(start: str) -> None:
    assert "tomlkit" not in loaded_by(start)


def test_the_check_sees_the_toml_editor() -> None:
    edit = "from odm_tui.tui.config import set_setting\nset_setting('', 'theme', 'light')"
    assert "tomlkit" in loaded_by(edit)


def test_the_first_question_loads_no_masked_arrays() -> None:
    choose = "from odm_tui.banks import load_bank\nfrom odm_tui.session import Session\nSession.warm_up(load_bank('troubleshooting'))"
    forbid = "import sys\nsys.modules['numpy.ma'] = None  # importing it is an error now"
    assert "numpy" in loaded_by(f"{forbid}\n{choose}")


def test_the_check_sees_what_is_loaded() -> None:
    assert "numpy" in loaded_by("import odm_tui; odm_tui.Problem")


def test_the_screens_leave_the_engine_to_the_worker() -> None:
    """All but the plots of what was learned, whose library needs numpy."""
    code = "import odm_tui.tui.app, odm_tui.tui.command_palette"
    for screen in ("decision", "help", "history", "home", "interview", "replay", "settings", "summary"):
        code += f", odm_tui.tui.screens.{screen}"
    code += "\nimport sys\nfor lower in ('engine', 'banks', 'session'): assert f'odm_tui.{lower}' not in sys.modules"
    assert not loaded_by(code) & (HEAVY - {"textual"})


def test_the_engine_loads_no_screen_and_no_scipy() -> None:
    assert not loaded_by("import odm_tui; odm_tui.Interview") & (HEAVY - {"numpy"})
