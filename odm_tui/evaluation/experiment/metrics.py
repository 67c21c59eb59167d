"""Compute the figures of an experiment: cost, accuracy, utility and regret."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from odm_tui.engine.problem import Floats
from odm_tui.engine.regret import regret
from odm_tui.evaluation.experiment.simulation import Trace

RIGHT, WRONG, UNKNOWN = 2.0, -1.0, 0.0
"""The utility of a decision (section 6.4)."""


def utilities(decision: npt.NDArray[np.integer], label: npt.NDArray[np.integer]) -> Floats:
    """Return 2 for a right decision, -1 for a wrong one, 0 for none.

    >>> utilities(np.array([3, 1, -1]), np.array([3, 2, 0])).tolist()
    [2.0, -1.0, 0.0]
    """
    decided = np.where(decision == label, RIGHT, WRONG)
    return np.where(decision < 0, UNKNOWN, decided)


def careful_utilities(trace: Trace) -> Floats:
    """Return the utilities of a policy that does not decide if its belief is below one third.

    Deciding pays if 2 p - (1 - p) > 0, so p > 1/3. A protocol without beliefs always decides.
    """
    decided = utilities(trace.decision, trace.label)
    return np.where(trace.belief < (UNKNOWN - WRONG) / (RIGHT - WRONG), UNKNOWN, decided)


def running_mean(values: Floats) -> Floats:
    """Return the mean of the first 1, 2, 3, … values.

    >>> running_mean(np.array([4.0, 2.0, 0.0])).tolist()
    [4.0, 3.0, 2.0]
    """
    return np.asarray(np.cumsum(values) / np.arange(1, len(values) + 1))


@dataclass(frozen=True)
class SeedSummary:
    """The figures of one seed; costs, questions and utility are means over its scenarios.

    ``regret`` is the sum over all scenarios: what was charged more than the oracle that knows theta; see
    :func:`charge_wrong_decisions`.
    """

    seed: int
    mean_cost: float
    realised_cost: float
    mean_questions: float
    accuracy: float
    utility: float
    undecided: float
    right_of_decided: float
    regret: float
    ratio_to_all: float
    seconds: float
    questions: int
    scenarios: int


def charge_wrong_decisions(trace: Trace, cost_of_all: Floats) -> Floats:
    """Return what each interview is charged for the regret, (T,): its cost, or that of asking everything.

    The paper's feasible super arms yield the right decision. An interview that ends with a wrong decision or none is no
    such super arm; asking everything is the one that always is. So a policy that asks nothing and is wrong has a
    large regret, not a small one.
    """
    return np.where(trace.decision == trace.label, trace.cost, cost_of_all)


def right_of_decided(trace: Trace) -> float:
    """Return the share of right decisions among the interviews that decided; NaN if none did."""
    decided = trace.decision >= 0
    return float((trace.decision == trace.label)[decided].mean()) if decided.any() else float("nan")


def summarise(seed: int, trace: Trace, best: Trace, cost_of_all: Floats) -> SeedSummary:
    """Compute the figures of one seed.

    ``best`` is the run of the oracle that knows theta; ``cost_of_all`` is what asking everything costs in each
    scenario.
    """
    return SeedSummary(
        seed=seed,
        mean_cost=trace.mean_cost,
        realised_cost=float(trace.realised.mean()),
        mean_questions=float(trace.questions.mean()),
        accuracy=trace.accuracy,
        utility=float(utilities(trace.decision, trace.label).mean()),
        undecided=float((trace.decision < 0).mean()),
        right_of_decided=right_of_decided(trace),
        regret=float(
            regret(charge_wrong_decisions(trace, cost_of_all), charge_wrong_decisions(best, cost_of_all))[-1]
        ),
        ratio_to_all=float(trace.cost.sum() / cost_of_all.sum()) if cost_of_all.sum() > 0 else float("nan"),
        seconds=trace.seconds,
        questions=int(trace.questions.sum()),
        scenarios=len(trace.cost),
    )


def mean_over_seeds(values: Sequence[float]) -> float:
    """Return the mean over seeds."""
    return float(np.mean(values))


def spread_over_seeds(values: Sequence[float]) -> float:
    """Return the standard deviation over seeds, as in the paper's tables (all seeds are the population)."""
    return float(np.std(values))
