"""Stop rules: when enough has been asked, and why, in words.

A rule looks at a :class:`Progress` and returns the reason to stop, or None. Rules combine with
:class:`AnyOf` and :class:`AllOf`.
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
from odm_tui.engine.problem import Bools, Floats
from odm_tui.errors import BadArgument


@dataclass(frozen=True, eq=False)
class Progress:
    """What the stop rules look at; beliefs and costs are those of the posterior mean.

    ``regions`` is how many regions the consistent hypotheses still belong to, None if none are listed.
    ``should_continue`` asks the oracle whether going on is worth its cost; None if it has no opinion.
    """

    mean: Model
    belief: Floats
    asked: int
    cost: float
    available: Bools
    regions: int | None = None
    should_continue: Callable[[], bool | None] = lambda: None

    @cached_property
    def expected_costs(self) -> Floats:
        """Cost(i) for every question, (n,)."""
        return expected_costs(self.mean, self.belief)

    @cached_property
    def improvement(self) -> Floats:
        """How much likelier a right decision becomes by asking each question alone, (n,)."""
        return decision_gains(self.mean, self.belief)


class StopRule(ABC):
    """Says when to stop, and why."""

    name: ClassVar[str]
    needs_hypotheses: bool = False

    @abstractmethod
    def reason(self, progress: Progress) -> str | None:
        """Why to stop now, as a clause that follows "stopped because", or None to go on."""

    def find_reason(self, progress: Progress) -> tuple[str, str] | None:
        """The reason to stop and the name of the rule that gives it, or None to go on."""
        reason = self.reason(progress)
        return None if reason is None else (reason, self.name)

    @abstractmethod
    def spec(self) -> str | dict[str, Any]:
        """The rule as a bank writes it."""

    def affordable(self, progress: Progress) -> Bools:
        """Which questions may still be asked as far as this rule is concerned."""
        return progress.available


@dataclass(frozen=True)
class Never(StopRule):
    """Ask until nothing is left to ask."""

    name: ClassVar[str] = "never"

    def reason(self, progress: Progress) -> str | None:
        return None

    def spec(self) -> str:
        return self.name


@dataclass(frozen=True)
class Region(StopRule):
    """The paper's rule: all consistent hypotheses belong to one decision region."""

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
    """The likeliest outcome has at least this belief."""

    level: float = 0.95
    name: ClassVar[str] = "confidence"

    def __post_init__(self) -> None:
        if not 0 < self.level <= 1:
            raise BadArgument(f"confidence is a belief above 0 and at most 1, not {self.level}")

    def reason(self, progress: Progress) -> str | None:
        top = float(progress.belief.max())
        if top < self.level:
            return None
        return f"the likeliest outcome has reached {_percent(top)}, and {_percent(self.level)} is enough"

    def spec(self) -> dict[str, Any]:
        return {self.name: self.level}


@dataclass(frozen=True)
class Value(StopRule):
    """Asking on is not worth its cost, as the oracle sees it.

    The oracle looks at a plan under its own model. Without an oracle, no single question may be worth its
    cost: stakes · (gain in P(right)) <= Cost(i) for all of them.
    """

    name: ClassVar[str] = "value"

    def reason(self, progress: Progress) -> str | None:
        wanted = progress.should_continue()
        if wanted is not None:
            return None if wanted else "no further question is worth what asking it costs"
        worth = progress.mean.problem.effective_stakes * progress.improvement - progress.expected_costs
        if (worth[progress.available] > 0).any():
            return None
        return "no further question is worth what asking it costs"

    def spec(self) -> str:
        return self.name


@dataclass(frozen=True)
class Budget(StopRule):
    """Nothing that is left to ask fits into what is left of the budget."""

    cost: float
    name: ClassVar[str] = "budget"

    def __post_init__(self) -> None:
        if not (np.isfinite(self.cost) and self.cost >= 0):
            raise BadArgument(f"a budget is 0 or more, not {self.cost}")

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
    """So many questions have been asked."""

    count: int
    name: ClassVar[str] = "max_questions"

    def __post_init__(self) -> None:
        if not np.isfinite(self.count) or self.count != int(self.count) or self.count < 0:
            raise BadArgument(f"max_questions is a whole number, 0 or more, not {self.count}")
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
    """The first of these rules that wants to stop."""

    rules: tuple[StopRule, ...]
    name: ClassVar[str] = "any"

    @property
    def needs_hypotheses(self) -> bool:  # type: ignore[override]  # derived from the parts
        return any(rule.needs_hypotheses for rule in self.rules)

    def reason(self, progress: Progress) -> str | None:
        return next((reason for rule in self.rules if (reason := rule.reason(progress))), None)

    def find_reason(self, progress: Progress) -> tuple[str, str] | None:
        return next((found for rule in self.rules if (found := rule.find_reason(progress))), None)

    def affordable(self, progress: Progress) -> Bools:
        masks = [rule.affordable(progress) for rule in self.rules]
        return np.asarray(np.logical_and.reduce([progress.available, *masks]))

    def spec(self) -> dict[str, Any]:
        return {self.name: [rule.spec() for rule in self.rules]}


@dataclass(frozen=True)
class AllOf(StopRule):
    """Only when all of these rules want to stop."""

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

    def spec(self) -> dict[str, Any]:
        return {self.name: [rule.spec() for rule in self.rules]}


_PLAIN: Mapping[str, type[StopRule]] = {rule.name: rule for rule in (Never, Region, Confidence, Value)}
_WITH_NUMBER: Mapping[str, type[Confidence] | type[Budget] | type[MaxQuestions]] = {
    rule.name: rule for rule in (Confidence, Budget, MaxQuestions)
}


def stop_rule_from(spec: object) -> StopRule:
    """A stop rule from what a bank says: a name, a name with its number, or any/all of several.

    >>> stop_rule_from({"any": [{"confidence": 0.95}, "region", {"max_questions": 12}]}).name
    'any'
    """
    if isinstance(spec, StopRule):
        return spec
    if isinstance(spec, str):
        if spec in _PLAIN:
            return _PLAIN[spec]()
        if spec in _WITH_NUMBER:
            raise BadArgument(f"the stop rule {spec!r} needs a number: {{ {spec} = … }}")
        raise BadArgument(f"there is no stop rule {spec!r}; there are {_names()}")
    if not isinstance(spec, Mapping) or len(spec) != 1:
        raise BadArgument(
            f"a stop rule is a name or a table with one name, such as {{ confidence = 0.95 }}, not {spec!r}"
        )
    ((name, value),) = spec.items()
    if name in ("any", "all"):
        if isinstance(value, str) or not isinstance(value, Sequence) or not value:
            raise BadArgument(f"{name!r} takes a list of stop rules")
        rules = tuple(stop_rule_from(part) for part in value)
        return AnyOf(rules) if name == "any" else AllOf(rules)
    if name in _WITH_NUMBER:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise BadArgument(f"the stop rule {name!r} takes a number, not {value!r}")
        return _WITH_NUMBER[name](value)  # type: ignore[arg-type]  # each rule checks its own number
    raise BadArgument(f"there is no stop rule {name!r} with a number; there are {_names()}")


def _names() -> str:
    return ", ".join(sorted({*_PLAIN, *_WITH_NUMBER, "any", "all"}))


def _percent(p: float) -> str:
    return f"{100 * p:.3g} %" if p < 0.9995 else "over 99.9 %" if p < 1 else "100 %"
