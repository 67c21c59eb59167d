"""The policies and stop rules that can be named, as plain values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PolicyView:
    """One policy: how it chooses questions, which probabilities it uses, and when it stops unless a bank says otherwise.

    ``package`` is the package that its oracle or exploration comes from, None for built-in ones.
    """

    name: str
    chooses: str
    uses: str
    explores: bool
    stop: str
    package: str | None


@dataclass(frozen=True, slots=True)
class StopRuleView:
    """One stop rule, as a bank writes it, and when it stops."""

    name: str
    stops: str
    package: str | None


@dataclass(frozen=True, slots=True)
class PoliciesView:
    """All policies and stop rules, and one sentence for each plugin that can't be used."""

    policies: tuple[PolicyView, ...]
    stop_rules: tuple[StopRuleView, ...]
    problems: tuple[str, ...]


def policies_view() -> PoliciesView:
    """List all policies and stop rules, those of other packages included."""
    from odm_tui.engine.exploration import EXPLORATIONS
    from odm_tui.engine.oracles import ORACLES
    from odm_tui.engine.plugin_registry import describe
    from odm_tui.engine.policy import policy_from, policy_names
    from odm_tui.engine.stopping import STOP_RULES, AllOf, AnyOf

    policies = []
    for name in policy_names():
        policy = policy_from(name)
        oracle, exploration = policy.oracle, policy.exploration
        packages = [ORACLES.package_of(oracle.name), EXPLORATIONS.package_of(exploration.name)]
        policies.append(
            PolicyView(
                name,
                describe(oracle),
                describe(exploration) if oracle.uses_theta else "",
                oracle.uses_theta and exploration.explores,
                policy.stop.name,
                next((package for package in packages if package is not None), None),
            )
        )
    rules = [
        StopRuleView(
            f"{{ {name} = … }}" if rule.needs_number else name, describe(rule), STOP_RULES.package_of(name)
        )
        for name, rule in STOP_RULES.items()
    ]
    rules += [StopRuleView(f"{{ {rule.name} = [ … ] }}", describe(rule), None) for rule in (AnyOf, AllOf)]
    problems = [*ORACLES.problems(), *EXPLORATIONS.problems(), *STOP_RULES.problems()]
    return PoliciesView(tuple(policies), tuple(rules), tuple(problems))
