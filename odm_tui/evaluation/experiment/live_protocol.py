"""The protocol of real interviews.

Each scenario is an interview of the engine, as operators hold them. Hypotheses come from the current model and are
listed again when none is consistent with the answers. The decision is the likeliest outcome under the posterior mean.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from odm_tui.engine.interview import Interview
from odm_tui.engine.model import Model
from odm_tui.engine.policy import Policy
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import never_certain
from odm_tui.engine.regret import run_to_end
from odm_tui.engine.situation import ListingRule
from odm_tui.engine.variants.cases import LearningCases
from odm_tui.engine.variants.fit import fit_variants
from odm_tui.evaluation.data.dataset import Dataset
from odm_tui.evaluation.experiment.agents import ALMOST, Agent, SimulatedInterview
from odm_tui.evaluation.experiment.fast_interview import UNDECIDED
from odm_tui.evaluation.experiment.settings import Knowledge, Regions
from odm_tui.store.variants.fitted import find_size


class LiveAgent(Agent):
    """Hold interviews with the engine."""

    def __init__(
        self,
        dataset: Dataset,
        policy: Policy,
        regions: Regions,
        eta: float,
        seed: int,
        knowledge: Knowledge = Knowledge.ASKED,
        *,
        learns_variants: bool = False,
    ) -> None:
        super().__init__(dataset, replace(policy, hypotheses=dataset.hypotheses, eta=eta), regions)
        self.knowledge = knowledge
        self.learns_variants = learns_variants
        self._learned: list[npt.NDArray[np.int16]] = []
        problem = dataset.problem
        self.posterior = Posterior.of(problem)
        self.seeds = np.random.default_rng(seed).integers(0, 2**31, size=len(dataset.labels))
        self.hypotheses = None
        if regions == Regions.KNOWN:
            truth = Model(problem, problem.prior, never_certain(dataset.theta, problem.valid, ALMOST))
            self.hypotheses = ListingRule(dataset.hypotheses, eta, policy.contested).listing(truth).hypotheses

    def hold(self, scenario: int) -> SimulatedInterview:
        dataset = self.dataset
        interview = Interview(
            dataset.problem,
            self.policy,
            self.posterior,
            int(self.seeds[scenario]),
            hypotheses=self.hypotheses,
        )
        decided = run_to_end(interview, dataset.answers[scenario])
        outcome, belief = decided.outcome, decided.belief
        if self.knowledge is Knowledge.KNOWN:
            believed = interview.situation.outcome_belief
            outcome = int(believed.argmax())
            belief = float(believed[outcome])
        if decided.refer:
            outcome = UNDECIDED
        return SimulatedInterview(tuple(step.question for step in interview.steps), outcome, belief)

    def learn(self, scenario: int, held: SimulatedInterview) -> None:
        answers = np.full(len(self.dataset.problem.questions), -1, dtype=np.int16)
        asked = slice(None) if self.knowledge is Knowledge.FULL else list(held.asked)
        answers[asked] = self.dataset.answers[scenario, asked]
        self.posterior = self.posterior.updated(answers, int(self.dataset.labels[scenario]))
        if self.learns_variants:
            self._learned.append(answers)
            self._fit_variants(scenario)

    def _fit_variants(self, scenario: int) -> None:
        """Fit variants of outcomes after as many interviews as real ones do."""
        number = len(self._learned)
        if find_size(number) == number:
            labels = self.dataset.labels[scenario + 1 - number : scenario + 1]
            cases = LearningCases.of(self.dataset.problem, np.stack(self._learned), labels)
            self.posterior = replace(self.posterior, variants=fit_variants(cases))
