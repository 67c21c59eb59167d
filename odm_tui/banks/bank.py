"""What a question bank is, once it has been checked: plain values, nothing left to doubt.

``cost`` and ``expected`` are kept in one form each, whatever short form the author wrote:

- ``Question.cost``: answer id or ``"*"`` -> outcome id or ``"*"`` -> cost; what neither covers costs the
  bank's ``default_cost``.
- ``Question.expected``: outcome id or ``"*"`` -> P(yes) for a yes/no question, or else P of every answer, in
  the order of the answers.
- ``Question.worth``: outcome id or ``"*"`` -> how many observations that knowledge is worth.
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
    from odm_tui.banks.parsing.findings import Finding
    from odm_tui.engine.problem import Problem

QuestionType = Literal["yes_no", "choice", "number"]
Costs = Mapping[str, Mapping[str, float]]
Expected = Mapping[str, float] | Mapping[str, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer that a question takes: its id in files, and its label on the screen."""

    id: str
    label: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """One thing that an interview can come to, with the advice shown at its end."""

    id: str
    label: str
    advice: str
    prior: float
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BankQuestion:
    """One thing that can be asked, as its author wrote it.

    ``answers`` are in the engine's order: no, yes; the choices as written; or the intervals between the
    thresholds of a number question. ``ask_if`` holds (other question's id, the indices of the answers that wake this one).
    ``error_rate`` is how often the answer is wrong, None where nobody said.
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
    always_ask: bool = False
    error_rate: float | None = None
    aliases: tuple[str, ...] = ()
    cost: Costs = field(default_factory=dict)
    expected: Expected = field(default_factory=dict)
    worth: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Bank:
    """A question bank that can be used: every bank that was loaded is valid."""

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
    learning: Literal["pooled", "separate"] = "pooled"
    """Whether pairs of question and outcome of which the bank says nothing share what is learned."""
    half_life_days: float | None = None
    """After how many days an interview counts half; None if all count alike."""
    prior_sum: float = 1.0
    """What the priors summed to before they were made to sum to 1."""
    unshowable: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Characters that had to be replaced by a mark, by the place of their text."""

    @cached_property
    def problem(self) -> Problem:
        """The bank as the engine's arrays."""
        from odm_tui.banks.compiling import compile_problem

        return compile_problem(self)

    @cached_property
    def warnings(self) -> tuple[Finding, ...]:
        """What is legal but unwise in this bank."""
        from odm_tui.banks.linting import find_warnings

        return tuple(find_warnings(self))

    @cached_property
    def hash(self) -> str:
        """SHA-256 over what the bank means: comments, layout and the order of keys do not count."""
        return hashlib.sha256(json.dumps(self._meaning(), sort_keys=True).encode()).hexdigest()

    def question(self, id: str) -> BankQuestion:
        """The question with this id, or with this id among its aliases; KeyError where there is none."""
        return self._questions_by_id[id]

    def outcome(self, id: str) -> Outcome:
        """The outcome with this id, or with this id among its aliases; KeyError where there is none."""
        return self._outcomes_by_id[id]

    @cached_property
    def _questions_by_id(self) -> Mapping[str, BankQuestion]:
        return {id: q for q in self.questions for id in (q.id, *q.aliases)}

    @cached_property
    def _outcomes_by_id(self) -> Mapping[str, Outcome]:
        return {id: o for o in self.outcomes for id in (o.id, *o.aliases)}

    def _meaning(self) -> dict[str, Any]:
        # Not the name and not the path: a bank that is moved or renamed is still the same bank.
        meaning: dict[str, Any] = {
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
        meaning["outcomes"] = [[o.id, o.label, o.advice, o.prior, o.aliases] for o in self.outcomes]
        meaning["questions"] = [
            [
                [q.id, q.text, q.help, q.type, [[a.id, a.label] for a in q.answers], q.unit, q.range],
                [q.thresholds, q.ask_if, q.always_ask, q.aliases, q.cost, q.expected, q.worth],
            ]
            for q in self.questions
        ]
        # Keys that came later count only where they are used, so that older banks keep their hash.
        rates = {q.id: q.error_rate for q in self.questions if q.error_rate is not None}
        later = {
            "learning": self.learning if self.learning != "pooled" else None,
            "half_life_days": self.half_life_days,
            "error_rates": rates or None,
        }
        return meaning | {key: value for key, value in later.items() if value is not None}
