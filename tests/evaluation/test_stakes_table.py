"""What each setting of the stakes means for a bank."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from odm_tui.banks import Bank, load_bank
from odm_tui.cli.commands.stakes import app
from odm_tui.errors import BadArgument
from odm_tui.evaluation.bank.stakes_table import FACTORS, compare_stakes
from tests.support.sample_banks import written

DESK = """\
format = 1
title = "Desk"
stakes = 40
policy = "lookahead-mean"
{refer}
outcomes = [{{ id = "cable" }}, {{ id = "line" }}]

[[questions]]
id = "lights"
text = "Are the lights on?"
cost = 1

[[questions]]
id = "ping"
text = "Does the ping page answer?"
cost = 4

[expected]
worth = 1000
lights = {{ cable = 0.8, line = 0.2 }}
ping = {{ cable = 0.1, line = 0.9 }}
"""


def desk(folder: Path, refer: str = "") -> Bank:
    return load_bank(written(folder, DESK.format(refer=refer)))


def test_higher_stakes_ask_more_and_are_right_more_often(tmp_path: Path) -> None:
    rows = compare_stakes(desk(tmp_path), callers=100)
    assert [row.stakes for row in rows] == [40 * factor for factor in FACTORS]
    questions, right = [row.questions for row in rows], [row.right for row in rows]
    assert questions == sorted(questions)
    assert questions[0] == 0 < questions[-1]
    assert right[0] < 0.7 < 0.85 < right[-1]
    # Without a question nothing is paid; lights alone cost 1.
    assert rows[0].cost == 0
    assert all(row.right_low <= row.right <= row.right_high and not row.referred for row in rows)


def test_handing_over_is_counted_apart(tmp_path: Path) -> None:
    (row,) = compare_stakes(desk(tmp_path, "refer = { cost = 0.5 }"), factors=(1.0,), callers=50)
    assert (row.referred, row.questions) == (1.0, 0.0)


@pytest.mark.parametrize("factors", [(), (0.0,), (-1.0,)])
def test_settings_that_make_no_sense_are_refused(tmp_path: Path, factors: tuple[float, ...]) -> None:
    with pytest.raises(BadArgument):
        compare_stakes(desk(tmp_path), factors=factors)


def test_the_command_prints_a_table_and_json(tmp_path: Path) -> None:
    arguments = [str(desk(tmp_path).path), "--callers", "20", "--state-dir", str(tmp_path / "state")]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0
    assert "this bank" in done.stdout
    said = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).stdout)
    assert [row["factor"] for row in said["rows"]] == list(FACTORS)
    assert (said["callers"], said["cost_unit"]) == (20, "points")
