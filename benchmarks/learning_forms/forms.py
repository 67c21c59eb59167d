"""The forms that are compared, and their learning runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
import numpy.typing as npt

from benchmarks.learning_forms.information_directed import find_regrets, hold_by_interview, hold_by_step
from benchmarks.learning_forms.kernel import find_losses_of_prototype, hold_form
from odm_tui.engine.belief import entropy, safe_log
from odm_tui.engine.exploration import SURER_AFTER, SUREST
from odm_tui.engine.lookahead.learning_value import DRAWS, PLANNED, SEED, share_bonus
from odm_tui.engine.posterior import draw_theta
from odm_tui.engine.problem import USUAL_HORIZON, Floats, Ints
from odm_tui.evaluation.experiment.batch.lookahead_kernel import find_losses
from odm_tui.evaluation.experiment.batch.simulation import (
    BatchMember,
    _as_mask,
    _beliefs,
    _redraw_silent,
    plan_depth,
)
from odm_tui.evaluation.experiment.batch.stacked_posteriors import StackedPosteriors

SMOOTHED = 0.7
"""The share of the old value of learning that the prototype keeps in each interview."""
REGRET_DRAWS = 48
"""The draws of theta by which the regret of an interview and the best first question are found."""
STEP_DRAWS = 12
"""The draws of theta, ``SUREST`` times as sure, by which the regret of a step is found; each needs a plan at each step."""


class Directed(Enum):
    """What information-directed sampling counts as an action and as information."""

    INTERVIEW = "an interview; what its answers tell about the first question of the best plan"
    STEP = "a step; what the answer tells about the best action now"


@dataclass(frozen=True)
class Form:
    """One form of ``lookahead-learn``; without arguments it is the product's."""

    name: str
    horizon: float = USUAL_HORIZON
    surer_after: float = SURER_AFTER
    draws: bool = True
    """Whether the first plan is made with a draw of theta."""
    read_by_mean: bool = False
    """Whether answers are read by the mean also for plans with the draw."""
    prototype: bool = False
    """Whether L_i is the prototype's, smoothed over interviews."""
    directed: Directed | None = None
    """Whether information-directed sampling takes the place of the two models and the bonus."""
    audits: int = 0
    """In how many interviews, the first ones, every question is asked and paid for."""
    shown: int = 0
    """After how many interviews, the first ones, all answers are shown for nothing: no form can do so."""
    jointly: bool = False
    """Whether each question counts for an even share of R, what not knowing any theta costs, in place of its own L_i."""
    declines: bool = False
    """Whether the horizon is the interviews that are left of the run."""

    def horizon_at(self, at: int, length: int) -> float:
        """How many interviews will follow this one of a run, as far as the bonus is concerned."""
        return float(length - 1 - at) if self.declines else self.horizon


PRODUCT = Form("lookahead-learn")
FORMS = (
    PRODUCT,
    Form("prototype's bonus, horizon 100", horizon=100.0, prototype=True),
    Form("horizon 0", horizon=0.0),
    Form("horizon 100", horizon=100.0),
    Form("surer 2.5 times as soon", surer_after=10.0),
    Form("answers read by the mean", read_by_mean=True),
    Form("read by the mean, surer sooner", read_by_mean=True, surer_after=10.0),
    Form("no draw", draws=False),
)
DIRECTED = (
    PRODUCT,
    Form("IDS by interview", draws=False, directed=Directed.INTERVIEW),
    Form("draw, then IDS by interview", directed=Directed.INTERVIEW),
    Form("IDS by step", draws=False, directed=Directed.STEP),
)
"""The product, and the forms with information-directed sampling."""
AUDITS = (
    PRODUCT,
    Form("3 audits", audits=3),
    Form("12 audits", audits=12),
    Form("50 audits", audits=50),
    Form("every interview an audit", audits=10**6),
    Form("horizon: what is left", declines=True),
    Form("even shares", jointly=True, declines=True),
    Form("12 shown", shown=12),
    Form("50 shown", shown=50),
)
"""The product, forms that pay for more answers early, and what the product would do if it were shown them."""


