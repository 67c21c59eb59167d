"""The patch of a bank with measured costs: a unified diff that the patch program takes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from odm_tui.banks import load_bank
from odm_tui.errors import BadArgument
from odm_tui.session.cost_patch import cost_patch
from odm_tui.session.statistics import MeasuredCost
from tests.support.sample_banks import SMALL, loaded, written

SUB_TABLE = SMALL.replace("cost = { red = 1 }\n", "").replace(
    'aliases = ["color"]\n', 'aliases = ["color"]\n[questions.cost]\nred = 1  # at a glance\n'
)
QUICK = MeasuredCost("colour", "red", 1.0, 2.5, 5)
RARE = MeasuredCost("colour", "amber", 3.0, 9.0, 4)


def test_the_diff_changes_the_costs_of_answers_that_were_timed_often_enough(tmp_path: Path) -> None:
    bank = loaded(tmp_path, SMALL)
    assert cost_patch(bank, [QUICK, RARE]).splitlines()[:2] == ["--- a/sample.toml", "+++ b/sample.toml"]
    assert "\n-cost = { red = 1 }\n+cost = { red = 2.5, amber = 3, not-lit = 3 }\n" in cost_patch(
        bank, [QUICK, RARE]
    )
    assert cost_patch(bank, [RARE]) == ""


def test_costs_in_a_sub_table_are_changed_line_by_line(tmp_path: Path) -> None:
    patch = cost_patch(loaded(tmp_path, SUB_TABLE), [QUICK])
    changed = [line for line in patch.splitlines()[2:] if line[0] in "+-"]
    assert changed == ["-red = 1  # at a glance", "+red = 2.5  # at a glance", "+amber = 3", "+not-lit = 3"]


def test_costs_by_outcome_and_of_numbers_stay(tmp_path: Path) -> None:
    measured = [MeasuredCost("lights", "yes", 5.0, 70.0, 9), MeasuredCost("ping", "above_300", 3.0, 70.0, 9)]
    assert cost_patch(loaded(tmp_path, SMALL), measured) == ""


def test_costs_in_another_unit_are_one_sentence(tmp_path: Path) -> None:
    bank = loaded(tmp_path, SMALL.replace('"seconds"', '"EUR"'))
    with pytest.raises(BadArgument, match=r"are in 'EUR', but times are measured in seconds\. "):
        cost_patch(bank, [QUICK])


@pytest.mark.skipif(shutil.which("patch") is None, reason="the patch program is not installed")
@pytest.mark.parametrize(
    "text",
    [
        SMALL,
        SUB_TABLE,
        "\ufeff" + SMALL,
        SMALL.rstrip("\n"),
        SMALL.replace("Is the internet", "Is\u2028the internet"),
    ],
    ids=["plain", "a sub-table", "a byte order mark", "no last line end", "a line separator in a text"],
)
def test_the_patch_program_takes_the_diff(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, text)
    patch = cost_patch(load_bank(path), [QUICK])
    subprocess.run(["patch", "-s", str(path)], input=patch.encode(), check=True)
    assert load_bank(path).question("colour").cost == {
        "red": {"*": 2.5},
        "amber": {"*": 3.0},
        "not-lit": {"*": 3.0},
    }
    assert cost_patch(load_bank(path), [QUICK]) == ""
