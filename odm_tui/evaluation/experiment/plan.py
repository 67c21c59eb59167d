"""The parts of an experiment that run independently: one data set, one policy, one seed each."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from odm_tui import __version__
from odm_tui.engine.exploration import KnownTheta
from odm_tui.engine.oracles.lookahead import Lookahead
from odm_tui.engine.policy import Policy, policy_from
from odm_tui.errors import BadArgument
from odm_tui.evaluation.data.dataset import Dataset
from odm_tui.evaluation.data.datasets import Source
from odm_tui.evaluation.experiment.agents import Regions, never_certain
from odm_tui.evaluation.experiment.simulation import Protocol, Trace, simulate

Prior = Literal["separate", "pooled"]
PRIORS: tuple[str, ...] = get_args(Prior)
MILLISECONDS = 10.0
"""What a plan may take in an experiment where nobody said; an interview, which waits for a person, has more."""


@dataclass(frozen=True)
class Unit:
    """One data set, one policy and one seed; small, and the same everywhere, so that it can be sent away.

    ``knows_theta``: the oracle is given the theta of the whole data set; regret is measured against it.
    ``prior``: whether every pair of question and outcome starts from Beta(2, 2), as in the paper, or shares
    what all outcomes have taught. ``milliseconds`` is what a plan of the lookahead may take.
    """

    source: Source
    policy: str
    protocol: Protocol
    regions: Regions
    eta: float
    seed: int
    stakes: float | None = None
    knows_theta: bool = False
    prior: Prior = "separate"
    milliseconds: float = MILLISECONDS

    def __post_init__(self) -> None:
        if self.protocol == "authors" and self.prior == "pooled":
            raise BadArgument("the authors' program knows separate priors only: use --protocol paper or live")

    @property
    def key(self) -> str:
        """A name for this unit's results: the same for the same settings, files and version."""
        told = json.dumps([__version__, asdict(self), self.source.digests(self.seed)], sort_keys=True)
        return hashlib.sha256(told.encode()).hexdigest()[:32]

    @property
    def reference(self) -> Unit:
        """The unit that regret is measured against: the same oracle, given theta.

        A baseline that does not look at theta is measured against W-EC².
        """
        oracle = policy_from(self.policy).oracle
        name = f"{oracle.name}-ts" if oracle.uses_theta else "w-ec2-ts"
        return replace(self, policy=name, knows_theta=True)

    def run(self) -> Trace:
        """Hold all interviews of this unit."""
        dataset = self.source.load(self.seed)
        problem = replace(dataset.problem, stakes=self.stakes, pooled=self.prior == "pooled")
        dataset = replace(dataset, problem=problem)
        policy = policy_from(self.policy)
        if isinstance(policy.oracle, Lookahead):
            policy = replace(policy, oracle=Lookahead(self.milliseconds))
        if self.knows_theta:
            policy = knowing_theta(policy, dataset)
        return simulate(dataset, policy, self.protocol, self.regions, self.eta, self.seed)


def knowing_theta(policy: Policy, dataset: Dataset) -> Policy:
    """The same oracle, given the theta of the whole data set."""
    return replace(policy, exploration=KnownTheta(never_certain(dataset.theta, dataset.problem.valid)))


@dataclass(frozen=True)
class Experiment:
    """Data sets × policies × seeds under one protocol."""

    sources: tuple[Source, ...]
    policies: tuple[str, ...]
    protocol: Protocol
    regions: Regions
    seeds: tuple[int, ...]
    eta: float
    stakes: float | None = None
    prior: Prior = "separate"
    milliseconds: float = MILLISECONDS

    def __post_init__(self) -> None:
        Lookahead(self.milliseconds)  # raises BadArgument if the time is out of range

    def unit(self, source: Source, policy: str, seed: int) -> Unit:
        """The unit of one data set, policy and seed."""
        return Unit(
            source,
            policy,
            self.protocol,
            self.regions,
            self.eta,
            seed,
            self.stakes,
            prior=self.prior,
            milliseconds=self.milliseconds,
        )

    def units(self) -> Iterator[Unit]:
        """All units, those that regret is measured against included, each once."""
        seen: set[Unit] = set()
        for source in self.sources:
            for seed in self.seeds:
                for policy in self.policies:
                    asked = self.unit(source, policy, seed)
                    for unit in (asked, asked.reference):
                        if unit not in seen:
                            seen.add(unit)
                            yield unit

    def settings(self) -> dict[str, Any]:
        """Everything that must be said to repeat the experiment."""
        return json.loads(json.dumps(asdict(self)))  # type: ignore[no-any-return]  # JSON of a dataclass


def pack(trace: Trace) -> dict[str, np.ndarray[Any, Any]]:
    """A trace as arrays by name, for a file."""
    return {name: np.asarray(value) for name, value in vars(trace).items()}


def unpack(arrays: dict[str, Any]) -> Trace:
    """The trace that :func:`pack` took apart."""
    return Trace(**(arrays | {"seconds": float(arrays["seconds"])}))
