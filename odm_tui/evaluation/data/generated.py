"""Generate data sets from a seed: navigation, LED, a stand-in for troubleshooting, and two cubes.

Their theta is fixed; the seed draws the scenarios.
"""

from __future__ import annotations

import numpy as np

from odm_tui.engine.problem import Floats, Ints, Question
from odm_tui.evaluation.data.dataset import Dataset, uniform_costs

SEGMENTS = {
    0: "1110111",
    1: "0010010",
    2: "1011101",
    3: "1011011",
    4: "0111010",
    5: "1101011",
    6: "1101111",
    7: "1010010",
    8: "1111111",
    9: "1111011",
}
"""Which of the seven segments are lit for each digit: top, upper left and right, middle, lower left and right, bottom."""
LED_NOISE = 0.1
"""How often a segment shows the opposite: the 10 % of the LED display domain."""


def navigation(seed: int, cost_seed: int, hypotheses: int, scenarios: int = 1000) -> Dataset:
    """Generate the paper's choice of a charging station: 5 questions, 20 outcomes, theta from Beta(2, 2)."""
    theta = np.random.default_rng([20, 5]).beta(2.0, 2.0, size=(20, 5))
    return _draw_scenarios("navigation", theta, seed, cost_seed, hypotheses, scenarios)


def led(seed: int, cost_seed: int, hypotheses: int, scenarios: int = 1000) -> Dataset:
    """Generate digits on a display whose segments each fail one time in ten: 7 questions, 10 outcomes."""
    lit = np.array([[int(segment) for segment in SEGMENTS[digit]] for digit in range(10)])
    theta = np.where(lit == 1, 1.0 - LED_NOISE, LED_NOISE)
    return _draw_scenarios("led", theta, seed, cost_seed, hypotheses, scenarios)


def troubleshooting(seed: int, cost_seed: int, hypotheses: int, scenarios: int = 1500) -> Dataset:
    """Generate a stand-in with the shape of the paper's private data: 74 symptoms, 15 causes.

    Every cause has about 5 symptoms that most of its callers report; all others are rare.
    """
    rng = np.random.default_rng([15, 74])
    typical = rng.random((15, 74)) < 5 / 74
    theta = np.where(typical, rng.uniform(0.6, 0.95, (15, 74)), rng.uniform(0.0, 0.05, (15, 74)))
    return _draw_scenarios("troubleshooting", theta, seed, cost_seed, hypotheses, scenarios)


CORNERS = 8
"""The outcomes of a cube are its corners, each with a code of three bits."""
BLOCK = 10
"""How many questions a cube has that tell corners apart: outcome j is coded in the questions j, j + 1 and j + 2."""
BLOCKS = 3
CUBE_NOISE = 0.3
CONTEXT_NOISE = 0.1
CUBE_CUTS = (0.25, 0.75)
"""The thresholds that make answers of the cubes' values."""


def cube(seed: int, cost_seed: int, hypotheses: int, scenarios: int = 1000) -> Dataset:
    """Generate the cube of active feature acquisition: 10 questions that code 8 outcomes, and 10 that tell nothing."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, CORNERS, scenarios)
    values = np.concatenate([_draw_block(rng, labels), _draw_noise(rng, scenarios)], axis=1)
    names = [f"x{i}" for i in range(2 * BLOCK)]
    return _cut_values("cube", names, values, labels, seed, cost_seed, hypotheses)


def context_cube(seed: int, cost_seed: int, hypotheses: int, scenarios: int = 5000) -> Dataset:
    """Generate the cube whose code is in one of three blocks; three context questions say in which.

    The context tells nothing about the outcome by itself, and without it the blocks tell little.
    """
    rng = np.random.default_rng(seed)
    labels, context = rng.integers(0, CORNERS, scenarios), rng.integers(0, BLOCKS, scenarios)
    said = np.eye(BLOCKS)[context] + rng.normal(0.0, CONTEXT_NOISE, (scenarios, BLOCKS))
    code = _draw_block(rng, labels)
    blocks = [
        np.where((context == block)[:, None], code, _draw_noise(rng, scenarios)) for block in range(BLOCKS)
    ]
    names = [f"context{b}" for b in range(BLOCKS)]
    names += [f"block{b}-x{i}" for b in range(BLOCKS) for i in range(BLOCK)]
    values = np.concatenate([said, *blocks], axis=1)
    return _cut_values("context-cube", names, values, labels, seed, cost_seed, hypotheses)


def _draw_block(rng: np.random.Generator, labels: Ints) -> Floats:
    """Draw the values of a block that codes the outcomes, (T, 10); questions outside an outcome's code are noise."""
    values = _draw_noise(rng, len(labels))
    rows = np.arange(len(labels))
    for bit in range(3):
        values[rows, labels + bit] = (labels >> bit & 1) + rng.normal(0.0, CUBE_NOISE, len(labels))
    return values


def _draw_noise(rng: np.random.Generator, scenarios: int) -> Floats:
    return rng.normal(0.5, CUBE_NOISE, (scenarios, BLOCK))


def _cut_values(
    name: str, names: list[str], values: Floats, labels: Ints, seed: int, cost_seed: int, hypotheses: int
) -> Dataset:
    questions = [Question(each, thresholds=CUBE_CUTS) for each in names]
    return Dataset.from_arrays(
        np.searchsorted(CUBE_CUTS, values).astype(np.int8),
        labels,
        questions=questions,
        outcomes=[str(j) for j in range(CORNERS)],
        cost=uniform_costs(questions, cost_seed),
        values=np.clip(values, 0.0, 1.0),
        hypotheses=hypotheses,
        name=name,
        seed=seed,
        source=f"generated, seed {seed}",
    )


def _draw_scenarios(
    name: str, theta: Floats, seed: int, cost_seed: int, hypotheses: int, scenarios: int
) -> Dataset:
    """Draw scenarios with equally likely outcomes and answers from theta, (m, n)."""
    rng = np.random.default_rng(seed)
    m, n = theta.shape
    labels = rng.integers(0, m, scenarios)
    answers = (rng.random((scenarios, n)) < theta[labels]).astype(np.int8)
    questions = [Question(f"x{i}") for i in range(n)]
    return Dataset.from_arrays(
        answers,
        labels,
        questions=questions,
        outcomes=[str(j) for j in range(m)],
        cost=uniform_costs(questions, cost_seed),
        hypotheses=hypotheses,
        name=name,
        seed=seed,
        source=f"generated, seed {seed}",
    )
