"""Plan an experiment: split it into units that run independently, one data set, one policy, one seed each."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from odm_tui import __version__
from odm_tui.engine.oracles.lookahead import Lookahead
from odm_tui.engine.policy import Policy, policy_from
from odm_tui.evaluation.data.dataset import Dataset
from odm_tui.evaluation.data.dataset_sources import Source
from odm_tui.evaluation.experiment.settings import (
    Knowledge,
    Prior,
    Protocol,
    Regions,
    check_knowledge,
    check_prior,
)
from odm_tui.evaluation.experiment.simulation import Trace, apply_settings, simulate

MILLISECONDS = 10.0
"""How long a plan of the lookahead may take in an experiment; in an interview, with a person, it is longer."""

WITH_VARIANTS = "+variants"
"""What follows the name of a policy that learns hidden variants of outcomes."""

CEILING_POLICY = "lookahead-mean"
"""The policy of the references *full* and *theta known*."""


@dataclass(frozen=True)
class Unit:
    """One data set, one policy and one seed; small, so that it can be sent to another process or machine.

    ``knows_theta``: the oracle is given the theta of the whole data set; regret is measured against such a unit.
    ``milliseconds`` is how long a plan of the lookahead may take. ``knowledge`` makes a reference of it.
    With ``target_cost`` the stakes follow from what interviews cost; with ``refer_cost`` an interview may hand over. A
    policy whose name ends in :data:`WITH_VARIANTS` learns variants of outcomes.
    """

    source: Source
    policy: str
    protocol: Protocol
    regions: Regions
    eta: float
    seed: int
    stakes: float | None = None
    knows_theta: bool = False
    prior: Prior = Prior.SEPARATE
    milliseconds: float = MILLISECONDS
    knowledge: Knowledge = Knowledge.ASKED
    target_cost: float | None = None
    refer_cost: float | None = None

    def __post_init__(self) -> None:
        check_prior(self.protocol, self.prior)
        check_knowledge(self.protocol, self.knowledge)

    @property
    def key(self) -> str:
        """The name of this unit's results: the same for the same settings, files and version."""
        settings = json.dumps([__version__, asdict(self), self.source.digests(self.seed)], sort_keys=True)
        return hashlib.sha256(settings.encode()).hexdigest()[:32]

    @property
    def reference(self) -> Unit:
        """The unit that regret is measured against: the same oracle, given theta.

        A baseline that does not look at theta is measured against W-EC².
        """
        oracle = self._policy.oracle
        name = f"{oracle.name}-ts" if oracle.uses_theta else "w-ec2-ts"
        return replace(self, policy=name, knows_theta=True)

    @property
    def ceilings(self) -> dict[Knowledge, Unit]:
        """The references that this unit's value is a share of: *full* and *theta known*; live interviews only.

        Both plan with the mean of what they know. *Full* is the ceiling for anything that learns.
        """
        if self.protocol is not Protocol.LIVE:
            return {}
        return {
            knowledge: replace(
                self, policy=CEILING_POLICY, knows_theta=False, knowledge=knowledge, target_cost=None
            )
            for knowledge in (Knowledge.FULL, Knowledge.KNOWN)
        }

    def run(self) -> Trace:
        """Hold all interviews of this unit."""
        return simulate(
            self.source.load(self.seed),
            self._policy,
            protocol=self.protocol,
            regions=self.regions,
            prior=self.prior,
            stakes=self.stakes,
            eta=self.eta,
            seed=self.seed,
            knows_theta=self.knows_theta,
            knowledge=self.knowledge,
            target_cost=self.target_cost,
            refer_cost=self.refer_cost,
            learns_variants=self.policy.endswith(WITH_VARIANTS),
        )

    def prepare(self) -> tuple[Dataset, Policy]:
        """Load the data and make the policy, both with this unit's settings."""
        dataset = self.source.load(self.seed)
        knows_theta = self.knows_theta or self.knowledge is Knowledge.KNOWN
        return apply_settings(
            dataset, self._policy, self.prior, self.stakes, knows_theta, self.target_cost, self.refer_cost
        )

    @property
    def _policy(self) -> Policy:
        policy = policy_from(self.policy.removesuffix(WITH_VARIANTS))
        if isinstance(policy.oracle, Lookahead):
            policy = replace(policy, oracle=Lookahead(self.milliseconds))
        return policy


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
    prior: Prior = Prior.SEPARATE
    milliseconds: float = MILLISECONDS
    target_cost: float | None = None
    refer_cost: float | None = None

    def __post_init__(self) -> None:
        check_milliseconds(self.milliseconds)

    def unit(self, source: Source, policy: str, seed: int) -> Unit:
        """Return the unit of one data set, policy and seed."""
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
            target_cost=self.target_cost,
            refer_cost=self.refer_cost,
        )

    def units(self) -> Iterator[Unit]:
        """Yield all units once each, including those that it is measured against."""
        seen: set[Unit] = set()
        for source in self.sources:
            for seed in self.seeds:
                for policy in self.policies:
                    unit = self.unit(source, policy, seed)
                    for each in (unit, unit.reference, *unit.ceilings.values()):
                        if each not in seen:
                            seen.add(each)
                            yield each

    def settings(self) -> dict[str, Any]:
        """Return all settings that are needed to repeat the experiment."""
        return json.loads(json.dumps(asdict(self)))  # type: ignore[no-any-return]  # JSON of a dataclass


def check_milliseconds(milliseconds: float) -> None:
    """Raise an error if a plan of the lookahead may not take this long."""
    Lookahead(milliseconds)


def pack(trace: Trace) -> dict[str, np.ndarray[Any, Any]]:
    """Return a trace as arrays by name, for a file."""
    return {name: np.asarray(value) for name, value in vars(trace).items()}


def unpack(arrays: dict[str, Any]) -> Trace:
    """Return the trace that :func:`pack` converted."""
    return Trace(**(arrays | {"seconds": float(arrays["seconds"])}))
