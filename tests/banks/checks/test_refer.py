"""``[refer]`` in a bank."""

from __future__ import annotations

from pathlib import Path

import pytest

from odm_tui.banks import BadBank
from odm_tui.banks.bank import Referral
from tests.support.sample_banks import SMALL, loaded


def with_refer(lines: str) -> str:
    return f"{SMALL}\n[refer]\n{lines}\n"


def test_refer_reaches_the_engine(tmp_path: Path) -> None:
    bank = loaded(tmp_path, with_refer('cost = 40\nlabel = "Second line"\nadvice = "Pass the caller on."'))
    assert bank.refer == Referral(40.0, "Second line", "Pass the caller on.")
    assert bank.problem.refer_cost == 40.0
    assert loaded(tmp_path, with_refer("cost = 0")).refer == Referral(0.0, "Hand over", "")
    assert loaded(tmp_path, SMALL).problem.refer_cost is None
    assert loaded(tmp_path, SMALL).hash != bank.hash


@pytest.mark.parametrize(
    ("lines", "place", "message"),
    [
        ('label = "x"', "refer.cost", "is missing; say what handing over costs"),
        ("cost = -1", "refer.cost", "0 or more"),
        ("cost = 5\nprice = 3", "refer.price", "unknown key"),
        ("cost = 5\nlabel = 3", "refer.label", "text in quotes"),
    ],
)
def test_mistakes_in_refer_are_named_with_their_place(
    tmp_path: Path, lines: str, place: str, message: str
) -> None:
    with pytest.raises(BadBank) as error:
        loaded(tmp_path, with_refer(lines))
    (found,) = error.value.findings
    assert found.path == place
    assert message in found.message


def test_refer_must_be_a_table(tmp_path: Path) -> None:
    with pytest.raises(BadBank) as error:
        loaded(tmp_path, SMALL.replace("stakes = 900", "stakes = 900\nrefer = 40"))
    assert error.value.findings[0].path == "refer"
