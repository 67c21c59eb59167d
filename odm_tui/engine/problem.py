"""Problems: what can be asked, what can come out, and what asking costs. The engine's view of a question bank.

Shapes, here and in the whole engine: ``n`` questions, ``m`` outcomes, ``K`` answers at most. Arrays
over answers are ``(n, m, K)``, with 0 for the answers that a question does not have. A yes/no
question has the answers ``("no", "yes")``, so that index 1 is the paper's ``x_i = 1``.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt

from odm_tui.engine.prerequisites import Prerequisite
from odm_tui.engine.stakes import Stakes
from odm_tui.errors import BadArgument
from odm_tui.text import quote_names, unknown_name

if TYPE_CHECKING:
    from odm_tui.engine.variants.variants import Variants

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.intp]

YES_NO = ("no", "yes")
PSEUDO_COUNT = 2.0
"""The count of each answer before anything is known: Beta(2, 2), and Dirichlet(2, …, 2)."""
MAX_ANSWERS = 100
USUAL_STAKES = 60.0
"""The stakes where none are given, in questions of mean cost."""
USUAL_HORIZON = 40.0
"""How many interviews are taken to follow where nothing is said of it; chosen by simulation."""
_ROUNDING = 1e-12
"""A prior whose sum is nearer to 1 is not divided by it: a copy of a problem has the same prior to the last bit."""


@dataclass(frozen=True, slots=True)
class Question:
    """One thing that can be asked: the paper's test x_i.

    A number question has ``thresholds``, increasing; its answers are the intervals between them, so
    one number answers "is it above t?" for every threshold t at once. ``ask_if`` holds pairs of another
    question's id and answers to it (indices): this question is available only if all pairs hold. ``stops`` holds pairs of
    an answer (index) and an outcome: that answer ends the interview at once with that outcome, or, with None, with
    the best decision.

    >>> Question("ping", thresholds=(20, 80)).answers
    ('<=20', '20..80', '>80')
    >>> Question("ping", thresholds=(20, 80)).interval(50.0)
    1
    """

    id: str
    answers: tuple[str, ...] = YES_NO
    thresholds: tuple[float, ...] = ()
    ask_if: tuple[tuple[str, tuple[int, ...]], ...] = ()
    always_ask: bool = False
    stops: tuple[tuple[int, str | None], ...] = ()

    ask_if_any: tuple[tuple[tuple[str, tuple[int, ...]], ...], ...] = ()
    """Alternatives, each like ``ask_if``: one of them must hold too."""

    @property
    def alternatives(self) -> tuple[tuple[tuple[str, tuple[int, ...]], ...], ...]:
        """All ways in which the question becomes available; empty if it always is."""
        if self.ask_if_any:
            return tuple((*self.ask_if, *each) for each in self.ask_if_any)
        return (self.ask_if,) if self.ask_if else ()

    def __post_init__(self) -> None:
        if self.thresholds:
            cuts = np.asarray(self.thresholds, dtype=float)
            if not np.isfinite(cuts).all() or (np.diff(cuts) <= 0).any():
                raise BadArgument(f"Question {self.id!r}: thresholds must be finite and increasing.")
            object.__setattr__(self, "answers", _interval_names(self.thresholds))
        if not 2 <= len(self.answers) <= MAX_ANSWERS:
            raise BadArgument(
                f"Question {self.id!r}: the number of answers is {len(self.answers)}; it must be 2 to {MAX_ANSWERS}."
            )
        if len(set(self.answers)) != len(self.answers):
            raise BadArgument(f"Question {self.id!r}: two answers have the same name.")
        for answer, _ in self.stops:
            if not 0 <= answer < len(self.answers):
                raise BadArgument(f"Question {self.id!r} has no answer {answer} to stop at.")

    def interval(self, number: float) -> int:
        """The index of the interval that contains a number; above means strictly above."""
        if not self.thresholds:
            raise BadArgument(f"Question {self.id!r} does not take a number; give one of its answers.")
        if not np.isfinite(number):
            raise BadArgument(f"Question {self.id!r}: {number} is not a finite number.")
        return int(np.searchsorted(np.asarray(self.thresholds), number, side="left"))

    def index(self, answer: int | str | float) -> int:
        """The index of an answer given by index, by name, or, for a number question, as a number.

        An ``int`` is an index, except for a number question, where it is the number itself.
        """
        if self.thresholds and isinstance(answer, (int, float, np.number)):
            return self.interval(float(answer))
        if isinstance(answer, str):
            if answer in self.answers:
                return self.answers.index(answer)
        elif isinstance(answer, (int, np.integer)) and 0 <= answer < len(self.answers):
            return int(answer)
        raise BadArgument(
            f"Question {self.id!r} has no answer {answer!r}. Choose one of {quote_names(self.answers)}."
        )


def _interval_names(thresholds: Sequence[float]) -> tuple[str, ...]:
    names = [repr(float(t)).removesuffix(".0") for t in thresholds]
    inner = [f"{low}..{high}" for low, high in itertools.pairwise(names)]
    return (f"<={names[0]}", *inner, f">{names[-1]}")


@dataclass(frozen=True, eq=False)
class Problem:
    """What can be asked, what can come out, and what asking costs. Use :meth:`build`, which fills in defaults.

    ``prior``: P(y), shape (m,). ``cost``: mu_ij(q), shape (n, m, K). ``pseudo``: the Beta and Dirichlet
    parameters before anything is learned, shape (n, m, K). ``stakes``: what a wrong decision costs, one number or by
    pair of decided and true outcome. ``refer_cost``: what handing over costs, None if nobody can take over.
    ``outcome_worth``: how many interviews ``prior`` is worth if P(y) is learned; 0 keeps it fixed. ``pooled``:
    whether pairs of question and outcome without expectations share a prior that is learned from all outcomes;
    ``shared``: whether the yes/no questions among them learn how theta is spread from all questions together.
    ``horizon``: how many interviews will follow, for policies that ask in order to learn. ``target_cost``: what an
    interview should cost on average; then the stakes only start as given (see ``target``).
    ``error_rates``: how often each question's answer is wrong, (n,), NaN where that is not known.
    ``cases``: how often each answer was given in past cases, (n, m, K), and ``case_outcomes`` their outcomes, (m,);
    every posterior of the problem counts them as if each case had been an interview.
    ``expects``: which pairs of question and outcome have expectations, (n, m); None if those do whose ``pseudo`` differs
    from the default.

    All values are checked once, when it is made.
    """

    questions: tuple[Question, ...]
    outcomes: tuple[str, ...]
    prior: Floats
    cost: Floats
    pseudo: Floats
    stakes: float | Stakes | None = None
    refer_cost: float | None = None
    outcome_worth: float = 0.0
    pooled: bool = False
    shared: bool = False
    error_rates: Floats | None = None
    cases: Floats | None = None
    case_outcomes: Floats | None = None
    expects: Bools | None = None
    horizon: float = USUAL_HORIZON
    target_cost: float | None = None
    named_variants: Variants | None = None
    """The variants that the author names, with what is expected of them as their counts; None if none are named."""
    named_expects: Bools | None = None
    """Which pairs of question and named variant have expectations of their own, (n, s); None: all."""
    variant_worth: Floats | None = None
    """How many observations the weights of the named variants are worth, by outcome, (m,)."""
    most_variants: int | None = None
    """How many variants an outcome may have at most; 1: none are learned. None: as many as learning finds."""
    whole: Problem | None = None
    """The problem of which this one has the sub-outcomes in place of outcomes; None if outcomes have no variants."""
    outcome_of: Ints | None = None
    """The outcome of each sub-outcome by index, (s,), in order, where ``whole`` is given."""

    @classmethod
    def build(
        cls,
        questions: Sequence[Question | str],
        outcomes: Sequence[str],
        *,
        prior: npt.ArrayLike | None = None,
        cost: npt.ArrayLike = 1.0,
        expected: npt.ArrayLike | None = None,
        worth: float = 8.0,
        pseudo: npt.ArrayLike | None = None,
        stakes: float | Stakes | None = None,
        refer_cost: float | None = None,
        outcome_worth: float = 0.0,
        pooled: bool = False,
        shared: bool = False,
        error_rates: npt.ArrayLike | None = None,
        cases: npt.ArrayLike | None = None,
        case_outcomes: npt.ArrayLike | None = None,
        horizon: float = USUAL_HORIZON,
        target_cost: float | None = None,
        named_variants: Variants | None = None,
        variant_worth: npt.ArrayLike | None = None,
        most_variants: int | None = None,
    ) -> Self:
        """Make a problem; everything but the questions and the outcomes has a default.

        ``cost`` is one number, or has the shape (n,), (n, K) or (n, m, K). Prior knowledge comes as ``expected``,
        P(answer | outcome) of the shape (n, m, K), or (n, m) for P(yes), which counts as ``worth`` observations; or
        directly as ``pseudo`` counts.

        >>> problem = Problem.build(["fever", "cough"], ["flu", "cold"], expected=[[.9, .2], [.6, .5]])
        >>> problem.shape
        (2, 2, 2)
        """
        made = tuple(q if isinstance(q, Question) else Question(q) for q in questions)
        names = tuple(outcomes)
        if not names:
            raise BadArgument("A problem needs at least one outcome.")
        n, m = len(made), len(names)
        width = max((len(q.answers) for q in made), default=2)
        valid = _valid(made, width)
        if pseudo is not None and expected is not None:
            raise BadArgument("Give either expected or pseudo, not both.")
        if not (np.isfinite(worth) and worth > 0):
            raise BadArgument(f"The worth is a number of observations above 0, not {worth}.")
        if expected is not None:
            counts = _expected(expected, (n, m, width), valid) * worth
        elif pseudo is not None:
            counts = floats(pseudo, "pseudo")
        else:
            counts = np.broadcast_to(np.where(valid[:, None, :], PSEUDO_COUNT, 0.0), (n, m, width))
        return cls(
            questions=made,
            outcomes=names,
            prior=np.full(m, 1 / m) if prior is None else floats(prior, "prior"),
            cost=_costs(cost, (n, m, width), valid),
            pseudo=np.ascontiguousarray(counts),
            stakes=stakes,
            refer_cost=refer_cost,
            outcome_worth=outcome_worth,
            pooled=pooled,
            shared=shared,
            error_rates=None if error_rates is None else floats(error_rates, "error_rates"),
            cases=None if cases is None else floats(cases, "cases"),
            case_outcomes=None if case_outcomes is None else floats(case_outcomes, "case_outcomes"),
            expects=None if expected is None else np.ones((n, m), dtype=bool),
            horizon=horizon,
            target_cost=target_cost,
            named_variants=named_variants,
            variant_worth=None if variant_worth is None else floats(variant_worth, "variant_worth"),
            most_variants=most_variants,
        )

    def __post_init__(self) -> None:
        _check_names("question", [q.id for q in self.questions])
        _check_names("outcome", self.outcomes)
        _check_prerequisites(self.questions)
        for question in self.questions:
            for _, outcome in question.stops:
                if outcome is not None and outcome not in self.decisions:
                    raise BadArgument(unknown_name("outcome", outcome, self.decisions))
        if self.shared and not self.pooled:
            raise BadArgument("Shared priors are pooled, too. Give pooled=True with shared=True.")
        n, m, width = self.shape
        valid = self.valid[:, None, :]
        for name, array, shape in (
            ("prior", self.prior, (m,)),
            ("cost", self.cost, (n, m, width)),
            ("pseudo", self.pseudo, (n, m, width)),
            ("cases", self.cases, (n, m, width)),
            ("case_outcomes", self.case_outcomes, (m,)),
            ("variant_worth", self.variant_worth, (m,)),
        ):
            if array is None:
                continue
            if array.shape != shape:
                raise BadArgument(f"The array {name} has the shape {array.shape}; it must be {shape}.")
            if not np.isfinite(array).all():
                raise BadArgument(f"The array {name} holds NaN or infinity; it must be finite.")
            if (array < 0).any():
                raise BadArgument(f"The array {name} holds a negative number; it must be 0 or more.")
        if abs(self.prior.sum() - 1) > 1e-6:
            raise BadArgument(f"The prior sums to {self.prior.sum():.6g}; it must sum to 1.")
        if abs(self.prior.sum() - 1) > _ROUNDING:
            object.__setattr__(self, "prior", self.prior / self.prior.sum())
        if (np.where(valid, self.pseudo, 1.0) <= 0).any():
            raise BadArgument("The array pseudo must be above 0 for every answer that a question has.")
        if np.where(valid, 0.0, self.pseudo).any() or np.where(valid, 0.0, self.cost).any():
            raise BadArgument(
                "The arrays cost and pseudo must be 0 for answers that a question does not have."
            )
        if self.cases is not None and np.where(valid, 0.0, self.cases).any():
            raise BadArgument("The array cases must be 0 for answers that a question does not have.")
        if self.expects is not None and self.expects.shape != (n, m):
            raise BadArgument(f"The array expects has the shape {self.expects.shape}; it must be {(n, m)}.")
        if self.error_rates is not None:
            if self.error_rates.shape != (n,):
                raise BadArgument(
                    f"The array error_rates has the shape {self.error_rates.shape}; it must be {(n,)}."
                )
            said = self.error_rates[~np.isnan(self.error_rates)]
            if ((said < 0) | (said >= 0.5)).any():
                raise BadArgument("An error rate must be from 0 to below 0.5.")
        if self.named_variants is not None and not self.named_variants.fits(self.valid, m):
            raise BadArgument(
                "The named_variants belong to another problem: they need the same answers and outcomes."
            )
        if self.named_expects is not None and (
            self.named_variants is None or self.named_expects.shape != self.named_variants.counts.shape[:2]
        ):
            raise BadArgument(
                "The array named_expects must have one entry for each question and named variant."
            )
        if self.most_variants is not None and self.most_variants < 1:
            raise BadArgument(f"The number most_variants must be 1 or more, not {self.most_variants}.")
        if self.target_cost is not None and not 0 < self.target_cost < float("inf"):
            raise BadArgument(f"The target_cost must be a number above 0, not {self.target_cost:g}.")
        scalar = None if isinstance(self.stakes, Stakes) else self.stakes
        if isinstance(self.stakes, Stakes) and len(self.stakes.missed) != len(self.decisions):
            raise BadArgument(
                f"The stakes are those of {len(self.stakes.missed)} outcomes, not of {len(self.decisions)}."
            )
        for name, number in (
            ("stakes", scalar),
            ("refer_cost", self.refer_cost),
            ("outcome_worth", self.outcome_worth),
            ("horizon", self.horizon),
        ):
            if number is not None and not (np.isfinite(number) and number >= 0):
                raise BadArgument(f"The number {name} must be a finite number from 0 on, not {number}.")

    @cached_property
    def shape(self) -> tuple[int, int, int]:
        """(n, m, K): questions, outcomes, answers at most."""
        width = max((len(q.answers) for q in self.questions), default=2)
        return len(self.questions), len(self.outcomes), width

    @property
    def decisions(self) -> tuple[str, ...]:
        """The outcomes that can be decided for: all, or those of which this problem has the sub-outcomes."""
        return self.outcomes if self.whole is None else self.whole.outcomes

    def by_outcome(self, weights: Floats) -> Floats:
        """Sum weights of sub-outcomes, along the last axis, to weights of outcomes; the same without variants."""
        if self.outcome_of is None:
            return weights
        return np.asarray(weights @ self.membership)

    @cached_property
    def membership(self) -> Floats:
        """1 where a sub-outcome belongs to an outcome, (s, m), where outcomes have variants."""
        assert self.outcome_of is not None
        return np.asarray(self.outcome_of[:, None] == np.arange(len(self.decisions)), dtype=np.float64)

    @cached_property
    def effective_stakes(self) -> float:
        """The cost of the worst wrong decision: the stakes, or, where none are given, sixty questions of mean cost."""
        if self.whole is not None:
            return self.whole.effective_stakes
        if isinstance(self.stakes, Stakes):
            return self.stakes.most
        if self.stakes is not None:
            return self.stakes
        priced = self.cost[self.cost > 0]
        return float(USUAL_STAKES * priced.mean()) if priced.size else 1.0

    @cached_property
    def decision_stakes(self) -> Stakes:
        """What every decision costs if it is wrong, and what referring costs."""
        if self.whole is not None:
            return self.whole.decision_stakes
        if isinstance(self.stakes, Stakes):
            return self.stakes.with_refer(self.refer_cost)
        return Stakes.equal(self.effective_stakes, len(self.outcomes), self.refer_cost)

    def answer_cost(self, question: int, answer: int) -> float:
        """The cost of an answer, averaged over the outcomes under P(y)."""
        return float(self.cost[question, :, answer] @ self.prior)

    @cached_property
    def valid(self) -> Bools:
        """Which places of an (n, K) array are answers of the question."""
        return _valid(self.questions, self.shape[2])

    @cached_property
    def positions(self) -> Mapping[str, int]:
        """The index of each question, by id."""
        return {question.id: i for i, question in enumerate(self.questions)}

    @cached_property
    def always(self) -> Bools:
        """Which questions must be asked before an interview stops, (n,)."""
        return np.array([q.always_ask for q in self.questions], dtype=bool)

    @cached_property
    def red_flags(self) -> Mapping[tuple[int, int], int | None]:
        """The answers (question, answer) that end an interview at once, with the index of their outcome, if any."""
        return {
            (i, answer): None if outcome is None else self.decisions.index(outcome)
            for i, question in enumerate(self.questions)
            for answer, outcome in question.stops
        }

    @cached_property
    def ends_at_once(self) -> Bools:
        """Which answers end an interview at once, (n, K)."""
        ends = np.zeros(self.shape[::2], dtype=bool)
        for place in self.red_flags:
            ends[place] = True
        return ends

    @cached_property
    def prerequisites(self) -> tuple[Prerequisite, ...]:
        """The questions with prerequisites, each with the alternatives of which one must hold."""
        return tuple(
            (
                i,
                tuple(
                    tuple((self.positions[other], answers) for other, answers in each)
                    for each in q.alternatives
                ),
            )
            for i, q in enumerate(self.questions)
            if q.alternatives
        )


def _valid(questions: Sequence[Question], width: int) -> Bools:
    sizes = np.array([len(q.answers) for q in questions], dtype=np.intp)
    return np.asarray(np.arange(width) < sizes[:, None], dtype=bool)


def floats(values: npt.ArrayLike, name: str) -> Floats:
    """A new array of these numbers, or an error that names the argument."""
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise BadArgument(f"The argument {name} is not an array of numbers ({error}).") from error


def _costs(values: npt.ArrayLike, shape: tuple[int, int, int], valid: Bools) -> Floats:
    n, _, width = shape
    given = floats(values, "cost")
    if given.shape == (n,):
        given = given[:, None, None]
    elif given.shape == (n, width):
        given = given[:, None, :]
    elif given.ndim and given.shape != shape:
        raise BadArgument(
            f"The array cost has the shape {given.shape}; it must be one number, {(n,)}, {(n, width)} or {shape}."
        )
    return np.where(valid[:, None, :], np.broadcast_to(given, shape), 0.0)


def _expected(values: npt.ArrayLike, shape: tuple[int, int, int], valid: Bools) -> Floats:
    n, m, width = shape
    given = floats(values, "expected")
    if given.shape == (n, m) and width == 2:
        given = np.stack([1 - given, given], axis=-1)
    if given.shape != shape:
        raise BadArgument(
            f"The array expected has the shape {given.shape}; it must be {shape}, or {(n, m)} for P(yes)."
        )
    if not np.isfinite(given).all() or (given < 0).any() or (given > 1).any():
        raise BadArgument("The array expected must hold probabilities from 0 to 1.")
    if np.where(valid[:, None, :], 0.0, given).any():
        raise BadArgument("The array expected must be 0 for answers that a question does not have.")
    if (abs(given.sum(axis=-1) - 1) > 1e-6).any():
        raise BadArgument("The array expected must sum to 1 over the answers of each question and outcome.")
    return never_certain(given, valid)


NEVER = 0.01
"""What replaces a probability of 0 that somebody wrote down: no count ever proves "never"."""
_NEVER_IN_ALL = 0.1
"""The most that all impossible answers of one question get together, however many there are."""


def never_certain(p: Floats, valid: Bools | None = None, never: float = NEVER) -> Floats:
    """Replace probabilities of 0 by ``never``, and scale the other answers down so that the sum stays 1.

    ``p`` has the answers along its last axis. For ``p`` of the shape (n, m, K), ``valid`` says which answers each
    question has, (n, K); None: all.

    >>> never_certain(np.array([[0.0, 1.0], [0.5, 0.5]])).tolist()
    [[0.01, 0.99], [0.5, 0.5]]
    """
    exists = np.ones(p.shape[-1], dtype=bool) if valid is None else valid[:, None, :]
    floor = np.minimum(never, _NEVER_IN_ALL / exists.sum(axis=-1, keepdims=True))
    impossible = (p <= 0) & exists
    given_away = floor * impossible.sum(axis=-1, keepdims=True)
    return np.asarray(np.where(impossible, floor, p * (1 - given_away)))


def _check_names(kind: str, names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise BadArgument(f"Two {kind}s have the id {name!r}; each needs its own.")
        seen.add(name)


def _check_prerequisites(questions: Sequence[Question]) -> None:
    sizes = {q.id: len(q.answers) for q in questions}
    for q in questions:
        for other, answers in (condition for each in q.alternatives for condition in each):
            if other not in sizes or other == q.id:
                raise BadArgument(f"Question {q.id!r}: ask_if names {other!r}, which is no other question.")
            if not answers or any(not 0 <= a < sizes[other] for a in answers):
                raise BadArgument(f"Question {q.id!r}: ask_if names an answer that {other!r} does not have.")
