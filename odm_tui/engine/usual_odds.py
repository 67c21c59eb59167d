"""How much evidence for a contradiction there is in interviews with right answers: the bar above which it counts."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from odm_tui.engine.contradiction import settled_odds
from odm_tui.engine.model import Model
from odm_tui.engine.problem import Bools, Floats
from odm_tui.engine.simulated_policy import SimulatedPolicy, draw_answers, draw_unknown

INTERVIEWS = 200
"""How many interviews a bar is taken from."""
STREAM = 200_513
"""Keeps these random numbers apart from all others of the same seed."""


class UsualOdds:
    """The evidence at the ends of interviews with right answers, held by one policy with one theta.

    Outcomes are drawn from the prior, answers from the mean of theta, and "don't know" as often as was learned, with
    random numbers of the interview's seed. So a
    bar that happens to be too low or too high holds for one interview, and the share of false alarms is exact on average
    over interviews. It is computed step by step, so that it can be made ready between key presses; the values do not
    depend on when.
    """

    def __init__(self, mean: Model, policy: SimulatedPolicy, seed: int) -> None:
        unknown = draw_unknown(mean, INTERVIEWS, np.random.default_rng([seed, STREAM, 1]))
        self._steps = self._simulate(mean, policy, np.random.default_rng([seed, STREAM]), unknown)
        self._values: Floats | None = None

    def extend(self) -> bool:
        """Compute a little; return whether there is more to do."""
        if self._values is None:
            try:
                next(self._steps)
            except StopIteration as end:
                self._values = end.value
        return self._values is None

    def values(self) -> Floats:
        """All of it, (R,)."""
        while self.extend():
            pass
        assert self._values is not None
        return self._values

    def _simulate(
        self, mean: Model, policy: SimulatedPolicy, rng: np.random.Generator, unknown: Bools
    ) -> Generator[None, None, Floats]:
        found = np.empty(INTERVIEWS)
        known: dict[bytes, float] = {}  # many interviews end with the same answers
        for number in range(INTERVIEWS):
            truth = int(rng.choice(len(mean.prior), p=mean.prior))
            answers = draw_answers(mean, truth, rng)
            answers[unknown[number]] = -1
            states = yield from policy.follow(answers)
            end = states[-1].situation
            key = end.answers.tobytes()
            if key not in known:
                asked = np.flatnonzero(end.answers >= 0)
                odds, _ = settled_odds(mean, asked, end.answers[asked][None], end.available[None])
                known[key] = float(odds.sum())
            found[number] = known[key]
            yield
        return found
