"""One data set, one policy, one seed: the interviews held one after the other, and what they cost."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from odm_tui.engine.exploration import BayesUCB
from odm_tui.engine.policy import Policy
from odm_tui.engine.problem import Floats
from odm_tui.errors import BadArgument
from odm_tui.evaluation.data.dataset import Dataset
from odm_tui.evaluation.experiment.agents import Agent, Regions
from odm_tui.evaluation.experiment.authors_protocol import AuthorsAgent
from odm_tui.evaluation.experiment.fast_interview import GAINS
from odm_tui.evaluation.experiment.live_protocol import LiveAgent
from odm_tui.evaluation.experiment.paper_protocol import EngineAgent, PaperAgent

Protocol = Literal["paper", "authors", "live"]
PROTOCOLS: tuple[str, ...] = get_args(Protocol)


@dataclass(frozen=True, eq=False)
class Trace:
    """What happened in every interview, (T,) each, and how long all of them took.

    ``cost`` is the paper's: eq:params with theta from the data, at the right outcome. ``realised`` is the
    cost of the answers actually given. ``decision`` is -1 where nothing was decided; ``belief`` is how likely
    it was thought to be right, NaN where the protocol has no such figure.
    """

    cost: Floats
    realised: Floats
    questions: npt.NDArray[np.int32]
    decision: npt.NDArray[np.int32]
    label: npt.NDArray[np.int32]
    belief: Floats
    seconds: float


def simulate(
    dataset: Dataset, policy: Policy, protocol: Protocol, regions: Regions, eta: float, seed: int
) -> Trace:
    """Hold the interviews of all scenarios, learning from each."""
    agent = agent_for(dataset, policy, protocol, regions, eta, seed)
    asked, decisions, beliefs = [], [], []
    started = perf_counter()
    for scenario in range(len(dataset.labels)):
        held = agent.hold(scenario)
        agent.learn(scenario, held)
        asked.append(held.asked)
        decisions.append(held.decision)
        beliefs.append(held.belief)
    seconds = perf_counter() - started
    charged = agent.mean_cost
    given = dataset.problem.cost
    cost = [charged[list(which), label].sum() for which, label in zip(asked, dataset.labels, strict=True)]
    realised = [
        given[list(which), label, answers[list(which)]].sum()
        for which, label, answers in zip(asked, dataset.labels, dataset.answers, strict=True)
    ]
    return Trace(
        cost=np.array(cost, dtype=np.float64),
        realised=np.array(realised, dtype=np.float64),
        questions=np.array([len(which) for which in asked], dtype=np.int32),
        decision=np.array(decisions, dtype=np.int32),
        label=dataset.labels.astype(np.int32),
        belief=np.array(beliefs, dtype=np.float64),
        seconds=seconds,
    )


def agent_for(
    dataset: Dataset, policy: Policy, protocol: Protocol, regions: Regions, eta: float, seed: int
) -> Agent:
    """Who holds the interviews under a protocol."""
    if protocol == "authors":
        return AuthorsAgent(dataset, policy, regions, eta, seed)
    if protocol == "live":
        return LiveAgent(dataset, policy, regions, eta, seed)
    if protocol != "paper":
        raise BadArgument(f"there is no protocol {protocol!r}; there are {', '.join(PROTOCOLS)}")
    oracle, exploration = policy.oracle, policy.exploration
    gains_known = oracle.name in GAINS and not isinstance(exploration, BayesUCB) and not exploration.epsilon
    lean = gains_known or not oracle.uses_theta
    return (PaperAgent if lean else EngineAgent)(dataset, policy, regions, eta, seed)
