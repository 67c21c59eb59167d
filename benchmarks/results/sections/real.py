"""Banks imported from half of a real data set, on the other half: ours beside a decision tree and asking everything."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from benchmarks.results.contenders import format_table
from benchmarks.results.section import Rows, Section, Settings, Work
from benchmarks.scenario_files import DATA
from odm_tui.banks import load_bank
from odm_tui.banks.authoring.importing import import_bank
from odm_tui.banks.policies import policy_for
from odm_tui.csv_files import read_table
from odm_tui.engine.calibration import calibration_error, find_reliability
from odm_tui.engine.posterior import Posterior
from odm_tui.evaluation.bank.callers import CallerGroup
from odm_tui.evaluation.bank.decision_tree import follow_decision_tree
from odm_tui.evaluation.bank.trial import Trial, ask_everything, hold_interviews
from odm_tui.evaluation.data.case_table import read_case_table
from odm_tui.evaluation.intervals import mean_interval

OUTCOMES = {"car_evaluation": "classes", "dermatology": "class", "soybean": "class!", "symptoms": "prognosis"}
OURS, TREE, ALL = "ours", "tree", "all"


def compute(settings: Settings, work: Work) -> Rows:
    """Return the figures of each contender in each split."""
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


def split_once(name: str, split: int, callers: int) -> dict[str, dict[str, float]]:
    """Import a bank from a random half of the rows, and hold interviews with rows of the other half."""
    rng = np.random.default_rng([7, split])
    table = read_table(DATA / "real" / f"{name}.csv")
    size = len(next(iter(table.columns.values())))
    order = rng.permutation(size)
    halves = order[: size // 2], order[size // 2 :]
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{part}.csv" for part in ("learned", "held")]
        for file, rows in zip(files, halves, strict=True):
            _write(file, table.columns, rows)
        bank_file = Path(folder) / "bank.toml"
        bank_file.write_text(import_bank(files[0], OUTCOMES[name]).text, encoding="utf-8")
        bank = load_bank(bank_file)
        learned, held = read_case_table(files[0], bank), read_case_table(files[1], bank)
    # The rows of the other half are in random order already.
    group = CallerGroup(
        Posterior.of(bank.problem),
        held.answers[:callers],
        held.outcomes[:callers],
        (learned.answers, learned.outcomes),
    )
    trials = {
        OURS: hold_interviews(group, policy_for(bank, None), 1000 * split),
        TREE: follow_decision_tree(group, split),
        ALL: ask_everything(group),
    }
    stakes = bank.problem.effective_stakes
    return {contender: _figures(trial, stakes) for contender, trial in trials.items()}


def _figures(trial: Trial, stakes: float) -> dict[str, float]:
    right = float(trial.right.mean())
    return {
        "questions": float(trial.questions.mean()),
        "right": right,
        "said": float(trial.said.mean()),
        "ece": calibration_error(find_reliability(np.clip(trial.said, 0, 1), trial.right)),
        "total": float(trial.cost.mean()) + stakes * (1 - right),
    }


def _write(
    file: Path, columns: dict[str, list[str]], rows: np.ndarray[tuple[int], np.dtype[np.intp]]
) -> None:
    import csv

    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(columns)
        writer.writerows([cells[row] for cells in columns.values()] for row in rows)


def render(settings: Settings, rows: Rows) -> str:
    """Return the table: means over the splits with 95 % intervals by split."""
    header = ["data set", "policy", "questions", "right", "said", "cost and loss", "less than the tree's by"]
    lines = []
    for name in settings["datasets"]:
        mine = [row for row in rows if row["dataset"] == name]
        for contender in (OURS, TREE, ALL):
            cells = [name, {OURS: "the default policy"}.get(contender, contender)]
            for figure, digits in (("questions", 1), ("right", 3), ("said", 3), ("total", 1)):
                values = np.array([row[contender][figure] for row in mine])
                mean, (low, high) = mean_interval(values, len(values) - 1)
                cells.append(f"{mean:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]")
            saved = np.array([row[TREE]["total"] - row[contender]["total"] for row in mine])
            mean, (low, high) = mean_interval(saved, len(saved) - 1)
            cells.append("" if contender == TREE else f"{mean:.1f} [{low:.1f}, {high:.1f}]")
            lines.append(cells)
    return format_table(header, lines, texts=2)


SECTION = Section(
    name="real",
    title="Imported banks on held-out rows, beside a decision tree",
    settings={"datasets": list(OUTCOMES), "splits": 40, "callers": 30},
    quick={"datasets": ["car_evaluation"], "splits": 2, "callers": 5},
    compute=compute,
    render=render,
)
