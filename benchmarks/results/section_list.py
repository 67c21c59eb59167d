"""The sections of docs/results.md, in their order: each is a module in ``sections`` with a ``SECTION``.

A new section is a module there, its name here, and two lines in docs/results.md::

    <!-- begin NAME COMMIT -->
    <!-- end NAME -->
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module

from benchmarks.results.section import Section
from odm_tui.text import unknown_name

MODULES = (
    "agreement",
    "paper",
    "unknown",
    "live",
    "target",
    "ceiling",
    "real_learning",
    "certainty",
    "coverage",
    "winners",
    "goals",
    "usefulness",
    "values",
    "optima",
    "learned",
    "shipped",
    "real",
    "thresholds",
    "variants",
    "variants_learning",
    "off_policy",
    "contradictions",
    "speed",
)
"""The modules in ``sections``; the name of each section is that of its module, with hyphens."""


def load_section(name: str) -> Section:
    """Load one section."""
    names = [section_name(module) for module in MODULES]
    if name not in names:
        raise SystemExit(unknown_name("section", name, names))
    module = import_module(f"benchmarks.results.sections.{name.replace('-', '_')}")
    section: Section = module.SECTION
    if section.name != name:
        raise ValueError(f"the section of the module {module.__name__} is called {section.name!r}")
    return section


def section_name(module: str) -> str:
    """Return the name of a module's section."""
    return module.replace("_", "-")


def load_sections(names: Iterable[str] = ()) -> list[Section]:
    """Load the named sections, or all."""
    chosen = list(names) or [section_name(module) for module in MODULES]
    return [load_section(name) for name in chosen]
