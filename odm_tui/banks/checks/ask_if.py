"""Check ``ask_if``: after which answers a question may be asked.

A condition names another question and the answers that are wanted, or compares its number with a threshold. A table of
conditions holds if all of them do; ``any`` takes a list of tables of which one must hold, and ``not`` a table that must
not hold. An answer that is not there fulfils nothing, and its negation neither: a question waits until it is known.

The result has the alternatives of which one must hold. Negations are moved to the conditions, where they ask for the
other answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from odm_tui.banks.checks import fields
from odm_tui.banks.checks.fields import describe_value
from odm_tui.banks.checks.questions import MAX_ANSWERS, QuestionDraft, find_answer_places, list_answer_names
from odm_tui.banks.parsing.findings import Place
from odm_tui.text import quote_names

ANY, NOT = "any", "not"
COMPARISONS = ("above", "at_most")
MAX_ALTERNATIVES = 64
_MAX_DEPTH = 8

Condition = tuple[str, tuple[int, ...]]
Alternative = tuple[Condition, ...]
Alternatives = tuple[Alternative, ...]
"""Alternatives of which one must hold; an empty one always holds, and without any nothing does."""

ALWAYS: Alternatives = ((),)


def check_ask_if(draft: QuestionDraft, drafts: Mapping[str, QuestionDraft]) -> Alternatives:
    """Return the alternatives of which one must hold, with the ids and answers of other questions; none if it has none."""
    value = draft.table.get("ask_if")
    if value is None:
        return ()
    place = draft.place.at("ask_if")
    found = _Reader(draft, drafts).read(value, place, negated=False)
    if found is None:
        return ()
    if len(found) > MAX_ALTERNATIVES:
        place.error(f"has more than {MAX_ALTERNATIVES} combinations of conditions; write fewer.")
        return ()
    if not found:
        place.error("can never hold: its conditions contradict each other. Change one of them.")
    return () if found == ALWAYS else found


class _Reader:
    """Read the conditions of one question."""

    def __init__(self, draft: QuestionDraft, drafts: Mapping[str, QuestionDraft]) -> None:
        self.draft = draft
        self.drafts = drafts

    def read(self, value: object, place: Place, negated: bool, depth: int = 0) -> Alternatives | None:
        """Read a table of conditions; None after an error."""
        if not isinstance(value, dict) or (depth and not value):
            place.error(f'must be a table such as {{ other-question = "yes" }}, not {describe_value(value)}.')
            return None
        if depth > _MAX_DEPTH:
            place.error(f"is nested more than {_MAX_DEPTH} levels deep; write it with fewer any and not.")
            return None
        parts = [
            self._read_entry(key, wanted, place.at(key), negated, depth) for key, wanted in value.items()
        ]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        return _either(known) if negated else _both(known)

    def _read_entry(
        self, key: str, wanted: object, place: Place, negated: bool, depth: int
    ) -> Alternatives | None:
        if key == ANY and key not in self.drafts:
            if not isinstance(wanted, list) or not wanted:
                place.error('must be a list of tables, such as [{ lamp = "no" }, { fuse = "yes" }].')
                return None
            parts = [
                self.read(item, place.at(i), negated, depth + 1)
                for i, item in enumerate(wanted[:MAX_ANSWERS])
            ]
            known = [part for part in parts if part is not None]
            if len(known) < len(parts):
                return None
            return _both(known) if negated else _either(known)
        if key == NOT and key not in self.drafts:
            return self.read(wanted, place, not negated, depth + 1)
        return self._read_condition(key, wanted, place, negated)

    def _read_condition(self, other: str, wanted: object, place: Place, negated: bool) -> Alternatives | None:
        if other == self.draft.id:
            place.error("a question can't depend on its own answer; name another question.")
            return None
        if other not in self.drafts:
            place.error(_describe_unknown_question(other, wanted, self.drafts, place))
            return None
        asked = self.drafts[other]
        if asked.answer_ids is None:
            return None  # its answers have errors themselves
        answers = _wanted_answers(wanted, asked, place)
        if answers is None:
            return None
        if negated:
            answers = tuple(k for k in range(len(asked.answer_ids)) if k not in answers)
        return (((other, answers),),) if answers else ()


def _both(parts: Sequence[Alternatives]) -> Alternatives:
    """Return the alternatives under which all parts hold."""
    made: Alternatives = ALWAYS
    for part in parts:
        joined = (_join(left, right) for left in made for right in part)
        made = tuple(dict.fromkeys(each for each in joined if each is not None))
        if len(made) > MAX_ALTERNATIVES:
            return made
    return made


def _either(parts: Sequence[Alternatives]) -> Alternatives:
    """Return the alternatives of all parts; those that differ in the answers to one question only are one."""
    made = list(dict.fromkeys(alternative for part in parts for alternative in part))
    single: dict[str, set[int]] = {}
    for alternative in made:
        if len(alternative) == 1:
            single.setdefault(alternative[0][0], set()).update(alternative[0][1])
    merged: Alternatives = tuple(((other, tuple(sorted(answers))),) for other, answers in single.items())
    return (*merged, *(alternative for alternative in made if len(alternative) != 1))


def _join(left: Alternative, right: Alternative) -> Alternative | None:
    """Return both alternatives as one; None if they need different answers to one question."""
    answers = {other: set(wanted) for other, wanted in left}
    for other, wanted in right:
        answers[other] = answers[other] & set(wanted) if other in answers else set(wanted)
        if not answers[other]:
            return None
    return tuple((other, tuple(sorted(each))) for other, each in answers.items())


def _wanted_answers(value: object, other: QuestionDraft, place: Place) -> tuple[int, ...] | None:
    """Return the indices of the wanted answers; None after an error."""
    if isinstance(value, dict):
        return _compared_answers(value, other, place)
    wanted = value if isinstance(value, list) else [value]
    if not wanted:
        place.error('has no answers; name one or more, such as ["red", "amber"].')
        return None
    indices: set[int] = set()
    for item in wanted[:MAX_ANSWERS]:
        found = find_answer_places(item, other) if isinstance(item, str) else ()
        if not found:
            place.error(_describe_unknown_answer(item, other, place))
            return None
        indices.update(found)
    return tuple(sorted(indices))


def _compared_answers(value: dict[str, object], other: QuestionDraft, place: Place) -> tuple[int, ...] | None:
    """Return the intervals that a comparison such as ``{ above = 20, at_most = 80 }`` wants."""
    if other.type != "number":
        names = list(other.answer_ids or ())
        place.error(f"{other.id!r} is not a number; name an answer, such as {names[-1]!r}.")
        return None
    if not value:
        place.error(f"compares with nothing; write {{ above = {other.thresholds[0]:.10g} }}.")
        return None
    low, high = 0, len(other.thresholds)
    for key, number in value.items():
        here = place.at(key)
        if key not in COMPARISONS:
            here.error(here.report.describe_unknown("comparison", key, COMPARISONS))
            return None
        if fields.read_number(number, here, -fields.LARGEST) is None:
            return None
        if number not in other.thresholds:
            nearest = min(other.thresholds, key=lambda cut: abs(cut - float(number)))  # type: ignore[arg-type]
            here.error(
                f"{describe_value(number)} is not a threshold of {other.id!r}; write {nearest:.10g}, or add "
                f"{describe_value(number)} to its thresholds."
            )
            return None
        cut = other.thresholds.index(float(number))
        low, high = (max(low, cut + 1), high) if key == "above" else (low, min(high, cut))
    if low > high:
        place.error("can never hold: no number is above the one and at most the other. Change one of them.")
        return None
    return tuple(range(low, high + 1))


def _describe_unknown_answer(value: object, other: QuestionDraft, place: Place) -> str:
    names = list_answer_names(other)
    if not isinstance(value, str):
        hint = " Put the answer in quotes." if isinstance(value, bool) else ""
        return f"must be an answer of {other.id!r}, such as {names[-1]!r}, not {describe_value(value)}.{hint}"
    remedy = place.report.suggest(value, names) or f" Choose one of {quote_names(names)}."
    return f"{other.id!r} has no answer {describe_value(value)}.{remedy}"


def _describe_unknown_question(
    other: str, wanted: object, drafts: Mapping[str, QuestionDraft], place: Place
) -> str:
    if isinstance(wanted, dict):
        for rest in wanted:
            if f"{other}.{rest}" in drafts:
                return f'an id with a dot needs quotes: "{other}.{rest}".'
    return place.report.describe_unknown(
        "question", other, [*drafts, ANY, NOT], "Write the id of another question."
    )
