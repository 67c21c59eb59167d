"""Files that are no bank at all get one plain sentence; large tables of numbers are read as tomllib reads them."""

from __future__ import annotations

import functools
import os
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from odm_tui.banks import BadBank, load_bank
from odm_tui.banks.parsing import number_tables
from odm_tui.banks.parsing.reading import MAX_BYTES, read_document
from tests.support.sample_banks import SMALL, generated, written


def sentence(path: Path) -> str:
    """The one sentence that a file gets."""
    with pytest.raises(BadBank) as error:
        load_bank(path)
    said = str(error.value)
    assert "\n" not in said
    assert len(error.value.findings) == 1
    return said.removeprefix(str(path)).lstrip(":, ")


CATASTROPHES = {
    "not UTF-8": (b'format = 1\ntitle = "caf\xe9"\n', "line 2: byte 0xE9 is not UTF-8"),
    "a text that is not closed": (b'format = 1\ntitle = "abc\n', "line 2: not valid TOML at column 13"),
    "no equals sign": (
        b"format = 1\nhello\n",
        "line 2: not valid TOML at column 6: a key must be followed by =",
    ),
    "a key twice": (b"format = 1\nformat = 1\n", "the same key appears twice"),
    "a text without quotes": (b"title = Home\n", "put a text in quotes"),
    "a list left open": (b"a = [1, 2\n", "at the end of the file: a list is not closed"),
    "nested lists": (b"a = " + b"[" * 5_000, "nested too deeply"),
    "nested tables": (b"a = " + b"{ a = " * 5_000, "nested too deeply"),
    "a key of many parts": (b".".join([b"a"] * 20_000) + b" = 1", "more than 16 parts"),
    "quoted parts": (b'"a"' + b" . 'a'" * 20_000 + b" = 1", "more than 16 parts"),
    "an integer of 5,000 digits": (b"stakes = " + b"1" * 5_000, "over 1,000 characters"),
    "a hexadecimal of 5,000 digits": (b"stakes = 0x" + b"f" * 5_000, "over 1,000 characters"),
    "a format from the future": (b"format = 2\nquestionz = 3\n", "needs a newer odm-tui (format 2"),
    "over 16 MB": (b"#" * (MAX_BYTES + 1), "larger than 16 MB"),
    "16 MB of list": (b"a = [" + b"1," * (MAX_BYTES // 2 - 8), "more values than a bank may have"),
    "16 MB of lines": (b"a=1\n" * (MAX_BYTES // 4), "than a bank may have"),
    "16 MB of nested tables": (b"a = " + b"{a=" * (MAX_BYTES // 3 - 8), "than a bank may have"),
    "16 MB of quotes": (b'"' * MAX_BYTES, "than a bank may have"),
    "16 MB of escaped quotes": (b'\\"""' * (MAX_BYTES // 4), "than a bank may have"),
    "16 MB of text": (b'title = "' + b"x" * (MAX_BYTES - 10) + b'"', "than a bank may have"),
    "escapes in a key": (b'"\\u001b]0;x" = 1\n"\\u001b]0;x" = 1\n', "the same key appears twice"),
}


@pytest.mark.parametrize(("content", "said"), CATASTROPHES.values(), ids=CATASTROPHES.keys())
def test_a_file_that_is_no_bank_gets_one_plain_sentence(tmp_path: Path, content: bytes, said: str) -> None:
    assert said in sentence(written(tmp_path, content))


def test_a_missing_file_is_answered_with_where_the_banks_are_listed(tmp_path: Path) -> None:
    said = sentence(tmp_path / "nothing.toml")
    assert (
        said == "the file does not exist. Check the path; `odm-tui banks` lists the banks that have a name."
    )


def test_a_folder_is_not_read(tmp_path: Path) -> None:
    assert sentence(tmp_path).startswith("this is a folder")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_pipe_that_nobody_writes_to_does_not_block(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    assert sentence(pipe).startswith("this is not a regular file")


def test_a_path_with_a_null_byte_is_refused() -> None:
    with pytest.raises(BadBank, match="can't be opened"):
        load_bank("a\0b.toml")


def test_control_characters_of_a_file_name_do_not_reach_the_message() -> None:
    with pytest.raises(BadBank) as error:
        load_bank("\x1b]0;owned\x07.toml")
    assert str(error.value).isprintable()


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(tmp_path: Path) -> None:
    windows = b"\xef\xbb\xbf" + SMALL.replace("\n", "\r\n").encode()
    plain = load_bank(written(tmp_path, SMALL, "plain.toml"))
    assert load_bank(written(tmp_path, windows)).hash == plain.hash


def test_a_large_bank_is_read_exactly_as_tomllib_reads_it(tmp_path: Path) -> None:
    text = generated(60, 40)
    short, tables = number_tables.take_out_numbers(text)
    assert len(tables) == 60
    assert len(short) < len(text) / 2
    document, _ = read_document(written(tmp_path, text))
    assert document == tomllib.loads(text)


def test_a_run_of_lines_of_numbers_is_read_exactly_as_tomllib_reads_it(tmp_path: Path) -> None:
    lines = "\n".join(f"o{j} = 0.{j + 1:03d}" for j in range(200))
    text = f'[expected.q1]\n{lines}\n"*" = 0.5\n[expected.q2]\n{lines}\n'
    assert len(number_tables.take_out_numbers(text)[1]) == 2
    document, _ = read_document(written(tmp_path, text))
    assert document == tomllib.loads(text)


def test_a_key_given_twice_around_a_run_of_numbers_is_still_found(tmp_path: Path) -> None:
    lines = "\n".join(f"o{j} = 0.5" for j in range(100))
    path = written(tmp_path, f'[expected.q1]\n{lines}\nx = "y"\no7 = 0.5\n')
    assert sentence(path).startswith("line 103: not valid TOML")


def test_numbers_inside_a_text_of_several_lines_stay_text(tmp_path: Path) -> None:
    lines = "\n".join(f"o{j} = 0.5" for j in range(100))
    text = f'description = """\n{lines}\n"""\n[expected.q1]\n{lines}\n'
    document, _ = read_document(written(tmp_path, text))
    assert document == tomllib.loads(text)


_KEYS = st.sampled_from(["a", "b", "c-1", "d_2", '"*"', "e.f", '"g"', "*", "h i", ""])
_NUMBERS = st.sampled_from(
    [
        "1",
        "0.5",
        "-2",
        "1e3",
        "true",
        "+1",
        "01",
        "nan",
        "NaN",
        "null",
        "1_0",
        "0x1",
        ".5",
        "2021-01-01",
        '"x"',
        "",
    ]
)
_SIGNS = st.sampled_from([" = ", "=", "  =\t", " ", " == "])
_COMMAS = st.sampled_from([", ", ",", " ,  ", ",,", " "])


_ENTRIES = st.integers(0, 3)
_BEGINS, _ENDS = st.sampled_from(["{", "{ ", "{\t"]), st.sampled_from(["}", " }", "", "}}"])


@functools.cache  # to build a strategy takes longer than to draw from it
def _inline_tables(depth: int = 2) -> st.SearchStrategy[str]:
    return _drawn_inline_tables(depth)


@st.composite
def _drawn_inline_tables(draw: st.DrawFn, depth: int) -> str:
    entries = []
    for _ in range(draw(_ENTRIES)):
        value = draw(_inline_tables(depth - 1)) if depth and draw(st.booleans()) else draw(_NUMBERS)
        entries.append(draw(_KEYS) + draw(_SIGNS) + value)
    inside = draw(_COMMAS).join(entries)
    return draw(_BEGINS) + inside + draw(_ENDS)


def _read(text: str) -> object:
    try:
        return tomllib.loads(text)
    except ValueError:
        return "not TOML"


def _read_in_bulk(text: str) -> object:
    short, tables = number_tables.take_out_numbers(text)
    try:
        document = number_tables.parse_document(short, tables)
    except ValueError:
        return "not TOML"
    return _read(text) if document is None else document


@given(table=_inline_tables())
@settings(max_examples=400)
def test_every_table_is_read_in_bulk_as_tomllib_reads_it(table: str) -> None:
    padding = ", ".join(f"p{i} = 0.5" for i in range(20))
    for text in (f"x = 1\n[t]\nq = {table}\ny = 2\n", f"q = {table[:1]}{padding}, {table[1:]}\n"):
        # Comparing by text, since NaN is not equal to itself.
        assert repr(_sorted(_read_in_bulk(text))) == repr(_sorted(_read(text)))


@given(lines=st.lists(st.tuples(_KEYS, _SIGNS, _NUMBERS), max_size=4), place=st.integers(0, 40))
def test_every_run_of_lines_is_read_in_bulk_as_tomllib_reads_it(
    lines: list[tuple[str, str, str]], place: int
) -> None:
    run = [f"k{i} = {i}.5" for i in range(40)]
    run[place:place] = ["".join(line) for line in lines]
    text = "[t]\n" + "\n".join(run)
    assert repr(_sorted(_read_in_bulk(text))) == repr(_sorted(_read(text)))


def _sorted(value: object) -> object:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return value
