"""Simulate interviews: one data set, one policy, one seed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
import numpy.typing as npt

from odm_tui.engine.exploration import BayesUCB
from odm_tui.engine.hypotheses import ETA
from odm_tui.engine.policy import Policy, policy_from
from odm_tui.engine.problem import Floats, never_certain
from odm_tui.engine.regret import super_arm_cost, with_known_theta
from odm_tui.errors import BadArgument
from odm_tui.evaluation.data.dataset import Dataset
from odm_tui.evaluation.experiment.agents import ALMOST, Agent
from odm_tui.evaluation.experiment.authors_protocol import AuthorsAgent
from odm_tui.evaluation.experiment.fast_interview import GAINS
from odm_tui.evaluation.experiment.live_protocol import LiveAgent
from odm_tui.evaluation.experiment.paper_protocol import EngineAgent, PaperAgent
from odm_tui.evaluation.experiment.question_choice import BASELINES
from odm_tui.evaluation.experiment.settings import (
    Knowledge,
    Prior,
    Protocol,
    Regions,
    check_knowledge,
    check_prior,
    parse_choice,
)


@dataclass(frozen=True, eq=False)
class Trace:
    """What happened in every interview, (T,) each, and how many seconds all of them took.

    ``cost`` is the paper's: eq:params with theta from the data, at the right outcome. ``realised`` is the
    cost of the answers given. ``questions`` is how many were asked. ``decision`` is the index of the decided
    outcome, -1 for none; ``label`` is the right one. ``belief`` is the probability that the decision is right
    in the policy's view, NaN if the protocol has no such figure.
    """

    cost: Floats
    realised: Floats
    questions: npt.NDArray[np.int32]
    decision: npt.NDArray[np.int32]
    label: npt.NDArray[np.int32]
    belief: Floats
    seconds: float

    @property
    def mean_cost(self) -> float:
        """The mean cost of an interview."""
        return float(self.cost.mean())

    @property
    def accuracy(self) -> float:
        """The share of interviews that decided for the right outcome."""
        return float((self.decision == self.label).mean())


def simulate(
    dataset: Dataset,
    policy: Policy | str,
    *,
    protocol: Protocol | str = Protocol.PAPER,
    regions: Regions | str | None = None,
    prior: Prior | str | None = None,
    stakes: float | None = None,
    eta: float = ETA,
    seed: int = 0,
    knows_theta: bool = False,
    knowledge: Knowledge | str = Knowledge.ASKED,
    target_cost: float | None = None,
    refer_cost: float | None = None,
    learns_variants: bool = False,
) -> Trace:
    """Hold one interview per scenario with a policy that learns from each; return what happened.

    ``protocol`` is "paper" (the paper's formulas), "authors" (as the authors' program computes) or "live" (as
    in real interviews). ``regions`` is "known" or "unknown", ``prior`` is "separate", "pooled" or "shared"; the
    protocol gives their defaults. ``stakes`` is what a wrong outcome costs, for policies that use it. ``eta`` is how
    much of an outcome's probability its list of hypotheses may leave out. With ``knows_theta`` the oracle is
    given the theta of the whole data set: regret is measured against such a run. ``knowledge`` makes a reference
    of a live policy: "full" learns from all answers, also to what was not asked, and "known" asks and decides by
    the theta of the whole data set. With ``target_cost`` the stakes follow from what interviews cost, in live ones. With ``refer_cost`` a
    live interview may hand over at this cost, and is then undecided. With ``learns_variants`` a live policy fits hidden
    variants of outcomes to its interviews, as real ones do.

    >>> answers = [[1, 0], [1, 1], [0, 0], [0, 1]] * 10
    >>> data = Dataset.from_arrays(answers, [0, 0, 1, 1] * 10, cost=[1.0, 2.0])
    >>> trace = simulate(data, "w-ec2-ts", protocol="live", seed=1)
    >>> trace.cost.shape, trace.mean_cost, trace.accuracy
    ((40,), 1.15, 1.0)
    >>> best = simulate(data, "w-ec2-ts", protocol="live", seed=1, knows_theta=True)
    >>> best.mean_cost, best.accuracy
    (1.0, 1.0)
    """
    protocol = parse_choice(Protocol, protocol)
    regions = protocol.default_regions if regions is None else parse_choice(Regions, regions)
    prior = protocol.default_prior if prior is None else parse_choice(Prior, prior)
    knowledge = parse_choice(Knowledge, knowledge)
    check_prior(protocol, prior)
    check_knowledge(protocol, knowledge)
    knows_theta = knows_theta or knowledge is Knowledge.KNOWN
    dataset, policy = apply_settings(
        dataset, policy_from(policy), prior, stakes, knows_theta, target_cost, refer_cost
    )
    if learns_variants and protocol is not Protocol.LIVE:
        raise BadArgument("Only the protocol 'live' learns variants of outcomes. Use --protocol live.")
    agent = make_agent(dataset, policy, protocol, regions, eta, seed, knowledge, learns_variants)
    return _run(dataset, agent)


def apply_settings(
    dataset: Dataset,
    policy: Policy,
    prior: Prior,
    stakes: float | None,
    knows_theta: bool,
    target_cost: float | None = None,
    refer_cost: float | None = None,
) -> tuple[Dataset, Policy]:
    """Return the data set with a prior and stakes, and the policy with theta if it knows it."""
    problem = replace(
        dataset.problem,
        pooled=prior is not Prior.SEPARATE,
        shared=prior is Prior.SHARED,
        target_cost=target_cost,
        refer_cost=refer_cost,
    )
    if stakes is not None:
        problem = replace(problem, stakes=stakes)
    if knows_theta:
        policy = with_known_theta(policy, never_certain(dataset.theta, problem.valid, ALMOST))
    return replace(dataset, problem=problem), policy


def _run(dataset: Dataset, agent: Agent) -> Trace:
    asked, decisions, beliefs = [], [], []
    started = perf_counter()
    for scenario in range(len(dataset.labels)):
        held = agent.hold(scenario)
        agent.learn(scenario, held)
        asked.append(held.asked)
        decisions.append(held.decision)
        beliefs.append(held.belief)
    seconds = perf_counter() - started
    mean_cost, cost = agent.mean_cost, dataset.problem.cost
    expected = [
        super_arm_cost(mean_cost, which, label) for which, label in zip(asked, dataset.labels, strict=True)
    ]
    realised = [
        cost[list(which), label, answers[list(which)]].sum()
        for which, label, answers in zip(asked, dataset.labels, dataset.answers, strict=True)
    ]
    return Trace(
        cost=np.array(expected, dtype=np.float64),
        realised=np.array(realised, dtype=np.float64),
        questions=np.array([len(which) for which in asked], dtype=np.int32),
        decision=np.array(decisions, dtype=np.int32),
        label=dataset.labels.astype(np.int32),
        belief=np.array(beliefs, dtype=np.float64),
        seconds=seconds,
    )


def make_agent(
    dataset: Dataset,
    policy: Policy,
    protocol: Protocol,
    regions: Regions,
    eta: float,
    seed: int,
    knowledge: Knowledge = Knowledge.ASKED,
    learns_variants: bool = False,
) -> Agent:
    """Return the agent that holds interviews under a protocol."""
    if protocol is Protocol.AUTHORS:
        return AuthorsAgent(dataset, policy, regions, eta, seed)
    if protocol is Protocol.LIVE:
        return LiveAgent(dataset, policy, regions, eta, seed, knowledge, learns_variants=learns_variants)
    oracle, exploration = policy.oracle, policy.exploration
    has_fast_gains = (
        oracle.name in GAINS and not isinstance(exploration, BayesUCB) and not exploration.epsilon
    )
    fast = has_fast_gains or oracle.name in BASELINES
    return (PaperAgent if fast else EngineAgent)(dataset, policy, regions, eta, seed)
