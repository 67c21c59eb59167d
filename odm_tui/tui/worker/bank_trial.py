"""Try a bank in the worker process: hold interviews with it in short slices, so that other requests never wait long."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from odm_tui.evaluation.bank.stepwise import StepwiseEvaluation
    from odm_tui.tui.worker.backend import Backend
    from odm_tui.views.evaluation import EvaluationView

SLICE = 0.05
"""Seconds of work at a time. A request from another screen waits for one slice at most."""
LARGEST_TABLE = 8 * 2**20
"""The rows that a bank was made from are used if their file stands beside the bank and is at most this large."""


class TrialProgress(NamedTuple):
    """How far a trial is. The figures are there if they have changed since the last time, else None."""

    number: int
    held: int
    interviews: int
    """How many there will be; 0 while they are being planned."""
    is_complete: bool
    """Whether these or earlier figures are the last ones."""
    figures: EvaluationView | None


class BankTrial:
    """The interviews of one trial, as far as they have been held."""

    def __init__(self, number: int, evaluation: StepwiseEvaluation) -> None:
        self.number, self.evaluation = number, evaluation
        self._steps: Iterator[None] = evaluation.steps()
        self._shown_lines = 0

    def work(self, seconds: float) -> TrialProgress:
        """Hold interviews for about this long."""
        end = monotonic() + seconds
        for _ in self._steps:
            if monotonic() >= end:
                break
        return self.report()

    def report(self) -> TrialProgress:
        """Return how far the trial is, with the figures if there are new ones."""
        from odm_tui.views.evaluation import evaluation_view

        found, figures = self.evaluation, None
        if found.finished_lines > self._shown_lines:
            self._shown_lines = found.finished_lines
            figures = evaluation_view(found.summarise())
        return TrialProgress(self.number, found.held, found.interviews, found.is_complete, figures)


def begin_trial(backend: Backend, name: str) -> TrialProgress:
    """Prepare interviews with what the bank knows now, from its file and from confirmed interviews."""
    from odm_tui.evaluation.bank.case_groups import find_own_cases
    from odm_tui.evaluation.bank.evaluate import EvaluationOptions, plan_stepwise
    from odm_tui.evaluation.bank.stepwise import StepwiseEvaluation

    bank = backend.bank(name)
    with closing(backend.archive(name)) as archive:
        posterior = archive.read_snapshot().counts.posterior(bank.problem)
    data = find_own_cases(bank, LARGEST_TABLE)
    planning = plan_stepwise(bank, data, EvaluationOptions(), posterior=posterior)
    number = 1 if backend.trial is None else backend.trial.number + 1
    backend.trial = BankTrial(number, StepwiseEvaluation(planning))
    return backend.trial.report()


def continue_trial(backend: Backend, number: int) -> TrialProgress | None:
    """Hold some more interviews; None if another trial has begun since, or this one was ended."""
    trial = backend.trial
    return None if trial is None or trial.number != number else trial.work(SLICE)


def end_trial(backend: Backend, number: int) -> None:
    """Forget a trial; its interviews take memory."""
    if backend.trial is not None and backend.trial.number == number:
        backend.trial = None
