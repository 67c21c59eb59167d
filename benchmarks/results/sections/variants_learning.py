"""Hidden variants of outcomes, learned from scratch by interviews that ask what they choose."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks.results.contenders import format_mean_difference, format_table
from benchmarks.results.section import Rows, Section, Settings, Work
from benchmarks.scenario_files import DATA, SEEDS, source
from odm_tui.evaluation.data.dataset import Dataset
from odm_tui.evaluation.experiment.settings import Protocol
from odm_tui.evaluation.experiment.simulation import simulate

ONE, CHOSEN = "one", "chosen"
REAL = {
    "car_evaluation": "classes",
    "soybean": "class!",
    "dermatology": "class",
    "symptoms": "prognosis",
}
SCENARIOS = ("navigation", "led", "fico", "compas", "breastcancer", "troubleshooting")
STAKES = 60.0
"""In questions of the mean cost."""


def compute(settings: Settings, work: Work) -> Rows:
    """Return the value of each stretch of interviews in each run, with one variant and with the chosen ones."""
    calls = [
        (learn_once, (name, run, policy, settings["interviews"], settings["first"]))
        for name, policy in settings["datasets"].items()
        for run in range(settings["runs"])
    ]
    results = work.run_calls(calls)
    return [
        {"dataset": name, "run": run, **found}
        for (_, (name, run, *_)), found in zip(calls, results, strict=True)
    ]


def learn_once(name: str, run: int, policy: str, interviews: int, first: int) -> dict[str, list[float]]:
    """Hold the same interviews twice; return the value of the first, of all and of the last fifth, by model."""
    data = load_scenarios(name, run, interviews)
    mean = float(data.problem.cost[data.problem.cost > 0].mean())
    found = {}
    for model in (ONE, CHOSEN):
        trace = simulate(
            data,
            policy,
            protocol=Protocol.LIVE,
            stakes=STAKES * mean,
            seed=run,
            learns_variants=model == CHOSEN,
        )
        value = STAKES * (trace.decision == trace.label) - trace.realised / mean
        last = len(value) - max(1, len(value) // 5)
        found[model] = [float(value[:first].mean()), float(value.mean()), float(value[last:].mean())]
    return found


def load_scenarios(name: str, run: int, interviews: int) -> Dataset:
    """Return random scenarios of a data set, in random order."""
    if name in REAL:
        data = Dataset.from_csv(DATA / "real" / f"{name}.csv", label=REAL[name], name=name)
        even = np.broadcast_to(data.problem.valid[:, None, :], data.problem.shape).astype(float)
        data = replace(data, problem=replace(data.problem, cost=np.ascontiguousarray(even)))
    else:
        data = source(name, None).load(SEEDS[run % len(SEEDS)])
    order = np.random.default_rng([23, run]).permutation(len(data.labels))[:interviews]
    return replace(data, answers=data.answers[order], values=data.values[order], labels=data.labels[order])


def render(settings: Settings, rows: Rows) -> str:
    """Return the table: values, and paired differences with 95 % intervals over runs, which are for other orders of these scenarios."""
    count, first = settings["interviews"], settings["first"]
    header = [
        "data set",
        "policy",
        f"one, all {count}",
        "chosen",
        f"more, first {first}",
        f"more, all {count}",
        "more, last fifth",
    ]
    lines = []
    for name, policy in settings["datasets"].items():
        mine = [row for row in rows if row["dataset"] == name]
        one, chosen = (np.array([row[model] for row in mine]) for model in (ONE, CHOSEN))
        cells = [name, policy, f"{one[:, 1].mean():.2f}", f"{chosen[:, 1].mean():.2f}"]
        lines.append([*cells, *(format_mean_difference(chosen[:, at] - one[:, at], 2) for at in range(3))])
    return format_table(header, lines, texts=2)


DEFAULT, FAST = "lookahead-learn", "w-ig-ts"
"""Data sets with many questions or long plans are learned with the faster policy."""

SECTION = Section(
    name="variants-learning",
    title="Hidden variants of outcomes, learned from scratch",
    settings={
        "datasets": {
            name: DEFAULT if name in ("car_evaluation", "navigation", "led") else FAST
            for name in (*REAL, *SCENARIOS)
        },
        "runs": 40,
        "interviews": 500,
        "first": 150,
    },
    quick={"datasets": {"car_evaluation": FAST}, "runs": 2, "interviews": 160},
    compute=compute,
    render=render,
)
