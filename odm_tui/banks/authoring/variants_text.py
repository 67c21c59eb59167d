"""Write variants of an outcome as TOML."""

from __future__ import annotations

from collections.abc import Sequence

from odm_tui.banks.authoring.toml_text import (
    format_toml_key,
    format_toml_number,
    format_toml_string,
    format_toml_table,
)
from odm_tui.banks.bank import Bank, BankQuestion, NamedVariant
from odm_tui.banks.checks.expected import list_above_keys


def format_variants(bank: Bank, outcome: str, variants: Sequence[NamedVariant]) -> str:
    """Return variants of an outcome as TOML, to paste below its ``[[outcomes]]``.

    What each is worth is written only if it is known.
    """
    label = bank.outcome(outcome).label
    lines = [f"# {label}: paste this below the [[outcomes]] with id = {format_toml_string(outcome)}"]
    for variant in variants:
        lines += [
            "[[outcomes.variants]]",
            f"id = {format_toml_string(variant.id)}",
            f"label = {format_toml_string(variant.label)}",
            f"share = {format_toml_number(max(variant.share, 1e-3))}",
        ]
        if variant.worth > 0:
            lines.append(f"worth = {format_toml_number(variant.worth)}")
        lines.append("[outcomes.variants.expected]")
        lines += [
            f"{format_toml_key(id)} = {format_expected(bank.question(id), shares)}"
            for id, shares in variant.expected.items()
        ]
        lines.append("")
    return "\n".join(lines)


def format_expected(question: BankQuestion, shares: Sequence[float]) -> str:
    """Return P of every answer to a question as a bank writes it."""
    if question.type == "yes_no":
        return format_toml_number(shares[1])
    if question.type == "choice":
        pairs = zip(question.answers, shares, strict=True)
        return format_toml_table({answer.id: format_toml_number(p) for answer, p in pairs})
    above = [round(sum(shares[at + 1 :]), 6) for at in range(len(question.thresholds))]
    return format_toml_table(
        dict(zip(list_above_keys(question.thresholds), map(format_toml_number, above), strict=True))
    )
