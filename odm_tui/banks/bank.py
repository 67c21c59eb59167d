"""A question bank as plain values, after all checks.

``cost`` and ``expected`` have one form each, whichever short form the author used:

- ``BankQuestion.cost``: answer id or ``"*"`` -> outcome id or ``"*"`` -> cost; any other pair costs the bank's
  ``default_cost``.
- ``BankQuestion.expected``: outcome id or ``"*"`` -> P(yes) for a yes/no question, or else P of every answer, in
  the order of the answers.
- ``BankQuestion.worth``: outcome id or ``"*"`` -> how many observations that knowledge is worth.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from odm_tui.banks.cases import PastCases
    from odm_tui.banks.parsing.findings import Finding
    from odm_tui.engine.problem import Problem

QuestionType = Literal["yes_no", "choice", "number"]
Costs = Mapping[str, Mapping[str, float]]
Expected = Mapping[str, float] | Mapping[str, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class RedFlag:
    """What an answer that ends the interview at once leads to: an outcome, a label and an advice of its own, or both."""

    outcome: str | None
    label: str = ""
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """One possible answer to a question: its id in files, its label on the screen, and what it sets off.

    ``stop`` ends the interview at once; ``warn`` is a warning that stays on the screen from then on.
    """

    id: str
    label: str
    aliases: tuple[str, ...] = ()
    stop: RedFlag | None = None
    warn: str = ""


@dataclass(frozen=True, slots=True)
class NamedVariant:
    """A form that an outcome takes, as its author knows it: how often, and with which answers.

    ``share`` is P(variant | outcome). ``expected`` has P of every answer by question, for the questions that set the
    variant apart; ``worth`` is how many observations that knowledge is worth.
    """

    id: str
    label: str
    share: float
    worth: float
    expected: Mapping[str, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One possible result of an interview, with the advice to show at the end."""

    id: str
    label: str
    advice: str
    prior: float
    aliases: tuple[str, ...] = ()
    variants: tuple[NamedVariant, ...] = ()
    """The variants that the author names; at least two, or none."""


@dataclass(frozen=True, slots=True)
class BankQuestion:
    """One question of a bank.

    ``answers`` are in the engine's order: no, yes; the choices as written; or the intervals between the
    thresholds of a number question. ``ask_if`` holds pairs: the id of another question, and the indices of its
    answers after which this question may be asked. ``error_rate`` is how often the answer is wrong, None if unknown.
    """

    id: str
    text: str
    help: str
    type: QuestionType
    answers: tuple[Answer, ...]
    unit: str = ""
    range: tuple[float, float] | None = None
    thresholds: tuple[float, ...] = ()
    ask_if: tuple[tuple[str, tuple[int, ...]], ...] = ()
    ask_if_any: tuple[tuple[tuple[str, tuple[int, ...]], ...], ...] = ()
    """Alternatives of which one must hold; empty if ``ask_if`` says it all."""
    always_ask: bool = False
    error_rate: float | None = None
    aliases: tuple[str, ...] = ()
    cost: Costs = field(default_factory=dict)
    expected: Expected = field(default_factory=dict)
    worth: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Referral:
    """Handing over to somebody else: what it costs, what it is called, and what to do."""

    cost: float
    label: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class PairStakes:
    """What single wrong outcomes cost, where it is not the bank's ``stakes``.

    ``missed``: true outcome -> decided outcome or ``"*"`` -> cost. ``false``: decided outcome -> true outcome or ``"*"``
    -> cost. An entry for the very pair comes first, then those for one outcome; of two, the larger one counts.
    """

    missed: Mapping[str, Mapping[str, float]]
    false: Mapping[str, Mapping[str, float]]

    @property
    def decisions(self) -> set[str]:
        """The decided outcomes whose stakes are not those of every other one."""
        return {*self.false, *(decided for others in self.missed.values() for decided in others)} - {"*"}

    def cost(self, decided: str, true: str, default: float) -> float:
        """What it costs to decide one outcome where another is true."""
        missed, false = self.missed.get(true, {}), self.false.get(decided, {})
        for entries in ((missed.get(decided), false.get(true)), (missed.get("*"), false.get("*"))):
            named = [entry for entry in entries if entry is not None]
            if named:
                return max(named)
        return default


