"""Estimate how likely policies are to make the choices of a logged interview, and what they pay otherwise.

The weight of an interview is P(other policy makes its choices) / P(logged policy makes its choices). Both are
estimated with draws. The inverse of a share is biased, but the number of draws until a match is 1 / P in expectation.
So the logged policy is drawn until each choice was matched ``matches`` times, and 1 / P is estimated by
draws / matches (inverse binomial sampling). The other policy is drawn a fixed number of times, with its own seeds.
So the weight is unbiased even with few draws, and its error averages out over the interviews.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from odm_tui.engine.interview import Ask, Interview
from odm_tui.engine.policy import Policy
from odm_tui.engine.problem import Bools, Floats
from odm_tui.evaluation.replay.logged_path import LoggedPath, QuestionReply, follow_path, list_replies


@dataclass(frozen=True, eq=False)
class LoggedChances:
    """1 / P(choice) of the logged policy for the needed choices of a path, the stop last, (steps + 1,).

    ``rare``: the draws ran out before all needed choices had their matches, so the inverses are too small.
    """

    inverse: Floats
    matches: int
    draws: int
    rare: bool


@dataclass(frozen=True, eq=False)
class OtherChances:
    """What another policy does in one logged interview.

    ``shares`` are the shares of its draws that make each logged choice, the stop last, (steps + 1,). ``model`` is the
    value model's estimate for the interview, (2,): cost and P(right). ``surprises`` are (steps, 2): how much each
    logged reply changes the value model's estimate, summed over the draws that choose that question and divided by
    all draws.
    """

    shares: Floats
    model: Floats
    surprises: Floats
    draws: int


PathChances = tuple[LoggedChances | None, dict[str, OtherChances]]
"""The chances of one path: those of the logged policy, if needed, and those of the others, by name."""


def estimate_logged_chances(
    path: LoggedPath, matches: int, max_draws: int, seed: int, needed: Bools | None = None
) -> LoggedChances:
    """Draw the logged policy until every needed choice was matched ``matches`` times, at most ``max_draws`` times.

    ``needed`` marks the choices, (steps + 1,); the default is all. The others get the inverse 0.
    """
    wanted = np.ones(len(path.choices), dtype=bool) if needed is None else needed
    hits = np.where(wanted, 0, matches)
    last = np.zeros(len(path.choices))
    count = 0
    if wanted.any():
        for draw in islice(path.seeds(path.policy, "logged", seed), max_draws):
            count += 1
            for choice in follow_path(Interview(path.problem, path.policy, path.before, draw), path):
                if choice.logged and hits[choice.asked] < matches:
                    hits[choice.asked] += 1
                    last[choice.asked] = count
            if (hits == matches).all():
                break
    # Where the draws ran out, the logged interview counts as one more draw, so that no chance is 0.
    inverse = np.where(hits == matches, last / matches, (count + 1) / (hits + 1))
    return LoggedChances(inverse, matches, count, bool((hits < matches).any()))


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
    found = np.array(
        [path.compute_cost(list_replies(interview.steps)), float(upcoming.outcome == path.outcome)]
    )
    interview.undo(steps)
    return found


def estimate_chances(
    paths: Sequence[LoggedPath],
    policies: Mapping[str, Policy],
    matches: int,
    draws: int,
    max_draws: int,
    seed: int,
) -> list[PathChances]:
    """Estimate the chances of several paths for several policies; the logged one is drawn at most ``max_draws`` times.

    The policy that held an interview needs no draws and has no entry.
    """
    found: list[PathChances] = []
    for path in paths:
        own = path.policy.spec()
        others = {
            name: estimate_other_chances(path, policy, draws, seed)
            for name, policy in policies.items()
            if policy.spec() != own
        }
        # A choice that no draw of the other policies makes has weight 0, however rare it is.
        needed = np.zeros(len(path.choices), dtype=bool)
        for each in others.values():
            needed[:-1] |= each.surprises.any(axis=1)
            needed[-1] |= each.shares[-1] > 0
        logged = estimate_logged_chances(path, matches, max_draws, seed, needed) if others else None
        found.append((logged, others))
    return found
