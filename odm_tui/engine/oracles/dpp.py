"""DPP: the baseline that asks a diverse set of questions, drawn at the start of the interview."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from odm_tui.engine.oracles.base import Oracle
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Bools, Floats, Problem
from odm_tui.engine.situation import Situation


class Determinantal(Oracle):
    """Ask a random, diverse set of questions.

    The set is drawn from a determinantal point process at the start. Its kernel is L = XᵀX (the paper's section 6, DPP).
    Questions that the history says nothing about are asked too.
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


def kernel_of_posterior(posterior: Posterior) -> Floats:
    """L = XᵀX of the interviews that a posterior has learned from, and of the problem's past cases.

    Of past cases, and in a posterior that was made from counts alone, it is not known which answers were given
    together: see :func:`kernel_of_counts`.
    """
    problem, kernel = posterior.problem, posterior.products
    if kernel is None:
        kernel = kernel_of_counts(problem, posterior.counts, posterior.outcome_counts)
    if problem.cases is None or problem.case_outcomes is None:
        return kernel
    return np.asarray(kernel + kernel_of_counts(problem, problem.cases, problem.case_outcomes))


def kernel_of_counts(problem: Problem, counts: Floats, outcome_counts: Floats) -> Floats:
    """The mean of XᵀX over all ways to combine the counted answers within each outcome.

    The squares on the diagonal are exact. An answer counts as q / (K - 1), so no is 0 and yes is 1.
    """
    sizes = np.maximum(problem.valid.sum(axis=1) - 1, 1)
    scale = np.arange(counts.shape[2]) / sizes[:, None]
    sums = np.einsum("imq,iq->im", counts, scale)
    kernel = np.asarray((sums / np.maximum(outcome_counts, 1.0)) @ sums.T)
    np.fill_diagonal(kernel, np.einsum("imq,iq->i", counts, scale**2))
    return kernel


def draw_questions(kernel: Floats, rng: np.random.Generator) -> Bools:
    """Draw the questions of a live interview: a set from the DPP, and all questions that it can't draw yet.

    A question whose column of X is 0 has probability 0 in every DPP. It would never be asked, and so its column would
    stay 0. So it is asked until it has an answer that counts; on an empty history all are.
    """
    return sample_dpp(kernel, rng) | (np.diagonal(kernel) <= 0)


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
