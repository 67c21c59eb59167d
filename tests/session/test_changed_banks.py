"""A bank keeps its interviews when its file is renamed, and says what a change makes of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from odm_tui.banks import Bank, load_bank
from odm_tui.cli.app import app
from odm_tui.session import Archive, Session
from tests.support.sample_banks import written

BANK = """\
format = 1
title = "Lamp"
{head}
[[outcomes]]
id = "{outcome}"
[[outcomes]]
id = "cable"
[[questions]]
id = "colour"
text = "Which colour?"
type = "choice"
answers = [{answers}]
[expected]
colour = {{ cable = {{ green = 0.9 }} }}
"""


def bank(folder: Path, head: str = "", outcome: str = "fuse", answers: str = '"green", "red"') -> Bank:
    folder.mkdir(parents=True, exist_ok=True)
    return load_bank(written(folder, BANK.format(head=head, outcome=outcome, answers=answers), "lamp.toml"))


def hold(made: Bank, state: Path, outcome: str) -> list[str]:
    """Hold one confirmed interview; return what the operator is told at its start."""
    session = Session.start(made, state, policy="all", seed=1)
    notices = list(session.notices)
    session.answer("red")
    session.confirm(outcome)
    return notices


def counted(made: Bank, state: Path) -> int:
    return Archive.of(made, state).read_snapshot().counts.interviews


def test_a_renamed_file_keeps_its_interviews(tmp_path: Path) -> None:
    made = bank(tmp_path, 'id = "lamp-1a2b"')
    hold(made, tmp_path / "state", "fuse")
    renamed = made.path.rename(tmp_path / "torch.toml")
    assert counted(load_bank(renamed), tmp_path / "state") == 1


def test_two_files_of_one_name_with_ids_of_their_own_share_nothing(tmp_path: Path) -> None:
    one, other = bank(tmp_path / "a", 'id = "lamp-a"'), bank(tmp_path / "b", 'id = "lamp-b"')
    hold(one, tmp_path / "state", "fuse")
    assert counted(other, tmp_path / "state") == 0


def test_two_files_of_one_name_without_ids_do_not_share_in_silence(tmp_path: Path) -> None:
    hold(bank(tmp_path / "a"), tmp_path / "state", "fuse")
    text = (tmp_path / "a" / "lamp.toml").read_text().replace('"fuse"', '"mould"').replace("cable", "rot")
    (tmp_path / "b").mkdir()
    notices = hold(load_bank(written(tmp_path / "b", text, "lamp.toml")), tmp_path / "state", "rot")
    assert any("If another bank held them" in notice and "id = " in notice for notice in notices)


def test_the_only_confirmed_outcome_may_have_been_renamed(tmp_path: Path) -> None:
    hold(bank(tmp_path, 'id = "lamp-1a2b"'), tmp_path / "state", "fuse")
    said = " ".join(hold(bank(tmp_path, 'id = "lamp-1a2b"', outcome="fuses"), tmp_path / "state", "cable"))
    assert (
        "1 interview kept as 'lamp-1a2b', and none with an outcome of this bank. If another bank held" in said
    )
    assert "so its 1 interview no longer counts. If it was renamed, add the line aliases" in said
    assert "belong to another bank" not in said


def test_a_renamed_outcome_says_what_no_longer_counts_and_how_to_keep_it(tmp_path: Path) -> None:
    state = tmp_path / "state"
    before = bank(tmp_path)
    for outcome in ("fuse", "fuse", "cable"):
        hold(before, state, outcome)
    notices = hold(bank(tmp_path, outcome="fuses"), state, "cable")
    (said,) = [notice for notice in notices if "no longer count" in notice]
    assert "The outcome 'fuse' is no longer in the bank, so its 2 interviews no longer count." in said
    assert """add the line aliases = ["fuse"] to the outcome 'fuses'.""" in said
    assert not [n for n in hold(bank(tmp_path, outcome="fuses"), state, "cable") if "no longer count" in n]
    again = bank(tmp_path, outcome='fuses"\naliases = ["fuse"]\n#"')
    assert counted(again, state) == 5


def test_verify_is_calm_after_a_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    hold(bank(tmp_path), tmp_path / "state", "fuse")
    bank(tmp_path, outcome="fuses")
    result = CliRunner().invoke(app, ["state", "verify", "--bank", "lamp.toml", "--json"])
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert found["sound"]
    assert any("'fuse' is no longer in the bank" in note for note in found["notes"])


def test_an_answer_keeps_its_count_under_a_new_name(tmp_path: Path) -> None:
    state = tmp_path / "state"
    hold(bank(tmp_path), state, "fuse")
    lost = bank(tmp_path, answers='"green", "crimson"')
    assert Archive.of(lost, state).read_snapshot().counts.answers == {}
    kept = bank(tmp_path, answers='"green", { id = "crimson", aliases = ["red"] }')
    assert Archive.of(kept, state).read_snapshot().counts.answers == {(0, 0, 1): 1}


def test_the_version_of_a_bank_is_logged(tmp_path: Path) -> None:
    made = bank(tmp_path, 'version = "2026-02"')
    hold(made, tmp_path / "state", "fuse")
    first = (tmp_path / "state" / "lamp.log.jsonl").read_text().splitlines()[0]
    assert json.loads(first)["version"] == "2026-02"
    hold(bank(tmp_path / "b"), tmp_path / "other", "fuse")
    assert "version" not in json.loads((tmp_path / "other" / "lamp.log.jsonl").read_text().splitlines()[0])


def test_a_log_finds_its_bank_by_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = bank(tmp_path / "question_banks", 'id = "lamp-9f"')
    hold(made, tmp_path / "state", "fuse")
    made.path.rename(tmp_path / "question_banks" / "torch.toml")
    result = CliRunner().invoke(app, ["state", "verify", "--json"])
    assert result.exit_code == 0, result.output
    assert load_bank("lamp-9f").name == "torch"