@dataclass(frozen=True, eq=False)
class Figures:
    """What an interview was worth and cost, mean of each run, (runs,)."""

    value: Floats
    cost: Floats


def hold_runs(members: Sequence[BatchMember], form: Form, stakes: float, milliseconds: float) -> Figures:
    """Hold the learning runs of all members with one form, as the batch does with the product's."""
    datasets = [member.dataset for member in members]
    problems = [dataset.problem for dataset in datasets]
    posteriors = StackedPosteriors(problems)
    answers = np.stack([dataset.answers for dataset in datasets], axis=1)
    labels = np.stack([dataset.labels for dataset in datasets], axis=1)
    length, units, n = answers.shape
    m = len(problems[0].outcomes)
    seeds = np.stack(
        [np.random.default_rng(member.seed).integers(0, 2**31, size=length) for member in members], axis=1
    )
    prior = np.stack([problem.prior for problem in problems])
    log_prior = safe_log(prior)
    cost = np.ascontiguousarray(np.stack([problem.cost for problem in problems])[:, :, 0])
    charged = np.stack([dataset.mean_cost for dataset in datasets])
    depth, everyone = plan_depth(n, m, milliseconds), np.arange(units)
    losses, bonus = np.zeros((units, n)), np.zeros((units, n, m))
    value, paid = np.zeros(units), np.zeros(units)

    def hold(
        which: Ints, theta: Floats, log_theta: Floats, given: npt.NDArray[np.int8]
    ) -> npt.NDArray[np.int16]:
        mean = posteriors.mean[which][..., 1]
        drawn = [theta[..., 1]] if form.draws else []
        models = np.ascontiguousarray(np.stack([*drawn, mean], axis=1))
        reading = np.stack([mean] * models.shape[1], axis=1) if form.read_by_mean else models
        asked = np.empty(given.shape, dtype=np.int16)
        hold_form(models, reading, bonus[which], prior[which], cost[which], stakes, given, depth, asked)
        return asked

    for at in range(length):
        if at < form.audits:
            asked = np.tile(np.arange(n, dtype=np.int16), (units, 1))
        elif form.directed is not None:
            chances = np.stack([_draw_chances(int(seed), n) for seed in seeds[at]])
            sure = min(SUREST, 1.0 + at / (form.surer_after * m))
            samples = posteriors.sample_surer(seeds[at], sure)[:, None, ..., 1]
            samples = np.ascontiguousarray(samples[:, : int(form.draws)])
            asked = _hold_directed(
                posteriors, form.directed, samples, prior, cost, stakes, chances, answers[at], depth
            )
        else:
            horizon = form.horizon_at(at, length)
            bonus[:] = 0.0
            if horizon > 0:
                losses = _find_losses(posteriors, form, prior, cost, stakes, losses)
                for unit in range(units):
                    bonus[unit] = share_bonus(losses[unit], posteriors.alpha[unit], prior[unit], horizon)
            sure = min(SUREST, 1.0 + at / (form.surer_after * m))
            theta = posteriors.sample_surer(seeds[at], sure)
            asked = hold(everyone, theta, theta, answers[at])
            if form.draws:
                _redraw_silent(posteriors, hold, seeds[at], answers[at], asked)
        decided = _beliefs(prior, log_prior, posteriors.log_mean, asked, answers[at]).argmax(axis=1)
        mask = _as_mask(asked)
        spent = (mask * charged[everyone, :, labels[at]]).sum(axis=1)
        value += (stakes * (decided == labels[at]) - spent) / length
        paid += spent / length
        seen = np.ones_like(mask) if at < form.shown else mask
        posteriors.learn(seen, answers[at], labels[at])
    return Figures(value, paid)


