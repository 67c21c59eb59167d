"""Hidden variants of outcomes, fitted to imported rows: one variant for each outcome beside the chosen ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from benchmarks.results.contenders import format_table
from benchmarks.results.imported_halves import Columns, import_half, run_splits
from benchmarks.results.random_splits import (
    HALVES,
    find_ratio,
    format_split_difference,
    format_split_mean,
)
from benchmarks.results.section import Rows, Section, Settings, Work
from benchmarks.scenario_files import DATA, SEEDS
from odm_tui.csv_files import read_table
from odm_tui.engine.interview import Ask, Interview
from odm_tui.engine.oracles.lookahead import Lookahead
from odm_tui.engine.policy import policy_from
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Floats
from odm_tui.evaluation.bank.callers import Answers, CallerGroup, without_variants
from odm_tui.evaluation.bank.trial import hold_interviews
from odm_tui.evaluation.data.dataset import Dataset

ONE, CHOSEN = "one", "chosen"
CUBES = ("context-cube", "cube")
SCENARIOS = ("navigation", "led", "fico", "compas", "breastcancer", "troubleshooting")
REAL: Mapping[str, str] = {
    "car_evaluation": "classes",
    "soybean": "class!",
    "dermatology": "class",
    "symptoms": "prognosis",
}
ORACLES: Mapping[str, Sequence[str]] = {ONE: ("w-ig",), CHOSEN: ("w-ig", "lookahead")}
"""The oracles that choose questions on the cubes."""
AFTER = (3, 5, 7, 10)
"""After how many questions the decisions on the cubes are looked at."""
_BLOCKS = 1_000
"""How many scenarios of a paper's data set a split takes at most."""
_ROWS: Mapping[str, int] = {
    "navigation": 5 * 1_000,
    "led": 5 * 2_000,
    "fico": 8_472,
    "compas": 5_595,
    "troubleshooting": 5 * 1_500,
}
"""How many different scenarios the splits draw from, where they don't take all: those of fico and compas are the same in all files."""
_SHARE, _LOSS = (0.0, 1.0), (0.0, float("inf"))


def compute(settings: Settings, work: Work) -> Rows:
    """Return the figures of each data set and split."""
    return run_splits(split_once, settings, work)


def split_once(name: str, split: int, callers: int) -> dict[str, dict[str, float]]:
    """Import a bank, and decide on rows that it has not seen, with one variant and with the chosen ones."""
    if name in CUBES:
        group = import_cube(name, split, callers)
    else:
        columns, outcome = load_columns(name, split)
        group = import_half(columns, outcome, split, None).group
    found = {}
    for model, each in ((ONE, without_variants(group)), (CHOSEN, group)):
        chances = find_chances(each.posterior, each.answers)
        found[model] = {
            "right": float((chances.argmax(axis=1) == each.outcomes).mean()),
            "loss": float(-np.log(np.maximum(chances[np.arange(len(chances)), each.outcomes], 1e-6)).mean()),
            "variants": len(each.posterior.by_variant.problem.outcomes) / chances.shape[1],
        }
        if name in CUBES:
            for policy in ORACLES[model]:
                after = decide_after(each, policy)
                found[model] |= {f"{policy} {count}": share for count, share in after.items()}
        if name == "car_evaluation":
            found[model]["value"] = find_value(each, split)
    return found


def import_cube(name: str, split: int, callers: int) -> CallerGroup:
    """Let a bank learn from 4,000 generated rows as importing them would, and let others call."""
    import csv
    import tempfile
    from pathlib import Path

    from odm_tui.banks import load_bank
    from odm_tui.banks.authoring.importing import import_bank

    size = 4_000
    data = Dataset.load(name, seed=split, limit=None)
    if len(data.labels) < size + callers:
        data = _generate(name, split, size + callers)
    with tempfile.TemporaryDirectory() as folder:
        file, bank_file = Path(folder) / f"{name}.csv", Path(folder) / "bank.toml"
        with file.open("w", newline="") as out:
            writer = csv.writer(out)
            writer.writerow([*(question.id for question in data.problem.questions), "label"])
            for row, label in zip(data.answers[:size], data.labels[:size], strict=True):
                writer.writerow([*(("low", "middle", "high")[answer] for answer in row), f"corner {label}"])
        bank_file.write_text(import_bank(file, "label").text, encoding="utf-8")
        bank = load_bank(bank_file)
    order = [
        [answer.id for answer in question.answers].index(word)
        for question in bank.questions
        for word in ("low", "middle", "high")
    ]
    places = np.array(order).reshape(-1, 3)
    answers = places[np.arange(places.shape[0]), data.answers[size : size + callers]]
    outcomes = [f"corner-{label}" for label in data.labels[size : size + callers]]
    known = [outcome.id for outcome in bank.outcomes]
    return CallerGroup(
        Posterior.of(bank.problem),
        answers.astype(np.int16),
        np.array([known.index(outcome) for outcome in outcomes], dtype=np.intp),
    )


def _generate(name: str, seed: int, scenarios: int) -> Dataset:
    from odm_tui.evaluation.data import generated

    make = {"cube": generated.cube, "context-cube": generated.context_cube}[name]
    return make(seed, 0, 70, scenarios)


