"""Text from a bank is only ever text."""

from __future__ import annotations

from enum import StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odm_tui.text import MARK, MOST_MARKS, clean_text, find_unprintable, one_line, shorten, slug, unknown_name

HOSTILE = {
    "OSC 52, the clipboard": "\x1b]52;c;aGFjaw==\x07",
    "OSC 0, the window's title": "\x1b]0;owned\x07",
    "OSC 8, a link": "\x1b]8;;http://evil\x1b\\click\x1b]8;;\x1b\\",
    "a colour": "\x1b[31mred\x1b[0m",
    "clear screen": "\x1b[2J\x1b[H",
    "C1 CSI": "\x9b31m",
    "C1 OSC": "\x9d0;owned\x9c",
    "DEL and backspace": "a\x7f\x08b",
    "NUL": "a\x00b",
    "carriage return over a line": "safe\x1b[K\x0bevil",
    "right-to-left override": "abc\u202egpj.exe",
    "isolates": "\u2066a\u2069",
    "a soft hyphen": "a\u00adb",
    "zero-width space": "a\u200bb",
    "byte order mark": "\ufeffa",
    "line separator": "a\u2028b",
    "joiner between ASCII letters": "a\u200db",
    "a lone surrogate": "a\ud800b",
    "private use": "a\ue000b",
    "not a character": "a\uffffb",
    "tags": "a\U000e0041b",
}


@pytest.mark.parametrize("payload", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_characters_become_marks(payload: str) -> None:
    cleaned = clean_text(payload)
    assert MARK in cleaned
    assert all(c.isprintable() for c in cleaned)


@pytest.mark.parametrize(
    "markup", ["[@click=app.quit]x[/]", "[/]", "[b]x", "$x {x} <b>", "Straße, 東京, Ελλάδα"]
)
def test_markup_is_left_as_the_text_it_is(markup: str) -> None:
    assert clean_text(markup) == markup


def test_newlines_stay_and_other_line_ends_become_newlines() -> None:
    assert clean_text("a\nb\r\nc\rd") == "a\nb\nc\nd"


def test_tabs_and_the_spaces_of_typography_become_spaces() -> None:
    assert clean_text("a\tQuoi\u00a0? 5\u202f%\u3000b") == "a Quoi ? 5 % b"


@pytest.mark.parametrize("word", ["می\u200cخواهم", "क\u094d\u200dष", "ශ\u0dca\u200dර"])
def test_joiners_that_spelling_needs_stay(word: str) -> None:
    assert clean_text(word) == word


def test_the_parts_of_a_joined_emoji_are_shown_side_by_side() -> None:
    assert clean_text("👩\u200d🚒 ❤\ufe0f\u200d🔥") == "👩🚒 ❤\ufe0f🔥"


def test_a_joiner_at_the_edge_of_a_text_becomes_a_mark() -> None:
    assert clean_text("\u200dm") == clean_text("\u200d") + "m" == f"{MARK}m"


def test_a_tower_of_combining_marks_is_cut() -> None:
    assert clean_text("a" + "\u0301" * 500 + "b") == "a" + "\u0301" * MOST_MARKS + "b"


@given(st.text(st.characters()))
def test_cleaning_leaves_nothing_that_steers_a_terminal(text: str) -> None:
    cleaned = clean_text(text)
    assert all(c.isprintable() or c in "\n\u200c\u200d" for c in cleaned)


@given(st.text(st.characters(categories=["L", "M", "Cf", "So", "Cc", "Zs"])))
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    once = clean_text(text)
    assert clean_text(once) == once


@given(st.text())
def test_one_line_has_no_newline_and_no_outer_blanks(text: str) -> None:
    line = one_line(text)
    assert "\n" not in line
    assert line == line.strip()


def test_a_shortened_text_ends_with_an_ellipsis() -> None:
    assert shorten("abcdef", 4) == "abc…"
    assert shorten("abcd", 4) == "abcd"


def test_unshowable_characters_are_named_once_each() -> None:
    assert find_unprintable("a\u202eb\x1b\u202e\tc\u00a0") == ["U+202E", "U+001B"]


@given(st.text())
def test_a_slug_is_safe_as_a_file_name(text: str) -> None:
    made = slug(text)
    assert len(made) <= 64
    assert all(c.isascii() and (c.isalnum() or c == "-") for c in made)
    assert not made.startswith("-")


def test_names_of_an_enumeration_are_proposed_as_text() -> None:
    class Backend(StrEnum):
        DASK = "dask"

    assert unknown_name("backend", "desk", list(Backend)) == "Unknown backend 'desk'. Did you mean 'dask'?"
