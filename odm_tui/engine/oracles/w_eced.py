"""W-ECED: W-EC² for answers that can be wrong."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from odm_tui.engine.model import Model
from odm_tui.engine.oracles.w_ec2 import WeightedEdgeCutting
from odm_tui.engine.problem import Floats

MOST_ERRORS = 0.45
LEAST_ERRORS = 0.001


class ErrorTolerantEdgeCutting(WeightedEdgeCutting):
    """Cut edges as w-ec2 does, but tolerate wrong answers.

    A hypothesis that contradicts an answer loses weight instead of being removed, as in ECED.

    An answer to question i is wrong with probability e_i. A hypothesis with another answer keeps the share
    e_i / ((1 - e_i) · (K - 1)) of its weight, the likelihood ratio of a wrong to a right answer. So no single
    answer rules an outcome out, and a question whose answers are often wrong cuts little.
    """

    name: ClassVar[str] = "w-eced"
    default_stop: ClassVar[str] = "value"
    tolerates_errors: ClassVar[bool] = True


def error_rates(mean: Model) -> Floats:
    """How often the answer to each question is wrong, (n,): from the bank, or else learned.

    The learned rate is how often an answer is not the usual one for its outcome: Σ_j P(j) · (1 - max_q theta_ij(q)).
    """
    learned = (1.0 - mean.theta.max(axis=-1)) @ mean.prior
    said = mean.problem.error_rates
    rates = learned if said is None else np.where(np.isnan(said), learned, said)
    return np.clip(rates, LEAST_ERRORS, MOST_ERRORS)


def fading(mean: Model) -> Floats:
    """The share of its weight that a hypothesis keeps when the answer differs from its own, (n,)."""
    rates = error_rates(mean)
    others = np.maximum(mean.problem.valid.sum(axis=1) - 1, 1)
    return np.asarray(np.minimum(rates / ((1.0 - rates) * others), 1.0))
