"""Stakes by pair of outcomes in a bank."""

from __future__ import annotations

from pathlib import Path

import pytest

from odm_tui.banks import BadBank, load_bank
from odm_tui.banks.bank import Bank
from odm_tui.engine.interview import Decide, Interview
from tests.support.sample_banks import written

BANK = """\
format = 1
title = "Clinic"
{stakes}

[[outcomes]]
id = "cold"

[[outcomes]]
id = "flu"

[[outcomes]]
id = "cancer"

[[questions]]
id = "cough"
text = "Do you cough?"

[expected]
cough = {{ cold = 0.6, flu = 0.7, cancer = 0.5 }}
"""


def clinic(folder: Path, stakes: str) -> Bank:
    return load_bank(written(folder, BANK.format(stakes=stakes)))


@pytest.mark.parametrize(
    ("stakes", "table"),
    [
        ("stakes = 60", [[0, 60, 60], [60, 0, 60], [60, 60, 0]]),
        ("stakes = { default = 60 }", [[0, 60, 60], [60, 0, 60], [60, 60, 0]]),
        (
            "stakes = { default = 60, missed = { cancer = 5000 }, false = { cancer = 300 } }",
            [[0, 60, 5000], [60, 0, 5000], [300, 300, 0]],
        ),
        # Smaller than the default counts too; where both name a pair, the larger one does.
        (
            "stakes = { default = 60, missed = { cold = 5 }, false = { cancer = 2, flu = 9 } }",
            [[0, 60, 60], [9, 0, 9], [5, 2, 0]],
        ),
        # The very pair comes first, then the rest of a table, then the default.
        (
            'stakes = { default = 60, missed = { cancer = { cold = 9000, "*" = 5000 } }, false = { cold = 100000 } }',
            [[0, 100000, 9000], [60, 0, 5000], [60, 60, 0]],
        ),
        (
            "stakes = { default = 60, missed = { cancer = { cold = 9000 } }, false = { cold = { cancer = 1 } } }",
            [[0, 60, 9000], [60, 0, 60], [60, 60, 0]],
        ),
        # Without a default it follows from the costs: sixty questions.
        ("default_cost = 2\nstakes = { missed = { cancer = 7 } }", [[0, 120, 7], [120, 0, 7], [120, 120, 0]]),
    ],
)
def test_stakes_by_pair_reach_the_engine(tmp_path: Path, stakes: str, table: list[list[float]]) -> None:
    assert clinic(tmp_path, stakes).problem.decision_stakes.table.tolist() == table


def test_a_screening_bank_decides_differently_from_a_sorting_one(tmp_path: Path) -> None:
    decided = []
    for stakes in ("stakes = 60", "stakes = { default = 60, missed = { cancer = 5000 } }"):
        interview = Interview(clinic(tmp_path, stakes).problem, "lookahead-mean")
        interview.answer("yes", "cough")
        decision = interview.next
        assert isinstance(decision, Decide)
        decided.append(interview.problem.outcomes[decision.outcome])
    assert decided == ["flu", "cancer"]


def test_the_hash_of_a_bank_changes_with_its_stakes_by_pair_alone(tmp_path: Path) -> None:
    plain = clinic(tmp_path, "stakes = 60").hash
    assert clinic(tmp_path, "stakes = { default = 60 }").hash == plain
    assert clinic(tmp_path, "stakes = { default = 60, missed = { cancer = 60 } }").hash != plain


@pytest.mark.parametrize(
    ("stakes", "place", "message"),
    [
        ("stakes = { default = -1 }", "stakes.default", "must be a number, 0 or more"),
        ('stakes = "60"', "stakes", "must be a number, or a table"),
        ("stakes = { missd = { cancer = 5 } }", "stakes.missd", "'missed'"),
        ("stakes = { cancer = 5 }", "stakes.cancer", "missed = { cancer = … }"),
        ("stakes = { missed = { cancr = 5 } }", "stakes.missed.cancr", "'cancer'"),
        ("stakes = { missed = 5 }", "stakes.missed", "must be a table"),
        ("stakes = { false = { cancer = { cancer = 5 } } }", "stakes.false.cancer.cancer", "costs nothing"),
        ("stakes = { false = { cancer = { cod = 5 } } }", "stakes.false.cancer.cod", "'cold'"),
        ("stakes = { false = { cancer = true } }", "stakes.false.cancer", "not true"),
        ('stakes = { missed = { cancer = { "*" = nan } } }', 'stakes.missed.cancer."*"', "finite"),
    ],
)
def test_mistakes_in_stakes_are_named_with_their_place(
    tmp_path: Path, stakes: str, place: str, message: str
) -> None:
    with pytest.raises(BadBank) as error:
        clinic(tmp_path, stakes)
    (found,) = error.value.findings
    assert found.path == place
    assert message in found.message


def test_stakes_of_too_many_decisions_are_refused_before_they_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("odm_tui.banks.checks.stakes.MAX_PAIRS", 5)
    clinic(tmp_path, "stakes = { missed = { cancer = 5, flu = 4, cold = 3 } }")
    with pytest.raises(BadBank, match="too many"):
        clinic(tmp_path, "stakes = { false = { cancer = 5, flu = 4 } }")
