"""Import a bank from a random half of a table, and let rows of the other half answer as callers."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.results.section import Rows, Settings, Work
from odm_tui.banks import Bank, load_bank
from odm_tui.banks.authoring.importing import ImportOptions, import_bank
from odm_tui.engine.calibration import calibration_error, find_reliability
from odm_tui.engine.posterior import Posterior
from odm_tui.evaluation.bank.callers import CallerGroup
from odm_tui.evaluation.bank.trial import Trial
from odm_tui.evaluation.data.case_table import read_case_table

Columns = Mapping[str, Sequence[str]]
"""The cells of a table by column."""


BOUNDS: Mapping[str, tuple[float, float]] = {
    "questions": (0.0, float("inf")),
    "right": (0.0, 1.0),
    "said": (0.0, 1.0),
    "ece": (0.0, 1.0),
    "total": (0.0, float("inf")),
}
"""Between which values each figure of a split can be."""


def run_splits(split_once: Callable[[str, int, Any], dict[str, Any]], settings: Settings, work: Work) -> Rows:
    """Return what ``split_once`` finds for each data set and split, with the callers of the settings."""
    calls = [
        (split_once, (name, split, settings["callers"]))
        for name in settings["datasets"]
        for split in range(settings["splits"])
    ]
    results = work.run_calls(calls)
    return [
        {"dataset": name, "split": split, **found}
        for (_, (name, split, _)), found in zip(calls, results, strict=True)
    ]


@dataclass(frozen=True)
class ImportedHalf:
    """A bank from one half of the rows, and callers from the other."""

    bank: Bank
    group: CallerGroup


def import_half(
    columns: Columns, outcome: str, split: int, callers: int | None, options: ImportOptions | None = None
) -> ImportedHalf:
    """Split the rows at random and import one half; ``callers`` is how many of the others call, None for all."""
    size = len(columns[outcome])
    order = np.random.default_rng([7, split]).permutation(size)
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{part}.csv" for part in ("learned", "held")]
        for file, rows in zip(files, (order[: size // 2], order[size // 2 :]), strict=True):
            _write(file, columns, rows.tolist())
        bank_file = Path(folder) / "bank.toml"
        bank_file.write_text(import_bank(files[0], outcome, options).text, encoding="utf-8")
        bank = load_bank(bank_file)
        learned, held = read_case_table(files[0], bank), read_case_table(files[1], bank)
    # The rows of the other half are in random order already.
    group = CallerGroup(
        Posterior.of(bank.problem),
        held.answers[:callers],
        held.outcomes[:callers],
        (learned.answers, learned.outcomes),
    )
    return ImportedHalf(bank, group)


def describe(trial: Trial, stakes: float) -> dict[str, float]:
    """Return the figures of one split, as means over its interviews."""
    right = float(trial.right.mean())
    return {
        "questions": float(trial.questions.mean()),
        "right": right,
        "said": float(trial.said.mean()),
        "ece": calibration_error(find_reliability(np.clip(trial.said, 0, 1), trial.right)),
        "total": float(trial.cost.mean()) + stakes * (1 - right),
    }


def _write(file: Path, columns: Columns, rows: list[int]) -> None:
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(columns)
        writer.writerows([cells[row] for cells in columns.values()] for row in rows)
