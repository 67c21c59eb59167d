"""The protocol of the authors' published program, which differs from the paper.

Every difference shows in its results. The letters mark them in the code:

a. The scenario's own answers are added to the hypotheses if they are missing there. Their region is the outcome
   under which the sampled theta makes them most likely, without P(y); the lowest one on ties.
b. Contested hypotheses are a region of their own, also with known regions; an interview that ends there is undecided.
c. With known regions, the lists come from the class means, where 0 and 1 become 1e-5 and 1 - 1e-5 (except for
   troubleshooting); otherwise from the sampled theta.
d. At least one question is always asked, and ties go to the lowest index.
e. Cost(i) is the expectation under P(y), not under the belief after the answers so far.
f. BayesUCB is a hybrid: bounds in the belief and in P(x_i), the sample everywhere else.
g. DPP also sees the current scenario, restarts its random numbers at every scenario, and decides nothing unless it
   asks everything.
h. A number equal to its threshold is not above it when asked, but is above it in the scenario's own answers (a).

This module draws from numpy's legacy generator in the same order as the program, so that the results can be compared
scenario by scenario.
"""

from __future__ import annotations

import numpy as np

from odm_tui.engine.exploration import BayesUCB, KnownTheta
from odm_tui.engine.hypotheses import list_hypotheses
from odm_tui.engine.model import Model
from odm_tui.engine.policy import Policy
from odm_tui.engine.problem import Floats, never_certain
from odm_tui.errors import BadArgument
from odm_tui.evaluation.data.dataset import Dataset
from odm_tui.evaluation.experiment.agents import ALMOST, Agent, SimulatedInterview
from odm_tui.evaluation.experiment.authors_bucb import HybridFastInterview
from odm_tui.evaluation.experiment.fast_interview import (
    GAINS,
    UNDECIDED,
    Answers,
    FastInterview,
    Gains,
    HypothesisTable,
)
from odm_tui.evaluation.experiment.question_choice import BASELINES, Choose, in_order
from odm_tui.evaluation.experiment.settings import Regions


