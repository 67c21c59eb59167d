"""Help at a terminal and elsewhere, and what wrong options are told."""

from __future__ import annotations

import io
import sys

import pytest

from odm_tui.cli import app as cli


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def run(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, *arguments: str) -> str:
    monkeypatch.setattr(sys, "stdout", stream)
    with pytest.raises(SystemExit) as end:
        cli.main(arguments)
    assert end.value.code == 0
    return stream.getvalue()


@pytest.mark.parametrize(
    "arguments", [("-h",), ("sessions", "-h"), ("sessions", "list", "-h"), ("banks", "-h")]
)
def test_help_has_boxes_at_a_terminal_and_none_elsewhere(
    monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "╭" in run(monkeypatch, Screen(), *arguments)
    assert "╭" not in run(monkeypatch, io.StringIO(), *arguments)
    monkeypatch.setenv("TERM", "dumb")
    assert "╭" not in run(monkeypatch, Screen(), *arguments)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", "1")
    plain = run(monkeypatch, Screen(), *arguments)
    assert "╭" not in plain
    assert "\x1b" not in plain


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--jsn"], "Unknown option '--jsn'. Did you mean '--json'? See `odm-tui -h`."),
        (["--seed", "x"], "Invalid value for '--seed': it must be a whole number. See `odm-tui -h`."),
        (["--bank"], "--bank needs a value after it. See `odm-tui -h`."),
        (["sessions", "lis"], "No such command 'lis'. Did you mean 'list'? See `odm-tui sessions -h`."),
        (["evaluate"], "Missing argument 'BANK'. See `odm-tui evaluate -h`."),
        (["banks", "led"], "Unexpected argument: led. See `odm-tui banks -h`."),
        (
            ["experiment", "led", "--seeds", "0"],
            "Invalid value for '--seeds': it must be at least 1. See `odm-tui experiment -h`.",
        ),
        (
            ["--explore", "some"],
            "Unknown value of --explore 'some'. Choose one of 'always', 'quiet', 'never'.",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_wrong_option_is_told_in_one_sentence_with_a_remedy(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(arguments)
    assert end.value.code == 2
    assert capsys.readouterr().err == f"{told}\n"