def load_columns(name: str, split: int) -> tuple[Columns, str]:
    """Return the cells of a data set by column, and the column of the outcome."""
    if name in REAL:
        return read_table(DATA / "real" / f"{name}.csv").columns, REAL[name]
    if name in ("digits", "breast-cancer"):
        from sklearn import datasets

        found = datasets.load_digits() if name == "digits" else datasets.load_breast_cancer()
        columns = {f"x{i}": [f"{value:g}" for value in column] for i, column in enumerate(found.data.T)}
        return columns | {"label": [f"c{label}" for label in found.target]}, "label"
    file = DATA / "scenarios" / f"{name}_seed{SEEDS[split % len(SEEDS)]}.csv"
    table = read_table(file).columns
    rows = np.random.default_rng([17, split]).permutation(len(table["label"]))[:_BLOCKS]
    columns = {column: [cells[row] for row in rows] for column, cells in table.items()}
    columns["label"] = [f"c{label}" for label in columns["label"]]
    return columns, "label"


def find_chances(posterior: Posterior, answers: Answers) -> Floats:
    """Return P(outcome | all answers) for each caller, (T, m)."""
    known = posterior.by_variant
    logs = np.log(np.maximum(known.mean(), 1e-300))
    joint = np.tile(np.log(np.maximum(known.outcome_prior(), 1e-300)), (len(answers), 1))
    for i, given in enumerate(answers.T):
        asked = given >= 0
        joint[asked] += logs[i][:, given[asked]].T
    chances = np.exp(joint - joint.max(axis=1, keepdims=True))
    by_outcome = known.problem.by_outcome(chances)
    return np.asarray(by_outcome / by_outcome.sum(axis=1, keepdims=True))


def decide_after(group: CallerGroup, oracle: str) -> dict[int, float]:
    """Return the share of right decisions after a few questions that a policy chooses by the mean."""
    problem = replace(group.posterior.problem, stakes=60.0)
    posterior = replace(group.posterior, problem=problem)
    policy = policy_from({"oracle": oracle, "exploration": "mean", "stop": {"max_questions": max(AFTER)}})
    right = dict.fromkeys(AFTER, 0)
    for answers, outcome in zip(group.answers, group.outcomes, strict=True):
        interview = Interview(problem, policy, posterior)
        while isinstance(step := interview.next, Ask):
            interview.answer(int(answers[step.question]))
            asked = len(interview.steps)
            if asked in right:
                right[asked] += int(interview.belief.argmax() == outcome)
        for count in AFTER:
            if count > len(interview.steps):
                right[count] += int(interview.belief.argmax() == outcome)
    return {count: hits / len(group.outcomes) for count, hits in right.items()}


def find_value(group: CallerGroup, split: int) -> float:
    """Return the value of interviews with stakes 60 whose plans reach over all six questions."""
    problem = replace(group.posterior.problem, stakes=60.0)
    priced = replace(group, posterior=replace(group.posterior, problem=problem))
    policy = replace(policy_from("lookahead-mean"), oracle=Lookahead(2_000))
    trial = hold_interviews(priced, policy, split)
    return float(60.0 * trial.right.mean() - trial.cost.mean())


def ratio_of(name: str) -> float:
    """Return n_test / n_train of a data set's splits; 0 for the cubes, as each split has fresh rows."""
    if name in CUBES:
        return 0.0
    return find_ratio(_BLOCKS // 2, _ROWS[name]) if name in _ROWS else HALVES


def render(settings: Settings, rows: Rows) -> str:
    """Return the tables: means over the splits with 95 % intervals for other data of this kind, differences paired."""
    names = settings["datasets"]
    header = [
        "data set",
        "variants",
        "right, one",
        "right, chosen",
        "more right",
        "log loss, one",
        "chosen",
        "less loss",
    ]
    lines = []
    for name in names:
        mine = [row for row in rows if row["dataset"] == name]
        cells = [name, f"{np.mean([row[CHOSEN]['variants'] for row in mine]):.1f}"]
        ratio = ratio_of(name)
        for figure, sign, bounds in (("right", 1.0, _SHARE), ("loss", -1.0, _LOSS)):
            one, chosen = (np.array([row[model][figure] for row in mine]) for model in (ONE, CHOSEN))
            cells += [format_split_mean(each, 3, ratio, bounds) for each in (one, chosen)]
            cells.append(format_split_difference(sign * (chosen - one), 3, ratio))
        lines.append(cells)
    parts = [format_table(header, lines, texts=1)]
    after = [name for name in CUBES if name in names]
    if after:
        lines = []
        for name in after:
            mine = [row for row in rows if row["dataset"] == name]
            for model in (ONE, CHOSEN):
                for policy in ORACLES[model]:
                    shares = [[row[model][f"{policy} {count}"] for row in mine] for count in AFTER]
                    figures = (
                        format_split_mean(np.array(each), 3, ratio_of(name), _SHARE) for each in shares
                    )
                    lines.append([name, model, policy, *figures])
        parts.append(
            format_table(["data set", "variants", "oracle", *(f"after {n}" for n in AFTER)], lines, texts=3)
        )
    cars = [row for row in rows if row["dataset"] == "car_evaluation"]
    if cars:
        values = [np.array([row[model]["value"] for row in cars]) for model in (ONE, CHOSEN)]
        cells = [format_split_mean(each, 1) for each in values]
        cells.append(format_split_difference(values[1] - values[0], 1))
        parts.append(
            format_table(
                ["car_evaluation, stakes 60, exact plans", "one", "chosen", "more"],
                [["value", *cells]],
                texts=1,
            )
        )
    return "\n\n".join(parts)


DATASETS: Sequence[str] = (*CUBES, "digits", "breast-cancer", *REAL, *SCENARIOS)

SECTION = Section(
    name="variants",
    title="Hidden variants of outcomes, fitted to imported rows",
    settings={"datasets": list(DATASETS), "splits": 40, "callers": 400},
    quick={"datasets": ["car_evaluation"], "splits": 2, "callers": 20},
    compute=compute,
    render=render,
)
