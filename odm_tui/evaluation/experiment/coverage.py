"""Risk and coverage: how often the surest decisions are right, and what they are worth, if the others are left open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from odm_tui.evaluation.experiment.metrics import RIGHT, WRONG
from odm_tui.evaluation.experiment.simulation import Trace

STEPS = 10


@dataclass(frozen=True)
class CoveragePoint:
    """The surest decisions, a share ``coverage`` of all interviews: the share that is right, and the paper's utility.

    The utility is the mean over all interviews; those that are left open count 0.
    """

    coverage: float
    right: float
    utility: float


def find_coverage(traces: Sequence[Trace], steps: int = STEPS) -> tuple[CoveragePoint, ...]:
    """Return the risk–coverage curve of interviews, from the surest decisions to all of them.

    Equally sure decisions come in together: of a part of them, the mean of all is right. Interviews without a decision
    or without a belief are never covered, so the curve may end below 1.
    """
    belief = np.concatenate([trace.belief for trace in traces])
    label = np.concatenate([trace.label for trace in traces])
    decision = np.concatenate([trace.decision for trace in traces])
    decided = (decision >= 0) & ~np.isnan(belief)
    surest, group = np.unique(-belief[decided], return_inverse=True)
    hits = np.bincount(group, (decision == label)[decided], minlength=len(surest))
    ends = np.concatenate([[0.0], np.cumsum(np.bincount(group, minlength=len(surest)))])
    right = np.concatenate([[0.0], np.cumsum(hits)])
    total = len(belief)
    covered = [step * total / steps for step in range(1, steps + 1) if step * total / steps <= ends[-1]]
    if ends[-1] > 0 and (not covered or covered[-1] < ends[-1]):
        covered.append(float(ends[-1]))
    points = []
    for count in covered:
        found = float(np.interp(count, ends, right))
        utility = (RIGHT * found + WRONG * (count - found)) / total
        points.append(CoveragePoint(count / total, found / count, utility))
    return tuple(points)
