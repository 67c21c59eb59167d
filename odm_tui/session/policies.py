"""Which policy an interview follows: the bank's, or the one that the operator names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from odm_tui.banks.bank import Bank
from odm_tui.engine.oracles.lookahead import Lookahead
from odm_tui.engine.policy import DEFAULT_POLICY, Policy, policy_from


def policy_for(bank: Bank, wanted: str | Mapping[str, Any] | Policy | None) -> Policy:
    """The policy that was wanted, or else the bank's.

    A name says how questions are chosen, not when to stop: the bank's own stop rule stays in force. Only an oracle
    that asks everything, and the lookahead, whose plan says when to stop, keep their own.
    """
    if wanted is None:
        return policy_from(bank.policy or DEFAULT_POLICY)
    made = policy_from(wanted)
    if not isinstance(wanted, str) or not isinstance(bank.policy, Mapping) or "stop" not in bank.policy:
        return made
    if made.oracle.asks_everything or isinstance(made.oracle, Lookahead):
        return made
    return policy_from(made, stop=bank.policy["stop"])
