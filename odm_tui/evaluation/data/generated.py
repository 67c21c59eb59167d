"""Generate data sets from a seed: navigation, LED and a stand-in for troubleshooting.

Their theta is fixed; the seed draws the scenarios.
"""

from __future__ import annotations

import numpy as np

from odm_tui.engine.problem import Floats, Question
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
