"""Stop rules: when to stop asking, and the reason in words.

A rule looks at a :class:`Progress` and returns the reason to stop, or None. :class:`AnyOf` and :class:`AllOf` combine
rules.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from odm_tui.engine.gains import decision_gains, expected_costs
from odm_tui.engine.model import Model
from odm_tui.engine.plugin_registry import SEE, Registry
from odm_tui.engine.problem import Bools, Floats
from odm_tui.errors import BadArgument
from odm_tui.text import unknown_name


@dataclass(frozen=True, eq=False)
class Progress:
    """The state of an interview, for stop rules. Beliefs and costs are those of the posterior mean.

    ``asked`` and ``cost`` are the number of questions so far and their cost, ``available`` are the questions that can
    be asked now. ``regions`` is how many regions the consistent hypotheses belong to, None if none are listed.
    ``should_continue`` asks the oracle whether another question is worth its cost; None if it can't tell.
    """

    mean: Model
    belief: Floats
    asked: int
    cost: float
    available: Bools
    regions: int | None = None
    should_continue: Callable[[], bool | None] = lambda: None
    sub_belief: Floats | None = None
    """The belief in outcome and variant, (s,), where outcomes have variants; ``mean`` is by variant then."""

    @cached_property
    def _by_variant(self) -> Floats:
        return self.belief if self.sub_belief is None else self.sub_belief

    @cached_property
    def expected_costs(self) -> Floats:
        """Cost(i) for every question, (n,)."""
        return expected_costs(self.mean, self._by_variant)

    @cached_property
    def improvement(self) -> Floats:
        """How much more the decision is worth after asking each question alone, (n,)."""
        return decision_gains(self.mean, self._by_variant)


class StopRule(ABC):
    """Decide when to stop asking. Subclasses set ``name`` and implement :meth:`reason` and :meth:`spec`."""

    name: ClassVar[str]
    needs_hypotheses: bool = False
    """Whether hypotheses must be listed, so that :attr:`Progress.regions` is known."""
    takes_number: ClassVar[bool] = False
    """Whether a bank may write ``{ name = number }``; the number is the only argument then."""
    needs_number: ClassVar[bool] = False
    """Whether a bank must write ``{ name = number }``."""
    is_limit: ClassVar[bool] = False
    """Whether it is a limit: nothing is asked beyond it, not even a random question to learn from."""

    @abstractmethod
    def reason(self, progress: Progress) -> str | None:
        """The reason to stop now, as a clause that follows "stopped because"; None to go on."""

    def find_reason(self, progress: Progress) -> tuple[str, str] | None:
        """The reason to stop and the name of the rule that gives it; None to go on."""
        reason = self.reason(progress)
        return None if reason is None else (reason, self.name)

    def has_reached_limit(self, progress: Progress) -> bool:
        """Whether a limit forbids another question, whatever it could teach."""
        return self.is_limit and self.reason(progress) is not None

    @abstractmethod
    def spec(self) -> str | dict[str, Any]:
        """The rule as a bank writes it: its name, or ``{name: number}``."""

    def affordable(self, progress: Progress) -> Bools:
        """Which of the available questions this rule allows, (n,)."""
        return progress.available


@dataclass(frozen=True)
class Never(StopRule):
    """Never stop while a question is left."""

    name: ClassVar[str] = "never"

    def reason(self, progress: Progress) -> str | None:
        return None

    def spec(self) -> str:
        return self.name


@dataclass(frozen=True)
class Region(StopRule):
    """Stop when all consistent hypotheses belong to one decision region: the paper's rule."""

    name: ClassVar[str] = "region"
    needs_hypotheses: bool = True

    def reason(self, progress: Progress) -> str | None:
        if progress.regions is None or progress.regions > 1:
            return None
        return "every answer set that is still likely leads to the same outcome"

    def spec(self) -> str:
        return self.name


@dataclass(frozen=True)
class Confidence(StopRule):
    """Stop when the likeliest outcome has at least this belief."""

    level: float = 0.95
    name: ClassVar[str] = "confidence"
    takes_number: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 0 < self.level <= 1:
            raise BadArgument(f"The confidence is a belief above 0 and at most 1, not {self.level}.")

    def reason(self, progress: Progress) -> str | None:
        top = float(progress.belief.max())
        if top < self.level:
            return None
        return f"the likeliest outcome has reached {_percent(top)}, and {_percent(self.level)} is enough"

    def spec(self) -> dict[str, Any]:
        return {self.name: self.level}


@dataclass(frozen=True)
class Value(StopRule):
    """Stop when no further question is worth its cost.

    The oracle decides that with a plan under its own model. Without an oracle, it holds when no single question is
    worth its cost: the gain in the decision's value <= Cost(i) for all of them.
    """

    name: ClassVar[str] = "value"

    def reason(self, progress: Progress) -> str | None:
        worthwhile = progress.should_continue()
        if worthwhile is not None:
            return None if worthwhile else "more questions would cost more than they would save"
        worth = progress.improvement - progress.expected_costs
        if (worth[progress.available] > 0).any():
            return None
        return "more questions would cost more than they would save"

    def spec(self) -> str:
        return self.name


@dataclass(frozen=True)
class Budget(StopRule):
    """Stop when no question fits into the rest of the budget."""

    cost: float
    name: ClassVar[str] = "budget"
    is_limit: ClassVar[bool] = True
    takes_number: ClassVar[bool] = True
    needs_number: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not (np.isfinite(self.cost) and self.cost >= 0):
            raise BadArgument(f"The budget must be 0 or more, not {self.cost}.")

    def affordable(self, progress: Progress) -> Bools:
        left = self.cost - progress.cost
        return np.asarray(progress.available & (progress.expected_costs <= left * (1 + 1e-9)))

    def reason(self, progress: Progress) -> str | None:
        if self.affordable(progress).any():
            return None
        return f"no question fits into what is left of the budget of {self.cost:g}"

    def spec(self) -> dict[str, Any]:
        return {self.name: self.cost}


