"""Any file gives either a working bank or a BadBank error with findings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from odm_tui.banks import BadBank, Bank, Finding, load_bank
from tests.support.faults.report import Table
from tests.support.sample_banks import written
from tests.support.sample_banks.documents import as_toml, documents
from tests.support.sample_banks.mutations import mutated

pytestmark = pytest.mark.filterwarnings("error")


def bank_or_sentences(folder: Path, content: str | bytes) -> Bank | None:
    """Load a file: use a valid bank in every way, and check that an error has printable lines only."""
    path = written(folder, content, "fuzz.toml")
    try:
        bank = load_bank(path)
    except BadBank as raised:
        error = raised
    else:
        use(bank)
        return bank
    assert error.findings
    assert all(line.isprintable() for line in str(error).splitlines())
    assert all(is_sentence(finding) for finding in error.findings)
    return None


def is_sentence(finding: Finding) -> bool:
    """Whether a finding starts with a small letter (or what it quotes) and ends with a full stop or a question mark."""
    first = finding.message[0]
    return finding.message[-1] in ".?…" and not (first.isupper() and not finding.message.startswith("P("))


def use(bank: Bank) -> None:
    """Use a bank in every way; a bank that loads must work."""
    n, m, _ = bank.problem.shape
    assert (n, m) == (len(bank.questions), len(bank.outcomes))
    assert len(bank.hash) == 64
    assert all(str(warning).isprintable() and is_sentence(warning) for warning in bank.warnings)
    assert all(
        character.isprintable() or character in "\n\u200c\u200d"
        for q in bank.questions
        for character in q.text + q.help
    )


@pytest.mark.parametrize("seed", [3, 5, 6])
def test_three_times_five_hundred_wounded_files_give_a_bank_or_sentences(tmp_path: Path, seed: int) -> None:
    good = sum(bank_or_sentences(tmp_path, content) is not None for content in mutated(500, seed))
    assert 25 < good < 475  # the wounds are neither all deadly nor all harmless


@given(document=documents())
@settings(max_examples=500, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_five_hundred_strange_documents_give_a_bank_or_sentences(
    tmp_path: Path, document: dict[str, Any]
) -> None:
    bank_or_sentences(tmp_path, as_toml(document))


@pytest.mark.soak
def test_forty_thousand_wounded_files_give_a_bank_or_sentences(tmp_path: Path, table: Table) -> None:
    for content in mutated(40_000, seed=4):
        bank_or_sentences(tmp_path, content)
    table.row("damaged bank files: a valid bank or one sentence", 40_000, 0)


@pytest.mark.soak
@given(document=documents())
@settings(
    max_examples=10_000, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
def test_ten_thousand_strange_documents_give_a_bank_or_sentences(
    tmp_path: Path, document: dict[str, Any]
) -> None:
    bank_or_sentences(tmp_path, as_toml(document))
