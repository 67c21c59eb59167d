"""Write the tables into docs/results.md: only between marks, and only from one commit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "results.md"
STAMP = "computed"
"""The block that says once from which commit, when and where the page was computed."""
_BLOCK = re.compile(
    r"<!-- begin (?P<name>[\w-]+) (?P<commit>\S+) -->\n(?P<text>.*?)<!-- end (?P=name) -->", re.DOTALL
)
_BEGIN = re.compile(r"<!-- begin ")


def find_commits(page: str) -> dict[str, str]:
    """Return the commit that each block of a page names, by the block's name.

    >>> find_commits("<!-- begin one abc -->\\nrows\\n<!-- end one -->")
    {'one': 'abc'}
    """
    found = [(match["name"], match["commit"]) for match in _BLOCK.finditer(page)]
    if len(found) != len(_BEGIN.findall(page)) or len(found) != len(dict(found)):
        raise ValueError("docs/results.md: a block has no end, no commit, or stands twice.")
    return dict(found)


def replace_blocks(page: str, texts: Mapping[str, str], commit: str) -> str:
    """Return the page with these texts in its blocks, by name; all blocks must be given.

    >>> replace_blocks("<!-- begin one abc -->\\n<!-- end one -->", {"one": "rows"}, "def")
    '<!-- begin one def -->\\nrows\\n<!-- end one -->'
    """
    blocks = find_commits(page)
    missing, extra = sorted(set(blocks) - set(texts)), sorted(set(texts) - set(blocks))
    if missing or extra:
        raise ValueError(
            f"docs/results.md and the sections differ: only on the page: {missing}; only computed: {extra}."
        )
    return _BLOCK.sub(
        lambda found: (
            f"<!-- begin {found['name']} {commit} -->\n{texts[found['name']].rstrip()}\n<!-- end {found['name']} -->"
        ),
        page,
    )
