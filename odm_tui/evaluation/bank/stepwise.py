"""Evaluate a bank in small steps, so that other work can come between them."""

from __future__ import annotations

from collections.abc import Iterator

from odm_tui.evaluation.bank.evaluate import Evaluation, EvaluationPlan, hold_contender
from odm_tui.evaluation.bank.trial import Trial


class StepwiseEvaluation:
    """Hold the interviews of an evaluation, one short computation after another.

    ``held`` counts interviews and only tells how far the work is. The figures of a line are there when
    ``finished_lines`` counts it, and all of them when ``is_complete``.
    """

    def __init__(self, plan: EvaluationPlan, seed: int = 0) -> None:
        self.plan, self.seed = plan, seed
        self.held = 0
        self._trials: dict[int, Trial] = {}

    def steps(self) -> Iterator[None]:
        """Hold all interviews; yield before each longer computation."""
        for at, contender in enumerate(self.plan.contenders):
            self._trials[at] = yield from hold_contender(at, contender, self.seed, self._count)

    def _count(self, held: int) -> None:
        self.held += held

    @property
    def finished_lines(self) -> int:
        """How many lines have all their interviews."""
        lines: dict[tuple[str, float], bool] = {}
        for at, contender in enumerate(self.plan.contenders):
            key = contender.name, contender.share
            lines[key] = lines.get(key, True) and at in self._trials
        return sum(lines.values())

    @property
    def is_complete(self) -> bool:
        """Whether every interview was held and counts."""
        return len(self._trials) == len(self.plan.contenders)

    def summarise(self) -> Evaluation:
        """Return the figures of the finished lines, of which there must be one."""
        return self.plan.summarise(self._trials)
