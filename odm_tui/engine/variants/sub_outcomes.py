"""Problems over sub-outcomes: the same questions, with a pair of outcome and variant in place of each outcome."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from odm_tui.engine.problem import Floats, Problem
from odm_tui.engine.variants.variants import Variants
from odm_tui.errors import BadArgument

UNSEEN = 4.0
"""How many observations of a sub-outcome's parameters count as prior knowledge; the rest was observed."""


def split_problem(problem: Problem, variants: Variants, outcome_prior: Floats) -> Problem:
    """Make the problem over sub-outcomes: P(j, v) = P(j) · P(v | j), and each variant has its outcome's costs.

    Decisions, stakes and red flags remain those of the outcomes.
    """
    if not variants.fits(problem.valid, len(problem.outcomes)):
        raise BadArgument("The variants belong to another problem. Fit them for this problem.")
    of = variants.outcome
    prior = outcome_prior[of] * variants.weight
    return replace(
        problem,
        outcomes=tuple(
            f"{problem.outcomes[j]}/{at - variants.starts[j] + 1}" for at, j in enumerate(of.tolist())
        ),
        prior=prior / prior.sum(),
        cost=np.ascontiguousarray(problem.cost[:, of]),
        pseudo=variants.counts - find_observed(variants),
        outcome_worth=0.0,
        pooled=False,
        shared=False,
        cases=None,
        case_outcomes=None,
        expects=None,
        named_variants=None,
        named_expects=None,
        variant_worth=None,
        whole=problem,
        outcome_of=of,
    )


def find_observed(variants: Variants) -> Floats:
    """The part of a sub-outcome's parameters that stands for observed answers, (n, s, K): all but :data:`UNSEEN`."""
    total = variants.counts.sum(axis=-1, keepdims=True)
    share = np.maximum(1.0 - UNSEEN / np.maximum(total, UNSEEN), 0.0)
    return np.asarray(variants.counts * share)
