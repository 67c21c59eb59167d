"""Keep the runs of one commit with one set of options in a folder, one file each, so that later runs add to them."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.stress.runs import StressRun


class Tally:
    """The runs so far, in the order in which they were made."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        files = sorted(folder.glob("run-*.json"))
        self.runs = [StressRun(**json.loads(file.read_text("utf-8"))) for file in files]

    def add(self, run: StressRun) -> None:
        """Keep one more run."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.runs.append(run)
        file = self.folder / f"run-{len(self.runs):04}.json"
        unfinished = file.with_suffix(".part")
        unfinished.write_text(json.dumps(asdict(run), indent=1), "utf-8")
        unfinished.replace(file)

    def clear(self) -> None:
        """Forget all runs."""
        for file in self.folder.glob("run-*.json"):
            file.unlink()
        self.runs = []

    @property
    def green(self) -> int:
        """How many runs had no failure."""
        return sum(not run.failed for run in self.runs)

    def summary(self) -> str:
        """Each test that failed, how often and with what output, and the number of runs that passed."""
        outputs = {name: text for run in self.runs for name, text in run.failed.items()}
        times = Counter(name for run in self.runs for name in run.failed)
        failures = [
            f"{name} failed in {count} of {len(self.runs)} runs; the last time:\n{outputs[name]}\n"
            for name, count in times.most_common()
        ]
        return "\n".join([*failures, f"{self.green} of {len(self.runs)} runs passed."])


def tally_folder(root: Path, options: Sequence[str], busy: int) -> Path:
    """Return where the runs of this version of the code with these options are kept."""
    kind = hashlib.sha256(json.dumps([busy, *options]).encode()).hexdigest()[:8]
    return root / "build" / "stress" / f"{_version(root)}-{kind}"


def _version(root: Path) -> str:
    """Name the commit, and what has changed since."""
    commit = _git(root, "rev-parse", "--short=12", "HEAD").decode().strip() or "no-commit"
    changes = _git(root, "diff", "HEAD") + _git(root, "ls-files", "--others", "--exclude-standard")
    return f"{commit}-{hashlib.sha256(changes).hexdigest()[:8]}" if changes else commit


def _git(root: Path, *arguments: str) -> bytes:
    try:
        return subprocess.run(["git", *arguments], cwd=root, capture_output=True, check=False).stdout
    except FileNotFoundError:
        return b""
