"""The live interviews of several units, held in step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter

import numpy as np
import numpy.typing as npt

from odm_tui.engine.belief import normalise, safe_log
from odm_tui.engine.exploration import (
    REDRAWS,
    Greedy,
    KnownTheta,
    LearningValue,
    SteadySampling,
    ThompsonSampling,
    redraw_chance,
    sureness,
)
from odm_tui.engine.lookahead.learning_value import PLANNED, share_bonus
from odm_tui.engine.lookahead.planner import WORK_PER_MILLISECOND
from odm_tui.engine.model import Model
from odm_tui.engine.oracles.lookahead import Lookahead
from odm_tui.engine.policy import Policy
from odm_tui.engine.problem import Floats, Ints, never_certain
from odm_tui.engine.situation import ListingRule
from odm_tui.evaluation.data.dataset import Dataset
from odm_tui.evaluation.experiment.agents import ALMOST
from odm_tui.evaluation.experiment.batch.stacked_posteriors import StackedPosteriors
from odm_tui.evaluation.experiment.fast_interview import UNDECIDED
from odm_tui.evaluation.experiment.settings import Knowledge, Regions
from odm_tui.evaluation.experiment.simulation import Trace

Answers = npt.NDArray[np.int8]
Asked = npt.NDArray[np.int16]
Hold = Callable[[Ints, Floats, Floats, Answers], Asked]
"""Holds one interview of each of these units: takes their theta, log theta and answers, and returns what was asked."""


@dataclass(frozen=True, eq=False)
class BatchMember:
    """One unit of a batch: its data, its policy, and its seed. Data and policies differ in seed and stakes only."""

    dataset: Dataset
    policy: Policy
    seed: int


def simulate_together(
    members: Sequence[BatchMember],
    regions: Regions,
    eta: float,
    depth: int | None = None,
    knowledge: Knowledge = Knowledge.ASKED,
) -> list[Trace]:
    """Hold the live interviews of all scenarios of all members, the first of all, then the second, and so on.

    The traces are those of :func:`simulate` with the protocol ``live``. ``depth`` is for how many questions the
    lookahead plans; without it, for as many as its milliseconds allow.
    """
    datasets = [member.dataset for member in members]
    problems = [dataset.problem for dataset in datasets]
    posteriors = StackedPosteriors(problems)
    answers = np.stack([dataset.answers for dataset in datasets], axis=1)
    labels = np.stack([dataset.labels for dataset in datasets], axis=1)
    length, units, n = answers.shape
    seeds = np.stack(
        [np.random.default_rng(member.seed).integers(0, 2**31, size=length) for member in members], axis=1
    )
    learns = type(members[0].policy.exploration) is LearningValue
    hold = (
        _hold_learning(members, posteriors, depth)
        if learns
        else _hold(members, posteriors, regions, eta, depth)
    )
    draw = _draw(members, posteriors)
    draws_theta = not isinstance(members[0].policy.exploration, Greedy | KnownTheta)
    prior = np.stack([problem.prior for problem in problems])
    log_prior = safe_log(prior)
    asked = np.full((length, units, n), -1, dtype=np.int16)
    decision = np.empty((length, units), dtype=np.int32)
    belief = np.empty((length, units))
    everyone = np.arange(units)
    started = perf_counter()
    for at in range(length):
        theta = draw(seeds[at])
        log_theta = safe_log(theta)
        asked[at] = hold(everyone, theta, log_theta, answers[at])
        if draws_theta:
            _redraw_silent(posteriors, hold, seeds[at], answers[at], asked[at])
        shown = log_theta if knowledge is Knowledge.KNOWN else posteriors.log_mean
        believed = _beliefs(prior, log_prior, shown, asked[at], answers[at])
        decision[at] = believed.argmax(axis=1)
        belief[at] = believed[everyone, decision[at]]
        decision[at, posteriors.should_refer(belief[at])] = UNDECIDED
        seen = np.ones_like(asked[at], dtype=bool) if knowledge is Knowledge.FULL else _as_mask(asked[at])
        posteriors.learn(seen, answers[at], labels[at])
    seconds = (perf_counter() - started) / units
    return [
        _trace(dataset, asked[:, unit], decision[:, unit], belief[:, unit], seconds)
        for unit, dataset in enumerate(datasets)
    ]


def plan_depth(questions: int, outcomes: int, milliseconds: float) -> int:
    """For how many yes/no questions the engine's planner makes a plan in this time."""
    depth = 1
    while (
        depth < questions
        and 3 ** (depth + 1) * (outcomes + 4 * (depth + 1)) <= milliseconds * WORK_PER_MILLISECOND
    ):
        depth += 1
    return depth


