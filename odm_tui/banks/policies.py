"""Choose the policy of an interview: the bank's, or the one that the operator names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from odm_tui.banks.bank import Bank
from odm_tui.engine.oracles.lookahead import Lookahead
from odm_tui.engine.policy import DEFAULT_POLICY, Explore, Policy, policy_from


def policy_for(
    bank: Bank, wanted: str | Mapping[str, Any] | Policy | None, explore: Explore | None = None
) -> Policy:
    """Return the named policy, or else the bank's.

    A name chooses how questions are selected, not when to stop: the bank's stop rule stays in force. Two oracles
    keep their own stop rule: the one that asks everything, and the lookahead, whose plan says when to stop.
    ``explore`` replaces the bank's ``explore``.
    """
    policy = _policy_for(bank, wanted)
    explore = explore or (None if isinstance(wanted, Policy) else bank.explore)
    return policy if explore in (None, policy.explore) else replace(policy, explore=explore)


def _policy_for(bank: Bank, wanted: str | Mapping[str, Any] | Policy | None) -> Policy:
    if wanted is None:
        return policy_from(bank.policy or DEFAULT_POLICY)
    policy = policy_from(wanted)
    if not isinstance(wanted, str) or not isinstance(bank.policy, Mapping) or "stop" not in bank.policy:
        return policy
    if policy.oracle.asks_everything or isinstance(policy.oracle, Lookahead):
        return policy
    return policy_from(policy, stop=bank.policy["stop"])
