"""The config file: invalid settings are reported and left out, the others are used."""

from __future__ import annotations

from pathlib import Path

import pytest

from odm_tui.errors import CannotWrite
from odm_tui.tui.config import read_config, write_setting
from tests.support.faults.disk import FaultyDisk, in_place


def test_a_missing_file_is_an_empty_one(tmp_path: Path) -> None:
    config = read_config(tmp_path / "config.toml")
    assert (config.theme, config.operator, config.why, dict(config.keys)) == (None, None, False, {})
    assert config.complaints == ()


def test_what_the_file_says_holds(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(
        'theme = "nord"\noperator = "desk-4"\nwhy = true\nexplore = "quiet"\n[keys]\n"interview.why" = "v"\n'
    )
    config = read_config(path)
    assert (config.theme, config.operator, config.why, config.explore) == ("nord", "desk-4", True, "quiet")
    assert config.keys == {"interview.why": "v"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('theme = "pink"', "high contrast"),
        ("operator = 3", "operator"),
        ('why = "yes"', "true or false"),
        ('explore = "sometimes"', "bank, always, quiet, never"),
        ('[keys]\n"no.such" = "v"', "no.such"),
        ('[keys]\n"interview.why" = 3', "interview.why"),
        ('[keys]\n"interview.why" = "y"', "y is the key of both interview.yes and interview.why"),
        ('[keys]\n"home.start" = "f1"', "F1 is the key of both home.start and help"),
        ("theme = ", "not valid TOML"),
    ],
)
def test_what_is_wrong_is_told_with_the_file_and_left_out(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text)
    config = read_config(path)
    (complaint,) = config.complaints
    assert str(path) in complaint
    assert told in complaint
    assert (config.theme, config.operator, config.why, dict(config.keys)) == (None, None, False, {})
    assert config.explore == "bank"


@pytest.mark.parametrize(
    "keys",
    [
        {"interview.undo": "z"},
        {"interview.undo": "u"},
        {"interview.yes": "n", "interview.no": "y"},
        {"help": "f1,h,f9"},
        {"interview.yes": "j", "summary.next": "j"},
    ],
    ids=["of two keys one", "the same", "swapped", "as it was meant", "on two screens"],
)
def test_only_two_commands_on_one_key_of_one_screen_are_a_clash(tmp_path: Path, keys: dict[str, str]) -> None:
    path = tmp_path / "config.toml"
    path.write_text("[keys]\n" + "".join(f'"{id}" = "{key}"\n' for id, key in keys.items()))
    config = read_config(path)
    assert config.complaints == ()
    assert config.keys == keys


def test_a_clash_takes_neither_key_away_from_what_had_it(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('[keys]\n"interview.why" = "y"\n"interview.skip" = "k"\n')
    assert read_config(path).keys == {"interview.skip": "k"}


def test_a_setting_is_written_and_everything_else_stays(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "config.toml"
    write_setting(path, "theme", "light")
    path.write_text("# mine\n" + path.read_text() + '\n[keys]\n"interview.why" = "v"  # handier\n')
    write_setting(path, "theme", "dark")
    write_setting(path, "why", True)
    assert (
        path.read_text() == 'why = true\n# mine\ntheme = "dark"\n\n[keys]\n"interview.why" = "v"  # handier\n'
    )
    assert read_config(path).complaints == ()


def test_a_file_that_can_not_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(CannotWrite, match="until you leave"):
        write_setting(tmp_path, "theme", "light")


def test_a_file_that_is_not_utf_8_is_told_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b'# caf\xe9\ntheme = "dark"\n')
    with pytest.raises(CannotWrite, match=r"config\.toml.* not UTF-8.* until you leave"):
        write_setting(path, "theme", "light")
    assert path.read_bytes() == b'# caf\xe9\ntheme = "dark"\n'


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('theme = "dark"\n')
    with (
        in_place(FaultyDisk("write", 1, "short")),
        pytest.raises(CannotWrite, match=r"No space left on device; .* until you leave"),
    ):
        write_setting(path, "theme", "light")
    assert path.read_text() == 'theme = "dark"\n'
    assert list(tmp_path.iterdir()) == [path]


def test_line_ends_stay_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b'theme = "dark"\r\n# mine\r\n')
    write_setting(path, "theme", "light")
    assert path.read_bytes() == b'theme = "light"\r\n# mine\r\n'


def test_a_comment_beside_a_setting_stays(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('"theme"   =   "dark"  # at night\nkeys = { help = "f9" }  # theme = "no"\n')
    write_setting(path, "theme", "light")
    assert path.read_text() == '"theme"   =   "light"  # at night\nkeys = { help = "f9" }  # theme = "no"\n'


def test_a_text_over_several_lines_that_looks_like_a_setting_stays(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('note = """\ntheme = "dark"\n"""\n')
    write_setting(path, "theme", "light")
    assert read_config(path).theme == "light"
    assert path.read_text().endswith('note = """\ntheme = "dark"\n"""\n')


@pytest.mark.parametrize("operator", ['Ann "the desk"', "C:\\ann", "Zoë 😀", "tab\there"])
def test_any_operator_is_read_as_it_was_written(tmp_path: Path, operator: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text('operator = "desk-4"\n')
    write_setting(path, "operator", operator)
    assert read_config(path).operator == operator


def test_a_file_that_is_not_toml_is_told_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("theme = \n")
    with pytest.raises(CannotWrite, match=r"config\.toml.* not valid TOML.* until you leave\.$"):
        write_setting(path, "theme", "light")
    assert path.read_text() == "theme = \n"