def _redraw_silent(
    posteriors: StackedPosteriors,
    hold: Hold,
    seeds: npt.NDArray[np.integer],
    answers: Answers,
    asked: Asked,
) -> None:
    """Hold interviews that asked nothing again with another theta, as the engine's do; writes into ``asked``."""
    generators = {}
    for unit in np.flatnonzero(asked[:, 0] < 0).tolist():
        # The third of the sequences that an interview spawns from its seed.
        rng = np.random.default_rng(np.random.SeedSequence(int(seeds[unit]), spawn_key=(2,)))
        if rng.random() < redraw_chance(posteriors.interviews, asked.shape[1]):
            generators[unit] = rng
    for _ in range(REDRAWS):
        silent = np.array(list(generators), dtype=np.intp)
        if not len(silent):
            return
        theta = np.stack([posteriors.redraw(unit, rng) for unit, rng in generators.items()])
        asked[silent] = hold(silent, theta, safe_log(theta), answers[silent])
        generators = {unit: generators[unit] for unit in silent[asked[silent, 0] < 0].tolist()}


def _draw(
    members: Sequence[BatchMember], posteriors: StackedPosteriors
) -> Callable[[npt.NDArray[np.integer]], Floats]:
    """How theta comes about in each interview, given the seeds of all units' interviews."""
    exploration = members[0].policy.exploration
    if isinstance(exploration, KnownTheta):
        known = [member.policy.exploration for member in members]
        theta = np.stack([each.theta for each in known if isinstance(each, KnownTheta)])
        return lambda seeds: theta
    if type(exploration) is Greedy:
        return lambda seeds: posteriors.mean
    if type(exploration) is ThompsonSampling:
        return posteriors.sample
    if type(exploration) is SteadySampling:
        return partial(posteriors.sample, steady=True)
    if type(exploration) is LearningValue:
        outcomes = len(members[0].dataset.problem.outcomes)
        return lambda seeds: posteriors.sample_surer(seeds, sureness(posteriors.interviews, outcomes))
    raise ValueError(f"interviews with {exploration} can't be held in step")


def _hold(
    members: Sequence[BatchMember],
    posteriors: StackedPosteriors,
    regions: Regions,
    eta: float,
    depth: int | None,
) -> Hold:
    problems = [member.dataset.problem for member in members]
    log_prior = safe_log(np.stack([problem.prior for problem in problems]))
    cost = np.stack([problem.cost for problem in problems])
    oracle = members[0].policy.oracle
    if isinstance(oracle, Lookahead):
        from odm_tui.evaluation.experiment.batch.lookahead_kernel import hold_lookahead

        by_answer = np.ascontiguousarray(cost[:, :, 0])
        planned = depth or plan_depth(*problems[0].shape[:2], oracle.milliseconds)

        def hold_planned(units: Ints, theta: Floats, log_theta: Floats, answers: Answers) -> Asked:
            asked = np.empty(answers.shape, dtype=np.int16)
            stakes, handed = posteriors.worths()
            hold_lookahead(
                theta,
                log_theta,
                log_prior[units],
                by_answer[units],
                stakes[units],
                handed[units],
                answers,
                planned,
                asked,
            )
            return asked

        return hold_planned
    from odm_tui.evaluation.experiment.batch.edge_cutting_kernel import hold_edge_cutting

    limit = members[0].dataset.hypotheses
    rows, listed = _known_regions(members, regions, eta)

    def hold_cut(units: Ints, theta: Floats, log_theta: Floats, answers: Answers) -> Asked:
        asked = np.empty(answers.shape, dtype=np.int16)
        hold_edge_cutting(
            theta,
            log_theta,
            log_prior[units],
            cost[units],
            answers,
            limit,
            eta,
            rows[units],
            listed[units],
            asked,
        )
        return asked

    return hold_cut


