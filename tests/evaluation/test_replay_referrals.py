"""Replay of interviews that are handed over: they are undecided, so not right, in every estimate."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console, RenderableType

from odm_tui.banks import Bank, load_bank
from odm_tui.evaluation.replay.logged_interviews import LoggedInterview, Tally, read_interviews
from odm_tui.evaluation.replay.logged_path import LoggedPath, find_path
from odm_tui.evaluation.replay.propensity import estimate_other_chances
from odm_tui.evaluation.replay.replay import ReplayOptions, replay
from odm_tui.evaluation.report.replay_html import render_page
from odm_tui.evaluation.report.replay_terminal import make_replay_tables
from odm_tui.session import Session
from tests.support.sample_banks import written

DESK = """\
format = 1
title = "Help desk"
stakes = 10
policy = "{policy}"

[[outcomes]]
id = "cable"
label = "Loose cable"

[[outcomes]]
id = "line"
label = "Fault on the line"

[[questions]]
id = "lights"
text = "Are the lights on?"
cost = 1

[refer]
cost = {refer}
label = "Second line takes over"
advice = "Pass the caller on."
"""


def desk(folder: Path, refer: float = 2, policy: str = "lookahead-mean") -> Bank:
    return load_bank(written(folder, DESK.format(refer=refer, policy=policy)))


def hold(bank: Bank, state: Path, count: int, hands_over: bool = False) -> list[LoggedInterview]:
    """Hold interviews; both outcomes are confirmed in turn."""
    for seed in range(count):
        session = Session.start(bank, state, seed=seed)
        while session.question is not None:
            session.answer("yes" if seed % 2 else "no")
        if hands_over:
            session.refer()
        session.confirm(bank.outcomes[seed % 2].id)
    (log,) = state.glob("*.log.jsonl")
    return list(read_interviews([log], bank, Tally()))


def shown(renderable: RenderableType) -> str:
    console = Console(width=120, file=io.StringIO())
    with console.capture() as capture:
        console.print(renderable)
    return capture.get()


def test_interviews_that_are_handed_over_are_not_right_by_any_way(tmp_path: Path) -> None:
    bank, state = desk(tmp_path), tmp_path / "state"
    held = hold(bank, state, 12)
    (log,) = state.glob("*.log.jsonl")
    found = replay(bank, [log], ReplayOptions(policies=["lookahead-mean"], answer_draws=2, max_weighted=0))
    figures = [each for way in found.ways for each in way.policies]
    assert len(figures) == 4
    assert [each.accuracy for each in figures] == [0.0] * 4
    assert [each.mean_cost for each in figures] == [0.0] * 4
    assert [each.referred for each in figures] == [1.0] * 4
    assert all(logged.referred and logged.decided is None for logged in held)
    assert "referred" in shown(make_replay_tables(found, 100))
    assert "referred" in render_page(found)


def test_the_share_that_is_handed_over_is_shown_only_where_there_is_one(tmp_path: Path) -> None:
    bank, state = desk(tmp_path, refer=9), tmp_path / "state"
    hold(bank, state, 4)
    (log,) = state.glob("*.log.jsonl")
    found = replay(bank, [log], ReplayOptions(policies=["random"], answer_draws=1, max_weighted=0))
    assert "referred" not in shown(make_replay_tables(found, 100))
    assert "referred" not in render_page(found)


def test_a_path_that_hands_over_is_not_right_and_neither_is_the_value_model(tmp_path: Path) -> None:
    bank = desk(tmp_path, refer=0.5, policy="random")
    for logged in hold(bank, tmp_path / "state", 4):
        path = find_path(bank, logged)
        assert isinstance(path, LoggedPath)
        assert path.right == 0
        other = estimate_other_chances(path, path.policy, draws=8, seed=1)
        assert other.model[1] == 0


def test_a_path_whose_policy_handed_over_must_do_so_again(tmp_path: Path) -> None:
    logged = hold(desk(tmp_path, refer=0.5, policy="random"), tmp_path / "state", 1)[0]
    assert logged.referrals == {len(logged.path)}
    object.__setattr__(logged, "referrals", frozenset())
    bank = desk(tmp_path, refer=0.5, policy="random")
    assert find_path(bank, logged) == "its own seed decides otherwise now"


def test_a_decision_counts_where_the_operator_hands_over_after_it(tmp_path: Path) -> None:
    bank = desk(tmp_path, refer=9, policy="random")
    held = hold(bank, tmp_path / "state", 4, hands_over=True)
    assert all(logged.referred and not logged.referrals for logged in held)
    paths = [find_path(bank, logged) for logged in held]
    assert all(isinstance(path, LoggedPath) for path in paths)
    decided = [list(logged.decisions.values())[-1] == logged.outcome for logged in held]
    assert [bool(path.right) for path in paths if isinstance(path, LoggedPath)] == decided
