"""Posteriors: what has been learned, as one Beta or Dirichlet distribution per question and outcome.

theta_ij(q) = P(answer q to question i | outcome j) has a Dirichlet posterior whose parameters are the
problem's pseudo counts plus the answers counted so far. With two answers that is the paper's
Beta(alpha_ij, beta_ij). Counts are sums, so an interview can be retracted exactly, and two posteriors over
the same prior merge by addition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from odm_tui.engine.certainty import LARGEST_BIN
from odm_tui.engine.priors.base_rates import draw_priors, pooled_prior, unknown_pairs, weigh_evidence
from odm_tui.engine.priors.shapes import (
    draw_parameters,
    find_evidence,
    match_moments,
    open_shapes,
    weigh_shapes,
)
from odm_tui.engine.problem import Floats, Ints, Problem, floats
from odm_tui.engine.target import find_move, stakes_factor
from odm_tui.engine.variants.sub_outcomes import find_observed, split_problem
from odm_tui.engine.variants.variants import Variants
from odm_tui.errors import BadArgument
from odm_tui.text import unknown_name

NOT_ANSWERED = -1
KNOWN, NOT_KNOWN = 19.8, 0.2
"""The prior counts of answers and of "don't know" for each question."""


@dataclass(frozen=True, eq=False)
class Posterior:
    """The counts of answers by question and outcome, on top of a problem's prior.

    >>> problem = Problem.build(["fever"], ["flu", "cold"])
    >>> learned = Posterior.of(problem).updated(["yes"], "flu")
    >>> learned.alpha[0].tolist()          # Beta(2, 2) for both; flu has seen one more yes
    [[2.0, 3.0], [2.0, 2.0]]
    >>> learned.retracted(["yes"], "flu").counts.any()
    np.False_
    """

    problem: Problem
    counts: Floats
    outcome_counts: Floats
    interviews: int = 0
    unknown: Floats | None = None
    products: Floats | None = None
    said: Floats | None = None
    """How many decisions were wrong and right by how sure they were, as :mod:`odm_tui.engine.certainty` counts them."""
    variants: Variants | None = None
    """The variants of outcomes that were fitted to past interviews; None if every outcome has one."""
    whole: Posterior | None = None
    """The posterior over outcomes, where this one is over their sub-outcomes; None otherwise."""
    moved: float = 0.0
    """How far interviews with a target for their cost have moved the stakes, as :mod:`odm_tui.engine.target` counts it."""

    @classmethod
    def of(
        cls,
        problem: Problem,
        counts: npt.ArrayLike | None = None,
        outcome_counts: npt.ArrayLike | None = None,
        interviews: int = 0,
        unknown: npt.ArrayLike | None = None,
        products: npt.ArrayLike | None = None,
        said: npt.ArrayLike | None = None,
        variants: Variants | None = None,
        moved: float = 0.0,
    ) -> Self:
        """The prior of a problem, or the posterior with these counts on top of it.

        ``unknown`` is how often nobody knew the answer to each question, (n,). ``products`` is XᵀX, (n, n): X has one
        row per interview and one column per question, and an answer q of K counts as q / (K - 1), no answer as 0.
        Without counts it is known to be 0; with counts it is known only if it is given. ``said`` is how many decisions
        were wrong and right by how sure they were, (81, 2). ``variants`` are those that were fitted to past interviews.
        ``moved`` is how far a target has moved the stakes.
        """
        n, m, width = problem.shape
        if products is None and counts is None:
            products = np.zeros((n, n))
        made = cls(
            problem,
            np.zeros((n, m, width)) if counts is None else floats(counts, "counts"),
            np.zeros(m) if outcome_counts is None else floats(outcome_counts, "outcome_counts"),
            interviews,
            None if unknown is None else floats(unknown, "unknown"),
            None if products is None else floats(products, "products"),
            None if said is None else floats(said, "said"),
            variants,
            moved=moved,
        )
        made._check()
        return made

    def _check(self) -> None:
        n, m, width = self.problem.shape
        for name, array, shape in (
            ("counts", self.counts, (n, m, width)),
            ("outcome_counts", self.outcome_counts, (m,)),
        ):
            if array.shape != shape:
                raise BadArgument(f"The array {name} has the shape {array.shape}; it must be {shape}.")
            _check_counts(name, array)
        for name, extra, wanted in (
            ("unknown", self.unknown, (n,)),
            ("products", self.products, (n, n)),
            ("said", self.said, (2 * LARGEST_BIN + 1, 2)),
        ):
            if extra is not None:
                if extra.shape != wanted:
                    raise BadArgument(f"The array {name} has the shape {extra.shape}; it must be {wanted}.")
                _check_counts(name, extra)
        if np.where(self.problem.valid[:, None, :], 0.0, self.counts).any():
            raise BadArgument("The array counts must be 0 for answers that a question does not have.")
        if self.variants is not None and not self.variants.fits(self.problem.valid, m):
            raise BadArgument("The variants belong to another problem. Fit them for this problem.")
        if self.interviews < 0:
            raise BadArgument("The number of interviews must be 0 or more.")

    def updated(
        self, answers: npt.ArrayLike | Sequence[int | str | float | None], outcome: int | str
    ) -> Self:
        """Learn from one interview: the paper's Algorithm 3 (posterior update).

        ``answers`` has one entry per question: its index, or -1 (or None) where it was not answered.
        """
        return self._shifted(answers, outcome, 1)

    def retracted(
        self, answers: npt.ArrayLike | Sequence[int | str | float | None], outcome: int | str
    ) -> Self:
        """Retract one interview, exactly."""
        return self._shifted(answers, outcome, -1)

    def _shifted(self, answers: object, outcome: int | str, by: int) -> Self:
        given = answer_indices(self.problem, answers)
        confirmed = outcome_index(self.problem, outcome)
        asked = np.flatnonzero(given != NOT_ANSWERED)
        counts = self.counts.copy()
        counts[asked, confirmed, given[asked]] += by
        outcome_counts = self.outcome_counts.copy()
        outcome_counts[confirmed] += by
        products = self.products
        if products is not None:
            row = scale_answers(self.problem, given)
            products = products + by * np.outer(row, row)
        made = replace(
            self,
            counts=counts,
            outcome_counts=outcome_counts,
            interviews=self.interviews + by,
            products=products,
            moved=self.moved + by * self._find_move(given, confirmed, by),
        )
        if by < 0 and ((counts < 0).any() or (outcome_counts < 0).any() or made.interviews < 0):
            raise BadArgument("This interview was never counted, so it can't be retracted.")
        return made

    def _find_move(self, given: npt.NDArray[np.int16], outcome: int, by: int) -> float:
        """How far an interview moves the stakes; 0 without a target. What it moved at a limit is not known later."""
        target = self.problem.target_cost
        if target is None:
            return 0.0
        asked = np.flatnonzero(given != NOT_ANSWERED)
        cost = float(self.problem.cost[asked, outcome, given[asked]].sum())
        return find_move(cost, target, stakes_factor(self.moved) if by > 0 else 1.0)

    def merged(self, other: Posterior) -> Self:
        """Add up two posteriors over the same prior."""
        if not other.belongs_to(self.problem) or not np.array_equal(
            self.problem.pseudo, other.problem.pseudo
        ):
            raise BadArgument("Only posteriors over the same questions, outcomes and prior can be merged.")
        return replace(
            self,
            counts=self.counts + other.counts,
            outcome_counts=self.outcome_counts + other.outcome_counts,
            interviews=self.interviews + other.interviews,
            unknown=_added(self.unknown, other.unknown),
            products=None
            if self.products is None or other.products is None
            else self.products + other.products,
            said=_added(self.said, other.said),
            moved=self.moved + other.moved,
        )

    def belongs_to(self, problem: Problem) -> bool:
        """Whether the posterior has the same questions and outcomes as the problem."""
        ours = self.problem
        return ours is problem or (
            [(q.id, q.answers) for q in ours.questions] == [(q.id, q.answers) for q in problem.questions]
            and ours.outcomes == problem.outcomes
        )

    @cached_property
    def known_variants(self) -> Variants | None:
        """The variants that were fitted, or else those that the author names; None if every outcome has one.

        Where the author expects nothing of a variant, it has the counts of its outcome.
        """
        named, expects = self.problem.named_variants, self.problem.named_expects
        if self.variants is not None or named is None or expects is None:
            return self.variants or named
        counts = np.where(expects[..., None], named.counts, self.alpha[:, named.outcome])
        return replace(named, counts=counts)

    @cached_property
    def by_variant(self) -> Posterior:
        """The same knowledge over sub-outcomes, pairs of outcome and variant; itself if outcomes have no variants.

        The variants' own counts stand in place of the counts by outcome.
        """
        variants = self.known_variants
        if variants is None or self.whole is not None:
            return self
        return Posterior(
            split_problem(self.problem, variants, self.outcome_prior()),
            find_observed(variants),
            self.seen_outcomes[variants.outcome] * variants.weight,
            self.experience,
            self.unknown,
            whole=self,
        )

    @cached_property
    def seen(self) -> Floats:
        """All answers counted so far, (n, m, K): those of interviews, and those of the problem's past cases."""
        cases = self.problem.cases
        return self.counts if cases is None else np.asarray(self.counts + cases)

    @cached_property
    def seen_outcomes(self) -> Floats:
        """All outcomes counted so far, (m,): those of interviews, and those of the problem's past cases."""
        cases = self.problem.case_outcomes
        return self.outcome_counts if cases is None else np.asarray(self.outcome_counts + cases)

    @property
    def experience(self) -> int:
        """How many interviews and past cases were counted."""
        cases = self.problem.case_outcomes
        return self.interviews + (0 if cases is None else round(float(cases.sum())))

    @cached_property
    def alpha(self) -> Floats:
        """The Dirichlet parameters, (n, m, K); for yes/no ``[..., 1]`` is alpha and ``[..., 0]`` beta."""
        if self.whole is not None and self.whole.known_variants is not None:
            return self.whole.known_variants.counts
        learned = (self.problem.pseudo if self._shares_all else self.prior) + self.seen
        if self._shapes is None:
            return np.asarray(learned)
        which, counts, shapes, _ = self._shapes
        learned[which, :, :2] = np.where(
            unknown_pairs(self.problem)[which, :, None],
            match_moments(counts, shapes),
            learned[which, :, :2],
        )
        return np.asarray(learned)

    @cached_property
    def prior(self) -> Floats:
        """The Dirichlet parameters without an outcome's own answers, (n, m, K).

        Shared shapes are left out: what they say of one pair is no fixed number of observations.
        """
        return pooled_prior(self.problem, self.seen) if self.problem.pooled else self.problem.pseudo

    @cached_property
    def _shapes(self) -> tuple[Ints, Floats, Floats, Floats] | None:
        """The yes/no questions that share shapes, their counts (S, m, 2), their shapes, and those for draws."""
        if not self.problem.shared or not unknown_pairs(self.problem).any():
            return None
        which = np.flatnonzero(self.problem.valid.sum(axis=1) == 2)
        if not len(which):
            return None
        counts = np.ascontiguousarray(self.seen[which, :, :2])
        evidence = find_evidence(counts)
        shapes = weigh_shapes(evidence)
        return which, counts, shapes, open_shapes(evidence, shapes)

    def threshold_counts(self, question: int) -> Floats:
        """(alpha, beta) of "is it above t?" for each threshold t and outcome, shape (T, m, 2).

        Sums of the parts of a Dirichlet are Beta distributed. So every threshold has its own Beta, and the
        thresholds of one question never contradict each other.
        """
        width = len(self.problem.questions[question].thresholds) + 1
        below = np.cumsum(self.alpha[question, :, :width], axis=-1)
        beta = below[:, :-1].T
        return np.stack([below[:, -1] - beta, beta], axis=-1)

    def mean(self) -> Floats:
        """E[theta], (n, m, K)."""
        return np.asarray(self.alpha / self.alpha.sum(axis=-1, keepdims=True))

    def spread(self) -> Floats:
        """The standard deviation of every theta_ij(q), (n, m, K)."""
        mean, total = self.mean(), self.alpha.sum(axis=-1, keepdims=True)
        return np.asarray(np.sqrt(mean * (1 - mean) / (total + 1)))

    def mode(self) -> Floats:
        """The MAP estimate; the mean where a parameter is below 1, so that the density has no peak inside."""
        above = np.maximum(self.alpha - 1.0, 0.0) * self.problem.valid[:, None, :]
        total = above.sum(axis=-1, keepdims=True)
        peaked = np.where(self.problem.valid[:, None, :], self.alpha >= 1.0, True).all(axis=-1, keepdims=True)
        return np.where(peaked & (total > 0), above / np.where(total > 0, total, 1.0), self.mean())

    def sample(self, rng: np.random.Generator, sure: float = 1.0) -> Floats:
        """One draw of theta from the posterior (Algorithm 1, line 2).

        ``sure`` multiplies the answers that were counted, not the prior.
        """
        return np.asarray(self.sample_all(rng, np.array([sure]))[0])

    def sample_all(self, rng: np.random.Generator, sure: Floats) -> Floats:
        """Several draws as :meth:`sample` makes them, (draws, n, m, K), each with its own ``sure``."""
        alpha = self._draw_parameters(rng, len(sure))
        if (sure != 1.0).any():
            alpha = alpha + (sure - 1.0)[:, None, None, None] * self.seen
        return draw_theta(alpha, self.problem.valid, rng)

    def sample_surer(self, rng: np.random.Generator, sure: float) -> Floats:
        """One draw of theta from a posterior that is ``sure`` times as sure of all it says, also of its prior."""
        return draw_theta(self._draw_parameters(rng, 1)[0] * sure, self.problem.valid, rng)

    def _draw_parameters(self, rng: np.random.Generator, count: int) -> Floats:
        """The Dirichlet parameters of several draws, (count, n, m, K): shared shapes are drawn, all else is the posterior.

        Given its shape, what is known of a question under one outcome does not depend on the other outcomes. Drawn one
        by one from the mixture of all shapes, outcomes would seem to differ more than they can.
        """
        alpha = np.broadcast_to(self.alpha, (count, *self.alpha.shape))
        return self._draw_shapes(alpha, rng)

    def _draw_shapes(self, alpha: Floats, rng: np.random.Generator) -> Floats:
        """These parameters, (count, n, m, K), with a shape drawn for each question that shares them."""
        if self._shapes is None:
            return alpha
        which, counts, _, shapes = self._shapes
        drawn = np.array(alpha)
        drawn[:, which, :, :2] = np.where(
            unknown_pairs(self.problem)[which, :, None],
            draw_parameters(counts, shapes, rng, len(alpha)),
            drawn[:, which, :, :2],
        )
        return drawn

    def draw(self, rng: np.random.Generator, count: int) -> Floats:
        """Several draws of theta from the posterior, (count, n, m, K).

        Where the prior is pooled, its weight is uncertain too: each draw has one of its own.
        """
        alpha = np.broadcast_to(self.alpha, (count, *self.alpha.shape))
        if self.problem.pooled and not self._shares_all:
            priors = draw_priors(self.problem, *weigh_evidence(self.problem, self.seen), rng, count)
            alpha = self.seen + priors
        return draw_theta(self._draw_shapes(alpha, rng), self.problem.valid, rng)

    @property
    def _shares_all(self) -> bool:
        """Whether no question is left with a pooled prior of its own."""
        return self._shapes is not None and len(self._shapes[0]) == len(self.problem.questions)

    def bounds(self, level: float) -> tuple[Floats, Floats]:
        """The quantiles at ``1 - level`` and ``level`` of every theta_ij(q): its lower and upper bound.

        Each theta_ij(q) alone is Beta(alpha_q, alpha_total - alpha_q). ``level`` is from 0.5 to 1.
        """
        if not 0.5 <= level <= 1:
            raise BadArgument(f"A quantile level for bounds must be from 0.5 to 1, not {level}.")
        from scipy.special import betaincinv

        valid = np.broadcast_to(self.problem.valid[:, None, :], self.alpha.shape)
        rest = self.alpha.sum(axis=-1, keepdims=True) - self.alpha
        low, high = np.zeros_like(self.alpha), np.zeros_like(self.alpha)
        low[valid] = betaincinv(self.alpha[valid], rest[valid], 1.0 - level)
        high[valid] = betaincinv(self.alpha[valid], rest[valid], level)
        return low, high

    def sample_within(self, low: Floats, high: Floats, level: float, rng: np.random.Generator) -> Floats:
        """One draw of theta between :meth:`bounds`, (n, m, K).

        Each theta_ij(q) is drawn from its own Beta, cut off at its bounds: the quantile at a level that is uniform
        between ``1 - level`` and ``level``. With two answers the second follows from the first. With more, all are
        then moved towards their lower or all towards their upper bounds, by the same share of the way, until
        they sum to 1.
        """
        from scipy.special import betaincinv

        valid = np.broadcast_to(self.problem.valid[:, None, :], self.alpha.shape)
        levels = rng.uniform(1.0 - level, level, self.alpha.shape)
        if self.problem.shape[2] == 2:
            yes = betaincinv(self.alpha[..., 1], self.alpha[..., 0], levels[..., 1])
            yes = np.clip(yes, low[..., 1], high[..., 1])
            return np.stack([1.0 - yes, yes], axis=-1)
        rest = self.alpha.sum(axis=-1, keepdims=True) - self.alpha
        drawn = np.zeros_like(self.alpha)
        drawn[valid] = betaincinv(self.alpha[valid], rest[valid], levels[valid])
        return _move_to_one(np.clip(drawn, low, high), low, high)

    def answerable(self) -> Floats:
        """How likely each question is to be answered, (n,).

        The mean of Beta(19.8 + answers, 0.2 + don't knows): one in a hundred is not, before anything is learned.
        """
        if self.whole is not None:
            return self.whole.answerable()
        if self.unknown is None:
            return np.full(len(self.problem.questions), KNOWN / (KNOWN + NOT_KNOWN))
        known = KNOWN + self.seen.sum(axis=(1, 2))
        return np.asarray(known / (known + NOT_KNOWN + self.unknown))

    def outcome_prior(self) -> Floats:
        """P(y): the problem's, or the mean of its Dirichlet if it is learned."""
        if self.whole is not None and self.whole.known_variants is not None:
            variants = self.whole.known_variants
            return np.asarray(self.whole.outcome_prior()[variants.outcome] * variants.weight)
        worth = self.problem.outcome_worth
        if worth == 0:
            return self.problem.prior
        weights = self.problem.prior * worth + self.seen_outcomes
        return np.asarray(weights / weights.sum())


