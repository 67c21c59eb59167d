"""Fit hidden variants of the outcomes to imported rows, and write them below the counts of the rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from odm_tui.banks.authoring.toml_text import format_toml_key, format_toml_number, format_toml_table
from odm_tui.banks.bank import Bank
from odm_tui.engine.problem import Floats, Ints
from odm_tui.engine.variants.cases import LearningCases
from odm_tui.engine.variants.fit import FEWEST_CASES, fit_variants
from odm_tui.engine.variants.variants import Variants

MOST_ROWS = 20_000
"""Of more rows, so many are fitted to, at even distances."""


def fit_rows(bank: Bank, answers: npt.NDArray[np.int16], outcomes: Ints) -> Variants | None:
    """Fit variants to the rows that a bank is made from; None if one for each outcome predicts as well."""
    if len(outcomes) < FEWEST_CASES:
        return None
    problem = replace(
        bank.problem,
        cases=None,
        case_outcomes=None,
        named_variants=None,
        named_expects=None,
        variant_worth=None,
    )
    step = -(-len(outcomes) // MOST_ROWS)
    return fit_variants(LearningCases.of(problem, answers[::step], outcomes[::step]))


def write_variants(bank: Bank, variants: Variants) -> list[str]:
    """Return the lines of ``[cases.variants]``."""
    shares = {
        outcome.id: _numbers(variants.weight[variants.outcome == j], 6)
        for j, outcome in enumerate(bank.outcomes)
    }
    lines = [
        "# Hidden variants of the outcomes that explain these rows better: their shares, and for each answer one",
        "# Beta or Dirichlet parameter per variant, in the order of shares. 'variants = 1' above switches them off.",
        "[cases.variants]",
        f"shares = {format_toml_table(shares)}",
        "",
        "[cases.variants.answers]",
    ]
    for i, question in enumerate(bank.questions):
        entry = {
            answer.id: _numbers(np.maximum(variants.counts[i, :, k], 0.001), 3)
            for k, answer in enumerate(question.answers)
        }
        lines.append(f"{format_toml_key(question.id)} = {format_toml_table(entry)}")
    return [*lines, ""]


def _numbers(values: Floats, digits: int) -> str:
    return f"[{', '.join(format_toml_number(round(float(value), digits), 10) for value in values)}]"
