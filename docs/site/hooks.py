"""Refuse a site that loads anything from another host."""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError

_LOADED = re.compile(
    r"""<(?:script|img|iframe|source|embed|object)\b[^>]*?\b(?:src|data)\s*=\s*["']?(?:https?:)?//[^\s"'>]+"""
    r"""|<link\b(?![^>]*\brel=["']?canonical)[^>]*?\bhref\s*=\s*["']?(?:https?:)?//[^\s"'>]+"""
    r"""|(?:@import\s+["']?|url\(\s*["']?)(?:https?:)?//[^\s"')]+"""
)


def on_post_build(config: MkDocsConfig) -> None:
    """Look for scripts, styles, fonts and pictures of other hosts in the pages and styles that were built."""
    site = Path(config.site_dir)
    pages = (path for path in sorted(site.rglob("*")) if path.suffix in {".html", ".css", ".svg"})
    found = [
        f"{path.relative_to(site)}: {loaded[0]}"
        for path in pages
        for loaded in _LOADED.finditer(path.read_text(encoding="utf-8"))
    ]
    if found:
        raise PluginError("The site loads from other hosts:\n" + "\n".join(found))
