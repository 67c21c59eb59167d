"""Policies: an oracle, an exploration and a stop rule together, by name or as a bank writes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from odm_tui.engine.exploration import EXPLORATIONS, EpsilonGreedy, Exploration, ThompsonSampling
from odm_tui.engine.hypotheses import ETA, Contested
from odm_tui.engine.oracles import ORACLES, Oracle
from odm_tui.engine.oracles.lookahead import Lookahead
from odm_tui.engine.plugin_registry import SEE, Registered, Registry
from odm_tui.engine.situation import ListingRule
from odm_tui.engine.stopping import StopRule, stop_rule_from
from odm_tui.errors import BadArgument
from odm_tui.text import unknown_name

DEFAULT_POLICY = "lookahead-learn"
"""The policy of a bank that names none; docs/results.md has the figures."""
DEFAULT = "default"
"""The name that stands for the default policy in every command."""
Explore = Literal["always", "quiet", "never"]
EXPLORE: tuple[Explore, ...] = ("always", "quiet", "never")
MOST_LISTED = 70
FEWEST_LISTED = 15
LISTED_IN_ALL = 3000


@dataclass(frozen=True)
class Policy:
    """How to choose questions and when to stop. Use :func:`policy_from` to make one from its name.

    An oracle that does not look at theta has an exploration too: the hypotheses that end its interviews are
    listed from a Thompson sample.

    ``hypotheses`` is how many hypotheses each outcome may list; None: it depends on the number of outcomes. ``eta`` is
    how much of an outcome's probability the list may leave out. ``contested`` says where a hypothesis belongs that
    several outcomes list: to the likeliest of them, or apart. ``explore`` says when a question may be asked in order to
    learn: always, not while one outcome leads clearly (quiet), or never.
    """

    oracle: Oracle
    exploration: Exploration
    stop: StopRule
    hypotheses: int | None = None
    eta: float = ETA
    contested: Contested = "likeliest"
    explore: Explore = "always"

    @property
    def name(self) -> str:
        """The name, such as ``w-ec2-ts``; :func:`policy_from` takes it."""
        if not self.oracle.uses_theta:
            return self.oracle.name
        return f"{self.oracle.name}-{self.exploration.name}"

    @property
    def needs_hypotheses(self) -> bool:
        """Whether hypotheses must be listed, for the oracle or for the stop rule."""
        return self.oracle.needs_hypotheses or self.stop.needs_hypotheses

    def listing_rule(self, outcomes: int) -> ListingRule:
        """How hypotheses are listed for a problem with this many outcomes."""
        limit = self.hypotheses
        if limit is None:
            limit = max(FEWEST_LISTED, min(MOST_LISTED, LISTED_IN_ALL // max(outcomes, 1)))
        return ListingRule(limit, self.eta, self.contested)

    def spec(self) -> dict[str, Any]:
        """The policy as a bank writes it; :func:`policy_from` reads it again."""
        made: dict[str, Any] = {"oracle": self.oracle.name, "stop": self.stop.spec()}
        if self.oracle.uses_theta or isinstance(self.exploration, EpsilonGreedy):
            made["exploration"] = self.exploration.name
        if isinstance(self.exploration, EpsilonGreedy):
            made["epsilon"] = self.exploration.epsilon
        if self.hypotheses is not None:
            made["hypotheses"] = self.hypotheses
        if self.eta != ETA:
            made["eta"] = self.eta
        if self.explore != "always":
            made["explore"] = self.explore
        if self.contested != "likeliest":
            made["contested"] = self.contested
        if isinstance(self.oracle, Lookahead) and self.oracle != Lookahead():
            made["milliseconds"] = self.oracle.milliseconds
        return made


def policy_names() -> list[str]:
    """The names of all policies, those of other packages included.

    >>> policy_names()[:3]
    ['w-ec2-ts', 'w-ec2-sts', 'w-ec2-bucb']
    """
    names: dict[str, None] = {}
    for oracle in ORACLES.values():
        if oracle.uses_theta:
            names |= {
                f"{oracle.name}-{name}": None
                for name, exploration in EXPLORATIONS.items()
                if fit_together(oracle, exploration)
            }
        else:
            names[oracle.name] = None
    return list(names)


def policy_from(spec: str | Mapping[str, Any] | Policy, stop: object = None) -> Policy:
    """Make a policy from its name or from a bank's table. ``stop`` replaces its stop rule.

    Without a stop rule, the policy has its oracle's ``default_stop``.

    >>> policy_from("w-ec2-ts").stop.name
    'region'
    >>> policy_from({"oracle": "w-ig", "exploration": "bucb", "stop": {"confidence": 0.9}}).name
    'w-ig-bucb'
    """
    if isinstance(spec, Policy):
        made = spec
    elif isinstance(spec, str):
        made = _from_name(DEFAULT_POLICY if spec == DEFAULT else spec)
    elif isinstance(spec, Mapping):
        made = _from_table(spec)
    else:
        raise BadArgument(f"A policy is a name or a table, not {spec!r}. See {SEE}.")
    return made if stop is None else replace(made, stop=stop_rule_from(stop))


def _from_name(name: str) -> Policy:
    # Built-in policies come first: then no other package has to be looked for, and none can replace them.
    for built_in in (True, False):
        parts = name.split("-")
        for end in range(len(parts), 0, -1):
            oracle = _lookup(ORACLES, "-".join(parts[:end]), built_in)
            rest = "-".join(parts[end:])
            if oracle is None or oracle.uses_theta != bool(rest):
                continue
            exploration = _lookup(EXPLORATIONS, rest, built_in) if rest else ThompsonSampling()
            if exploration is not None and fit_together(oracle, exploration):
                return Policy(oracle, exploration, stop_rule_from(oracle.default_stop))
    raise BadArgument(unknown_name("policy", name, policy_names(), see=SEE))


def fit_together(oracle: Oracle, exploration: Exploration) -> bool:
    """Whether an exploration goes with an oracle."""
    return oracle.plans or not exploration.needs_plans


def _lookup(registry: Registry[Registered], name: str, built_in: bool) -> Registered | None:
    return registry.built_in.get(name) if built_in else registry.get(name)


_KEYS = (
    "oracle",
    "exploration",
    "stop",
    "hypotheses",
    "eta",
    "epsilon",
    "contested",
    "milliseconds",
    "explore",
)


def _from_table(table: Mapping[str, Any]) -> Policy:
    for key in table:
        if key not in _KEYS:
            raise BadArgument(unknown_name("key of a policy", key, _KEYS))
    oracle = ORACLES.find(table.get("oracle", "w-ec2"))
    if "milliseconds" in table:
        if not isinstance(oracle, Lookahead):
            raise BadArgument("The milliseconds go with the oracle 'lookahead' only.")
        oracle = Lookahead(_number(table, "milliseconds"))
    exploration = EXPLORATIONS.find(table.get("exploration", ThompsonSampling.name))
    if "epsilon" in table:
        if not isinstance(exploration, EpsilonGreedy):
            raise BadArgument("The epsilon goes with the exploration 'eps' only.")
        exploration = EpsilonGreedy(_number(table, "epsilon"))
    if not fit_together(oracle, exploration):
        raise BadArgument(
            f"The exploration {exploration.name!r} needs an oracle that plans, such as 'lookahead', not {oracle.name!r}."
        )
    made = Policy(oracle, exploration, stop_rule_from(table.get("stop", oracle.default_stop)))
    if "hypotheses" in table:
        limit = _number(table, "hypotheses")
        if limit != int(limit) or not 1 <= limit <= 100_000:
            raise BadArgument(f"The number of hypotheses is a whole number from 1 to 100000, not {limit:g}.")
        made = replace(made, hypotheses=int(limit))
    if "eta" in table:
        eta = _number(table, "eta")
        if not 0 <= eta < 1:
            raise BadArgument(f"The eta is from 0 to below 1, not {eta:g}.")
        made = replace(made, eta=eta)
    if "explore" in table:
        if table["explore"] not in EXPLORE:
            raise BadArgument(f"A policy explores 'always', 'quiet' or 'never', not {table['explore']!r}.")
        made = replace(made, explore=table["explore"])
    if "contested" in table:
        if table["contested"] not in ("likeliest", "apart"):
            raise BadArgument(
                f"The contested hypotheses go to 'likeliest' or 'apart', not {table['contested']!r}."
            )
        made = replace(made, contested=table["contested"])
    return made


def _number(table: Mapping[str, Any], key: str) -> float:
    value = table[key]
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < float("inf"):
        raise BadArgument(f"The key {key!r} of a policy takes a number, not {value!r}.")
    return float(value)
