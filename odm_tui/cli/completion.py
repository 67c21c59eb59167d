"""Shell completion: proposes names while the user types."""

from __future__ import annotations


def complete_bank(incomplete: str) -> list[tuple[str, str]]:
    """The banks whose names begin with what was typed, each with where it comes from.

    Give it to every argument or option that takes a bank: ``autocompletion=bank_names``.
    """
    from odm_tui.banks.locations import available_banks

    return [(bank.name, bank.source) for bank in available_banks() if bank.name.startswith(incomplete)]


def complete_policy(incomplete: str) -> list[str]:
    """The policies whose names begin with what was typed."""
    from odm_tui.session import policy_names as all_policies

    return [name for name in all_policies() if name.startswith(incomplete)]
