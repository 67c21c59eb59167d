"""The protocol of the authors' published program, where it differs from the paper.

Every difference is one that can be seen in its results, and each is marked here with its letter:

a. The scenario's own answer set is put among the hypotheses when it is not there. Its region is the
   outcome under which the sampled theta makes it most likely, without P(y); the lowest one on ties.
b. Contested hypotheses are a region of their own, with regions known too; deciding it is undecided.
c. The lists are made from the class means, where 0 and 1 become 1e-5 and 1 - 1e-5 (except for
   troubleshooting), if regions are known; from the sampled theta otherwise.
d. At least one question is always asked, and ties go to the lowest index.
e. Cost(i) is the expectation under P(y), not under the belief after the answers so far.
f. BayesUCB is a hybrid: bounds in the belief and in P(x_i), the sample everywhere else.
g. DPP sees the current scenario too, restarts its random numbers at every scenario, and decides nothing
   unless it asks everything.
h. A number is above its threshold when asked if it is greater, and in its own answer set if it is equal.

The program draws from numpy's legacy generator; so does this, in the same order, so that the results can be
compared scenario by scenario.
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
from odm_tui.evaluation.experiment.choices import Regions
from odm_tui.evaluation.experiment.fast_interview import (
    GAINS,
    UNDECIDED,
    Answers,
    FastInterview,
    Gains,
    HypothesisTable,
)
from odm_tui.evaluation.experiment.question_choice import BASELINES, Choose, in_order


class AuthorsAgent(Agent):
    """Does what the authors' program does."""

    def __init__(self, dataset: Dataset, policy: Policy, regions: Regions, eta: float, seed: int) -> None:
        super().__init__(dataset, policy, regions)
        problem = dataset.problem
        if problem.shape[2] != 2:
            raise BadArgument(
                "the authors' program knows yes/no answers only, and one threshold for numbers: "
                "use --thresholds 1, or --protocol paper"
            )
        oracle = policy.oracle
        if oracle.name not in GAINS and oracle.name not in BASELINES:
            raise BadArgument(f"the authors' program has no {oracle.name}: use --protocol paper or live")
        self.stream = np.random.RandomState(seed)  # the program's own generator
        self.seed = seed
        self.eta = eta
        means = dataset.theta
        if dataset.name == "troubleshooting":
            # The program shuffles these scenarios itself, with the generator that theta is drawn from next.
            self.stream.permutation(dataset.size)
        else:
            means = never_certain(means, problem.valid, ALMOST)
        self.truth = Model(problem, problem.prior, means)
        self.mean_cost = self.truth.mean_cost
        self._known = self._listed(self.truth) if regions == Regions.KNOWN else None
        self._own = np.where(dataset.values == 0.5, 1, dataset.answers).astype(np.int8)

    def _listed(self, model: Model) -> HypothesisTable:
        made = list_hypotheses(
            model.log_prior, model.log_theta, self.dataset.hypotheses, eta=self.eta, contested="apart"
        )
        return HypothesisTable.of(made, 2)

    def model(self) -> Model:
        """A Thompson sample, drawn outcome by outcome; or the class means, where regret is measured."""
        problem = self.dataset.problem
        if isinstance(self.policy.exploration, KnownTheta):
            return self.truth
        alpha = problem.pseudo + self.counts
        yes = self.stream.beta(alpha[:, :, 1].T, alpha[:, :, 0].T).T
        return Model(problem, problem.prior, np.stack([1.0 - yes, yes], axis=-1))

    def hold(self, scenario: int) -> SimulatedInterview:
        model = self.model()
        listed = add_own_answers(
            self._listed(model) if self._known is None else self._known, self._own[scenario], model
        )
        course = self._course(model, listed)
        choose = self._chooser(scenario, model)
        whole = self.policy.oracle.asks_everything
        answers = self.dataset.answers[scenario]
        while course.available.any():
            question = choose(course)
            if question is None:
                # g: fewer questions than all, whatever they told
                return SimulatedInterview(tuple(course.asked), UNDECIDED)
            course.tell(question, int(answers[question]))
            if not whole and course.regions <= 1:
                break
        return SimulatedInterview(tuple(course.asked), course.decision)

    def _course(self, model: Model, listed: HypothesisTable) -> FastInterview:
        if not isinstance(self.policy.exploration, BayesUCB):
            return FastInterview(model, listed)
        alpha = self.dataset.problem.pseudo + self.counts
        return HybridFastInterview(model, listed, alpha, int(self.outcome_counts.sum()) + 1)

    def _chooser(self, scenario: int, model: Model) -> Choose:
        oracle = self.policy.oracle
        if oracle.name in GAINS:
            return best_from_prior(GAINS[oracle.name], model)
        if oracle.draws_a_set:
            return in_order(draw_dpp_questions(self.dataset.values[: scenario + 1], self.seed))
        if oracle.asks_everything:
            return in_order(range(len(self.dataset.problem.questions)))
        return self._any

    def _any(self, course: FastInterview) -> int:
        left = np.flatnonzero(course.available)
        return int(left[self.stream.randint(0, len(left))])


def add_own_answers(listed: HypothesisTable, own: Answers, model: Model) -> HypothesisTable:
    """The list with the scenario's own answers among them (a)."""
    if listed.find(own) is not None:
        return listed
    likelihood = model.log_theta[np.arange(len(own)), :, own].sum(axis=0)
    return listed.with_row(own, int(likelihood.argmax()))


def best_from_prior(gains: Gains, model: Model) -> Choose:
    """The available question with the highest gain per Cost(i), where Cost(i) is a mean under P(y) (e)."""
    costs = model.mean_cost @ model.prior

    def choose(course: FastInterview) -> int:
        score = gains(course) / costs
        score[course.asked] = -np.inf
        best = int(score.argmax())
        return best if score[best] > -np.inf else int(course.available.argmax())

    return choose


def draw_dpp_questions(seen: Floats, seed: int) -> list[int]:
    """A determinantal point process over all answers so far, drawn with the same numbers every time (g).

    Eigenvectors are kept with probability λ / (1 + λ). Then items are taken one by one, with probability
    proportional to what is left of their squared length once the items before are projected out.
    """
    stream = np.random.RandomState(seed)  # the program's own generator
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