class AuthorsAgent(Agent):
    """Hold interviews as the authors' program does."""

    def __init__(self, dataset: Dataset, policy: Policy, regions: Regions, eta: float, seed: int) -> None:
        super().__init__(dataset, policy, regions)
        problem = dataset.problem
        if problem.shape[2] != 2:
            raise BadArgument(
                "The protocol 'authors' supports only yes/no answers, and one threshold for numbers. "
                "Use --thresholds 1, or --protocol paper."
            )
        oracle = policy.oracle
        if oracle.name not in GAINS and oracle.name not in BASELINES:
            raise BadArgument(f"The protocol 'authors' has no {oracle.name}. Use --protocol paper or live.")
        self.stream = np.random.RandomState(seed)  # the program's generator
        self.seed = seed
        self.eta = eta
        means = dataset.theta
        if dataset.name == "troubleshooting":
            # The program shuffles these scenarios with the generator that it then draws theta from.
            self.stream.permutation(dataset.size)
        else:
            means = never_certain(means, problem.valid, ALMOST)
        self.truth = Model(problem, problem.prior, means)
        self.mean_cost = self.truth.mean_cost
        self._known = self._list_hypotheses(self.truth) if regions == Regions.KNOWN else None
        self._own = np.where(dataset.values == 0.5, 1, dataset.answers).astype(np.int8)

    def _list_hypotheses(self, model: Model) -> HypothesisTable:
        made = list_hypotheses(
            model.log_prior, model.log_theta, self.dataset.hypotheses, eta=self.eta, contested="apart"
        )
        return HypothesisTable.of(made, 2)

    def model(self) -> Model:
        """Return a Thompson sample, drawn outcome by outcome, or the class means if theta is known."""
        problem = self.dataset.problem
        if isinstance(self.policy.exploration, KnownTheta):
            return self.truth
        alpha = problem.pseudo + self.counts
        yes = self.stream.beta(alpha[:, :, 1].T, alpha[:, :, 0].T).T
        return Model(problem, problem.prior, np.stack([1.0 - yes, yes], axis=-1))

    def hold(self, scenario: int) -> SimulatedInterview:
        model = self.model()
        listed = add_own_answers(
            self._list_hypotheses(model) if self._known is None else self._known, self._own[scenario], model
        )
        interview = self._start(model, listed)
        choose = self._make_chooser(scenario, model)
        whole = self.policy.oracle.asks_everything
        answers = self.dataset.answers[scenario]
        while interview.available.any():
            question = choose(interview)
            if question is None:
                # g: DPP did not ask everything
                return SimulatedInterview(tuple(interview.asked), UNDECIDED)
            interview.add_answer(question, int(answers[question]))
            if not whole and interview.regions <= 1:
                break
        return SimulatedInterview(tuple(interview.asked), interview.decision)

    def _start(self, model: Model, listed: HypothesisTable) -> FastInterview:
        if not isinstance(self.policy.exploration, BayesUCB):
            return FastInterview(model, listed)
        alpha = self.dataset.problem.pseudo + self.counts
        return HybridFastInterview(model, listed, alpha, int(self.outcome_counts.sum()) + 1)

    def _make_chooser(self, scenario: int, model: Model) -> Choose:
        oracle = self.policy.oracle
        if oracle.name in GAINS:
            return best_from_prior(GAINS[oracle.name], model)
        if oracle.draws_a_set:
            return in_order(draw_dpp_questions(self.dataset.values[: scenario + 1], self.seed))
        if oracle.asks_everything:
            return in_order(range(len(self.dataset.problem.questions)))
        return self._choose_any

    def _choose_any(self, interview: FastInterview) -> int:
        left = np.flatnonzero(interview.available)
        return int(left[self.stream.randint(0, len(left))])


def add_own_answers(listed: HypothesisTable, own: Answers, model: Model) -> HypothesisTable:
    """Return the list with the scenario's own answers in it (a)."""
    if listed.find(own) is not None:
        return listed
    likelihood = model.log_theta[np.arange(len(own)), :, own].sum(axis=0)
    return listed.with_row(own, int(likelihood.argmax()))


def best_from_prior(gains: Gains, model: Model) -> Choose:
    """Choose the available question with the highest gain per Cost(i), a mean under P(y) (e)."""
    costs = model.mean_cost @ model.prior

    def choose(interview: FastInterview) -> int:
        score = gains(interview) / costs
        score[interview.asked] = -np.inf
        best = int(score.argmax())
        return best if score[best] > -np.inf else int(interview.available.argmax())

    return choose


def draw_dpp_questions(seen: Floats, seed: int) -> list[int]:
    """Draw questions by a determinantal point process over all answers so far, with a fixed seed (g).

    Keep each eigenvector with probability λ / (1 + λ). Then take items one by one, with probability proportional to
    what remains of their squared length after projecting out the items before.
    """
    stream = np.random.RandomState(seed)  # the program's generator
    values, vectors = np.linalg.eigh(seen.T @ seen)
    space = vectors[:, stream.random_sample(len(values)) < values / (1.0 + values)]
    size = space.shape[1]
    lengths = (space**2).sum(axis=1)
    basis = np.zeros((len(values), size))
    left = np.ones(len(values), dtype=bool)
    taken: list[int] = []
    for step in range(size):
        items = np.flatnonzero(left)
        chances = np.abs(lengths[items]) / (size - step)
        item = int(stream.choice(items, p=chances / chances.sum()))
        taken.append(item)
        left[item] = False
        before = basis[:, :step] @ basis[item, :step]
        basis[:, step] = (space @ space[item] - before) / np.sqrt(lengths[item])
        lengths = lengths - basis[:, step] ** 2
    return taken
