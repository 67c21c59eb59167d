"""A policy: an oracle, an exploration and a stop rule, by name or as a bank writes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from odm_tui.engine.exploration import EXPLORATIONS, EpsilonGreedy, Exploration, ThompsonSampling
from odm_tui.engine.hypotheses import ETA, Contested
from odm_tui.engine.oracles import ORACLES, Oracle
from odm_tui.engine.oracles.lookahead import Lookahead
from odm_tui.engine.situation import ListingRule
from odm_tui.engine.stopping import Never, Region, StopRule, Value, stop_rule_from
from odm_tui.errors import BadArgument

DEFAULT_POLICY = "lookahead-ts"
"""The policy of a bank that names none: it wins where everything has to be learned; docs/results.md has the figures."""
MOST_LISTED = 70
FEWEST_LISTED = 15
LISTED_IN_ALL = 3000


@dataclass(frozen=True)
class Policy:
    """How questions are chosen and when asking stops.

    An oracle that does not look at theta has an exploration all the same: the hypotheses that end its
    interviews are listed from a Thompson sample.

    ``hypotheses`` is how many an outcome may list; None leaves it to the number of outcomes. ``contested``
    says where a hypothesis belongs that several outcomes list: to the likeliest of them, or apart.
    """

    oracle: Oracle
    exploration: Exploration
    stop: StopRule
    hypotheses: int | None = None
    eta: float = ETA
    contested: Contested = "likeliest"

    @property
    def name(self) -> str:
        """The name that ``policy_from`` understands, such as ``w-ec2-ts``."""
        if not self.oracle.uses_theta:
            return self.oracle.name
        return f"{self.oracle.name}-{self.exploration.name}"

    @property
    def needs_hypotheses(self) -> bool:
        return self.oracle.needs_hypotheses or self.stop.needs_hypotheses

    def listing_rule(self, outcomes: int) -> ListingRule:
        """How hypotheses are listed for a problem with so many outcomes."""
        limit = self.hypotheses
        if limit is None:
            limit = max(FEWEST_LISTED, min(MOST_LISTED, LISTED_IN_ALL // max(outcomes, 1)))
        return ListingRule(limit, self.eta, self.contested)

    def spec(self) -> dict[str, Any]:
        """The policy as a bank writes it; ``policy_from`` gives it back."""
        made: dict[str, Any] = {"oracle": self.oracle.name, "stop": self.stop.spec()}
        if self.oracle.uses_theta or isinstance(self.exploration, EpsilonGreedy):
            made["exploration"] = self.exploration.name
        if isinstance(self.exploration, EpsilonGreedy):
            made["epsilon"] = self.exploration.epsilon
        if self.hypotheses is not None:
            made["hypotheses"] = self.hypotheses
        if self.eta != ETA:
            made["eta"] = self.eta
        if self.contested != "likeliest":
            made["contested"] = self.contested
        if isinstance(self.oracle, Lookahead) and self.oracle != Lookahead():
            made["milliseconds"] = self.oracle.milliseconds
        return made


def policy_names() -> list[str]:
    """Every policy that has a name."""
    names = []
    for oracle in ORACLES.values():
        if oracle.uses_theta:
            names += [f"{oracle.name}-{exploration}" for exploration in EXPLORATIONS]
        else:
            names.append(oracle.name)
    return names


def policy_from(spec: str | Mapping[str, Any] | Policy, stop: object = None) -> Policy:
    """A policy from its name or from a bank's table; ``stop`` replaces the rule it would have.

    Without a stop rule, the paper's: one region left; All and DPP go through their whole set.

    >>> policy_from("w-ec2-ts").stop.name
    'region'
    >>> policy_from({"oracle": "w-ig", "exploration": "bucb", "stop": {"confidence": 0.9}}).name
    'w-ig-bucb'
    """
    if isinstance(spec, Policy):
        made = spec
    elif isinstance(spec, str):
        made = _named(spec)
    elif isinstance(spec, Mapping):
        made = _described(spec)
    else:
        raise BadArgument(f"a policy is a name or a table, not {spec!r}")
    return made if stop is None else replace(made, stop=stop_rule_from(stop))


def _named(name: str) -> Policy:
    for oracle in ORACLES.values():
        default = _usual_stop(oracle)
        if name == oracle.name and not oracle.uses_theta:
            return Policy(oracle, ThompsonSampling(), default)
        exploration = EXPLORATIONS.get(name.removeprefix(f"{oracle.name}-"))
        if oracle.uses_theta and name.startswith(f"{oracle.name}-") and exploration:
            return Policy(oracle, exploration(), default)
    raise BadArgument(f"there is no policy {name!r}; there are {', '.join(policy_names())}")


def _usual_stop(oracle: Oracle) -> StopRule:
    if isinstance(oracle, Lookahead) or oracle.tolerates_errors:
        return Value()
    return Never() if oracle.asks_everything else Region()


_KEYS = ("oracle", "exploration", "stop", "hypotheses", "eta", "epsilon", "contested", "milliseconds")


def _described(table: Mapping[str, Any]) -> Policy:
    for key in table:
        if key not in _KEYS:
            raise BadArgument(f"a policy has no {key!r}; it has {', '.join(_KEYS)}")
    oracle = ORACLES.get(str(table.get("oracle", "w-ec2")))
    if oracle is None:
        raise BadArgument(f"there is no oracle {table['oracle']!r}; there are {', '.join(ORACLES)}")
    if "milliseconds" in table:
        if not isinstance(oracle, Lookahead):
            raise BadArgument("milliseconds goes with the oracle 'lookahead'")
        oracle = Lookahead(_number(table, "milliseconds"))
    name = table.get("exploration", ThompsonSampling.name)
    if not isinstance(name, str) or name not in EXPLORATIONS:
        raise BadArgument(f"there is no exploration {name!r}; there are {', '.join(EXPLORATIONS)}")
    exploration = EXPLORATIONS[name]()
    if "epsilon" in table:
        if name != EpsilonGreedy.name:
            raise BadArgument("epsilon goes with the exploration 'eps'")
        exploration = EpsilonGreedy(_number(table, "epsilon"))
    made = Policy(oracle, exploration, _usual_stop(oracle))
    if "stop" in table:
        made = replace(made, stop=stop_rule_from(table["stop"]))
    if "hypotheses" in table:
        limit = _number(table, "hypotheses")
        if limit != int(limit) or not 1 <= limit <= 100_000:
            raise BadArgument(f"hypotheses is a whole number from 1 to 100000, not {limit:g}")
        made = replace(made, hypotheses=int(limit))
    if "eta" in table:
        eta = _number(table, "eta")
        if not 0 <= eta < 1:
            raise BadArgument(f"eta is from 0 to below 1, not {eta:g}")
        made = replace(made, eta=eta)
    if "contested" in table:
        if table["contested"] not in ("likeliest", "apart"):
            raise BadArgument(f"contested is 'likeliest' or 'apart', not {table['contested']!r}")
        made = replace(made, contested=table["contested"])
    return made


def _number(table: Mapping[str, Any], key: str) -> float:
    value = table[key]
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < float("inf"):
        raise BadArgument(f"{key} takes a number, not {value!r}")
    return float(value)
