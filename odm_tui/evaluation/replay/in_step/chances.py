"""The chances of logged choices and the value model's estimates, with all draws held in step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from odm_tui.engine.policy import Policy
from odm_tui.engine.problem import Bools, Floats, Ints
from odm_tui.evaluation.replay.chances import LoggedChances, OtherChances, count_matches
from odm_tui.evaluation.replay.in_step.drawn_interviews import DrawnInterviews, Replies, StepState
from odm_tui.evaluation.replay.in_step.drawn_policy import DrawnPolicy
from odm_tui.evaluation.replay.in_step.stacked_paths import NO_REPLY, UNKNOWN, StackedPaths
from odm_tui.evaluation.replay.logged_path import STOP, LoggedPath

MAX_ROWS = 20_000
"""How many draws are held at once, about: more need more memory and are hardly faster."""


class LoggedDraws:
    """Draws of the logged policy along several paths, all held by the same policy; they grow as needed.

    The number of draws until the r-th match of a choice, divided by r, is unbiased for 1 / P(choice).
    """

    def __init__(self, paths: Sequence[LoggedPath], matches: int, max_draws: int, seed: int) -> None:
        self.paths = StackedPaths.of(paths)
        self.policy = paths[0].policy
        self.matches, self.max_draws = matches, max_draws
        self.rngs = [np.random.default_rng(path.key(self.policy, "logged", seed)) for path in paths]
        shape = self.paths.choices.shape
        self.hits = np.zeros(shape, dtype=np.intp)
        self.last = np.zeros(shape, dtype=np.intp)
        self.draws = np.zeros(shape[0], dtype=np.intp)

    def draw_until_matched(self, needed: Bools) -> None:
        """Draw until every needed choice, (I, S), has its matches, or the draws run out."""
        while True:
            short = (needed & (self.hits < self.matches)).any(axis=1) & (self.draws < self.max_draws)
            which = np.flatnonzero(short)
            if not len(which):
                return
            # As many again as there were, so that few rounds are enough; no path gets more than it may have.
            wanted = np.minimum(np.maximum(self.draws[which], 32), self.max_draws - self.draws[which])
            for part in _split(which, wanted):
                self._draw(which[part], wanted[part])

    def _draw(self, which: Ints, counts: Ints) -> None:
        drawn = _draw_policy(self.policy, self.paths, which, counts, [self.rngs[i] for i in which])
        made = _find_matches(DrawnInterviews(self.paths, drawn), self.paths.choices.shape[1])
        ends = np.cumsum(counts)
        for number, end, count in zip(which.tolist(), ends.tolist(), counts.tolist(), strict=True):
            own = made[end - count : end]
            for choice in np.flatnonzero(own.any(axis=0)).tolist():
                missing = self.matches - self.hits[number, choice]
                if missing <= 0:
                    continue
                at = np.flatnonzero(own[:, choice])[:missing]
                self.hits[number, choice] += len(at)
                self.last[number, choice] = self.draws[number] + at[-1] + 1
            self.draws[number] += count

    def result(self, number: int, needed: Bools) -> LoggedChances:
        """Return the chances of one path; choices that are not needed have the inverse 0."""
        count = len(self.paths.paths[number].choices)
        hits, last = self.hits[number, :count], self.last[number, :count]
        return count_matches(hits, last, needed[:count], self.matches, int(self.draws[number]))


def draw_others(
    paths: StackedPaths, policy: Policy, counts: Ints, seed: int, theta: Floats | None = None
) -> list[OtherChances]:
    """Draw another policy ``counts`` times along each path, and compute the value model's estimates.

    The value model draws the replies from ``theta`` (n, m, K), by default from the mean of what was known before.
    """
    everyone = np.arange(len(paths.paths))
    found: list[OtherChances] = []
    for part in _split(everyone, counts):
        which = everyone[part]
        rngs = [np.random.default_rng(paths.paths[i].key(policy, "other", seed)) for i in which]
        drawn = _draw_policy(policy, paths, which, counts[part], rngs)
        replies = np.concatenate(
            [
                _draw_replies(paths, i, int(count), rng, theta)
                for i, count, rng in zip(which, counts[part], rngs, strict=True)
            ]
        )
        found += _follow(DrawnInterviews(paths, drawn), replies, which, counts[part])
    return found


def _follow(held: DrawnInterviews, replies: Replies, which: Ints, counts: Ints) -> list[OtherChances]:
    """Follow the paths with every draw; where a draw repeats a logged choice, compute the surprise of its reply."""
    paths, path = held.paths, held.drawn.path
    state = held.start()
    model = held.finish(state, replies)
    choices = paths.choices.shape[1]
    made = np.zeros((len(path), choices), dtype=bool)
    surprises = np.zeros((len(path), max(choices - 1, 1), 2))
    for count in range(choices):
        if not len(state.row):
            break
        chosen = held.choose(state)
        logged = _repeats(paths, path[state.row], state, chosen, count)
        made[state.row, count] = logged
        state, chosen, logged, reply = _with_reply(paths, path, state, chosen, logged)
        surprising = np.flatnonzero(logged & (reply != replies[state.row, chosen]))
        if len(surprising):
            before = state.take(surprising)
            value = held.finish(before, replies[before.row])
            held.give(before, chosen[surprising], reply[surprising])
            surprises[before.row, count] = held.finish(before, replies[before.row]) - value
        held.give(state, chosen, reply)
    found, start = [], 0
    for number, draws in zip(which.tolist(), counts.tolist(), strict=True):
        own = slice(start, start + draws)
        steps = len(paths.paths[number].steps)
        found.append(
            OtherChances(
                made[own, : steps + 1].mean(axis=0),
                model[own].mean(axis=0),
                surprises[own, :steps].mean(axis=0),
                draws,
            )
        )
        start += draws
    return found


def _find_matches(held: DrawnInterviews, choices: int) -> Bools:
    """Return which logged choices each draw repeats, (R, S)."""
    paths, path = held.paths, held.drawn.path
    state = held.start()
    made = np.zeros((len(path), choices), dtype=bool)
    for count in range(choices):
        if not len(state.row):
            break
        chosen = held.choose(state)
        logged = _repeats(paths, path[state.row], state, chosen, count)
        made[state.row, count] = logged
        state, chosen, logged, reply = _with_reply(paths, path, state, chosen, logged)
        held.give(state, chosen, reply)
    return made


def _repeats(paths: StackedPaths, path: Ints, state: StepState, chosen: Ints, count: int) -> Bools:
    """Return which draws have asked the same questions as the log, and now choose the same."""
    same = (state.put == paths.asked_before[path, count]).all(axis=1)
    return np.asarray(same & (chosen == paths.choices[path, count]))


def _with_reply(
    paths: StackedPaths, path: Ints, state: StepState, chosen: npt.NDArray[np.intp], logged: Bools
) -> tuple[StepState, npt.NDArray[np.intp], Bools, Replies]:
    """Return only the interviews that go on: their question has a logged reply."""
    reply = np.where(chosen == STOP, NO_REPLY, paths.reply[path[state.row], np.maximum(chosen, 0)])
    goes_on = reply != NO_REPLY
    return state.take(goes_on), chosen[goes_on], logged[goes_on], reply[goes_on].astype(np.int16)


def _draw_policy(
    policy: Policy, paths: StackedPaths, which: Ints, counts: Ints, rngs: Sequence[np.random.Generator]
) -> DrawnPolicy:
    before = [paths.paths[i].before for i in which]
    return DrawnPolicy.draw(policy, before, which.tolist(), counts.tolist(), rngs)


def _draw_replies(
    paths: StackedPaths, number: int, count: int, rng: np.random.Generator, theta: Floats | None
) -> Replies:
    """Draw a reply to every question, (count, n)."""
    outcome = paths.outcome[number]
    chances = (paths.mean[number] if theta is None else theta)[:, outcome, :]
    cuts = np.cumsum(chances, axis=-1)[:, :-1]
    sizes = paths.problem.valid.sum(axis=1)
    answers = (rng.random((count, len(cuts), 1)) > cuts).sum(axis=-1)
    replies: Replies = np.minimum(answers, sizes - 1).astype(np.int16)
    if paths.paths[number].before.unknown is not None and paths.known is not None:
        replies[rng.random(replies.shape) > paths.known[number]] = UNKNOWN
    return replies


def _split(which: Ints, counts: Ints) -> list[slice]:
    """Split paths into groups with about MAX_ROWS draws each."""
    groups, start, rows = [], 0, 0
    for at, count in enumerate(counts.tolist()):
        if rows and rows + count > MAX_ROWS:
            groups.append(slice(start, at))
            start, rows = at, 0
        rows += count
    return [*groups, slice(start, len(which))]
