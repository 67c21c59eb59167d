"""Thresholds where they tell the outcome, beside thresholds that cut into equal parts, on held-out rows."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.results.contenders import format_table
from benchmarks.results.imported_halves import BOUNDS, Columns, describe, import_half
from benchmarks.results.random_splits import format_split_difference, format_split_mean
from benchmarks.results.section import Rows, Section, Settings, Work
from odm_tui.banks.authoring.importing import ImportOptions
from odm_tui.banks.authoring.thresholds import find_equal_parts, find_thresholds
from odm_tui.banks.policies import policy_for
from odm_tui.evaluation.bank.trial import hold_interviews

TELLING, EQUAL = "telling", "equal parts"
METHODS = {TELLING: find_thresholds, EQUAL: find_equal_parts}
FIGURES = (("questions", 2), ("right", 3), ("ece", 3), ("total", 2))
"""The columns of the table, and their digits."""
_ROWS = {"iris": 150, "wine": 178, "breast_cancer": 569, "digits": 1_797}


def compute(settings: Settings, work: Work) -> Rows:
    """Return the figures of each method and number of thresholds in each split."""
    calls = [
        (partial(split_once, settings["most"]), (name, split, settings["callers"]))
        for name in settings["datasets"]
        for split in range(settings["splits"])
    ]
    results = work.run_calls(calls)
    return [
        {"dataset": name, "split": split, **found}
        for (_, (name, split, _)), found in zip(calls, results, strict=True)
    ]


def split_once(most: list[int], name: str, split: int, callers: int) -> dict[str, dict[str, float]]:
    """Import a bank from a random half of the rows with each method, and hold interviews with the same callers."""
    columns = read_numbers(name)
    found = {}
    for many in most:
        for method, find in METHODS.items():
            options = ImportOptions(thresholds=many, find_thresholds=find, variants=1)
            half = import_half(columns, "outcome", split, callers, options)
            trial = hold_interviews(half.group, policy_for(half.bank, None), 1000 * split)
            found[f"{method} {many}"] = describe(trial, half.bank.problem.effective_stakes)
    return found


def read_numbers(name: str) -> Columns:
    """Return a data set of scikit-learn as a table, with the column ``outcome``."""
    from sklearn import datasets

    loaded = getattr(datasets, f"load_{name}")()
    columns = {
        f"{number} {title}": [repr(float(value)) for value in loaded.data[:, number]]
        for number, title in enumerate(loaded.feature_names)
    }
    return {**columns, "outcome": [str(loaded.target_names[kind]) for kind in loaded.target]}


def ratio_of(name: str, callers: int) -> float:
    """Return n_test / n_train of a data set's splits: callers against the rows of the half that teaches.

    >>> ratio_of("iris", 100), round(ratio_of("digits", 100), 3)
    (1.0, 0.111)
    """
    half = _ROWS[name] // 2
    return min(callers, _ROWS[name] - half) / half


def render(settings: Settings, rows: Rows) -> str:
    """Return the table: means over the splits with 95 % intervals for other data of this kind, and paired differences."""
    header = ["data set", "at most", "thresholds", "questions", "right", "ECE", "cost and loss", "saves"]
    lines = []
    for name in settings["datasets"]:
        mine = [row for row in rows if row["dataset"] == name]
        ratio = ratio_of(name, settings["callers"])
        for many in settings["most"]:
            for method in METHODS:
                cells = [name, str(many), method]
                for figure, digits in FIGURES:
                    values = np.array([row[f"{method} {many}"][figure] for row in mine])
                    cells.append(format_split_mean(values, digits, ratio, BOUNDS[figure]))
                saved = np.array(
                    [row[f"{EQUAL} {many}"]["total"] - row[f"{method} {many}"]["total"] for row in mine]
                )
                cells.append("" if method == EQUAL else format_split_difference(saved, 2, ratio))
                lines.append(cells)
    return format_table(header, lines, texts=3)


SECTION = Section(
    name="thresholds",
    title="Thresholds of numbers on held-out rows",
    settings={
        "datasets": ["iris", "wine", "breast_cancer", "digits"],
        "most": [1, 3, 5],
        "splits": 40,
        "callers": 100,
    },
    quick={"datasets": ["iris"], "most": [3], "splits": 2, "callers": 10},
    compute=compute,
    render=render,
    needs_data=False,
)
