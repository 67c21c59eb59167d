"""Banks are found in this folder, among the user's own, and with the program, in that order."""

from __future__ import annotations

from pathlib import Path

import pytest

from odm_tui.banks import BadBank, available_banks, load_bank
from odm_tui.banks.locations import bank_name, find_bank
from tests.support.sample_banks import SMALL, written

SHIPPED = {"breast-cancer", "home-network", "led", "lung", "navigation", "troubleshooting"}


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, with an empty config folder beside it."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setattr("platformdirs.user_config_path", lambda *_, **__: tmp_path / "config")
    return here


def folder(path: Path) -> Path:
    path.mkdir(parents=True)
    return path


def test_the_shipped_banks_are_found_from_anywhere(elsewhere: Path) -> None:
    assert {bank.name for bank in available_banks()} == SHIPPED
    assert {bank.source for bank in available_banks()} == {"odm-tui"}


def test_a_name_means_the_nearest_bank(elsewhere: Path) -> None:
    own = written(folder(elsewhere.parent / "config" / "question_banks"), SMALL, "led.toml")
    assert find_bank("led") == own
    here = written(folder(elsewhere / "question_banks"), SMALL, "led.toml")
    assert find_bank("led").absolute() == here
    assert [bank.source for bank in available_banks() if bank.name == "led"] == ["this folder"]


def test_a_bank_is_loaded_by_name(elsewhere: Path) -> None:
    assert load_bank("navigation").title == "Charging stop"


def test_a_path_is_taken_as_it_is(elsewhere: Path) -> None:
    written(elsewhere, SMALL, "My bank.toml")
    bank = load_bank("./My bank.toml")
    assert (bank.name, bank.title) == ("my-bank", "Home network")


def test_an_unknown_name_is_answered_with_the_closest_one(elsewhere: Path) -> None:
    with pytest.raises(BadBank) as error:
        load_bank("navigatoin")
    assert str(error.value) == (
        "Unknown bank 'navigatoin'. Did you mean 'navigation'? "
        "See `odm-tui banks`, or give the path of a .toml file."
    )


def test_files_that_are_no_banks_are_not_listed(elsewhere: Path) -> None:
    banks = folder(elsewhere / "question_banks")
    written(banks, "x", "make_bank.py")
    folder(banks / "folder.toml")
    assert {bank.name for bank in available_banks()} == SHIPPED


@pytest.mark.parametrize(
    ("file", "name"),
    [("led.toml", "led"), ("Büro & Co.toml", "buro-co"), ("日本.toml", "bank-cf2abf0c"), ("../x.toml", "x")],
)
def test_a_bank_is_named_after_its_file_in_plain_letters(file: str, name: str) -> None:
    assert bank_name(Path(file)) == name
