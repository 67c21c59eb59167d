"""The states of many interviews that start alike: those that they share are computed once."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np
import numpy.typing as npt

from odm_tui.engine.interview_state import Ask, InterviewState, Kind, Transitions


class StateTree:
    """Interviews from one state on: each answer leads to a branch, which is computed once."""

    def __init__(self, transitions: Transitions, root: InterviewState) -> None:
        self._transitions = transitions
        self._root = root

    def follow(self, answers: npt.NDArray[np.integer]) -> Generator[None, None, list[InterviewState]]:
        """Return the states up to the decision, with someone who has these answers, (n,), -1 where it is not known.

        Yields before each question or decision that must be computed.
        """
        states = [self._root]
        while True:
            state = states[-1]
            if state.next is None:
                yield
                state.next = self._transitions.find_next(state)
            if not isinstance(state.next, Ask):
                return states
            question = state.next.question
            states.append(self._after(state, question, int(answers[question])))

    def _after(self, state: InterviewState, question: int, answer: int) -> InterviewState:
        kind: Kind = "unknown" if answer < 0 else "answered"
        given = None if answer < 0 else answer
        known = state.following.get((question, kind, given))
        if known is None:
            known = self._transitions.after(state, question, kind, given, question)
            state.following[question, kind, given] = known
        return known
