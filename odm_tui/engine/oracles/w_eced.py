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
    """W-EC² whose edges fade instead of being cut, after the idea of ECED.

    An answer to question i is wrong with probability e_i. A hypothesis that says otherwise keeps the share
    e_i / ((1 - e_i) · (K - 1)) of its weight: what a wrong answer is worth beside the right one. So no single
    answer ever rules an outcome out, and a question whose answers are often wrong cuts little.
    """

    name: ClassVar[str] = "w-eced"
    tolerates_errors: ClassVar[bool] = True


def error_rates(mean: Model) -> Floats:
    """How often the answer to each question is wrong, (n,): what the bank says, else what was learned.

    Learned is how often an answer is not the usual one of its outcome: Σ_j P(j) · (1 - max_q theta_ij(q)).
    """
    learned = (1.0 - mean.theta.max(axis=-1)) @ mean.prior
    said = mean.problem.error_rates
    rates = learned if said is None else np.where(np.isnan(said), learned, said)
    return np.clip(rates, LEAST_ERRORS, MOST_ERRORS)


def fading(mean: Model) -> Floats:
    """What share of its weight a hypothesis keeps when the answer is another than its own, (n,)."""
    rates = error_rates(mean)
    others = np.maximum(mean.problem.valid.sum(axis=1) - 1, 1)
    return np.asarray(np.minimum(rates / ((1.0 - rates) * others), 1.0))