def _find_losses(
    posteriors: StackedPosteriors, form: Form, prior: Floats, cost: Floats, stakes: float, before: Floats
) -> Floats:
    """L_i of each unit, (B, n)."""
    mean, losses = np.ascontiguousarray(posteriors.mean[..., 1]), np.empty_like(before)
    if form.jointly:
        drawn, regrets = posteriors.draw(), np.empty(len(before))
        find_regrets(drawn, mean, prior, cost, stakes, PLANNED, regrets, np.empty(drawn.shape[:2], np.intp))
        losses[:] = regrets[:, None] / losses.shape[1]
        return losses
    if not form.prototype:
        worths = np.full(len(before), stakes), np.full(len(before), -1.0)
        find_losses(posteriors.draw(), mean, prior, cost, *worths, PLANNED, losses)
        return losses
    drawn = np.empty((len(before), DRAWS, *mean.shape[1:]))
    for unit in range(len(before)):
        rng = np.random.default_rng([SEED, posteriors.interviews])
        drawn[unit] = draw_theta(posteriors._parameters(unit, rng, DRAWS), posteriors.valid, rng)[..., 1]
    find_losses_of_prototype(drawn, mean, prior, cost, stakes, PLANNED, losses)
    return losses if posteriors.interviews == 0 else SMOOTHED * before + (1 - SMOOTHED) * losses


def _hold_directed(
    posteriors: StackedPosteriors,
    directed: Directed,
    samples: Floats,
    prior: Floats,
    cost: Floats,
    stakes: float,
    chances: Floats,
    answers: npt.NDArray[np.int8],
    depth: int,
) -> npt.NDArray[np.int16]:
    """Hold one interview of each unit by information-directed sampling."""
    mean, asked = np.ascontiguousarray(posteriors.mean[..., 1]), np.empty(answers.shape, dtype=np.int16)
    units = len(mean)
    if directed is Directed.STEP:
        drawn = _draw_several(posteriors, STEP_DRAWS, SUREST)
        hold_by_step(drawn, prior, cost, stakes, chances, answers, depth, asked)
        return asked
    drawn = _draw_several(posteriors, REGRET_DRAWS)
    regrets, first = np.empty(units), np.empty(drawn.shape[:2], dtype=np.intp)
    find_regrets(drawn, mean, prior, cost, stakes, depth, regrets, first)
    teaches = np.stack([tell_about(drawn[unit], first[unit]) for unit in range(units)])
    hold_by_interview(samples, mean, teaches, regrets, prior, cost, stakes, chances, answers, depth, asked)
    return asked


def tell_about(drawn: Floats, best: Ints) -> Floats:
    """What an answer to question i under outcome j tells about the best action, I(a*; X_ij), (n, m).

    For draws of P(yes), (S, n, m), and the best action under each, (S,).
    """
    groups = np.equal.outer(np.unique(best), best).astype(np.float64)
    sizes = groups.sum(axis=1)
    within = np.tensordot(groups / sizes[:, None], drawn, axes=1)
    told = _binary_entropy(drawn.mean(axis=0)) - np.tensordot(
        sizes / len(best), _binary_entropy(within), axes=1
    )
    return np.asarray(np.maximum(told, 0.0))


def _binary_entropy(yes: Floats) -> Floats:
    return entropy(np.stack([1.0 - yes, yes], axis=-1))


def _draw_several(posteriors: StackedPosteriors, count: int, sure: float = 1.0) -> Floats:
    """Draws of P(yes) of each unit, (B, count, n, m), by a seed of their own: they follow from the counts alone.

    ``sure`` multiplies the parameters of the posterior.
    """
    drawn = np.empty((len(posteriors.problems), count, *posteriors.counts.shape[1:3]))
    for unit in range(len(drawn)):
        rng = np.random.default_rng(SEED)
        drawn[unit] = draw_theta(sure * posteriors._parameters(unit, rng, count), posteriors.valid, rng)[
            ..., 1
        ]
    return drawn


def _draw_chances(seed: int, count: int) -> Floats:
    """Uniform numbers of an interview by which mixtures are drawn, (count,)."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(3,))).random(count)
