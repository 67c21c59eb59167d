"""The most that any policy can be right on one block of the cubes, with theta known: an exact dynamic program.

``python -m benchmarks.results.cube_ceiling`` prints it for each number of questions, and what follows for the context cube.
"""

from __future__ import annotations

from math import erf, sqrt

import numpy as np

from odm_tui.engine.problem import Floats
from odm_tui.evaluation.data.generated import BLOCK, CORNERS, CUBE_CUTS, CUBE_NOISE


def block_theta() -> Floats:
    """P(answer | outcome) in the block that codes the outcome, (10, 8, 3)."""
    theta = np.tile(_cut(0.5), (BLOCK, CORNERS, 1))
    for corner in range(CORNERS):
        for bit in range(3):
            theta[corner + bit, corner] = _cut(float(corner >> bit & 1))
    return theta


def best_right(theta: Floats) -> list[float]:
    """Return the share of right decisions of the best adaptive plan after 0, 1, … all n questions; outcomes are equally likely.

    A state says for each question that it was not asked, or its answer. The value of a state with k questions to go is
    V_k(s) = max(V_{k-1}(s), max_i Σ_q V_{k-1}(s, i = q)), and V_0(s) = max_j P(j, s).
    """
    count, outcomes, answers = theta.shape
    joint = np.full(outcomes, 1.0 / outcomes)
    for each in theta:
        wide = np.concatenate([np.ones((outcomes, 1)), each], axis=1)
        joint = joint[..., None] * wide.reshape(outcomes, *[1] * (joint.ndim - 1), answers + 1)
    value = joint.max(axis=0)
    start = (0,) * count
    found = [float(value[start])]
    for _ in range(count):
        better = value.copy()
        for i in range(count):
            before, after = np.moveaxis(value, i, 0), np.moveaxis(better, i, 0)
            np.maximum(after[0], before[1:].sum(axis=0), out=after[0])
        value = better
        found.append(float(value[start]))
    return found


def context_first(right: list[float], questions: int) -> float:
    """The share right on the context cube if context is asked first and never errs: one question in a third of the cases, else two."""
    return right[questions - 1] / 3.0 + 2.0 * right[questions - 2] / 3.0


def _cut(mean: float) -> Floats:
    """P(below, between, above) the cuts."""
    below = [0.5 * (1.0 + erf((cut - mean) / (CUBE_NOISE * sqrt(2.0)))) for cut in CUBE_CUTS]
    return np.array([below[0], below[1] - below[0], 1.0 - below[1]])


def main() -> None:
    """Print the figures."""
    right = best_right(block_theta())
    print("best plan in a known block, after 0 to 10 questions:", " ".join(f"{each:.3f}" for each in right))
    for questions in (5, 7, 10):
        print(f"context cube, context first, after {questions}: {context_first(right, questions):.3f}")


if __name__ == "__main__":
    main()
