"""Compute the tables of docs/results.md again: ``python -m benchmarks.results [agreement|paper|…]``."""

from __future__ import annotations

import csv
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import numpy as np

from benchmarks import winners
from benchmarks.scenario_files import DATA, FIRST, SEEDS, source
from odm_tui.evaluation.data.dataset_sources import canonical_name
from odm_tui.evaluation.experiment.plan import Experiment
from odm_tui.evaluation.experiment.runner import run_units
from odm_tui.evaluation.experiment.settings import Protocol, Regions
from odm_tui.evaluation.report.experiment_results import Row, compute_rows
from odm_tui.text import unknown_name

DOCUMENT = Path(__file__).parents[1] / "docs" / "results.md"
COMPARED = ("w-ec2-ts", "w-ec2-bucb", "w-ig-ts", "w-ig-bucb", "random", "all", "dpp")
TABLE_1: Mapping[str, tuple[float, ...]] = {
    "navigation": (1.746, 1.746, 1.859, 1.867, 1.975, 2.305, 2.300),
    "led": (2.032, 2.061, 2.418, 2.438, 2.644, 3.147, 3.137),
    "fico": (1.159, 1.101, 1.935, 2.067, 3.078, 8.353, 8.249),
    "compas": (3.056, 3.090, 4.197, 4.034, 4.719, 6.101, 5.923),
    "breast-cancer": (1.437, 1.554, 2.091, 2.213, 6.376, 14.181, 9.286),
    "troubleshooting": (6.207, 7.615, 12.010, 12.563, 23.236, 38.113, 24.538),
}
"""The mean costs of the paper's Table 1, in the order of COMPARED."""


def run(
    names: Iterable[str], policies: tuple[str, ...], protocol: Protocol, regions: Regions, limit: int | None
) -> list[Row]:
    """Run one experiment over the scenario files with five seeds; return its rows."""
    sources = tuple(source(name, limit or FIRST[name]) for name in names)
    experiment = Experiment(sources, policies, protocol, regions, SEEDS, 0.002)
    jobs = int(os.environ.get("JOBS", "2"))
    return compute_rows(experiment, run_units(list(experiment.units()), jobs=jobs))


def agreement() -> str:
    """Compare our mean costs with the authors', paired by seed."""
    with (DATA / "reference_per_seed.csv").open() as lines:
        theirs = {
            (row["setting"], canonical_name(row["dataset"]), row["algorithm"].lower(), int(row["seed"])): row
            for row in csv.DictReader(lines)
        }
    text = [
        "| data set | regions | policy | ours | theirs | difference ± standard error |",
        "| --- | --- | --- | ---: | ---: | ---: |",
    ]
    for regions in Regions:
        for name in FIRST:
            if regions is Regions.UNKNOWN and name == "troubleshooting":
                continue
            for row in run([name], COMPARED, Protocol.AUTHORS, regions, None):
                ours = np.array([seed.mean_cost for seed in row.seeds])
                keys = [(regions, canonical_name(row.dataset), row.policy, seed.seed) for seed in row.seeds]
                if not all(key in theirs for key in keys):
                    text.append(f"| {row.dataset} | {regions} | {row.policy} | {ours.mean():.4f} | | |")
                    continue
                reference = np.array([float(theirs[key]["mean_cost"]) for key in keys])
                difference = ours - reference
                error = difference.std(ddof=1) / np.sqrt(len(difference))
                difference_text = f"{difference.mean():+.4f} ± {error:.4f}"
                if np.abs(difference).max() < 1e-5 * max(1.0, float(reference.max())):
                    difference_text = "equal"
                text.append(
                    f"| {row.dataset} | {regions} | {row.policy} | {ours.mean():.4f} "
                    f"| {reference.mean():.4f} | {difference_text} |"
                )
    return "\n".join(text)


def paper() -> str:
    """Compare costs as a share of the cost of All with those of the paper's Table 1."""
    text = [
        "| data set | " + " | ".join(COMPARED) + " |",
        "| --- |" + " ---: |" * len(COMPARED),
    ]
    for name in FIRST:
        rows = run([name], COMPARED, Protocol.PAPER, Regions.KNOWN, 500)
        ours = [row.as_dict()["ratio_to_all"] for row in rows]
        table = TABLE_1[canonical_name(name)]
        shares = [cost / table[COMPARED.index("all")] for cost in table]
        text.append(f"| {canonical_name(name)} | " + " | ".join(f"{share:.3f}" for share in ours) + " |")
        text.append("| in the paper | " + " | ".join(f"{share:.3f}" for share in shares) + " |")
    return "\n".join(text)


def unknown() -> str:
    """Return the table of cost, accuracy and utility with unknown regions."""
    return figures(run(FIRST, ("w-ec2-ts", "w-ig-ts", "random", "all"), Protocol.PAPER, Regions.UNKNOWN, 300))


def live() -> str:
    """Return the table of cost and accuracy of live interviews."""
    return figures(run(FIRST, ("w-ec2-ts", "w-ig-ts", "random", "all"), Protocol.LIVE, Regions.UNKNOWN, 300))


def figures(rows: Iterable[Row]) -> str:
    """Return a table of the main figures."""
    text = [
        "| data set | policy | cost ± std | share of All | questions | right | undecided | utility |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in rows:
        values = row.as_dict()
        text.append(
            f"| {row.dataset} | {row.policy} | {values['mean_cost']:.3f} ± {values['std_cost']:.3f} "
            f"| {values['ratio_to_all']:.3f} | {values['mean_questions']:.2f} | {values['accuracy']:.3f} "
            f"| {values['undecided']:.3f} | {values['utility']:.2f} |"
        )
    return "\n".join(text)


def speed() -> str:
    """Return what the benchmark of the evaluation prints, as a table."""
    from benchmarks.bench_evaluation import rows

    text = ["| | | |", "| --- | ---: | --- |"]
    text += [f"| {row.name} | {row.measured:.3g} {row.unit} | {row.target} |" for row in rows()]
    return "\n".join(text)


TABLES: Mapping[str, Callable[[], str]] = {
    "agreement": agreement,
    "paper": paper,
    "unknown": unknown,
    "live": live,
    **winners.TABLES,
    "speed": speed,
}


def replace_table(name: str, table: str) -> None:
    """Replace the table between its two marks in the document."""
    between = re.compile(f"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
    text = DOCUMENT.read_text(encoding="utf-8")
    made = between.sub(lambda found: f"{found[1]}{table}\n{found[2]}", text)
    DOCUMENT.write_text(made, encoding="utf-8")


def main() -> None:
    """Compute the named tables again, or all of them."""
    if not DATA.is_dir():
        raise SystemExit("The scenario files are missing: shared/data must be beside the checkout.")
    names = sys.argv[1:] or list(TABLES)
    unknown = [unknown_name("table", name, TABLES) for name in names if name not in TABLES]
    if unknown:
        raise SystemExit("\n".join(unknown))
    for name in names:
        replace_table(name, TABLES[name]())
        print(f"{name}: done", flush=True)


if __name__ == "__main__":
    main()
