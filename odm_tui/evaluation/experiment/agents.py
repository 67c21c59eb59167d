"""The base class of the agents that hold the interviews of an experiment, one class per protocol."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np

from odm_tui.engine.exploration import ThompsonSampling
from odm_tui.engine.policy import Policy
from odm_tui.evaluation.data.dataset import Dataset
from odm_tui.evaluation.experiment.settings import Regions

ALMOST = 1e-5
"""The probability of an answer that the data never showed, instead of 0."""


@dataclass(frozen=True, slots=True)
class SimulatedInterview:
    """One interview: the questions asked, in order, and the decided outcome (-1: undecided).

    ``belief`` is the probability that the decision is right in the policy's view, NaN if the protocol has no such
    figure.
    """

    asked: tuple[int, ...]
    decision: int
    belief: float = math.nan


class Agent(ABC):
    """Hold the interviews of one data set, one after the other, and learn from each."""

    def __init__(self, dataset: Dataset, policy: Policy, regions: Regions) -> None:
        self.dataset = dataset
        if not policy.oracle.uses_theta:
            # A baseline chooses without theta, but the hypotheses that end its interviews come from a sample.
            # With the prior's mean they would all be equally likely, and nothing would be asked.
            policy = replace(policy, exploration=ThompsonSampling())
        self.policy = policy
        self.regions = regions
        n, m, width = dataset.problem.shape
        self.counts = np.zeros((n, m, width))
        self.outcome_counts = np.zeros(m)
        self.mean_cost = dataset.mean_cost
        """What each question costs under each outcome, (n, m)."""

    @abstractmethod
    def hold(self, scenario: int) -> SimulatedInterview:
        """Hold the interview of this scenario."""

    def learn(self, scenario: int, held: SimulatedInterview) -> None:
        """Count the answers under the right outcome: the paper's Algorithm 3."""
        asked = np.asarray(held.asked, dtype=np.intp)
        label = self.dataset.labels[scenario]
        self.counts[asked, label, self.dataset.answers[scenario, asked]] += 1.0
        self.outcome_counts[label] += 1.0
