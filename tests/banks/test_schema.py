"""The published JSON Schema agrees with the loader."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from odm_tui.banks import BadBank, load_bank
from odm_tui.banks.authoring.starter import starter_bank
from odm_tui.banks.checks.document import TOP_KEYS
from odm_tui.banks.checks.outcomes import OUTCOME_KEYS
from odm_tui.banks.checks.questions import QUESTION_KEYS
from odm_tui.banks.checks.refer import REFER_KEYS
from odm_tui.banks.checks.variants import VARIANT_KEYS
from odm_tui.banks.schema import bank_schema
from tests.support.sample_banks import SMALL, generated, written
from tests.support.sample_banks.documents import as_toml, documents, good_documents

jsonschema = pytest.importorskip("jsonschema")
VALIDATOR = jsonschema.Draft202012Validator(bank_schema())
SHIPPED = sorted((Path(__file__).parents[2] / "question_banks").glob("*.toml"))


def fits(document: dict[str, Any]) -> bool:
    return bool(VALIDATOR.is_valid(document))


def test_the_schema_is_a_schema_and_is_json() -> None:
    jsonschema.Draft202012Validator.check_schema(bank_schema())
    assert json.loads(json.dumps(bank_schema())) == bank_schema()


def test_the_schema_knows_exactly_the_keys_of_the_loader() -> None:
    schema = bank_schema()
    assert set(schema["properties"]) == set(TOP_KEYS)
    assert set(schema["$defs"]["outcome"]["properties"]) == set(OUTCOME_KEYS)
    assert set(schema["$defs"]["refer"]["properties"]) == set(REFER_KEYS)
    assert set(schema["$defs"]["question"]["properties"]) == set(QUESTION_KEYS)
    variant = schema["$defs"]["outcome"]["properties"]["variants"]["items"]
    assert set(variant["properties"]) == set(VARIANT_KEYS)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_shipped_banks_fit_the_schema(path: Path) -> None:
    VALIDATOR.validate(tomllib.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("text", [SMALL, generated(5, 4), starter_bank("New", "new.toml", "new-1")])
def test_good_banks_fit_the_schema(text: str) -> None:
    VALIDATOR.validate(tomllib.loads(text))


@given(document=good_documents())
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_good_document_loads_and_fits(tmp_path: Path, document: dict[str, Any]) -> None:
    load_bank(written(tmp_path, as_toml(document)))
    assert fits(document)


@given(document=documents())
@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_every_bank_that_loads_fits_the_schema(tmp_path: Path, document: dict[str, Any]) -> None:
    path = written(tmp_path, as_toml(document))
    try:
        load_bank(path)
    except BadBank:
        return
    assert fits(tomllib.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("format = 1", "format = 2"),
        ('title = "Home network"\n', ""),
        ("stakes = 900", 'stakes = "900"'),
        ("stakes = 900", "stakes = -1"),
        ("stakes = 900", "steaks = 900"),
        ('id = "lights"', 'id = "worth"'),
        ('id = "lights"', 'id = "the lights"'),
        ('type = "choice"', 'type = "pick"'),
        ('type = "choice"\n', ""),
        ('answers = ["red", { id = "amber", label = "Amber" }, "Not lit"]\n', ""),
        ("thresholds = [20, 80, 300]\n", ""),
        ("range = [0, 5000]", "range = [0]"),
        ("always_ask = true", "always_ask = 1"),
        ('ask_if = { lights = "no" }', "ask_if = { lights = [] }"),
        ("cost = { red = 1 }", "cost = { red = -1 }"),
        ("line-fault = 0.0", "line-fault = 2"),
        ("ping = 20", "ping = 0"),
        ("stakes = 900", 'learning = "both"'),
        ("stakes = 900", "half_life_days = 0.5"),
        ("stakes = 900", "stakes = { default = -1 }"),
        ("stakes = 900", "stakes = { missd = { line-fault = 5 } }"),
        ("always_ask = true", "error_rate = 0.5"),
    ],
)
def test_what_the_schema_refuses_the_loader_refuses(tmp_path: Path, old: str, new: str) -> None:
    text = SMALL.replace(old, new)
    assert text != SMALL
    assert not fits(tomllib.loads(text))
    with pytest.raises(BadBank):
        load_bank(written(tmp_path, text))
