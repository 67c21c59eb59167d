"""The paths of several logged interviews as arrays, one row per path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from odm_tui.engine.belief import safe_log
from odm_tui.engine.problem import Bools, Floats, Ints, Problem
from odm_tui.evaluation.replay.logged_path import LoggedPath, QuestionReply

UNKNOWN, SKIPPED, NO_REPLY = -1, -2, -3
"""What stands for "don't know", a skip and a missing reply in an array of answers."""
NO_CHOICE = -9
"""Fills the rows of paths that are shorter than the longest."""


@dataclass(frozen=True, eq=False)
class StackedPaths:
    """What the draws need of I paths: what was known before each, the replies, and the choices.

    ``reply`` is (I, n): the index of each logged answer, UNKNOWN, SKIPPED or NO_REPLY. ``choices`` is (I, S): the
    questions in order, then STOP; ``asked_before`` is (I, S, n): which questions were asked before each choice.
    """

    problem: Problem
    paths: Sequence[LoggedPath]
    mean: Floats
    log_mean: Floats
    prior: Floats
    log_prior: Floats
    known: Floats | None
    outcome: Ints
    answer_costs: Floats
    unknown_costs: Floats
    reply: npt.NDArray[np.int16]
    choices: npt.NDArray[np.int16]
    asked_before: Bools

    @classmethod
    def of(cls, paths: Sequence[LoggedPath]) -> StackedPaths:
        """Stack paths of one bank."""
        problem = paths[0].problem
        n = len(problem.questions)
        longest = max(len(path.choices) for path in paths)
        reply = np.full((len(paths), n), NO_REPLY, dtype=np.int16)
        choices = np.full((len(paths), longest), NO_CHOICE, dtype=np.int16)
        asked_before = np.zeros((len(paths), longest, n), dtype=bool)
        for number, path in enumerate(paths):
            choices[number, : len(path.choices)] = path.choices
            for count, question in enumerate(path.steps):
                reply[number, question] = _encode(path.replies[question])
                asked_before[number, count + 1 :, question] = True
        mean = np.stack([path.before.mean() for path in paths])
        prior = np.stack([path.before.outcome_prior() for path in paths])
        known = None
        if any(path.before.unknown is not None for path in paths):
            known = np.stack(
                [np.ones(n) if path.before.unknown is None else path.before.answerable() for path in paths]
            )
        return cls(
            problem,
            paths,
            mean,
            safe_log(mean),
            prior,
            safe_log(prior),
            known,
            np.array([path.outcome for path in paths]),
            np.stack([path.answer_costs for path in paths]),
            np.stack([path.unknown_costs for path in paths]),
            reply,
            choices,
            asked_before,
        )


def _encode(reply: QuestionReply) -> int:
    if reply.kind == "answered":
        return int(reply.answer or 0)
    return UNKNOWN if reply.kind == "unknown" else SKIPPED
