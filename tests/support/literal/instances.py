"""Random instances: mixed numbers of answers, answers given so far, and the cases at the edge."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from odm_tui.engine.hypotheses import Hypotheses
from odm_tui.engine.model import Model
from odm_tui.engine.problem import Problem, Question
from tests.support.literal.graph import Floats, Ints


def loud() -> np.errstate:
    """Numpy raises what it would warn of; underflow to 0 is meant."""
    return np.errstate(divide="raise", over="raise", invalid="raise")


def consistent(hypotheses: Hypotheses, given: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
    """Which listed hypotheses agree with the answers given, (m, k); -1 where there is none."""
    asked = np.flatnonzero(given >= 0)
    return np.asarray(hypotheses.listed & (hypotheses.answers[:, :, asked] == given[asked]).all(axis=-1))


@dataclass(frozen=True, eq=False)
class Instance:
    """P(y), theta, costs and the answers so far, and the engine's objects made of them."""

    sizes: tuple[int, ...]
    prior: Floats
    theta: Floats
    cost: Floats
    given: Ints

    @property
    def answers(self) -> dict[int, int]:
        return {i: int(q) for i, q in enumerate(self.given) if q >= 0}

    @property
    def unasked(self) -> list[int]:
        return [i for i, q in enumerate(self.given) if q < 0]

    @property
    def problem(self) -> Problem:
        return Problem.build(
            [Question(f"q{i}", tuple(f"a{q}" for q in range(size))) for i, size in enumerate(self.sizes)],
            [f"o{j}" for j in range(len(self.prior))],
            prior=self.prior,
            cost=self.cost,
        )

    @property
    def model(self) -> Model:
        return Model(self.problem, self.prior, self.theta)


def made(
    seed: int,
    sizes: tuple[int, ...],
    outcomes: int,
    *,
    certain: float = 0.0,
    twins: bool = False,
    free: float = 0.0,
    missing_outcome: bool = False,
    asked: int = 0,
) -> Instance:
    """An instance from a seed.

    ``certain`` is the share of theta that is exactly 0 and 1, ``twins`` gives two outcomes the same
    theta, so that they list the same hypotheses, ``free`` is the share of questions that cost nothing,
    ``missing_outcome`` gives the last outcome a prior of 0. The answers given are possible.
    """
    rng = np.random.default_rng(seed)
    n, width = len(sizes), max(sizes)
    theta, cost = np.zeros((n, outcomes, width)), np.zeros((n, outcomes, width))
    for i, size in enumerate(sizes):
        theta[i, :, :size] = rng.dirichlet(np.full(size, 1.2), size=outcomes)
        for j in range(outcomes):
            if rng.random() < certain:
                theta[i, j, :size] = np.eye(size)[rng.integers(size)]
        if rng.random() >= free:
            cost[i, :, :size] = rng.uniform(0.05, 1, (outcomes, size))
    prior = rng.dirichlet(np.full(outcomes, 2.0))
    if missing_outcome and outcomes > 1:
        prior[-1] = 0.0
        prior /= prior.sum()
    if twins and outcomes > 1:
        theta[:, 1] = theta[:, 0]
    given = np.full(n, -1)
    truth = rng.choice(outcomes, p=prior)
    for i in rng.permutation(n)[:asked]:
        given[i] = rng.choice(width, p=theta[i, truth])
    return Instance(tuple(sizes), prior, theta, cost, given)


@st.composite
def instances(
    draw: st.DrawFn,
    most: int = 300,
    outcomes: int = 4,
    fewest_unasked: int = 1,
    edges: bool = True,
) -> Instance:
    """Instances with at most ``most`` hypotheses in all; with ``edges``, cases at the edge as well."""
    sizes: tuple[int, ...] = ()
    for _ in range(draw(st.integers(1, 8))):
        size = draw(st.sampled_from((2, 3)))
        if prod(sizes) * size <= most:
            sizes = (*sizes, size)
    asked = draw(st.integers(0, max(len(sizes) - fewest_unasked, 0)))
    return made(
        draw(st.integers(0, 2**32 - 1)),
        sizes,
        draw(st.integers(1, outcomes)),
        certain=draw(st.sampled_from((0.0, 0.0, 0.4, 1.0))) if edges else 0.0,
        twins=draw(st.booleans()) if edges else False,
        free=draw(st.sampled_from((0.0, 0.5))) if edges else 0.0,
        missing_outcome=draw(st.booleans()) if edges else False,
        asked=asked,
    )
