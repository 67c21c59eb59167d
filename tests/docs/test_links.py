"""Links between the pages lead somewhere, and the site has every page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.examples import PAGES, ROOT, blocks_of

_LINK = re.compile(r"(?<!`)\]\(([^)\s]+)\)")


def _prose(page: Path) -> str:
    """Give a page without its fenced blocks."""
    text = page.read_text(encoding="utf-8")
    for block in blocks_of(page):
        text = text.replace(block.text, "")
    return text


def _anchors(page: Path) -> set[str]:
    """Give the anchors of a page's headings, as GitHub and mkdocs make them."""
    headings = re.findall(r"^#+ (.+)$", _prose(page), re.MULTILINE)
    plain = [re.sub(r"[^\w\s-]", "", heading.replace("`", "")).strip().lower() for heading in headings]
    return {re.sub(r"\s+", "-", heading) for heading in plain}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    for link in _LINK.findall(_prose(page)):
        if link.startswith(("https://", "http://")):
            continue
        file, _, anchor = link.partition("#")
        target = page.parent / file if file else page
        assert target.exists(), link
        if anchor:
            assert anchor in _anchors(target), link


def test_the_site_has_every_page() -> None:
    settings = (ROOT / "docs" / "site" / "mkdocs.yml").read_text(encoding="utf-8")
    listed = re.findall(r"^  - .+: (\w+\.md)$", settings.split("\nnav:\n")[1], re.MULTILINE)
    assert sorted(listed) == sorted(page.name for page in (ROOT / "docs").glob("*.md"))
