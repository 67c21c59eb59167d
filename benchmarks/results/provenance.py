"""From which commit, when and where the results were computed."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[2]
WRITTEN = "docs/results.md"


def find_commit() -> str:
    """Return the short name of the commit that is checked out; refuse if files differ from it."""
    changed = [
        line[3:]
        for line in _git("status", "--porcelain").splitlines()
        if line[3:] != WRITTEN and line[:2] != "??"
    ]
    if changed:
        raise SystemExit(
            f"The results name the commit that they come from, and {changed[0]} is not committed. "
            "Commit first, or use --quick to try a section."
        )
    return _git("rev-parse", "--short=10", "HEAD").strip()


def describe(commit: str, minutes: float) -> str:
    """Return the sentence about commit, date and machine that stands once on the page."""
    day = datetime.now(UTC).date().isoformat()
    cores = os.cpu_count() or 1
    return (
        f"Computed on {day} from commit `{commit}` on {platform.system()} {platform.machine()} with {cores} cores, "
        f"Python {platform.python_version()}, in {minutes:.0f} minutes."
    )


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout
