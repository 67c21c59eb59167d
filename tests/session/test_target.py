"""A target for the cost of interviews: what each moves is in the log, and follows from it exactly."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from numpy.testing import assert_allclose
from typer.testing import CliRunner

from odm_tui.banks import Bank, load_bank
from odm_tui.cli.app import app
from odm_tui.errors import BadArgument
from odm_tui.evaluation.bank.stakes_table import compare_stakes
from odm_tui.evaluation.replay.audit import Audit
from odm_tui.evaluation.replay.logged_interviews import Tally, read_interviews
from odm_tui.session import Archive, Session, replay_interview
from odm_tui.session.next_step import next_step
from odm_tui.session.statistics import state_overview
from tests.support.sample_banks import written

BANK = """\
format = 1
title = "Desk"
stakes = 20
{target}
policy = "lookahead-mean"
{more}

[[outcomes]]
id = "cable"

[[outcomes]]
id = "line"

[[questions]]
id = "lights"
text = "Are the lights on?"
cost = 2

[[questions]]
id = "tone"
text = "Is there a tone?"
cost = 3

[expected]
lights = {{ cable = 0.8, line = 0.2 }}
tone = {{ cable = 0.3, line = 0.7 }}
"""


def desk(folder: Path, target: float | None = None, more: str = "") -> Bank:
    line = "" if target is None else f"target_cost = {target}"
    return load_bank(written(folder, BANK.format(target=line, more=more)))


def hold(bank: Bank, state: Path, target: float | None = None) -> Session:
    """Hold one interview with the answer no to everything, and confirm a loose cable."""
    session = Session.start(bank, state, seed=1, target_cost=target)
    while session.question is not None:
        session.answer("no")
    session.confirm("cable")
    return session


def costs(bank: Bank, state: Path) -> list[float]:
    return [record.cost for record in Archive.of(bank, state).history()]


def factor(bank: Bank, state: Path) -> float:
    session = Session.start(bank, state, seed=1)
    stakes = session.interview.problem.effective_stakes / 20
    session.abandon()
    return stakes


def test_each_interview_moves_the_stakes_by_its_own_target(tmp_path: Path) -> None:
    bank, state = desk(tmp_path, target=4.0), tmp_path / "state"
    for target in (None, 10.0, 2.0, None):
        hold(bank, state, target)
    first, second, third, fourth = costs(bank, state)
    moves = (4 - first) / 4 + (10 - second) / 10 + (2 - third) / 2 + (4 - fourth) / 4
    assert_allclose(factor(bank, state), math.exp(0.1 * moves), rtol=1e-6)


def test_a_history_without_a_target_leaves_the_stakes_where_they_are(tmp_path: Path) -> None:
    state = tmp_path / "state"
    plain = desk(tmp_path)
    for _ in range(3):
        hold(plain, state)
    aimed = desk(tmp_path, target=4.0)
    assert factor(aimed, state) == 1.0
    hold(aimed, state)
    assert factor(aimed, state) != 1.0


@pytest.mark.parametrize("more", ["", "half_life_days = 30"])
def test_the_state_is_that_of_the_log_and_a_retracted_interview_no_longer_moves(
    tmp_path: Path, more: str
) -> None:
    bank, state = desk(tmp_path, 4.0, more), tmp_path / "state"
    before = hold(bank, state).id
    once = factor(bank, state)
    later = hold(bank, state, 1.0).id
    archive = Archive.of(bank, state)
    saved = archive.paths.state.read_bytes()
    archive.paths.state.unlink()
    archive.rebuild()
    assert archive.paths.state.read_bytes() == saved
    archive.retract(later)
    assert_allclose(factor(bank, state), once, rtol=1e-4)  # with a half-life, the first one has aged a little
    archive.retract(before)
    assert factor(bank, state) == 1.0


def test_a_resumed_replayed_or_audited_interview_has_its_own_target(tmp_path: Path) -> None:
    bank, state = desk(tmp_path), tmp_path / "state"
    for _ in range(4):
        hold(bank, state, 40.0)
    session = Session.start(bank, state, seed=1, target_cost=40.0)
    stakes = session.interview.problem.effective_stakes
    assert stakes > 20
    session.leave()
    resumed = Session.resume(bank, session.id, state)
    assert resumed.interview.problem.effective_stakes == stakes
    while resumed.question is not None:
        resumed.answer("no")
    resumed.confirm("cable")
    archive = Archive.of(bank, state)
    assert all(step.fits for step in replay_interview(archive.read_interview(session.id), bank))
    found = list(read_interviews([archive.paths.log], bank, Tally()))
    audit = Audit(bank)
    assert [audit.check(logged) for logged in found] == [None] * 5


def test_state_show_says_how_the_stakes_moved(tmp_path: Path) -> None:
    bank, state = desk(tmp_path, target=4.0), tmp_path / "state"
    for target in (None, None, 1.0):
        hold(bank, state, target)
    target = state_overview(Archive.of(bank, state), bank)["target"]
    assert (target["target_cost"], target["interviews"], target["stakes_at_start"]) == (4.0, 3, 20.0)
    assert [move["target_cost"] for move in target["moves"]] == [4.0, 4.0, 1.0]
    assert target["moves"][0]["stakes"] == 20.0
    assert_allclose(target["stakes"], 20 * factor(bank, state))
    shown = CliRunner().invoke(app, ["state", "show", "--bank", str(bank.path), "--state-dir", str(state)])
    assert "3 interviews with a target cost" in shown.output


def test_the_target_of_the_command_line_replaces_the_banks(tmp_path: Path) -> None:
    bank, state = desk(tmp_path), tmp_path / "state"
    for _ in range(30):
        hold(bank, state, 0.25)
    counts = Archive.of(bank, state).read_snapshot().counts
    # Interviews that cost far more than they should lower the stakes until nothing is asked.
    assert next_step(bank, {}, counts=counts)["status"] == "question"
    assert next_step(bank, {}, counts=counts, target_cost=0.25)["status"] == "decision"
    runner, common = CliRunner(), ["--bank", str(bank.path), "--state-dir", str(state)]
    found = runner.invoke(app, ["next", *common, "--target-cost", "0.25", "--json"])
    assert json.loads(found.output)["status"] == "decision"
    for wrong in ("0", "-1", "nan"):
        refused = runner.invoke(app, ["next", *common, f"--target-cost={wrong}"])
        assert isinstance(refused.exception, BadArgument)


def test_a_table_of_stakes_is_not_moved_by_the_target(tmp_path: Path) -> None:
    bank, state = desk(tmp_path, target=50.0), tmp_path / "state"
    for _ in range(20):
        hold(bank, state)
    known = Archive.of(bank, state).posterior(Archive.of(bank, state).read_snapshot().counts)
    plain = desk(tmp_path)
    moved = compare_stakes(bank, known, factors=(0.1, 1.0), callers=20)
    assert moved == compare_stakes(
        plain, replace(known, problem=plain.problem), factors=(0.1, 1.0), callers=20
    )
    assert [row.stakes for row in moved] == [2.0, 20.0]