def _check_counts(name: str, array: Floats) -> None:
    if not np.isfinite(array).all() or (array < 0).any():
        raise BadArgument(f"The array {name} must be finite and 0 or more.")


def _added(ours: Floats | None, theirs: Floats | None) -> Floats | None:
    if ours is None or theirs is None:
        return theirs if ours is None else ours
    return np.asarray(ours + theirs)


def draw_theta(alpha: Floats, valid: npt.NDArray[np.bool_], rng: np.random.Generator) -> Floats:
    """One draw from Beta or Dirichlet distributions with these parameters, (…, n, m, K); ``valid`` is (n, K)."""
    if alpha.shape[-1] == 2:
        yes = rng.beta(alpha[..., 1], alpha[..., 0])
        return np.stack([1.0 - yes, yes], axis=-1)
    return _dirichlet(alpha, valid[:, None, :], rng)


def _dirichlet(alpha: Floats, valid: npt.NDArray[np.bool_], rng: np.random.Generator) -> Floats:
    """Dirichlet draws along the last axis, in log space so that tiny parameters don't give 0 / 0."""
    safe = np.where(valid, alpha, 1.0)
    # Gamma(a) = Gamma(a + 1) * U^(1/a): the logarithm never underflows, however small a is.
    log_gamma = np.log(rng.standard_gamma(safe + 1.0)) + np.log(rng.random(safe.shape)) / safe
    log_gamma = np.where(valid, log_gamma, -np.inf)
    weights = np.exp(log_gamma - log_gamma.max(axis=-1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def _move_to_one(values: Floats, low: Floats, high: Floats) -> Floats:
    """Move values between bounds towards one of them until they sum to 1 along the last axis."""
    total = values.sum(axis=-1, keepdims=True)
    ends = np.where(total > 1.0, low, high)
    way = np.abs(ends.sum(axis=-1, keepdims=True) - total)
    share = np.divide(np.abs(1.0 - total), way, out=np.zeros_like(total), where=way > 0)
    return np.asarray(values + np.minimum(share, 1.0) * (ends - values))


def scale_answers(problem: Problem, given: npt.NDArray[np.integer]) -> Floats:
    """The answers as numbers from 0 (the first answer, or none) to 1 (the last), (n,)."""
    return np.asarray(np.maximum(given, 0) / np.maximum(problem.valid.sum(axis=1) - 1, 1))


def answer_indices(problem: Problem, answers: object) -> npt.NDArray[np.int16]:
    """The answers as one index per question, -1 where there is none; names and numbers are looked up."""
    if isinstance(answers, np.ndarray) and answers.dtype.kind in "iu":
        given = answers
    elif isinstance(answers, (Sequence, np.ndarray)):
        if len(answers) != len(problem.questions):
            raise BadArgument(
                f"The number of answers is {len(answers)}; give one for each of {len(problem.questions)} questions."
            )
        given = np.array(
            [
                NOT_ANSWERED if a is None or (a == NOT_ANSWERED and not q.thresholds) else q.index(a)
                for q, a in zip(problem.questions, answers, strict=True)
            ],
            dtype=np.int16,
        )
    else:
        raise BadArgument("The answers must be a sequence with one entry per question.")
    sizes = problem.valid.sum(axis=1)
    if given.shape != sizes.shape:
        raise BadArgument(
            f"The number of answers is {given.size}; give one for each of {sizes.size} questions."
        )
    if ((given < NOT_ANSWERED) | (given >= sizes)).any():
        bad = int(np.flatnonzero((given < NOT_ANSWERED) | (given >= sizes))[0])
        raise BadArgument(f"Question {problem.questions[bad].id!r} has no answer {int(given[bad])}.")
    return given.astype(np.int16)


def outcome_index(problem: Problem, outcome: int | str) -> int:
    """The index of an outcome given by index or by id."""
    if isinstance(outcome, str):
        if outcome in problem.outcomes:
            return problem.outcomes.index(outcome)
    elif isinstance(outcome, (int, np.integer)) and 0 <= outcome < len(problem.outcomes):
        return int(outcome)
    raise BadArgument(unknown_name("outcome", outcome, problem.outcomes))
