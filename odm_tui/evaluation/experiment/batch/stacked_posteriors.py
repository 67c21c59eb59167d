"""The posteriors of all units of a batch, in one array each, so that one operation serves all units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

from odm_tui.engine.belief import safe_log
from odm_tui.engine.exploration import draw_sureness
from odm_tui.engine.lookahead.learning_value import DRAWS, SEED
from odm_tui.engine.posterior import draw_theta
from odm_tui.engine.priors.base_rates import (
    WEIGHTS,
    average_priors,
    draw_priors,
    unknown_pairs,
    weigh_evidence,
)
from odm_tui.engine.priors.shapes import (
    SHAPES,
    draw_parameters,
    find_evidence,
    match_moments,
    open_shapes,
    weigh_shapes,
)
from odm_tui.engine.problem import Bools, Floats, Ints, Problem
from odm_tui.engine.stakes import NEARLY
from odm_tui.engine.target import find_move, stakes_factor


class StackedPosteriors:
    """Counts, Beta parameters and means of B units, (B, n, m, 2) each; yes/no questions only.

    An interview changes what is known of the questions that were asked in it, also where priors are pooled. Only
    their rows are computed again. Where questions share shapes, their evidence is kept; it weighs the shapes of all.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.valid = problems[0].valid
        self.pseudo = np.stack([problem.pseudo for problem in problems])
        self.expects = np.stack([~unknown_pairs(problem) for problem in problems])
        self.shared = problems[0].shared and not self.expects.all()
        self.pooled = problems[0].pooled and not self.shared
        self.problems = list(problems)
        self.interviews = 0
        self.moved = np.zeros(len(problems))
        costs = [problem.decision_stakes.refer for problem in problems]
        self.refer = np.array([np.inf if cost is None else cost for cost in costs])
        self.counts = np.zeros_like(self.pseudo)
        self.rates = np.empty((*self.pseudo.shape[:2], len(WEIGHTS), 2))
        self.chances = np.empty((*self.pseudo.shape[:2], len(WEIGHTS)))
        self.alpha = np.empty_like(self.pseudo)
        self.mean = np.empty_like(self.pseudo)
        self.log_mean = np.empty_like(self.pseudo)
        units, n = self.pseudo.shape[:2]
        self.evidence = np.zeros((units, n, SHAPES if self.shared else 0))
        self.open_shapes = self.evidence
        self._refresh(np.repeat(np.arange(units), n), np.tile(np.arange(n), units))

    def learn(
        self, asked: Bools, answers: npt.NDArray[np.integer], outcomes: npt.NDArray[np.integer]
    ) -> None:
        """Count the answers to what each unit asked, (B, n), under the right outcomes, (B,)."""
        units, questions = np.nonzero(asked)
        self.interviews += 1
        for unit, problem in enumerate(self.problems):
            if problem.target_cost is not None:
                which = np.flatnonzero(asked[unit])
                cost = float(problem.cost[which, outcomes[unit], answers[unit, which]].sum())
                self.moved[unit] += find_move(cost, problem.target_cost, stakes_factor(self.moved[unit]))
        self.counts[units, questions, outcomes[units], answers[units, questions]] += 1.0
        self._refresh(units, questions)

    def _refresh(self, units: Ints, questions: Ints) -> None:
        if self.shared:
            self._share(units, questions)
            return
        counts, pseudo = self.counts[units, questions], self.pseudo[units, questions]
        if self.pooled and len(units):
            # Each question's prior is pooled on its own, so the questions of all units make one problem.
            together = cast(
                "Problem", _PooledQuestions(pseudo, self.valid[questions], self.expects[units, questions])
            )
            rates, chances = weigh_evidence(together, counts)
            self.rates[units, questions], self.chances[units, questions] = rates.transpose(1, 0, 2), chances.T
            pseudo = average_priors(together, rates, chances)
        alpha = pseudo + counts
        mean = alpha / alpha.sum(axis=-1, keepdims=True)
        self.alpha[units, questions] = alpha
        self.mean[units, questions] = mean
        self.log_mean[units, questions] = safe_log(mean)

    def _share(self, units: Ints, questions: Ints) -> None:
        """Weigh the shapes of all questions again, after answers to some."""
        self.evidence[units, questions] = find_evidence(self.counts[units, questions])
        shapes = weigh_shapes(self.evidence)
        self.open_shapes = open_shapes(self.evidence, shapes)
        rows = self.counts.reshape(-1, *self.counts.shape[2:])
        matched = match_moments(rows, shapes.reshape(-1, SHAPES)).reshape(self.counts.shape)
        self.alpha = np.where(self.expects[..., None], self.pseudo + self.counts, matched)
        self.mean = self.alpha / self.alpha.sum(axis=-1, keepdims=True)
        self.log_mean = safe_log(self.mean)

    def sample(self, seeds: npt.NDArray[np.integer], steady: bool = False) -> Floats:
        """A draw of theta for each unit, (B, n, m, 2): the one that an interview with this seed makes.

        ``steady`` draws as :class:`SteadySampling` does.
        """
        theta = np.empty_like(self.alpha)
        for unit, seed in enumerate(seeds):
            # The first of the sequences that an interview spawns from its seed.
            rng = np.random.default_rng(np.random.SeedSequence(int(seed), spawn_key=(0,)))
            sure = draw_sureness(rng) if steady else 1.0
            alpha = self._draw_shapes(unit, rng, 1)[0]
            if sure != 1.0:
                alpha = alpha + (sure - 1.0) * self.counts[unit]
            theta[unit, ..., 1] = rng.beta(alpha[..., 1], alpha[..., 0])
        np.subtract(1.0, theta[..., 1], out=theta[..., 0])
        return theta

    def sample_surer(self, seeds: npt.NDArray[np.integer], sure: float) -> Floats:
        """A draw of theta for each unit as :class:`LearningValue` makes it, (B, n, m, 2)."""
        theta = np.empty_like(self.alpha)
        for unit, seed in enumerate(seeds):
            rng = np.random.default_rng(np.random.SeedSequence(int(seed), spawn_key=(0,)))
            theta[unit] = draw_theta(self._draw_shapes(unit, rng, 1)[0] * sure, self.valid, rng)
        return theta

    def redraw(self, unit: int, rng: np.random.Generator) -> Floats:
        """Another draw of theta for one unit, (n, m, 2), as an interview makes it that would ask nothing."""
        return np.asarray(draw_theta(self._parameters(unit, rng, 1), self.valid, rng)[0])

    def worths(self) -> tuple[Floats, Floats]:
        """What a right decision and what referring is worth in each unit's next interview, (B,) each.

        They change where a target for the cost is set. Referring is worth less than 0 where nobody can take over.
        """
        stakes = np.array([self._stakes_of(unit) for unit in range(len(self.problems))])
        return stakes, np.where(np.isfinite(self.refer), stakes - self.refer, -1.0)

    def should_refer(self, belief: Floats) -> Bools:
        """Which units refer, given the belief in the best outcome, (B,); as :meth:`Stakes.should_refer`."""
        stakes, _ = self.worths()
        return np.asarray(self.refer < stakes * (1.0 - belief) * (1.0 - NEARLY))

    def _stakes_of(self, unit: int) -> float:
        problem = self.problems[unit]
        if problem.target_cost is None:
            return problem.effective_stakes
        return problem.effective_stakes * stakes_factor(self.moved[unit])

    def draw(self) -> Floats:
        """The draws of P(yes) of each unit by which the value of learning is found, (B, draws, n, m)."""
        drawn = np.empty((len(self.problems), DRAWS, *self.counts.shape[1:3]))
        for unit in range(len(self.problems)):
            rng = np.random.default_rng(SEED)
            drawn[unit] = draw_theta(self._parameters(unit, rng, DRAWS), self.valid, rng)[..., 1]
        return drawn

    def _parameters(self, unit: int, rng: np.random.Generator, count: int) -> Floats:
        """The Beta parameters of several draws, (count, n, m, 2): pooled priors have a weight of their own in each."""
        if not self.pooled:
            return self._draw_shapes(unit, rng, count)
        rates, chances = self.rates[unit].transpose(1, 0, 2), self.chances[unit].T
        return np.asarray(self.counts[unit] + draw_priors(self.problems[unit], rates, chances, rng, count))

    def _draw_shapes(self, unit: int, rng: np.random.Generator, count: int) -> Floats:
        """The Beta parameters of several draws, (count, n, m, 2), as :class:`Posterior` draws them: only shapes vary."""
        alpha = np.broadcast_to(self.alpha[unit], (count, *self.alpha[unit].shape))
        if not self.shared:
            return alpha
        drawn = draw_parameters(self.counts[unit], self.open_shapes[unit], rng, count)
        return np.where(self.expects[unit][..., None], alpha, drawn)


@dataclass(frozen=True)
class _PooledQuestions:
    """What pooling looks at in a problem."""

    pseudo: Floats
    valid: Bools
    expects: Bools
