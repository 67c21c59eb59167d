"""The tables of docs/results.md: each section has a block, all blocks come from one commit."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.results import command, provenance
from benchmarks.results.page import PAGE, STAMP, find_commits, replace_blocks
from benchmarks.results.section import Section, Work
from benchmarks.results.section_list import MODULES, load_sections, section_name
from benchmarks.scenario_files import DATA

NAMES = [section_name(module) for module in MODULES]


def test_every_section_has_a_block_and_every_block_a_section() -> None:
    assert set(find_commits(PAGE.read_text(encoding="utf-8"))) == {*NAMES, STAMP}


def test_all_blocks_of_the_page_name_one_commit() -> None:
    commits = find_commits(PAGE.read_text(encoding="utf-8"))
    assert len(set(commits.values())) == 1, commits


@pytest.mark.parametrize(
    "page",
    [
        "<!-- begin one abc -->\n",
        "<!-- begin one -->\n<!-- end one -->",
        "<!-- begin one abc -->\n<!-- end one -->\n<!-- begin one abc -->\n<!-- end one -->",
    ],
    ids=["no end", "no commit", "twice"],
)
def test_a_broken_block_is_an_error(page: str) -> None:
    with pytest.raises(ValueError, match="a block has no end, no commit, or stands twice"):
        find_commits(page)


def test_a_page_is_only_written_whole() -> None:
    page = (
        "<!-- begin one abc -->\nold\n<!-- end one -->\ntext\n<!-- begin two abc -->\nold\n<!-- end two -->\n"
    )
    with pytest.raises(ValueError, match=r"only on the page: \['two'\]; only computed: \[\]"):
        replace_blocks(page, {"one": "new"}, "def")
    made = replace_blocks(page, {"one": r"new \1", "two": "newer"}, "def")
    assert made == (
        "<!-- begin one def -->\nnew \\1\n<!-- end one -->\ntext\n<!-- begin two def -->\nnewer\n<!-- end two -->\n"
    )


@pytest.mark.parametrize(
    "name", [name for name in NAMES if name != "speed"]
)  # it only measures, as make bench does
def test_a_section_works_with_tiny_settings(name: str, tmp_path: Path) -> None:
    pytest.importorskip("numba")
    (section,) = load_sections([name])
    if section.needs_data and not DATA.is_dir():
        pytest.skip("../shared/data is not beside the checkout")
    settings = section.choose_settings(quick=True)
    rows = json.loads(json.dumps(section.compute(settings, Work(tmp_path))))
    text = section.render(settings, rows)
    assert "|" in text
    assert "<!--" not in text


def test_the_settings_of_a_section_can_be_stored(tmp_path: Path) -> None:
    for section in load_sections():
        settings = section.choose_settings(quick=False)
        assert json.loads(json.dumps(settings)) == settings


def test_a_stored_section_is_not_computed_again(tmp_path: Path) -> None:
    calls: list[int] = []

    def compute(settings: Any, work: Work) -> Any:
        calls.append(settings["size"])
        return [settings["size"]]

    def section(size: int) -> Section:
        return Section("one", "One", {"size": size}, {}, compute, lambda settings, rows: str(rows))

    for size in (3, 3, 4):
        assert command.compute_section(section(size), tmp_path, 1)["rows"] == [size]
    assert calls == [3, 4]


def test_results_of_changed_files_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    said = {"status": " M docs/results.md\n?? notes\n", "rev-parse": "abc\n"}
    monkeypatch.setattr(provenance, "_git", lambda *arguments: said[arguments[0]])
    assert provenance.find_commit() == "abc"
    said["status"] = " M odm_tui/text.py\n"
    with pytest.raises(SystemExit, match=r"odm_tui/text\.py is not committed"):
        provenance.find_commit()


def test_the_sections_are_listed_and_a_wrong_name_gets_a_suggestion() -> None:
    listed = subprocess.run(
        [sys.executable, "-m", "benchmarks.results", "--list"], capture_output=True, text=True, check=True
    )
    assert [line.split()[0] for line in listed.stdout.splitlines()] == NAMES
    with pytest.raises(SystemExit, match="Did you mean 'winners'"):
        load_sections(["winner"])
