"""The options of an interview, as typer and as ``fast_options`` read them."""

from __future__ import annotations

import subprocess
import sys
from typing import get_args, get_type_hints

import pytest

from odm_tui.cli.app import root
from odm_tui.cli.fast_options import OPTIONS, read_fast_options
from odm_tui.interview_options import InterviewOptions


def test_fast_options_has_the_same_options_as_typer() -> None:
    told = {}
    for name, hint in get_type_hints(root, include_extras=True).items():
        kind, *details = get_args(hint) or (hint,)
        if not details or details[0].is_eager:
            continue
        kinds = [k for k in (get_args(kind) or (kind,)) if k is not type(None)]
        option = details[0]
        word = option.default if isinstance(option.default, str) else f"--{name.replace('_', '-')}"
        told[word] = (name, kinds[0])
    assert told == OPTIONS


def test_every_option_has_a_field() -> None:
    assert {name for name, _ in OPTIONS.values()} == set(InterviewOptions._fields)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["banks"],
        ["--bank"],
        ["--seed", "-1"],
        ["--seed", "x"],
        ["--plain=1"],
        ["--bank", "--plain"],
    ],
)
def test_everything_else_is_left_to_typer(arguments: list[str]) -> None:
    assert read_fast_options(arguments) is None


def test_a_wrong_option_is_a_usage_error() -> None:
    done = subprocess.run([sys.executable, "-m", "odm_tui", "--nonsense"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "nonsense" in done.stderr


def test_a_plain_start_loads_no_typer() -> None:
    code = (
        "import sys\nsys.argv = ['odm-tui', '--bank', 'no such bank', '--plain']\n"
        "from odm_tui.cli import main; from odm_tui.cli import launch\n"
        "launch.run_interview = lambda options: sys.exit('typer' in sys.modules)\nmain.main()"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
