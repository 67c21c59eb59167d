"""Places in a store stay inside the store: nothing else reads, compares or computes with them."""

from __future__ import annotations

import ast
import pickle
from collections.abc import Iterator
from operator import add, ge, gt, index, le, lt, sub
from pathlib import Path

import pytest

import odm_tui
from odm_tui.store.cursor import Cursor, read_cursor
from odm_tui.store.log import Position

PACKAGE = Path(odm_tui.__file__).parent
OTHERS = ("session", "evaluation", "views", "cli", "tui/worker", "web")
"""The parts that may reach the store, and those above them that could get a place from it."""
PLACES = {
    "offset",
    "offsets",
    "open_offsets",
    "spans",
    "position",
    "state_position",
    "lines_at",
    "position_at",
}
"""Attributes of the store's values that tell where something stands in a file."""
NAMES = {
    "Position",
    "START",
    "Line",
    "RawLine",
    "read_lines",
    "read_cursor",
    "IndexedInterview",
    "counts_between",
}
"""What the store's modules share among themselves to handle places."""


def find_uses(source: str) -> Iterator[str]:
    """Find the places of a store that a module handles."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and node.attr in PLACES:
            yield f"line {node.lineno}: .{node.attr}"
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("odm_tui.store"):
            yield from (f"line {node.lineno}: {name.name}" for name in node.names if name.name in NAMES)


@pytest.mark.parametrize("part", OTHERS)
def test_no_place_in_a_log_is_handled_outside_the_store(part: str) -> None:
    modules = sorted((PACKAGE / part).rglob("*.py"))
    assert modules
    uses = [f"{path.relative_to(PACKAGE)}, {use}" for path in modules for use in find_uses(path.read_text())]
    assert uses == []


@pytest.mark.parametrize(
    "source",
    [
        "counts = count(now.position.bytes)",
        "start = place.spans[0]",
        "def f():\n    from odm_tui.store.log import Position",
        "from odm_tui.store.cursor import read_cursor",
    ],
)
def test_the_check_sees_a_place(source: str) -> None:
    assert list(find_uses(source))


@pytest.mark.parametrize("operation", [lt, le, gt, ge, add, sub])
def test_a_cursor_has_no_order_and_no_arithmetic(operation: object) -> None:
    assert callable(operation)
    with pytest.raises(TypeError):
        operation(Cursor(1), Cursor(2))
    with pytest.raises(TypeError):
        operation(Cursor(1), 2)


@pytest.mark.parametrize("number", [index, int, float, len, list])
def test_a_cursor_is_no_number_and_no_sequence(number: object) -> None:
    assert callable(number)
    with pytest.raises(TypeError):
        number(Cursor(1))


def test_a_cursor_has_no_public_field_and_prints_nothing() -> None:
    cursor = Cursor(Position(4711, 17))
    assert [name for name in dir(cursor) if not name.startswith("_")] == []
    assert repr(cursor) == str(cursor) == "Cursor()"


def test_a_cursor_that_went_to_another_process_is_the_same() -> None:
    cursor = Cursor(Position(4711, 17, "mark", 5))
    assert pickle.loads(pickle.dumps(cursor)) == cursor
    assert cursor != Cursor(Position(4711, 18, "mark", 5))


def test_a_cursor_of_a_list_is_refused_as_a_place_in_a_log() -> None:
    with pytest.raises(TypeError, match="another kind of store"):
        read_cursor(Cursor(("2026-01-01", 3)), Position)
