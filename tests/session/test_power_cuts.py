"""The power is cut before every write, flush, rename and removal: nothing acknowledged is lost, nothing is half done."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from odm_tui.banks import Bank
from odm_tui.session import Archive
from odm_tui.store.forget_interview import forget, read_forgotten_ids
from odm_tui.store.integrity.log_check import find_problems
from odm_tui.store.merging import merge
from odm_tui.store.paths import StatePaths
from odm_tui.store.state_update import update_state
from tests.store.test_forgetting import GONE, full_folder, traces
from tests.support.faults.checks import count_lost_or_doubled, is_sound
from tests.support.faults.interviews import hold_interview, sample_bank
from tests.support.faults.power import cut_everywhere
from tests.support.faults.report import Table
from tests.support.faults.samples import many, paths_in, rebuilt, sample_index, state_bytes, write

SEEDS = [None, 1]
SOAK_SEEDS = range(2, 22)


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    return sample_bank(tmp_path / "bank")


def interview_cuts(bank: Bank, tmp_path: Path, seed: int | None) -> int:
    told: list[str] = []

    def prepare(folder: Path) -> None:
        told.clear()
        folder.mkdir(mode=0o700)

    cuts = 0
    for left in cut_everywhere(
        prepare,
        lambda folder: (hold_interview(bank, folder, 5, told.append), None)[1],
        tmp_path / "cuts",
        seed,
    ):
        cuts += 1
        assert count_lost_or_doubled(told, bank, left) == 0
        if any(line.startswith("confirmed") for line in told):
            assert [r.status for r in Archive.of(bank, left).history()] == ["confirmed"]
        else:
            hold_interview(bank, left, 5)
        Archive.of(bank, left).rebuild()
        assert is_sound(bank, left)
    return cuts


def forget_cuts(tmp_path: Path, seed: int | None) -> int:
    tmp_path.mkdir(exist_ok=True)
    whole = full_folder(tmp_path)
    never = paths_in(tmp_path / "never")
    write(never, [*many(3), *many(2, first=9)])
    expected, before = state_bytes(never), state_bytes(whole)
    cuts = 0
    for left in cut_everywhere(
        lambda folder: (shutil.copytree(whole.folder, folder), None)[1],
        lambda folder: (forget(StatePaths(folder, whole.stem), [GONE], sample_index()), None)[1],
        tmp_path / "cuts",
        seed,
    ):
        cuts += 1
        where = StatePaths(left, whole.stem)
        if read_forgotten_ids(where):
            assert traces(where) == []
            assert state_bytes(where) == expected
            assert not list(
                left.glob(f".{where.log.name}.*.tmp")
            )  # a second name of the log is gone at the next start
        else:
            assert where.log.read_bytes() == whole.log.read_bytes()
            assert state_bytes(where) == before
        forget(where, [GONE], sample_index())
        assert traces(where) == []
        assert not list(left.glob(".*.tmp"))
        assert where.state.read_bytes() == expected
    return cuts


def merge_cuts(tmp_path: Path, seed: int | None) -> int:
    tmp_path.mkdir(exist_ok=True)
    here, there, both = (paths_in(tmp_path / name) for name in ("here", "there", "both"))
    write(here, many(5))
    write(there, many(6, first=3))
    write(both, many(9))
    forget(there, [many(1)[0][0].interview])
    forget(both, [many(1)[0][0].interview])
    expected = state_bytes(both)
    state_bytes(here)
    cuts = 0

    def work(folder: Path) -> None:
        where = StatePaths(folder, here.stem)
        merge(where, there)
        update_state(where, sample_index())

    for left in cut_everywhere(
        lambda folder: (shutil.copytree(here.folder, folder), None)[1], work, tmp_path / "cuts", seed
    ):
        cuts += 1
        where = StatePaths(left, here.stem)
        assert state_bytes(where) == rebuilt(where)
        merge(where, there)
        assert state_bytes(where) == expected == rebuilt(where)
        assert list(find_problems(where.log)) == []
    return cuts


def state_cuts(tmp_path: Path, seed: int | None) -> int:
    tmp_path.mkdir(exist_ok=True)
    here = paths_in(tmp_path / "here")
    write(here, many(4))
    old = state_bytes(here)
    write(here, many(3, first=4))
    cuts = 0
    for left in cut_everywhere(
        lambda folder: (shutil.copytree(here.folder, folder), None)[1],
        lambda folder: (update_state(StatePaths(folder, here.stem), sample_index()), None)[1],
        tmp_path / "cuts",
        seed,
    ):
        cuts += 1
        where = StatePaths(left, here.stem)
        found = where.state.read_bytes()
        new = state_bytes(where)
        assert found in (old, new)
        assert new == rebuilt(where)
    return cuts


@pytest.mark.parametrize("seed", SEEDS)
def test_every_acknowledged_answer_survives(bank: Bank, tmp_path: Path, seed: int | None) -> None:
    assert interview_cuts(bank, tmp_path, seed) > 30


@pytest.mark.parametrize("seed", SEEDS)
def test_an_interview_is_forgotten_or_not(tmp_path: Path, seed: int | None) -> None:
    assert forget_cuts(tmp_path, seed) > 10


@pytest.mark.parametrize("seed", SEEDS)
def test_a_merge_can_be_done_again(tmp_path: Path, seed: int | None) -> None:
    assert merge_cuts(tmp_path, seed) > 10


@pytest.mark.parametrize("seed", SEEDS)
def test_the_state_is_the_old_one_or_the_new_one(tmp_path: Path, seed: int | None) -> None:
    assert state_cuts(tmp_path, seed) > 4


@pytest.mark.soak
def test_power_cuts_with_many_random_remains(bank: Bank, tmp_path: Path, table: Table) -> None:
    totals = dict.fromkeys(("log", "forget", "merge", "state"), 0)
    for seed in SOAK_SEEDS:
        folder = tmp_path / str(seed)
        folder.mkdir()
        totals["log"] += interview_cuts(bank, folder / "log", seed)
        totals["forget"] += forget_cuts(folder / "forget", seed)
        totals["merge"] += merge_cuts(folder / "merge", seed)
        totals["state"] += state_cuts(folder / "state", seed)
        shutil.rmtree(folder)
    for what, cuts in totals.items():
        table.row(f"power cut: {what}, a random part of the unflushed writes kept", cuts, 0)
