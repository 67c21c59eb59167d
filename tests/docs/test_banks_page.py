"""docs/banks.md describes every field of the format, shows each in an example, and every example is a bank that loads."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tests.docs.examples import ROOT, Block, blocks_of, parsed_toml

PAGE = ROOT / "docs" / "banks.md"
BASE = "bicycle.toml"
"""The whole bank on the page, which the other examples change."""
SECTIONS = {
    "The bank": "bank",
    "Outcomes": "outcome",
    "Variants of an outcome": "variant",
    "Questions": "question",
    "Answers of a choice": "answer",
    "Worth": "expected",
    "Policy": "policy",
}
"""The headings whose table lists the fields of a part of the format."""


def _run(*arguments: str, folder: Path | None = None) -> Any:
    """Run odm-tui and parse the JSON that it prints."""
    command = [sys.executable, "-m", "odm_tui", *arguments]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", cwd=folder)
    return json.loads(done.stdout)


@cache
def _fields() -> Mapping[str, set[str]]:
    """Take the fields of each part of the format from the JSON Schema."""
    schema = _run("schema", "bank")
    parts = schema["$defs"]
    answer = parts["question"]["properties"]["answers"]["items"]["anyOf"][1]
    policy = schema["properties"]["policy"]["anyOf"][1]
    variant = parts["outcome"]["properties"]["variants"]["items"]
    tables = {"variant": variant, "bank": schema, "answer": answer, "policy": policy}
    tables |= {name: parts[name] for name in ("outcome", "question", "expected")}
    return {name: set(table["properties"]) for name, table in tables.items()}


def _examples() -> list[Block]:
    return [block for block in blocks_of(PAGE) if block.language == "toml"]


def _named_in_tables() -> dict[str, set[str]]:
    """Find the fields that the tables of the page name in their first column, by section."""
    named: dict[str, set[str]] = {}
    section = ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            section = line.lstrip("# ")
        elif found := re.match(r"\| `(\w+)` \|", line):
            named.setdefault(section, set()).add(found[1])
    return named


def _used(documents: Iterable[dict[str, Any]]) -> dict[str, set[str]]:
    """Find the fields that the examples set, by part of the format."""
    used: dict[str, set[str]] = {name: set() for name in _fields()}
    for document in documents:
        used["bank"] |= set(document)
        used["expected"] |= set(document.get("expected", {})) & _fields()["expected"]
        used["outcome"] |= {key for outcome in document.get("outcomes", ()) for key in outcome}
        variants = [each for outcome in document.get("outcomes", ()) for each in outcome.get("variants", ())]
        used["variant"] |= {key for variant in variants for key in variant}
        if isinstance(policy := document.get("policy"), dict):
            used["policy"] |= set(policy)
        for question in document.get("questions", ()):
            used["question"] |= set(question)
            answers = [answer for answer in question.get("answers", ()) if isinstance(answer, dict)]
            used["answer"] |= {key for answer in answers for key in answer}
    return used


def _merged(base: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """Apply an example to the bank of the page, as the page says."""
    made = dict(base) | dict(change)
    for name in ("outcomes", "questions"):
        by_id = {item["id"]: item for item in [*base[name], *change.get(name, ())]}
        made[name] = list(by_id.values())
    made["expected"] = {**base["expected"], **change.get("expected", {})}
    return made


def _toml(value: Any) -> str:
    """Write a value as TOML, on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)


def test_the_page_names_every_field_of_the_format() -> None:
    named = _named_in_tables()
    for section, part in SECTIONS.items():
        assert named[section] == _fields()[part], section


def test_the_page_shows_every_field_in_an_example() -> None:
    assert _used(map(parsed_toml, _examples())) == _fields()


def test_every_example_is_a_bank_that_loads(tmp_path: Path) -> None:
    examples = _examples()
    base = next(parsed_toml(block) for block in examples if block.title == BASE)
    places = {}
    for block in examples:
        document = parsed_toml(block)
        if not block.title:
            document = _merged(base, document)
        text = "".join(f"{key} = {_toml(value)}\n" for key, value in document.items())
        name = f"line-{block.line}.toml"
        (tmp_path / name).write_text(text, encoding="utf-8")
        places[name] = block.place
    found = _run("check", "--json", *places, folder=tmp_path)["banks"]
    errors = {places[bank["bank"]]: bank["errors"] for bank in found if not bank["valid"]}
    assert len(found) == len(examples) > 20
    assert not errors
