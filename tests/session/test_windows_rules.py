"""The store keeps the rules of Windows: no file is renamed, replaced or removed while it is open."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from odm_tui import files
from odm_tui.session import Archive, Session
from tests.support.faults.checks import is_sound
from tests.support.faults.interviews import hold_interview, open_question, sample_answer, sample_bank


def open_files() -> set[str]:
    found = set()
    for path in Path("/proc/self/fd").iterdir():
        try:
            found.add(str(path.readlink()))
        except OSError:
            continue
    return found


@pytest.fixture(autouse=True)
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forbid what Windows forbids."""
    unlink, replace, open_ = Path.unlink, Path.replace, os.open

    def check(*paths: Path) -> None:
        for path in paths:
            if str(path.resolve()) in open_files():
                raise PermissionError(13, f"{path} is used by this process")

    def careful_unlink(self: Path, missing_ok: bool = False) -> None:
        check(self)
        unlink(self, missing_ok)

    def careful_replace(self: Path, target: Path) -> Path:
        check(self, Path(target))
        return replace(self, target)

    def careful_open(path: str | Path, flags: int, *more: int, **options: int) -> int:
        if Path(path).is_dir():
            raise PermissionError(13, "a folder can't be opened")
        return open_(path, flags, *more, **options)

    monkeypatch.setattr(Path, "unlink", careful_unlink)
    monkeypatch.setattr(Path, "replace", careful_replace)
    monkeypatch.setattr(os, "open", careful_open)
    monkeypatch.setattr(files, "_ON_WINDOWS", True)
    for name in ("fchmod", "fchown", "geteuid", "getegid", "getgroups"):
        monkeypatch.delattr(os, name)


def test_interviews_are_held_resumed_corrected_merged_and_forgotten(tmp_path: Path) -> None:
    bank, state, other = sample_bank(tmp_path / "bank"), tmp_path / "state", tmp_path / "other"
    first = hold_interview(bank, state, seed=1)
    session = Session.start(bank, state, seed=2, operator="op")
    session.answer(sample_answer(open_question(session)))
    session.leave()
    session = Session.resume(bank, session.id, state)
    while session.question is not None:
        session.answer(sample_answer(open_question(session)))
    session.confirm("flu")
    hold_interview(bank, other, seed=3)
    archive = Archive.of(bank, state)
    archive.correct(first.id, "flu")
    archive.merge(other)
    archive.forget(session.id)
    archive.rebuild()
    assert is_sound(bank, state)
    assert len(archive.history("confirmed")) == 2
    assert not list(state.glob(".*"))
