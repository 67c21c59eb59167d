"""Complete the names of banks and policies in the shell."""

from __future__ import annotations


def complete_bank(incomplete: str) -> list[tuple[str, str]]:
    """The banks whose names begin with ``incomplete``, each with its source.

    Use it for every argument or option that takes a bank: ``autocompletion=complete_bank``.
    """
    from odm_tui.banks.locations import available_banks

    return [(bank.name, bank.source) for bank in available_banks() if bank.name.startswith(incomplete)]


def complete_policy(incomplete: str) -> list[str]:
    """The policies whose names begin with ``incomplete``."""
    from odm_tui.session import policy_names as all_policies

    return [name for name in all_policies() if name.startswith(incomplete)]
