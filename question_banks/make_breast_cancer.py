"""Write breast-cancer.toml from the Breast Cancer Wisconsin data that come with scikit-learn.

    python question_banks/make_breast_cancer.py

Each of the 30 measurements becomes a number question. Its thresholds are round numbers, chosen one by one so that
the intervals give the most information about the diagnosis. The expected answers of an outcome are the shares of its
samples above each threshold. The same data always give the same bytes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from odm_tui.banks.authoring.toml_text import format_toml_string, format_toml_table

BANK = Path(__file__).with_name("breast-cancer.toml")
FEWEST, MOST = 2, 3  # thresholds a question
SMALLEST_SHARE = 0.05  # of the samples in each interval, at least
SMALLEST_GAIN = 0.01  # bits; a third threshold must add at least this much information
UNSEEN = 0.5  # added to the count of each interval, since a sample never proves that a share is 0

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

HEADER = '''\
# Written by make_breast_cancer.py in this folder; to change this file, edit the script and run it again.
format = 1
title = "Breast cancer cells (research)"
description = """
Benign or malignant, from measurements of cell nuclei in a fine needle aspirate? Thirty numbers, each the mean, the
standard error or the worst (the mean of the three largest) over the nuclei in one image. Data: Breast Cancer Wisconsin
(Diagnostic), W. H. Wolberg, W. N. Street and O. L. Mangasarian, UCI Machine Learning Repository, CC BY 4.0, {samples} samples."""
notice = "For research and teaching with a public data set. Not for medical use."
cost_unit = "measurements"
default_cost = 1
stakes = 50           # a wrong diagnosis weighs as much as fifty measurements
sure_enough = 0.9     # below it, one key does not confirm the outcome
policy = {{ oracle = "lookahead", exploration = "learn", stop = {{ any = ["value", {{ max_questions = 8 }}] }} }}
'''

LABELS = {"malignant": "Malignant", "benign": "Benign"}

ADVICE = {
    "malignant": "Like the samples of the data set in which cancer was confirmed. A real case belongs before a pathologist, not before this bank.",
    "benign": "Like the samples of the data set that were confirmed to be benign. A real case belongs before a pathologist, not before this bank.",
}

TEXTS = {
    "mean": "What is the mean {what} of the nuclei?",
    "error": "What is the standard error of the {what} of the nuclei?",
    "worst": "What is the worst {what}, the mean of the three largest values?",
}

HELP = {
    "radius": "The mean distance from the centre of a nucleus to the points of its outline.",
    "texture": "The standard deviation of the grey values inside a nucleus.",
    "perimeter": "The length of the outline of a nucleus.",
    "area": "The number of pixels inside the outline, with half of those on it.",
    "smoothness": "How much the radius differs from point to point along the outline; 0 is perfectly smooth.",
    "compactness": "Perimeter squared over area, minus 1; smallest for a circle.",
    "concavity": "How deep the dents in the outline are; 0 if it has none.",
    "concave points": "The share of the outline that lies in dents.",
    "symmetry": "How much the halves on both sides of the longest axis differ.",
    "fractal dimension": "How rugged the outline is: the 'coastline approximation' minus 1.",
}


def format_bank() -> str:
    """Return the text of the whole bank."""
    from sklearn.datasets import load_breast_cancer

    data: Any = load_breast_cancer()
    outcomes = [str(name) for name in data.target_names]
    groups = [np.asarray(data.target == j, dtype=bool) for j in range(len(outcomes))]
    questions = [(*_parse_feature(str(name)), data.data[:, i]) for i, name in enumerate(data.feature_names)]
    cuts = {key: _thresholds(column, groups[0]) for key, _, _, column in questions}
    return "\n".join(
        [
            HEADER.format(samples=len(data.target)),
            *_outcomes(outcomes, groups),
            *(
                line
                for key, kind, what, column in questions
                for line in _question(key, kind, what, column, cuts[key])
            ),
            *_expected({key: (column, cuts[key]) for key, _, _, column in questions}, outcomes, groups),
        ]
    )


def _parse_feature(feature: str) -> tuple[str, str, str]:
    """Split a feature into id, kind and subject: "concave points error" is an error of concave points."""
    words = feature.split()
    kind = words[-1] if words[-1] == "error" else words[0]
    what = " ".join(word for word in words if word != kind)
    return feature.replace(" ", "-"), kind, what


def _outcomes(outcomes: list[str], groups: list[Bools]) -> Iterator[str]:
    for outcome, group in zip(outcomes, groups, strict=True):
        yield "[[outcomes]]"
        yield f"id = {format_toml_string(outcome)}"
        yield f"label = {format_toml_string(LABELS[outcome])}"
        yield f"advice = {format_toml_string(ADVICE[outcome])}"
        yield f"prior = {group.mean():.3f}"
        yield ""


def _question(key: str, kind: str, what: str, column: Floats, cuts: list[float]) -> Iterator[str]:
    yield "[[questions]]"
    seen = f"In these data: {column.min():.4g} to {column.max():.4g}."
    yield f"id = {format_toml_string(key)}"
    yield f"text = {format_toml_string(TEXTS[kind].format(what=what))}"
    yield f"help = {format_toml_string(f'{HELP[what]} {seen}')}"
    yield 'type = "number"'
    yield f"range = [0, {_plain(_round_up(2 * float(column.max())))}]"
    yield f"thresholds = [{', '.join(map(_plain, cuts))}]"
    yield ""


def _expected(
    columns: dict[str, tuple[Floats, list[float]]], outcomes: list[str], groups: list[Bools]
) -> Iterator[str]:
    yield "# P(above the threshold | outcome) in the data. The worth is the size of the smaller group."
    yield "[expected]"
    yield f"worth = {min(int(group.sum()) for group in groups)}"
    for key, (column, cuts) in columns.items():
        yield ""
        yield f"[expected.{key}]"
        for outcome, group in zip(outcomes, groups, strict=True):
            shares = zip(cuts, _shares_above(column[group], cuts), strict=True)
            yield f"{outcome} = {format_toml_table({f'above_{_plain(cut)}': f'{share:.3f}' for cut, share in shares})}"
    yield ""


def _shares_above(values: Floats, cuts: list[float]) -> list[float]:
    """Return the share of the values above each threshold, moved slightly away from 0 and 1."""
    total = len(values) + UNSEEN * (len(cuts) + 1)
    return [float((values > cut).sum() + UNSEEN * (len(cuts) - i)) / total for i, cut in enumerate(cuts)]


def _thresholds(values: Floats, malignant: Bools) -> list[float]:
    """Choose round numbers one by one, each the one that adds most information about the diagnosis."""
    chosen: list[float] = []
    information = 0.0
    for number in range(1, MOST + 1):
        ranked = [
            (_information(values, malignant, cuts), -cut, cuts)
            for cut in _round_numbers(values)
            if cut not in chosen and _smallest_share(values, cuts := sorted([*chosen, cut])) >= SMALLEST_SHARE
        ]
        best = max(ranked, default=None)
        if best is None or (number > FEWEST and best[0] - information < SMALLEST_GAIN):
            break
        information, chosen = best[0], best[2]
    return chosen


def _information(values: Floats, malignant: Bools, cuts: list[float]) -> float:
    """Return the information, in bits, that the interval of a value gives about the diagnosis.

    It is rounded so that ties are the same on every machine.
    """
    interval = np.searchsorted(cuts, values, side="left")
    left = sum(
        (interval == k).mean() * _entropy(float(malignant[interval == k].mean())) for k in np.unique(interval)
    )
    return round(_entropy(float(malignant.mean())) - float(left), 9)


def _entropy(p: float) -> float:
    return -sum(q * math.log2(q) for q in (p, 1 - p) if q > 0)


def _smallest_share(values: Floats, cuts: list[float]) -> float:
    counts = np.bincount(np.searchsorted(cuts, values, side="left"), minlength=len(cuts) + 1)
    return float(counts.min() / len(values))


def _round_numbers(values: Floats) -> list[float]:
    """Return 20 to 50 multiples of 1, 2 or 5 times a power of ten over the middle 90 % of the values."""
    low, high = (float(q) for q in np.quantile(values, [0.05, 0.95]))
    power = math.floor(math.log10((high - low) / 20))
    multiple = max(k for k in (1, 2, 5) if k * 10.0**power <= (high - low) / 20)
    steps = range(math.ceil(low / (multiple * 10.0**power)), math.floor(high / (multiple * 10.0**power)) + 1)
    return [round(step * multiple * 10.0**power, max(0, -power)) for step in steps]


def _round_up(number: float) -> float:
    """Round up to one significant digit."""
    power = math.floor(math.log10(number))
    return round(math.ceil(number / 10.0**power) * 10.0**power, max(0, -power))


def _plain(number: float) -> str:
    """Format a number without exponent and trailing zeros."""
    return f"{number:.10f}".rstrip("0").rstrip(".")


if __name__ == "__main__":
    BANK.write_text(format_bank(), encoding="utf-8", newline="\n")
