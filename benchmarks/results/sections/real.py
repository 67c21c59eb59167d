"""Banks imported from half of a real data set, on the other half: ours beside a decision tree and asking everything."""

from __future__ import annotations

import numpy as np

from benchmarks.results.contenders import format_table
from benchmarks.results.imported_halves import BOUNDS, describe, import_half, run_splits
from benchmarks.results.random_splits import format_split_difference, format_split_mean
from benchmarks.results.section import Rows, Section, Settings, Work
from benchmarks.scenario_files import DATA
from odm_tui.banks.policies import policy_for
from odm_tui.csv_files import read_table
from odm_tui.evaluation.bank.decision_tree import follow_decision_tree
from odm_tui.evaluation.bank.trial import ask_everything, hold_interviews

OUTCOMES = {"car_evaluation": "classes", "dermatology": "class", "soybean": "class!", "symptoms": "prognosis"}
OURS, TREE, ALL = "ours", "tree", "all"
FIGURES = (("questions", 1), ("right", 3), ("said", 3), ("ece", 3), ("total", 1))
"""The columns of the table, and their digits."""


def compute(settings: Settings, work: Work) -> Rows:
    """Return the figures of each contender in each split."""
    return run_splits(split_once, settings, work)


def split_once(name: str, split: int, callers: int | None) -> dict[str, dict[str, float]]:
    """Import a bank from a random half of the rows, and hold interviews with rows of the other half."""
    columns = read_table(DATA / "real" / f"{name}.csv").columns
    half = import_half(columns, OUTCOMES[name], split, callers)
    trials = {
        OURS: hold_interviews(half.group, policy_for(half.bank, None), 1000 * split),
        TREE: follow_decision_tree(half.group, split),
        ALL: ask_everything(half.group),
    }
    stakes = half.bank.problem.effective_stakes
    return {contender: describe(trial, stakes) for contender, trial in trials.items()}


def render(settings: Settings, rows: Rows) -> str:
    """Return the table: means over the splits with 95 % intervals for other data of this kind."""
    header = [
        "data set",
        "policy",
        "questions",
        "right",
        "said",
        "ECE",
        "cost and loss",
        "less than the tree's by",
    ]
    lines = []
    for name in settings["datasets"]:
        mine = [row for row in rows if row["dataset"] == name]
        for contender in (OURS, TREE, ALL):
            cells = [name, {OURS: "the default policy"}.get(contender, contender)]
            for figure, digits in FIGURES:
                values = np.array([row[contender][figure] for row in mine])
                cells.append(format_split_mean(values, digits, bounds=BOUNDS[figure]))
            saved = np.array([row[TREE]["total"] - row[contender]["total"] for row in mine])
            cells.append("" if contender == TREE else format_split_difference(saved, 1))
            lines.append(cells)
    return format_table(header, lines, texts=2)


SECTION = Section(
    name="real",
    title="Imported banks on held-out rows, beside a decision tree",
    settings={"datasets": list(OUTCOMES), "splits": 40, "callers": None},
    quick={"datasets": ["car_evaluation"], "splits": 2, "callers": 5},
    compute=compute,
    render=render,
)
