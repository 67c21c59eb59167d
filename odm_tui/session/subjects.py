"""A bank as the store sees it."""

from __future__ import annotations

from odm_tui.banks.model import Bank
from odm_tui.store.knowledge import Subject


def subject_of(bank: Bank) -> Subject:
    """What the log's ids mean in this bank, former ids included."""
    return Subject(
        bank.name,
        bank.hash,
        bank.problem,
        {old: question.id for question in bank.questions for old in question.aliases},
        {old: outcome.id for outcome in bank.outcomes for old in outcome.aliases},
        bank.half_life_days,
    )
