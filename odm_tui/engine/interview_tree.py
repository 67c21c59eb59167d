"""Hold many interviews that start alike: the states that they share are computed once."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from odm_tui.engine.interview import Interview
from odm_tui.engine.interview_state import Decide
from odm_tui.engine.problem import Floats
from odm_tui.engine.state_tree import StateTree
from odm_tui.engine.stepping import finish


@dataclass(frozen=True, eq=False, slots=True)
class HeldInterview:
    """An interview that was held: what was asked, the answers, and the decision.

    ``beliefs`` has the belief before the first question and after each, (questions + 1, m). An answer of -1 is
    "don't know".
    """

    questions: tuple[int, ...]
    answers: tuple[int, ...]
    beliefs: Floats
    decision: Decide


class InterviewTree:
    """Interviews with one seed, policy and posterior: each answer leads to a branch, which is computed once.

    The questions are those that separate interviews with this seed would ask.
    """

    def __init__(self, interview: Interview) -> None:
        self._tree = StateTree(interview.transitions, interview.start)

    def hold(self, answers: npt.NDArray[np.integer]) -> HeldInterview:
        """Hold an interview with someone who has these answers, (n,); -1 where the answer is not known."""
        return finish(self.hold_stepwise(answers))

    def hold_stepwise(self, answers: npt.NDArray[np.integer]) -> Generator[None, None, HeldInterview]:
        """Hold the same interview; yield before each question or decision that must be computed."""
        states = yield from self._tree.follow(answers)
        decision = states[-1].next
        assert isinstance(decision, Decide)
        steps = [each.step for each in states if each.step is not None]
        return HeldInterview(
            tuple(step.question for step in steps),
            tuple(-1 if step.answer is None else step.answer for step in steps),
            np.array([each.belief for each in states]),
            decision,
        )
