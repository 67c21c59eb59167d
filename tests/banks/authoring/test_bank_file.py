"""New bank files: never in place of another by accident, and never half written."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from odm_tui.banks.authoring.bank_file import save_bank
from odm_tui.errors import CannotWrite
from tests.support.faults.disk import FaultyDisk, in_place


def test_an_existing_file_stays_without_force(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("mine")
    with pytest.raises(CannotWrite, match=r"mine\.toml already exists\. Choose another name, .* --force\.$"):
        save_bank(path, "new")
    assert path.read_text() == "mine"


@pytest.mark.parametrize("exists", [False, True], ids=["a new file", "a replaced file"])
def test_a_full_disk_leaves_what_was_there(tmp_path: Path, exists: bool) -> None:
    path = tmp_path / "mine.toml"
    if exists:
        path.write_text("mine")
    with (
        in_place(FaultyDisk("write", 1, "short")),
        pytest.raises(CannotWrite, match=r"mine\.toml: no space left on device\. .*\.$"),
    ):
        save_bank(path, "new text", force=True)
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("mine.toml", "mine")] * exists


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_a_new_bank_gets_the_mode_of_the_umask_and_a_replaced_one_stays_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    old = os.umask(0o027)
    try:
        save_bank(path, "one")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        path.chmod(0o604)
        save_bank(path, "two", force=True)
    finally:
        os.umask(old)
    assert (stat.S_IMODE(path.stat().st_mode), path.read_text()) == (0o604, "two")


@pytest.mark.parametrize("name", ["nowhere/bank.toml", "a\x00b.toml"])
def test_a_path_that_can_not_be_written_is_one_sentence(tmp_path: Path, name: str) -> None:
    with pytest.raises(CannotWrite, match=r"^Can't write [^\n\x00]+\.$"):
        save_bank(tmp_path / name, "new")
