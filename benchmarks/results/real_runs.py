"""Learning runs on real data sets: rows in random order, every answer a yes/no question of its own, learned from scratch."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from benchmarks.scenario_files import DATA
from odm_tui.csv_files import read_table
from odm_tui.engine.policy import policy_from
from odm_tui.engine.problem import Question
from odm_tui.evaluation.data.dataset import Dataset, uniform_costs
from odm_tui.evaluation.experiment.batch.simulation import BatchMember, simulate_together
from odm_tui.evaluation.experiment.settings import Knowledge, Prior, Regions
from odm_tui.evaluation.experiment.simulation import Trace, apply_settings, simulate

OUTCOMES = {"car_evaluation": "classes", "dermatology": "class", "soybean": "class!", "symptoms": "prognosis"}
"""The real data sets, and the column of the outcome in each."""
HYPOTHESES = 15
"""How many hypotheses an outcome lists, for the paper's rule."""
PLANS = 5
"""How many questions a plan holds."""


@cache
def load_real(name: str) -> Dataset:
    """Read a real data set as yes/no questions, with costs uniform in [0, 1].

    A column of numbers asks whether they are above their median, one with two texts is one question, and one with more
    has one for each text. A missing answer is a no to all of them.
    """
    table = read_table(DATA / "real" / f"{name}.csv")
    outcomes, labels = np.unique(table.columns[OUTCOMES[name]], return_inverse=True)
    questions, answers = [], []
    for column, cells in table.columns.items():
        texts = sorted(set(cells) - {"?", ""})
        if column == OUTCOMES[name] or len(texts) < 2:
            continue
        if len(texts) > 2 and all(text.replace(".", "", 1).isdigit() for text in texts):
            numbers = np.array([float(cell) if cell in texts else np.nan for cell in cells])
            questions.append(Question(f"{column}>{np.nanmedian(numbers):g}"))
            answers.append(numbers > np.nanmedian(numbers))
            continue
        for text in texts[1:] if len(texts) == 2 else texts:
            questions.append(Question(f"{column}={text}"))
            answers.append(np.array(cells) == text)
    return Dataset.from_arrays(
        np.column_stack(answers).astype(np.int8),
        labels,
        questions=questions,
        outcomes=[str(outcome) for outcome in outcomes],
        cost=uniform_costs(questions, 0),
        hypotheses=HYPOTHESES,
        name=name,
    )


def order_rows(name: str, run: int, length: int) -> Dataset:
    """Return the rows of one run, in its random order."""
    whole = load_real(name)
    order = np.random.default_rng([14, run]).permutation(whole.size)[:length]
    return replace(
        whole, answers=whole.answers[order], values=whole.values[order], labels=whole.labels[order]
    )


def hold_real(
    name: str,
    policy: str,
    runs: int,
    length: int,
    stakes: float,
    target_cost: float | None = None,
    knowledge: str = "asked",
    prior: str = "shared",
) -> list[Trace]:
    """Hold learning runs, each with its own random order of the rows."""
    members = []
    for run in range(runs):
        part = order_rows(name, run, length)
        dataset, chosen = apply_settings(
            part, policy_from(policy), Prior(prior), stakes, knowledge == "known", target_cost
        )
        members.append(BatchMember(dataset, chosen, run))
    return simulate_together(members, Regions.UNKNOWN, 0.002, PLANS, Knowledge(knowledge))


def hold_paper(name: str, run: int, length: int) -> Trace:
    """Hold one learning run of W-EC²-TS by the paper's rule, regions unknown, on the rows of that run."""
    part = order_rows(name, run, length)
    return simulate(part, "w-ec2-ts", protocol="paper", regions="unknown", seed=run)
