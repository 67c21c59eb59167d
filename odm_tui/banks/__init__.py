"""Question banks: the questions, the outcomes and the costs, in a TOML file."""

from __future__ import annotations

from odm_tui.banks.bank import Answer, Bank, BankQuestion, Outcome
from odm_tui.banks.loading import load_bank
from odm_tui.banks.locations import BankLocation, available_banks
from odm_tui.banks.parsing.findings import BadBank, Finding
from odm_tui.text import clean_text

__all__ = [
    "Answer",
    "BadBank",
    "Bank",
    "BankLocation",
    "BankQuestion",
    "Finding",
    "Outcome",
    "available_banks",
    "clean_text",
    "load_bank",
]
