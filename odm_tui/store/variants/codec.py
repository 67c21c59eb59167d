"""Encode fitted variants for the state file, and decode them: weights by outcome, and parameters by question and outcome."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from odm_tui.engine.variants.variants import Variants
from odm_tui.errors import BadArgument
from odm_tui.store.counts import BankIndex
from odm_tui.store.state_layout import format_block, format_exact, quote
from odm_tui.store.variants.fitted import FittedVariants

METHOD = 2
"""The version of the fit; variants of another one are fitted again."""


def encode_variants(fitted: FittedVariants, index: BankIndex) -> str:
    """Encode variants as JSON: lists have one number for each variant of the outcome, the heaviest first."""
    problem, variants = index.problem, fitted.variants
    weights: dict[str, str] = {}
    posteriors: dict[str, str] = {}
    if variants is not None:
        places = [np.flatnonzero(variants.outcome == j) for j in range(len(problem.outcomes))]
        for name, own in zip(problem.outcomes, places, strict=True):
            weights[name] = _numbers(variants.weight[own])
        for i, question in enumerate(problem.questions):
            cells = {
                name: "{"
                + ", ".join(
                    f"{quote(answer)}: {_numbers(variants.counts[i, own, k])}"
                    for k, answer in enumerate(question.answers)
                )
                + "}"
                for name, own in zip(problem.outcomes, places, strict=True)
            }
            posteriors[question.id] = format_block(cells, "        ")
    time, interview = fitted.until
    parts = {
        "method": str(METHOD),
        "interviews": str(fitted.interviews),
        "until": f'{{"confirmed": {quote(time)}, "interview": {quote(interview)}}}',
        "weights": format_block(weights, "      "),
        "posteriors": format_block(posteriors, "      "),
    }
    return format_block(parts, "    ")


def has_other_method(encoded: Mapping[str, Any] | None) -> bool:
    """Whether another version of the fit has made these variants."""
    return encoded is not None and bool(encoded["method"] != METHOD)


def decode_variants(encoded: Mapping[str, Any] | None, index: BankIndex) -> FittedVariants | None:
    """Decode what :func:`encode_variants` wrote; raise KeyError or ValueError if it belongs to another bank."""
    if encoded is None or has_other_method(encoded):
        return None
    problem, variants = index.problem, None
    if encoded["weights"]:
        numbers = [len(encoded["weights"][name]) for name in problem.outcomes]
        outcome = np.repeat(np.arange(len(numbers)), numbers)
        weight = np.concatenate([np.array(encoded["weights"][name], float) for name in problem.outcomes])
        counts = np.zeros((len(problem.questions), len(outcome), problem.shape[2]))
        for i, question in enumerate(problem.questions):
            cells = encoded["posteriors"][question.id]
            for k, answer in enumerate(question.answers):
                counts[i, :, k] = [value for name in problem.outcomes for value in cells[name][answer]]
        try:
            variants = Variants(outcome, weight, counts)
        except BadArgument as error:
            raise ValueError(str(error)) from None
        if not variants.fits(problem.valid, len(problem.outcomes)):
            raise ValueError("its variants have other answers")
    until = str(encoded["until"]["confirmed"]), str(encoded["until"]["interview"])
    return FittedVariants(int(encoded["interviews"]), until, variants, index.find_period(until[0]))


def _numbers(values: Any) -> str:
    return "[" + ", ".join(format_exact(float(value)) for value in values) + "]"
