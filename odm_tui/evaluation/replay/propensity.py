"""Estimate how likely policies are to make the choices of a logged interview, and what they pay otherwise.

The weight of an interview is P(other policy makes its choices) / P(logged policy makes its choices). Both are
estimated with draws. The inverse of a share is biased, but the number of draws until a match is 1 / P in expectation.
So the logged policy is drawn until each choice was matched ``matches`` times, and 1 / P is estimated by
draws / matches (inverse binomial sampling); its relative error is at most 1 / √matches. The other policy is drawn with
its own seeds, a few times 1 / P: the rarer the path, the more draws. How many does not depend on what they show, so the
weight is unbiased even with few draws, and its error averages out over the interviews.

Draws of policies that can be held in step (:func:`can_step`) are held together; the others one by one.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Protocol

import numpy as np
import numpy.typing as npt

from odm_tui.engine.interview import Ask, Interview
from odm_tui.engine.policy import Policy
from odm_tui.engine.problem import Bools, Floats
from odm_tui.evaluation.replay.chances import (
    LoggedChances,
    OtherChances,
    PathChances,
    count_matches,
)
from odm_tui.evaluation.replay.in_step.chances import LoggedDraws, draw_others
from odm_tui.evaluation.replay.in_step.drawn_policy import can_step
from odm_tui.evaluation.replay.in_step.stacked_paths import StackedPaths
from odm_tui.evaluation.replay.logged_path import LoggedPath, QuestionReply, follow_path, list_replies

DRAWS_IN_STEP, DRAWS_ONE_BY_ONE = 4, 2
"""Draws of the other policy, in multiples of the estimated 1 / P(path)."""
FEWEST_DRAWS, MOST_DRAWS = 16, 1024
"""Draws of the other policy per interview, at least and at most."""


class GrowingDraws(Protocol):
    """Draws of the logged policy along some paths that can be continued."""

    def draw_until_matched(self, needed: Bools) -> None:
        """Draw until every needed choice, (I, S), has its matches, or the draws run out."""

    def result(self, number: int, needed: Bools) -> LoggedChances:
        """Return the chances of one path; choices that are not needed have the inverse 0."""


class SingleDraws:
    """The same as :class:`LoggedDraws`, one interview of the engine after the other: for any policy."""

    def __init__(self, paths: Sequence[LoggedPath], matches: int, max_draws: int, seed: int) -> None:
        self.paths, self.matches, self.max_draws = paths, matches, max_draws
        self.seeds = [path.seeds(path.policy, "logged", seed) for path in paths]
        self.hits = [np.zeros(len(path.choices), dtype=np.intp) for path in paths]
        self.last = [np.zeros(len(path.choices), dtype=np.intp) for path in paths]
        self.draws = [0] * len(paths)

    def draw_until_matched(self, needed: Bools) -> None:
        """Draw until every needed choice, (I, S), has its matches, or the draws run out."""
        for number, path in enumerate(self.paths):
            wanted, hits = needed[number, : len(path.choices)], self.hits[number]
            while (wanted & (hits < self.matches)).any() and self.draws[number] < self.max_draws:
                self.draws[number] += 1
                interview = Interview(path.problem, path.policy, path.before, next(self.seeds[number]))
                for choice in follow_path(interview, path):
                    if choice.logged and hits[choice.asked] < self.matches:
                        hits[choice.asked] += 1
                        self.last[number][choice.asked] = self.draws[number]

    def result(self, number: int, needed: Bools) -> LoggedChances:
        """Return the chances of one path; choices that are not needed have the inverse 0."""
        wanted = needed[: len(self.paths[number].choices)]
        return count_matches(self.hits[number], self.last[number], wanted, self.matches, self.draws[number])


def start_draws(paths: Sequence[LoggedPath], matches: int, max_draws: int, seed: int) -> GrowingDraws:
    """Return the draws of the policy that held these interviews, in step if that is possible."""
    kind = (
        LoggedDraws
        if can_step(paths[0].problem, paths[0].policy, (path.before for path in paths))
        else SingleDraws
    )
    return kind(paths, matches, max_draws, seed)


def estimate_logged_chances(
    path: LoggedPath, matches: int, max_draws: int, seed: int, needed: Bools | None = None
) -> LoggedChances:
    """Draw the logged policy until every needed choice was matched ``matches`` times, at most ``max_draws`` times.

    ``needed`` marks the choices, (steps + 1,); the default is all. The others get the inverse 0.
    """
    wanted = np.ones(len(path.choices), dtype=bool) if needed is None else needed
    draws = start_draws([path], matches, max_draws, seed)
    draws.draw_until_matched(wanted[None])
    return draws.result(0, wanted)


def estimate_other_chances(
    path: LoggedPath, policy: Policy, draws: int, seed: int, theta: Floats | None = None
) -> OtherChances:
    """Draw another policy along the path, and compute the value model's estimates.

    For each draw the value model draws a reply to every question: with the confirmed outcome, from ``theta``
    (n, m, K), by default the mean of what was known when the interview began. The cost and decision with these
    replies are the model's estimate. At each logged choice that the draw repeats, the drawn reply is replaced by the
    logged one; the surprise is the change of the estimate.
    """
    chances = (path.before.mean() if theta is None else theta)[:, path.outcome, :]
    known = None if path.before.unknown is None else path.before.answerable()
    shares = np.zeros(len(path.choices))
    model, surprises = np.zeros(2), np.zeros((len(path.steps), 2))
    sizes = path.problem.valid.sum(axis=1)
    for draw in islice(path.seeds(policy, "other", seed), draws):
        interview = Interview(path.problem, policy, path.before, draw)
        drawn = _draw_replies(chances, sizes, known, np.random.default_rng([draw, 1]))
        start = _simulate_rest(interview, drawn, path)
        model += start
        value: Floats | None = start
        for choice in follow_path(interview, path):
            shares[choice.asked] += choice.logged
            reply = path.replies.get(choice.question)
            if reply is None or reply == drawn[choice.question]:
                continue  # a stop, a question without a logged reply, or no surprise
            if not choice.logged:
                value = None  # the reply changes; the estimate is computed again when it is needed
                continue
            if value is None:
                value = _simulate_rest(interview, drawn, path)
            reply.give(interview, choice.question)
            after = _simulate_rest(interview, drawn, path)
            interview.undo()
            surprises[choice.asked] += after - value
            value = after
    return OtherChances(shares / draws, model / draws, surprises / draws, draws)


def _draw_replies(
    chances: Floats, sizes: npt.NDArray[np.integer], known: Floats | None, rng: np.random.Generator
) -> Sequence[QuestionReply]:
    """Draw a reply to every question.

    ``chances`` are P(answer), (n, K); ``sizes`` are the numbers of answers, ``known`` P(an answer is known), (n,).
    """
    cuts = np.cumsum(chances, axis=-1)[:, :-1]
    answers = np.minimum((rng.random((len(chances), 1)) > cuts).sum(axis=-1), sizes - 1)
    missing = np.zeros(len(chances), dtype=bool) if known is None else rng.random(len(known)) > known
    return [
        QuestionReply("unknown") if lost else QuestionReply("answered", answer)
        for answer, lost in zip(answers.tolist(), missing.tolist(), strict=True)
    ]


def _simulate_rest(interview: Interview, drawn: Sequence[QuestionReply], path: LoggedPath) -> Floats:
    """Return (cost, right) of the whole interview if the rest gets the drawn replies; the interview stays as it is."""
    steps = 0
    while isinstance(upcoming := interview.next, Ask):
        drawn[upcoming.question].give(interview, upcoming.question)
        steps += 1
    right = not upcoming.refer and upcoming.outcome == path.outcome
    found = np.array([path.compute_cost(list_replies(interview.steps)), float(right)])
    interview.undo(steps)
    return found


def estimate_chances(
    paths: Sequence[LoggedPath], policies: Mapping[str, Policy], matches: int, max_draws: int, seed: int
) -> list[PathChances]:
    """Estimate the chances of several paths for several policies; the logged one is drawn at most ``max_draws`` times.

    The policy that held an interview needs no draws and has no entry.
    """
    found: list[PathChances] = [(None, {})] * len(paths)
    groups: dict[str, list[int]] = {}
    for number, path in enumerate(paths):
        groups.setdefault(json.dumps(path.policy.spec(), sort_keys=True), []).append(number)
    for numbers in groups.values():
        held = [paths[number] for number in numbers]
        own = held[0].policy.spec()
        others = {name: policy for name, policy in policies.items() if policy.spec() != own}
        for number, chances in zip(
            numbers, _estimate_group(held, others, matches, max_draws, seed), strict=True
        ):
            found[number] = chances
    return found


def _estimate_group(
    paths: Sequence[LoggedPath], others: Mapping[str, Policy], matches: int, max_draws: int, seed: int
) -> list[PathChances]:
    """Estimate the chances of paths that one policy held."""
    if not others:
        return [(None, {})] * len(paths)
    lengths = np.array([len(path.choices) for path in paths])
    needed = np.arange(lengths.max()) == lengths[:, None] - 1  # at first only the stop
    own = start_draws(paths, matches, max_draws, seed)
    own.draw_until_matched(needed)
    inverse = [own.result(number, needed[number]).inverse[-1] for number in range(len(paths))]
    drawn = {name: _draw_others(paths, policy, inverse, seed) for name, policy in others.items()}
    # A choice that no draw of the other policies makes has weight 0, however rare it is.
    needed[:] = False
    for found in drawn.values():
        for number, each in enumerate(found):
            needed[number, : lengths[number] - 1] |= each.surprises.any(axis=1)
            needed[number, lengths[number] - 1] |= each.shares[-1] > 0
    own.draw_until_matched(needed)
    return [
        (own.result(number, needed[number]), {name: found[number] for name, found in drawn.items()})
        for number in range(len(paths))
    ]


def _draw_others(
    paths: Sequence[LoggedPath], policy: Policy, inverse: Sequence[float], seed: int
) -> list[OtherChances]:
    """Draw another policy along each path, the more often the rarer the path is."""
    in_step = can_step(paths[0].problem, policy, (path.before for path in paths))
    times = DRAWS_IN_STEP if in_step else DRAWS_ONE_BY_ONE
    counts = [min(max(math.ceil(times * each), FEWEST_DRAWS), MOST_DRAWS) for each in inverse]
    if in_step:
        return draw_others(StackedPaths.of(paths), policy, np.array(counts), seed)
    return [
        estimate_other_chances(path, policy, count, seed) for path, count in zip(paths, counts, strict=True)
    ]
