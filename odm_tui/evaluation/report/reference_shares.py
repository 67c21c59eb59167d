"""A policy's value as a share of what the references *full* and *theta known* reach on the same scenarios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from odm_tui.evaluation.experiment.settings import Knowledge
from odm_tui.evaluation.experiment.simulation import Trace

NAMES: Mapping[Knowledge, str] = {Knowledge.FULL: "full", Knowledge.KNOWN: "theta known"}
"""What tables call the references."""
LEVEL = 0.95


def values_of(
    traces: Sequence[Trace], stakes: Sequence[float], refer_cost: float | None = None
) -> tuple[float, ...]:
    """Return stakes · accuracy − mean cost of each learning run; handing over is worth the stakes less its cost."""
    return tuple(
        find_value(each, trace.accuracy, trace.mean_cost, float((trace.decision < 0).mean()), refer_cost)
        for trace, each in zip(traces, stakes, strict=True)
    )


def find_value(
    stakes: float, accuracy: float, cost: float, undecided: float, refer_cost: float | None
) -> float:
    """Return stakes · accuracy − cost, and for each interview that is handed over stakes − its cost.

    >>> find_value(10.0, 0.5, 1.0, 0.25, 4.0)
    5.5
    """
    handed = 0.0 if refer_cost is None else (stakes - refer_cost) * undecided
    return stakes * accuracy - cost + handed


def describe_share(values: Sequence[float], reference: Sequence[float]) -> dict[str, Any]:
    """Return the reference's mean value, the share of it that a policy reaches, and the share's interval.

    The interval is for the mean over learning runs (95 %, t, by the delta method), paired by run. It is None with one
    run; the share is None too if the reference is worth nothing.

    >>> shares = describe_share([1.0, 2.0, 3.0], [2.0, 4.0, 6.0])
    >>> shares["value"], shares["share"], shares["interval"]
    (4.0, 0.5, [0.5, 0.5])
    """
    above, below = np.asarray(values, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    mean = float(below.mean())
    if mean <= 0:
        return {"value": mean, "share": None, "interval": None}
    share = float(above.mean()) / mean
    if len(above) < 2:
        return {"value": mean, "share": share, "interval": None}
    from scipy.special import stdtrit

    error = float((above - share * below).std(ddof=1)) / len(above) ** 0.5 / mean
    half = float(stdtrit(len(above) - 1, (1 + LEVEL) / 2)) * error
    return {"value": mean, "share": share, "interval": [share - half, share + half]}
