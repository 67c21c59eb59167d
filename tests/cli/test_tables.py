"""Tables in terminals that are too narrow for them: cells go on in the next line, after a space or a hyphen."""

from __future__ import annotations

import io
import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from odm_tui.cli.output.folded import fold, longest_piece, shrink
from odm_tui.cli.output.tables import print_table

COLUMNS = ("id", "began", "bank", "case", "status", "asked", "cost", "outcome", "operator")
ROWS = [
    (
        "3f2a9c1d",
        "11-18 17:40",
        "troubleshooting",
        "T-4711",
        "confirmed",
        "4",
        "33",
        "system-damaged",
        "desk-4",
    ),
    ("81bb02e7", "11-18 17:52", "home-network", "", "pending", "14", "133", "wifi-weak", "desk-14"),
]


class Screen(io.StringIO):
    """An output that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def printed(width: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lines of the list of interviews at this width."""
    screen = Screen()
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stdout", screen)
    whole = ("id", "began", "status", "bank")
    print_table(COLUMNS, ROWS, right=("asked", "cost"), whole=whole, compact=True)
    return re.sub(r"\x1b\[[\d;]*m", "", screen.getvalue()).splitlines()


@pytest.mark.parametrize("width", [80, 90, 100])
def test_no_word_is_parted_in_a_list_of_interviews(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = printed(width, monkeypatch)
    assert max(map(len, lines)) <= width
    words = set(" ".join(lines).split())
    assert {"3f2a9c1d", "troubleshooting", "confirmed", "home-network", "desk-14", "operator"} <= words
    for first, last in (("system-", "damaged"), ("wifi-", "weak")):
        assert first + last in words or {first, last} <= words


@pytest.mark.parametrize("width", [30, 45, 60])
def test_a_list_that_is_far_too_wide_keeps_to_its_width_and_loses_no_id(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = printed(width, monkeypatch)
    assert max(map(len, lines)) <= width
    if width == 60:
        assert {"3f2a9c1d", "81bb02e7"} <= set(" ".join(lines).split())


@given(st.text("ab -界", max_size=40), st.integers(2, 12))
def test_folding_keeps_every_character_but_spaces_and_every_line_in_its_width(text: str, width: int) -> None:
    lines = fold(text, width)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert max(map(cell_len, lines)) <= width


@given(st.lists(st.sampled_from(["ab", "a-", "abc-de", "(x)", "界"]), max_size=8))
def test_folding_at_the_longest_piece_parts_no_word(words: list[str]) -> None:
    text = " ".join(words)
    lines = fold(text, max(1, longest_piece(text)))
    assert " ".join(lines).replace("- ", "-").split() == text.replace("- ", "-").split()


@given(
    st.lists(st.tuples(st.integers(1, 20), st.integers(1, 20)), min_size=1, max_size=6), st.integers(1, 80)
)
def test_columns_shrink_no_more_than_needed(columns: list[tuple[int, int]], room: int) -> None:
    widths, least = [max(pair) for pair in columns], [min(pair) for pair in columns]
    shrunk = shrink(widths, least, room)
    if shrunk is None:
        assert sum(least) > room
        return
    assert sum(shrunk) == min(sum(widths), room)
    assert all(low <= now <= full for low, now, full in zip(least, shrunk, widths, strict=True))
