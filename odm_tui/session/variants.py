"""The variants of outcomes that a bank knows: those that it names, or those that were learned, in words and as TOML."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from odm_tui.banks.authoring.variants_text import format_variants
from odm_tui.banks.bank import Bank, NamedVariant
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Floats
from odm_tui.engine.variants.description import Trait, find_different, find_traits, merge_alike

_LETTERS = "ABCDEFGHIJKLMNOP"
_DIGITS = 3


@dataclass(frozen=True)
class DescribedVariant:
    """A variant with the answers that set it apart, and as an author would name it."""

    named: NamedVariant
    traits: tuple[Trait, ...]


@dataclass(frozen=True)
class OutcomeVariants:
    """The variants of one outcome, the heaviest first, or in the order of the bank that names them."""

    outcome: str
    variants: tuple[DescribedVariant, ...]
    learned: bool
    """Whether they were learned, from interviews or from imported rows; the author names them otherwise."""


def describe_variants(bank: Bank, posterior: Posterior) -> list[OutcomeVariants]:
    """Describe the variants of every outcome that has at least two that differ.

    Learned variants that are hardly different are described as one.
    """
    known = posterior.known_variants
    if known is None:
        return []
    learned = not any(outcome.variants for outcome in bank.outcomes)
    shown = merge_alike(known) if learned else known
    different, traits = find_different(shown), find_traits(shown)
    theta = shown.counts / shown.counts.sum(axis=-1, keepdims=True)
    found = []
    for j, (outcome, start, number) in enumerate(
        zip(bank.outcomes, shown.starts, shown.numbers, strict=True)
    ):
        if number < 2:
            continue
        questions = np.flatnonzero(different[:, j])
        if learned and not len(questions):
            continue
        described = []
        for v in range(start, start + number):
            expected = {
                bank.questions[i].id: _round_shares(theta[i, v, : len(bank.questions[i].answers)])
                for i in questions
            }
            share = round(float(shown.weight[v]), _DIGITS)
            if learned:
                letter = _LETTERS[v - start]
                own = NamedVariant(letter.lower(), letter, share, 0.0, expected)
            else:
                named = outcome.variants[v - start]
                own = NamedVariant(named.id, named.label, share, named.worth, expected)
            described.append(DescribedVariant(own, tuple(traits[v])))
        found.append(OutcomeVariants(outcome.id, tuple(described), learned))
    return found


def _round_shares(shares: Floats) -> tuple[float, ...]:
    """Round probabilities so that they still sum to 1; the largest takes up the difference."""
    rounded = shares.round(_DIGITS)
    rounded[int(rounded.argmax())] += 1.0 - rounded.sum()
    return tuple(float(p) for p in rounded.round(_DIGITS))


def adoptable_variants(bank: Bank, posterior: Posterior) -> str:
    """Return learned variants as TOML, to paste into the bank; empty if there are none that differ."""
    return "\n".join(
        format_variants(bank, each.outcome, [variant.named for variant in each.variants])
        for each in describe_variants(bank, posterior)
        if each.learned
    )
