"""A section of docs/results.md: settings fixed beforehand, rows that are computed, and their text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from odm_tui.evaluation.experiment.plan import Unit
from odm_tui.evaluation.experiment.runner import run_units
from odm_tui.evaluation.experiment.simulation import Trace
from odm_tui.evaluation.parallel import Call, run_calls

Settings = Mapping[str, Any]
"""The settings of a section by name, as JSON can hold them."""
Rows = Any
"""What a section computes, as JSON can hold it."""


@dataclass(frozen=True)
class Work:
    """Where and how a section computes: finished runs are stored in ``folder``, ``jobs`` processes run at a time."""

    folder: Path
    jobs: int = 1

    def run_units(self, units: Sequence[Unit]) -> dict[Unit, Trace]:
        """Run learning runs; those that another section of the same commit has run are read."""
        return run_units(units, folder=self.folder / "units", jobs=self.jobs)

    def run_calls(self, calls: Sequence[Call]) -> list[Any]:
        """Return the results of some calls, computed in several processes."""
        return run_calls(calls, self.jobs)


@dataclass(frozen=True)
class Section:
    """One table, or a few, of docs/results.md, between the marks ``begin NAME`` and ``end NAME``.

    ``settings`` are fixed before anything is computed. ``quick`` replaces some of them for a trial that takes
    seconds. ``compute`` returns plain rows, which are stored until the whole page is written; ``render`` makes
    Markdown of them.
    """

    name: str
    title: str
    settings: Settings
    quick: Settings
    compute: Callable[[Settings, Work], Rows]
    render: Callable[[Settings, Rows], str]
    needs_data: bool = field(default=True)
    """Whether it reads the scenario files beside the checkout."""

    def choose_settings(self, quick: bool) -> dict[str, Any]:
        """Return the settings, or those of a trial."""
        unknown = set(self.quick) - set(self.settings)
        if unknown:
            raise ValueError(f"{self.name}: no such setting: {', '.join(sorted(unknown))}")
        return {**self.settings, **(self.quick if quick else {})}
