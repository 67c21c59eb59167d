"""Going through the beginning of an interview without holding one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from odm_tui.banks.model import Bank
from odm_tui.engine.interview import Interview
from odm_tui.engine.policy import Policy
from odm_tui.session.policies import policy_for


def rehearse(bank: Bank, policy: str | Mapping[str, Any] | Policy | None = None) -> None:
    """Choose a first question and throw it away: what that loads and prepares, the real one need not wait for."""
    _ = Interview(bank.problem, policy_for(bank, policy)).next
