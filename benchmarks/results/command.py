"""The command ``python -m benchmarks.results``: compute sections, and write the page when all are there."""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.results.page import PAGE, STAMP, find_commits, replace_blocks
from benchmarks.results.provenance import ROOT, describe, find_commit
from benchmarks.results.section import Section, Work
from benchmarks.results.section_list import load_sections
from benchmarks.scenario_files import DATA
from odm_tui.evaluation.parallel import count_cores
from odm_tui.files import write_atomically

KEPT = ROOT / "build" / "results"
"""Where finished runs and sections are stored, by commit, so that an interrupted run can continue."""


def main() -> None:
    """Compute all sections and write docs/results.md, or compute and print some of them."""
    given = _parse()
    sections = load_sections(given.section)
    if given.list:
        for section in sections:
            print(f"{section.name:<16} {section.title}")
        return
    if not DATA.is_dir() and any(section.needs_data for section in sections):
        raise SystemExit("The scenario files are missing: shared/data must be beside the checkout.")
    if given.quick:
        with tempfile.TemporaryDirectory() as passing:
            for section in sections:
                print_section(section, section.choose_settings(quick=True), Work(Path(passing), given.jobs))
        return
    commit = find_commit()
    folder = KEPT / commit
    made = {section.name: compute_section(section, folder, given.jobs) for section in sections}
    if given.section:
        for section in sections:
            print(section.render(section.choose_settings(quick=False), made[section.name]["rows"]))
        return
    write_page(sections, made, commit)
    print(f"{PAGE.relative_to(ROOT)} is written.")


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.results", description=__doc__)
    parser.add_argument(
        "--section", action="append", default=[], metavar="NAME", help="print only this section"
    )
    parser.add_argument("--list", action="store_true", help="list the sections")
    parser.add_argument(
        "--quick", action="store_true", help="try the sections with tiny settings; write nothing"
    )
    parser.add_argument("--jobs", type=int, default=count_cores(), help="processes (default: one per core)")
    return parser.parse_args()


def print_section(section: Section, settings: dict[str, Any], work: Work) -> None:
    """Compute a section and print it."""
    started = perf_counter()
    rows = json.loads(json.dumps(section.compute(settings, work)))
    print(
        f"{section.name}: {perf_counter() - started:.1f} s\n\n{section.render(settings, rows)}\n", flush=True
    )


def compute_section(section: Section, folder: Path, jobs: int) -> dict[str, Any]:
    """Return a section's rows and how many seconds they took; read them if they are stored."""
    settings = section.choose_settings(quick=False)
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:16]
    stored = folder / "sections" / f"{section.name}-{digest}.json"
    if stored.is_file():
        print(f"{section.name}: stored", flush=True)
        return dict(json.loads(stored.read_text(encoding="utf-8")))
    started = perf_counter()
    rows = section.compute(settings, Work(folder, jobs))
    made = {"rows": rows, "seconds": perf_counter() - started}
    stored.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(stored, json.dumps(made).encode(), durable=False)
    print(f"{section.name}: {made['seconds']:.0f} s", flush=True)
    return dict(json.loads(stored.read_text(encoding="utf-8")))


def write_page(sections: list[Section], made: dict[str, dict[str, Any]], commit: str) -> None:
    """Write all blocks of the page at once."""
    texts = {
        section.name: section.render(section.choose_settings(quick=False), made[section.name]["rows"])
        for section in sections
    }
    texts[STAMP] = describe(commit, sum(each["seconds"] for each in made.values()) / 60)
    page = replace_blocks(PAGE.read_text(encoding="utf-8"), texts, commit)
    if len(set(find_commits(page).values())) != 1:
        raise SystemExit("docs/results.md would name several commits; it is left as it is.")
    write_atomically(PAGE, page.encode(), durable=False)
