"""What the pages for contributors say about the layout is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "odm_tui"
PAGES = ("docs/architecture.md", "CONTRIBUTING.md")


def tree() -> set[str]:
    """Return the paths that the tree of docs/architecture.md names, relative to the package."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    found = re.search(r"^```text\nodm_tui/\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert found is not None
    paths: set[str] = set()
    parents: list[str] = []
    for indent, name in re.findall(r"^( +)([\w.]+/?)  ", found.group(1), re.MULTILINE):
        parents[len(indent) // 2 - 1 :] = [name.rstrip("/")]
        paths.add("/".join(parents))
    return paths


def test_the_tree_names_every_folder_and_base_module() -> None:
    folders = {str(path.parent.relative_to(PACKAGE)) for path in PACKAGE.rglob("__init__.py")} - {"."}
    modules = {path.name for path in PACKAGE.glob("*.py") if not path.name.startswith("__")}
    assert tree() == folders | modules


@pytest.mark.parametrize("page", PAGES)
def test_every_path_that_is_named_exists(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:odm_tui|tests|docs|question_banks|benchmarks)/[\w./-]*)`", text))
    assert named
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []
