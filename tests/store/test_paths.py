"""Where the state folder is, and that no bank's name can lead outside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odm_tui.errors import BadArgument
from odm_tui.store.paths import StatePaths, file_stem, state_folder, state_paths_in


def test_the_named_folder_comes_before_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ODM_TUI_STATE_DIR", str(tmp_path / "env"))
    assert state_folder(tmp_path / "named") == tmp_path / "named"


def test_the_environment_comes_before_a_state_folder_here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "state").mkdir()
    monkeypatch.setenv("ODM_TUI_STATE_DIR", str(tmp_path / "env"))
    assert state_folder() == tmp_path / "env"


def test_a_state_folder_here_comes_before_the_users_data(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ODM_TUI_STATE_DIR", raising=False)
    (tmp_path / "state").mkdir()
    assert state_folder() == (tmp_path / "state").resolve()


def test_without_any_of_them_it_is_the_users_data_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ODM_TUI_STATE_DIR", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert state_folder().name == "odm-tui"


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadArgument, match="is a file"):
        state_folder(tmp_path / "file")


@given(st.text())
def test_a_file_name_is_always_plain_and_short(name: str) -> None:
    stem = file_stem(name)
    assert stem
    assert len(stem) <= 69
    assert set(stem) <= set("abcdefghijklmnopqrstuvwxyz0123456789_-")


@given(st.text(), st.text())
def test_different_names_never_share_a_file(one: str, other: str) -> None:
    assert (file_stem(one) == file_stem(other)) == (one == other)


@pytest.mark.parametrize("name", ["con", "NUL", "a.position", "Home", "../../etc/passwd", ""])
def test_a_name_that_is_not_safe_gets_a_hash(name: str) -> None:
    assert file_stem(name) != name


def test_the_banks_of_a_folder_are_found_by_their_logs(tmp_path: Path) -> None:
    for name in ("b", "a"):
        StatePaths.of(tmp_path, name).log.write_bytes(b"")
    (tmp_path / "c.json").write_bytes(b"")
    assert [found.stem for found in state_paths_in(tmp_path)] == ["a", "b"]
