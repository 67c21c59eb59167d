"""Evaluate a bank in small steps, so that other work can come between them."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from odm_tui.evaluation.bank.evaluate import Evaluation, EvaluationPlan, hold_contender
from odm_tui.evaluation.bank.trial import Trial


class StepwiseEvaluation:
    """Hold the interviews of an evaluation, one short computation after another.

    ``held`` counts interviews and only tells how far the work is. The figures of a line are there when
    ``finished_lines`` counts it, and all of them when ``is_complete``.
    """

    def __init__(self, planning: Generator[None, None, EvaluationPlan], seed: int = 0) -> None:
        self.plan: EvaluationPlan | None = None
        """The interviews; None while they are being planned."""
        self.held = 0
        self.seed = seed
        self._planning = planning
        self._trials: dict[int, Trial] = {}

    def steps(self) -> Iterator[None]:
        """Plan and hold all interviews; yield before each longer computation."""
        self.plan = yield from self._planning
        for at, contender in enumerate(self.plan.contenders):
            self._trials[at] = yield from hold_contender(contender, self.seed, self._count)

    def _count(self, held: int) -> None:
        self.held += held

    @property
    def finished_lines(self) -> int:
        """How many lines have all their interviews."""
        lines: dict[tuple[str, float], bool] = {}
        for at, contender in enumerate(self.plan.contenders if self.plan else ()):
            key = contender.name, contender.share
            lines[key] = lines.get(key, True) and at in self._trials
        return sum(lines.values())

    @property
    def is_complete(self) -> bool:
        """Whether every interview was held and counts."""
        return self.plan is not None and len(self._trials) == len(self.plan.contenders)

    @property
    def interviews(self) -> int:
        """How many interviews there are in all; 0 while they are being planned."""
        return 0 if self.plan is None else self.plan.interviews

    def summarise(self) -> Evaluation:
        """Return the figures of the finished lines, of which there must be one."""
        assert self.plan is not None
        return self.plan.summarise(self._trials)