@dataclass(frozen=True)
class MaxQuestions(StopRule):
    """Stop after this many questions."""

    count: int
    name: ClassVar[str] = "max_questions"
    is_limit: ClassVar[bool] = True
    takes_number: ClassVar[bool] = True
    needs_number: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not np.isfinite(self.count) or self.count != int(self.count) or self.count < 0:
            raise BadArgument(
                f"The number max_questions must be a whole number, 0 or more, not {self.count}."
            )
        object.__setattr__(self, "count", int(self.count))

    def reason(self, progress: Progress) -> str | None:
        if progress.asked < self.count:
            return None
        if self.count == 1:
            return "one question has been asked, the most for one interview"
        return f"{self.count} questions have been asked, the most for one interview"

    def spec(self) -> dict[str, Any]:
        return {self.name: self.count}


@dataclass(frozen=True)
class AnyOf(StopRule):
    """Stop when one of these rules does."""

    rules: tuple[StopRule, ...]
    name: ClassVar[str] = "any"

    @property
    def needs_hypotheses(self) -> bool:  # type: ignore[override]  # derived from the parts
        return any(rule.needs_hypotheses for rule in self.rules)

    def reason(self, progress: Progress) -> str | None:
        return next((reason for rule in self.rules if (reason := rule.reason(progress))), None)

    def find_reason(self, progress: Progress) -> tuple[str, str] | None:
        return next((found for rule in self.rules if (found := rule.find_reason(progress))), None)

    def has_reached_limit(self, progress: Progress) -> bool:
        return any(rule.has_reached_limit(progress) for rule in self.rules)

    def affordable(self, progress: Progress) -> Bools:
        masks = [rule.affordable(progress) for rule in self.rules]
        return np.asarray(np.logical_and.reduce([progress.available, *masks]))

    def spec(self) -> dict[str, Any]:
        return {self.name: [rule.spec() for rule in self.rules]}


@dataclass(frozen=True)
class AllOf(StopRule):
    """Stop when all of these rules do."""

    rules: tuple[StopRule, ...]
    name: ClassVar[str] = "all"

    @property
    def needs_hypotheses(self) -> bool:  # type: ignore[override]  # derived from the parts
        return any(rule.needs_hypotheses for rule in self.rules)

    def reason(self, progress: Progress) -> str | None:
        reasons = [rule.reason(progress) for rule in self.rules]
        if not reasons or None in reasons:
            return None
        return ", and ".join(reason for reason in reasons if reason)

    def has_reached_limit(self, progress: Progress) -> bool:
        return all(rule.has_reached_limit(progress) for rule in self.rules)

    def spec(self) -> dict[str, Any]:
        return {self.name: [rule.spec() for rule in self.rules]}


STOP_RULES: Registry[type[StopRule]] = Registry(
    "stop rule",
    "odm_tui.stop_rules",
    StopRule,
    ((rule.name, rule) for rule in (Never, Region, Confidence, Value, Budget, MaxQuestions)),
    instances=False,
    reserved=(AnyOf.name, AllOf.name, "refer"),  # a log has "refer" as the rule of a decision to hand over
)
"""Every stop rule that a policy can name, those of other packages included; ``any`` and ``all`` combine them."""


def stop_rule_from(spec: object) -> StopRule:
    """A stop rule as a bank writes it: a name, a name with its number, or any/all of several.

    >>> stop_rule_from({"any": [{"confidence": 0.95}, "region", {"max_questions": 12}]}).name
    'any'
    """
    if isinstance(spec, StopRule):
        return spec
    if isinstance(spec, str):
        kind = _find(spec)
        if kind.needs_number:
            raise BadArgument(f"The stop rule {spec!r} needs a number: {{ {spec} = … }}.")
        return kind()
    if not isinstance(spec, Mapping) or len(spec) != 1:
        raise BadArgument(
            f"A stop rule is a name or a table with one name, such as {{ confidence = 0.95 }}, not {spec!r}."
        )
    ((name, value),) = spec.items()
    if name in (AnyOf.name, AllOf.name):
        if isinstance(value, str) or not isinstance(value, Sequence) or not value:
            raise BadArgument(f"The stop rule {name!r} takes a list of stop rules.")
        rules = tuple(stop_rule_from(part) for part in value)
        return AnyOf(rules) if name == AnyOf.name else AllOf(rules)
    kind = _find(name)
    if not kind.takes_number:
        raise BadArgument(f"The stop rule {name!r} takes no number; write {name!r} alone.")
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise BadArgument(f"The stop rule {name!r} takes a number, not {value!r}.")
    return kind(value)  # type: ignore[call-arg]  # a rule that takes a number checks it


def _find(name: object) -> type[StopRule]:
    if name in (AnyOf.name, AllOf.name):
        raise BadArgument(f"The stop rule {name!r} takes a list of stop rules.")
    if isinstance(name, str) and name in STOP_RULES:
        return STOP_RULES[name]
    names = [*STOP_RULES, AnyOf.name, AllOf.name]
    raise BadArgument(unknown_name("stop rule", name, names, see=SEE))


def _percent(p: float) -> str:
    return f"{100 * p:.3g} %" if p < 0.9995 else "over 99.9 %" if p < 1 else "100 %"