def _hold_learning(members: Sequence[BatchMember], posteriors: StackedPosteriors, depth: int | None) -> Hold:
    from odm_tui.evaluation.experiment.batch.lookahead_kernel import find_losses, hold_learning

    problems, oracle = [member.dataset.problem for member in members], members[0].policy.oracle
    prior = np.stack([problem.prior for problem in problems])
    cost = np.ascontiguousarray(np.stack([problem.cost for problem in problems])[:, :, 0])
    n, m, _ = problems[0].shape
    planned = depth or plan_depth(n, m, oracle.milliseconds if isinstance(oracle, Lookahead) else 1.0)
    losses, bonus = np.empty((len(members), n)), np.empty((len(members), n, m))

    found_for = -1

    def hold(units: Ints, theta: Floats, log_theta: Floats, answers: Answers) -> Asked:
        nonlocal found_for
        mean, (stakes, handed) = np.ascontiguousarray(posteriors.mean[..., 1]), posteriors.worths()
        if found_for != posteriors.interviews:
            found_for = posteriors.interviews
            find_losses(posteriors.draw(), mean, prior, cost, stakes, handed, PLANNED, losses)
            for unit, problem in enumerate(problems):
                bonus[unit] = share_bonus(losses[unit], posteriors.alpha[unit], prior[unit], problem.horizon)
        sample, asked = np.ascontiguousarray(theta[..., 1]), np.empty(answers.shape, dtype=np.int16)
        hold_learning(
            sample,
            mean[units],
            bonus[units],
            prior[units],
            cost[units],
            stakes[units],
            handed[units],
            answers,
            planned,
            asked,
        )
        return asked

    return hold


def _known_regions(
    members: Sequence[BatchMember], regions: Regions, eta: float
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.bool_]]:
    """The hypotheses known beforehand, (B, m, k, n), and which are listed, (B, m, k); k is 0 where none are."""
    n, m, _ = members[0].dataset.problem.shape
    if regions == "unknown":
        units = len(members)
        return np.empty((units, m, 0, n), dtype=np.int8), np.empty((units, m, 0), dtype=bool)
    made = []
    for member in members:
        problem = member.dataset.problem
        truth = Model(problem, problem.prior, never_certain(member.dataset.theta, problem.valid, ALMOST))
        rule = ListingRule(member.dataset.hypotheses, eta, member.policy.contested)
        made.append(rule.listing(truth).hypotheses)
    most = max(each.answers.shape[1] for each in made)
    rows = np.zeros((len(made), m, most, n), dtype=np.int8)
    listed = np.zeros((len(made), m, most), dtype=bool)
    for unit, each in enumerate(made):
        rows[unit, :, : each.answers.shape[1]] = each.answers
        listed[unit, :, : each.answers.shape[1]] = each.listed
    return rows, listed


def _beliefs(
    prior: Floats,
    log_prior: Floats,
    log_mean: Floats,
    asked: npt.NDArray[np.int16],
    answers: npt.NDArray[np.int8],
) -> Floats:
    """P(outcome | answers) of each unit under the posterior mean, (B, m); the terms in the order of the questions."""
    shown = log_prior.copy()
    for step in range(asked.shape[1]):
        units = np.flatnonzero(asked[:, step] >= 0)
        if not len(units):
            break
        questions = asked[units, step]
        shown[units] += log_mean[units, questions, :, answers[units, questions]]
    return np.where(asked[:, :1] >= 0, normalise(shown), prior)


def _as_mask(asked: npt.NDArray[np.int16]) -> npt.NDArray[np.bool_]:
    """Which questions were asked, (B, n)."""
    units, steps = np.nonzero(asked >= 0)
    mask = np.zeros(asked.shape, dtype=bool)
    mask[units, asked[units, steps]] = True
    return mask


def _trace(
    dataset: Dataset,
    asked: npt.NDArray[np.int16],
    decision: npt.NDArray[np.int32],
    belief: Floats,
    seconds: float,
) -> Trace:
    counts = (asked >= 0).sum(axis=1)
    charged, given = dataset.mean_cost, dataset.problem.cost
    cost, realised = np.zeros(len(asked)), np.zeros(len(asked))
    for count in range(1, asked.shape[1] + 1):
        # Sums of so many numbers each, so that they are added up as in a single sum.
        at = np.flatnonzero(counts == count)
        which, labels = asked[at, :count], dataset.labels[at, None]
        cost[at] = charged[which, labels].sum(axis=1)
        realised[at] = given[which, labels, dataset.answers[at[:, None], which]].sum(axis=1)
    return Trace(
        cost=cost,
        realised=realised,
        questions=counts.astype(np.int32),
        decision=np.ascontiguousarray(decision),
        label=dataset.labels.astype(np.int32),
        belief=np.ascontiguousarray(belief),
        seconds=seconds,
    )