@dataclass(frozen=True, eq=False)
class Bank:
    """A valid question bank."""

    name: str
    path: Path
    title: str
    description: str
    language: str
    cost_unit: str
    default_cost: float
    stakes: float | None
    notice: str
    policy: str | Mapping[str, Any] | None
    outcome_prior: Literal["fixed", "learned"]
    outcome_prior_worth: float
    outcomes: tuple[Outcome, ...]
    questions: tuple[BankQuestion, ...]
    learning: Literal["shared", "pooled", "separate"] = "shared"
    """With what pairs of question and outcome that are not in ``[expected]`` share what is learned."""
    case: Literal["optional", "required"] = "optional"
    """Whether an interview needs a case reference."""
    explore: Literal["always", "quiet", "never"] | None = None
    """When a question may be asked in order to learn; None: as the policy says."""
    sure_enough: float = 0.5
    """A decision with a lower belief is only a guess: one key does not confirm it."""
    half_life_days: float | None = None
    """After how many days an interview counts half; None if all count the same."""
    horizon: float | None = None
    """How many interviews will follow; None if the author does not say."""
    most_variants: int | None = None
    """How many variants an outcome may have at most, 1: none are learned; None if the author does not say."""
    target_cost: float | None = None
    """What an interview should cost on average; None if the stakes stay as they are."""
    pair_stakes: PairStakes | None = None
    """The stakes that differ by pair of decided and true outcome; None if all are alike."""
    cases: PastCases | None = None
    """The past cases that the bank was made from."""
    id: str = ""
    """The bank's own id, under which its interviews are kept; empty for banks that are known by their file name."""
    version: str = ""
    """The author's name for this state of the bank."""
    refer: Referral | None = None
    """How to hand over; None if nobody can take over."""
    prior_sum: float = 1.0
    """The sum of the priors as written, before scaling them to 1."""
    unshowable: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The characters that were replaced in each text, by its place in the document."""

    @property
    def log_name(self) -> str:
        """The name under which interviews are kept: the bank's id, or its file name if it has none."""
        return self.id or self.name

    @cached_property
    def problem(self) -> Problem:
        """The engine's problem for this bank."""
        from odm_tui.banks.compiling import compile_problem

        return compile_problem(self)

    @cached_property
    def warnings(self) -> tuple[Finding, ...]:
        """The warnings about this bank: what is valid, but probably not what its author wants."""
        from odm_tui.banks.linting import find_warnings

        return tuple(find_warnings(self))

    @cached_property
    def hash(self) -> str:
        """The SHA-256 hash of the bank's content; comments, layout and the order of keys do not matter."""
        return hashlib.sha256(json.dumps(self._hashed_content(), sort_keys=True).encode()).hexdigest()

    def question(self, id: str) -> BankQuestion:
        """Return the question with this id or alias; raise KeyError if there is none."""
        return self._questions_by_id[id]

    def red_flag_texts(self, flag: RedFlag) -> tuple[str, str]:
        """Return the label and the advice of a red flag: its own, or those of its outcome."""
        outcome = None if flag.outcome is None else self.outcome(flag.outcome)
        if flag.label or outcome is None:
            return flag.label, flag.advice
        return outcome.label, outcome.advice

    def outcome(self, id: str) -> Outcome:
        """Return the outcome with this id or alias; raise KeyError if there is none."""
        return self._outcomes_by_id[id]

    @cached_property
    def _questions_by_id(self) -> Mapping[str, BankQuestion]:
        return {id: q for q in self.questions for id in (q.id, *q.aliases)}

    @cached_property
    def _outcomes_by_id(self) -> Mapping[str, Outcome]:
        return {id: o for o in self.outcomes for id in (o.id, *o.aliases)}

    def _hashed_content(self) -> dict[str, Any]:
        # Without name and path: a bank that is moved or renamed is still the same bank.
        content: dict[str, Any] = {
            key: getattr(self, key)
            for key in (
                "title",
                "description",
                "language",
                "cost_unit",
                "default_cost",
                "stakes",
                "notice",
                "policy",
                "outcome_prior",
                "outcome_prior_worth",
            )
        }
        content["outcomes"] = [[o.id, o.label, o.advice, o.prior, o.aliases] for o in self.outcomes]
        content["questions"] = [
            [
                [q.id, q.text, q.help, q.type, [[a.id, a.label] for a in q.answers], q.unit, q.range],
                [q.thresholds, q.ask_if, q.always_ask, q.aliases, q.cost, q.expected, q.worth],
            ]
            for q in self.questions
        ]
        # Keys that were added later count only if they are used, so that older banks keep their hash.
        rates = {q.id: q.error_rate for q in self.questions if q.error_rate is not None}
        later = {
            "learning": self.learning if self.learning != "shared" else None,
            "half_life_days": self.half_life_days,
            "horizon": self.horizon,
            "target_cost": self.target_cost,
            "error_rates": rates or None,
            "most_variants": self.most_variants,
            "variants": {
                o.id: [[v.id, v.label, v.share, v.worth, v.expected] for v in o.variants]
                for o in self.outcomes
                if o.variants
            }
            or None,
            "refer": self.refer and [self.refer.cost, self.refer.label, self.refer.advice],
            "pair_stakes": self.pair_stakes and [self.pair_stakes.missed, self.pair_stakes.false],
            "red_flags": [
                [q.id, a.id, a.stop and [a.stop.outcome, a.stop.label, a.stop.advice], a.warn]
                for q in self.questions
                for a in q.answers
                if a.stop or a.warn
            ]
            or None,
            "explore": self.explore,
            "sure_enough": self.sure_enough if self.sure_enough != 0.5 else None,
            "case": self.case if self.case != "optional" else None,
            "cases": None if self.cases is None else [list(self.cases.rows.items()), self.cases.answers],
            "case_variants": self.cases
            and self.cases.variants
            and [list(self.cases.variants.shares.items()), self.cases.variants.answers],
            "ask_if_any": {q.id: q.ask_if_any for q in self.questions if q.ask_if_any} or None,
            "answer_aliases": {
                q.id: aliases
                for q in self.questions
                if (aliases := {a.id: a.aliases for a in q.answers if a.aliases})
            }
            or None,
        }
        return content | {key: value for key, value in later.items() if value is not None}
