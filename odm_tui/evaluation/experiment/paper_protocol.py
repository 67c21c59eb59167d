"""The protocol of the paper's section 6, by its formulas.

With known regions, the lists of hypotheses come from the theta of the whole data set; otherwise from the current
model. The interview ends when one region is left; that region is the decision. What the paper leaves open:

- A hypothesis that several outcomes list: with known regions it belongs to the likeliest of them (regions are
  disjoint). With unknown regions it has a region of its own, and an interview that ends there is undecided
  (section 6.4's "unknown" decision).
- When no listed hypothesis is consistent with the answers, the list is made again, given these answers. Then a
  hypothesis that several outcomes list belongs to the likeliest, because near the end all outcomes list the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from odm_tui.engine.hypotheses import Contested, Hypotheses
from odm_tui.engine.model import Model
from odm_tui.engine.oracles.random import Random
from odm_tui.engine.policy import Policy
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import never_certain
from odm_tui.engine.situation import Draws, Listing, ListingRule, Situation
from odm_tui.evaluation.data.dataset import Dataset
from odm_tui.evaluation.experiment.agents import ALMOST, Agent, SimulatedInterview
from odm_tui.evaluation.experiment.fast_interview import GAINS, UNDECIDED, FastInterview, HypothesisTable
from odm_tui.evaluation.experiment.question_choice import Choose, best_per_cost, draw_dpp_set, in_order
from odm_tui.evaluation.experiment.settings import Regions


@dataclass(frozen=True, eq=False)
class TrueRegions(ListingRule):
    """List hypotheses and regions from the true theta; the model, which does not know it, weighs them."""

    truth: Model = field(kw_only=True)

    def listing(self, model: Model, given: npt.NDArray[np.integer] | None = None) -> Listing:
        if given is None:
            return Listing(self.hypotheses, model)
        return Listing(super().listing(self.truth, given).hypotheses, model)

    @cached_property
    def hypotheses(self) -> Hypotheses:
        """The list before the first answer: the same in every interview."""
        return super().listing(self.truth).hypotheses


class PaperAgent(Agent):
    """Follow the paper's formulas: for the baselines, and for oracles whose gains FastInterview computes."""

    def __init__(self, dataset: Dataset, policy: Policy, regions: Regions, eta: float, seed: int) -> None:
        super().__init__(dataset, policy, regions)
        self.rng = np.random.default_rng(seed)
        problem = dataset.problem
        self.truth = Model(problem, problem.prior, never_certain(dataset.theta, problem.valid, ALMOST))
        contested: Contested = "likeliest" if regions == Regions.KNOWN else "apart"
        self.rule = ListingRule(dataset.hypotheses, eta, contested)
        self.again = ListingRule(dataset.hypotheses, eta, "likeliest")
        if regions == Regions.KNOWN:
            self.rule = self.again = TrueRegions(dataset.hypotheses, eta, contested, truth=self.truth)
        self._known = self.list_hypotheses(self.truth) if regions == Regions.KNOWN else None

    def model(self) -> Model:
        """Return the parameters for the next interview."""
        interviews = int(self.outcome_counts.sum())
        posterior = Posterior(self.dataset.problem, self.counts, self.outcome_counts, interviews)
        return self.policy.exploration.model(posterior, self.rng)

    def list_hypotheses(self, model: Model, given: npt.NDArray[np.int8] | None = None) -> HypothesisTable:
        """Return the most probable hypotheses, given some answers."""
        rule = self.rule if given is None else self.again
        return HypothesisTable.of(rule.listing(model, given).hypotheses, model.theta.shape[2])

    def hold(self, scenario: int) -> SimulatedInterview:
        model = self.model()
        answers = self.dataset.answers[scenario]
        interview = FastInterview(model, self.list_hypotheses(model) if self._known is None else self._known)
        choose = self.make_chooser(scenario)
        while self.policy.oracle.asks_everything or interview.regions > 1:
            question = choose(interview)
            if question is None:
                break
            interview.add_answer(question, int(answers[question]))
            if not interview.alive.any():
                interview.use_hypotheses(self.list_hypotheses(model, interview.answers))
        return SimulatedInterview(tuple(interview.asked), interview.decision)

    def make_chooser(self, scenario: int) -> Choose:
        """Return the function that chooses the questions of this interview."""
        oracle = self.policy.oracle
        if oracle.name in GAINS:
            return best_per_cost(GAINS[oracle.name])
        n = len(self.dataset.problem.questions)
        if oracle.draws_a_set:
            # section 6: "all data points until time t - 1"
            return in_order(draw_dpp_set(self.dataset.values[:scenario], self.rng))
        return in_order(np.arange(n) if oracle.asks_everything else self.rng.permutation(n))


class EngineAgent(PaperAgent):
    """Follow the paper's formulas with any oracle and exploration of the engine."""

    def hold(self, scenario: int) -> SimulatedInterview:
        model = self.model()
        answers = self.dataset.answers[scenario]
        n = len(answers)
        available = np.ones(n, dtype=bool)
        draws = Draws(self.rng.permutation(n), self.rng.random(n + 1))
        now = Situation.at_start(model, draws, available, self.rule.listing(model))
        asked: list[int] = []
        while self.policy.oracle.asks_everything or (now.regions or 0) > 1 or self._draws_random(now):
            question = self._choose(now)
            if question is None:
                break
            asked.append(question)
            available = available.copy()
            available[question] = False
            now = now.after(question, int(answers[question]), available, self.again)
        return SimulatedInterview(tuple(asked), _region_left(now))

    def _choose(self, now: Situation) -> int | None:
        return (Random() if self._draws_random(now) else self.policy.oracle).choose(now)

    def _draws_random(self, now: Situation) -> bool:
        return bool(now.draws.coins[now.asked] < self.policy.exploration.epsilon)


def _region_left(now: Situation) -> int:
    """Return the region that is left, or UNDECIDED."""
    if now.listing is None or now.alive is None or now.regions != 1:
        return UNDECIDED
    hypotheses = now.listing.hypotheses
    if hypotheses.apart and (now.alive & hypotheses.contested).any():
        return UNDECIDED
    return int(now.alive.any(axis=1).argmax())
