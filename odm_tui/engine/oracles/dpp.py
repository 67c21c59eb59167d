"""DPP: the baseline that asks a diverse set of questions, drawn at the start of the interview."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from odm_tui.engine.oracles.base import Oracle
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Bools, Floats
from odm_tui.engine.situation import Situation


class Determinantal(Oracle):
    """Ask a random, diverse set of questions.

    The set is drawn from a determinantal point process at the start. Its kernel is L = XᵀX (the paper's section 6, DPP).
    """

    name: ClassVar[str] = "dpp"
    default_stop: ClassVar[str] = "never"
    uses_theta: ClassVar[bool] = False
    asks_everything: ClassVar[bool] = True
    draws_a_set: ClassVar[bool] = True

    def _choose(self, situation: Situation) -> int | None:
        chosen = situation.draws.chosen
        if chosen is None:
            raise ValueError("The situation has no set drawn from a DPP. Start it with Interview.")
        left = situation.available & chosen
        return int(left.argmax()) if left.any() else None


def kernel_of_answers(scaled: Floats) -> Floats:
    """L = XᵀX for the answers seen so far: one row per interview, one column per question, from 0 to 1."""
    return np.asarray(scaled.T @ scaled)


def kernel_of_counts(posterior: Posterior) -> Floats:
    """The expected value of L = XᵀX, computed from the counts.

    Within an outcome the questions are independent, so the expected product of two columns over its N
    interviews is (their sums multiplied) / N. An answer counts as q / (K - 1), so no is 0 and yes is 1.
    """
    sizes = np.maximum(posterior.problem.valid.sum(axis=1) - 1, 1)
    scale = np.arange(posterior.seen.shape[2]) / sizes[:, None]
    sums = np.einsum("imq,iq->im", posterior.seen, scale)
    return np.asarray((sums / np.maximum(posterior.seen_outcomes, 1.0)) @ sums.T)


def sample_dpp(kernel: Floats, rng: np.random.Generator) -> Bools:
    """Draw exactly from the DPP with likelihood kernel L: P(S) ∝ det(L_S). Return a mask.

    The spectral method: keep eigenvector v with probability λ / (1 + λ); then take items one by one with
    probability proportional to the squared length of their rows, and project the kept space onto what is
    orthogonal to the item taken.
    """
    values, vectors = np.linalg.eigh(kernel)
    values = np.where(values > 1e-10 * max(float(values.max(initial=0.0)), 1e-300), values, 0.0)
    space = vectors[:, rng.random(len(values)) < values / (1.0 + values)]
    taken = np.zeros(len(values), dtype=bool)
    while space.shape[1]:
        lengths = np.where(taken, 0.0, (space**2).sum(axis=1))
        item = int(rng.choice(len(lengths), p=lengths / lengths.sum()))
        taken[item] = True
        pivot = int(np.abs(space[item]).argmax())
        column = space[:, pivot] / space[item, pivot]
        rest = np.delete(space, pivot, axis=1)
        space = np.linalg.qr(rest - np.outer(column, rest[item]))[0] if rest.shape[1] else rest
    return taken
