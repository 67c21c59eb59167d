"""docs/json.md names every field of the log and the state, and every key that a command prints."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.docs.examples import ROOT, Runner, blocks_of, in_code

PAGE = ROOT / "docs" / "json.md"
TEXT = PAGE.read_text(encoding="utf-8")
COMMON = {"seq", "event", "interview", "n", "time", "after", "prev", "crc"}
ELSEWHERE = {"rows", "experiment", "versions", "read", "ways", "off_policy"}
"""Keys of evaluations; what is inside them is not described on this page."""
ANSWERS = {"<=2", ">2"}
"""Answers of the page's own bank, which are keys too."""


def _schema(name: str) -> Any:
    command = [sys.executable, "-m", "odm_tui", "schema", name]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


def _table(head: str) -> list[list[str]]:
    """Read the table that begins with this head, in the part of the page about the files."""
    part = TEXT.split("\n## The log\n", 1)[1]
    table = re.search(rf"^{re.escape(head)}\n(?:\|.*\n)+", part, re.MULTILINE)
    assert table is not None
    return [line.strip("| ").split(" | ") for line in table[0].splitlines()[2:]]


def _keys(value: Any) -> Iterator[str]:
    """Give every key of a JSON value, at any depth, but not what is described elsewhere."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            if key not in ELSEWHERE:
                yield from _keys(item)
    elif isinstance(value, list):
        for item in value:
            yield from _keys(item)


def test_the_page_names_every_event_with_its_fields() -> None:
    events = {kind["title"]: set(kind["properties"]) - COMMON for kind in _schema("log")["oneOf"]}
    named = {
        in_code(row[0])[0]: set(in_code(row[1])) for row in _table("| event | fields of its own | meaning |")
    }
    assert named == events
    assert {in_code(row[0])[0] for row in _table("| field | meaning |")} == COMMON


def test_the_page_names_every_key_of_the_state() -> None:
    named = {name for row in _table("| key | meaning |") for name in in_code(row[0])}
    assert named == set(_schema("state")["properties"])


def test_the_examples_run_and_the_page_names_every_key_that_they_print(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = Runner(tmp_path)
    monkeypatch.chdir(tmp_path)
    runner.run_page(PAGE)
    shown = [word for block in blocks_of(PAGE) for word in re.findall(r'"([^"]+)":', block.text)]
    named = {word for code in in_code(TEXT) for word in re.findall(r"[\w-]+", code)} | set(shown)
    read = 0
    for printed in runner.printed:
        try:
            value = json.loads(printed.removesuffix("exit code 65\n"))
        except json.JSONDecodeError:
            continue  # the log, which has more than one line, and what is no JSON at all
        if "$schema" not in value:
            read += 1
            assert set(_keys(value)) - ANSWERS <= named
    assert read >= 12
