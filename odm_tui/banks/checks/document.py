"""Check a whole document against the format, and report all errors in one run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, cast

from odm_tui.banks.bank import Bank, BankQuestion, Expected
from odm_tui.banks.checks import fields
from odm_tui.banks.checks.ask_if import check_ask_if
from odm_tui.banks.checks.cases import check_cases
from odm_tui.banks.checks.costs import REST, check_cost
from odm_tui.banks.checks.expected import WORTH, check_expected, check_worth
from odm_tui.banks.checks.fields import Table, describe_value
from odm_tui.banks.checks.outcomes import check_outcomes
from odm_tui.banks.checks.policy import check_policy
from odm_tui.banks.checks.questions import (
    MAX_LABEL,
    MAX_LONG_TEXT,
    QUESTION_KEYS,
    QuestionDraft,
    draft_question,
)
from odm_tui.banks.checks.red_flags import check_red_flags
from odm_tui.banks.checks.refer import check_refer
from odm_tui.banks.checks.stakes import check_stakes
from odm_tui.banks.checks.variants import check_most_variants, check_variants
from odm_tui.banks.parsing.findings import BadBank, Finding, Place, Report, TooManyFindings
from odm_tui.text import quote_names

FORMAT = 1
MAX_QUESTIONS = 20_000
MAX_CELLS = 20_000_000
"""The limit on questions x outcomes x answers, so that the engine's arrays fit into memory."""
MAX_OUTCOME_WORTH = 1e6
CASES = ("optional", "required")
MAX_VERSION = 64
EXPLORE = ("always", "quiet", "never")
LEARNING = ("shared", "pooled", "separate")
SHORTEST_HALF_LIFE = 1
"""Days. With a shorter half-life there is nothing to learn, and the exact weights would become too large."""
TOP_KEYS = (
    "format",
    "title",
    "description",
    "language",
    "cost_unit",
    "default_cost",
    "stakes",
    "notice",
    "case",
    "sure_enough",
    "explore",
    "outcome_prior",
    "outcome_prior_worth",
    "learning",
    "half_life_days",
    "horizon",
    "target_cost",
    "variants",
    "policy",
    "refer",
    "outcomes",
    "questions",
    "expected",
    "cases",
    "id",
    "version",
)


def check_bank(document: Table, name: str, path: Path) -> Bank:
    """Return the bank that a document describes; raise BadBank with all its errors."""
    _check_format(document, path)
    report = Report()
    try:
        bank = _bank(document, name, path, report)
    except TooManyFindings:
        raise BadBank(path, report.findings, more=True) from None
    if report.findings or bank is None:
        raise BadBank(path, report.findings)
    return bank


def _check_format(document: Table, path: Path) -> None:
    """Refuse a newer format with one finding: the rest of the file can't be checked."""
    version = document.get("format")
    if type(version) is int and version > FORMAT:
        shown = describe_value(version)
        message = f"the bank needs a newer odm-tui (format {shown}; this one reads {FORMAT}). Update odm-tui."
        raise BadBank(path, [Finding("format", message)])


def _bank(document: Table, name: str, path: Path, report: Report) -> Bank | None:
    place = Place(report)
    fields.report_unknown_keys(document, TOP_KEYS, place)
    if type(document.get("format")) is not int or document["format"] != FORMAT:
        given = f", not {describe_value(document['format'])}" if "format" in document else ""
        place.at("format").error(f"must be {FORMAT}{given}; start the bank with the line format = {FORMAT}.")
    needs_title = 'give the bank a name, such as title = "Home network".'
    title = fields.read_text(document, "title", place, most=MAX_LABEL, required=needs_title)
    description = fields.read_text(document, "description", place, most=MAX_LONG_TEXT, lines=True)
    notice = fields.read_text(document, "notice", place, most=MAX_LONG_TEXT, lines=True)
    language = fields.read_text(document, "language", place, most=35) or "en"
    cost_unit = fields.read_text(document, "cost_unit", place, most=40) or "points"
    default_cost = fields.read_number(document.get("default_cost", 1), place.at("default_cost"))
    learned = fields.read_option(document, "outcome_prior", place, ("fixed", "learned"))
    prior_worth = fields.read_number(
        document.get("outcome_prior_worth", 10), place.at("outcome_prior_worth"), 0, MAX_OUTCOME_WORTH
    )
    learning = fields.read_option(document, "learning", place, LEARNING)
    case = fields.read_option(document, "case", place, CASES)
    explore = fields.read_option(document, "explore", place, EXPLORE) if "explore" in document else None
    sure_enough = fields.read_number(document.get("sure_enough", 0.5), place.at("sure_enough"), 0, 1)
    half_life = _half_life(document, place)
    horizon = _horizon(document, place)
    target_cost = _target_cost(document, place)
    policy = check_policy(document.get("policy"), place.at("policy"))
    outcomes, prior_sum, outcome_ids = check_outcomes(document.get("outcomes"), place.at("outcomes"))
    stakes, pair_stakes = None, None
    if "stakes" in document:
        stakes, pair_stakes = check_stakes(document["stakes"], outcome_ids, place.at("stakes"))
    refer = check_refer(document["refer"], place.at("refer")) if "refer" in document else None
    drafts, questions = _questions(document, outcome_ids, place)
    most_variants = check_most_variants(document, place)
    with_variants = check_variants(document, outcomes, drafts, most_variants, place)
    cases = check_cases(document.get("cases"), place.at("cases"))
    id = fields.read_id(document["id"], place.at("id")) if "id" in document else ""
    version = fields.read_text(document, "version", place, most=MAX_VERSION)
    if not outcome_ids:
        report.drop_unknown("outcome")
    if not drafts:
        report.drop_unknown("question")
    if report.findings:
        return None
    return Bank(
        name=name,
        path=path,
        title=title,
        description=description,
        language=language,
        cost_unit=cost_unit,
        default_cost=1.0 if default_cost is None else default_cost,
        stakes=stakes,
        notice=notice,
        policy=policy,
        outcome_prior=cast(Literal["fixed", "learned"], learned),
        outcome_prior_worth=prior_worth or 0.0,
        learning=cast(Literal["shared", "pooled", "separate"], learning),
        case=cast(Literal["optional", "required"], case),
        explore=cast(Literal["always", "quiet", "never"] | None, explore),
        sure_enough=0.5 if sure_enough is None else sure_enough,
        half_life_days=half_life,
        horizon=horizon,
        target_cost=target_cost,
        most_variants=most_variants,
        outcomes=with_variants,
        questions=tuple(questions),
        pair_stakes=pair_stakes,
        cases=cases,
        id=id or "",
        version=version,
        refer=refer,
        prior_sum=prior_sum,
        unshowable=report.unshowable,
    )


def _half_life(document: Table, place: Place) -> float | None:
    """Return after how many days an interview counts half; None if all count the same."""
    value = document.get("half_life_days")
    if value is None:
        return None
    if fields.is_number(value, SHORTEST_HALF_LIFE):
        return float(value)
    place.at("half_life_days").error(
        f"must be a number of days, {SHORTEST_HALF_LIFE} or more, not {describe_value(value)}; "
        "leave it out if old interviews count as much as new ones."
    )
    return None


def _horizon(document: Table, place: Place) -> float | None:
    """Return how many interviews will follow; None if the bank does not say."""
    if "horizon" not in document:
        return None
    return fields.read_number(document["horizon"], place.at("horizon"))


def _target_cost(document: Table, place: Place) -> float | None:
    """Return what an interview should cost on average; None if the bank has no target."""
    value = document.get("target_cost")
    if value is None:
        return None
    if fields.is_number(value) and value > 0:
        return float(value)
    place.at("target_cost").error(
        f"must be a number above 0, not {describe_value(value)}: what an interview should cost on average; "
        "leave it out if the stakes are to stay as they are."
    )
    return None


def _questions(
    document: Table, outcomes: Mapping[str, int], place: Place
) -> tuple[Mapping[str, QuestionDraft], list[BankQuestion]]:
    """Return the drafts of the questions by id, and the questions."""
    value = document.get("questions")
    here = place.at("questions")
    if value is None or value == []:
        here.error("is missing; write [[questions]] for each question.")
        return {}, []
    items = fields.read_tables(value, here, MAX_QUESTIONS)
    drafts = [draft_question(item, here.at(i)) for i, item in enumerate(_without_expected(items, here))]
    found = [draft for draft in drafts if draft is not None]
    fields.report_duplicate_ids(
        pair
        for d in found
        for pair in [(d.id, d.place.at("id")), *((alias, d.place.at("aliases")) for alias in d.aliases)]
    )
    widest = max((len(d.answers or ()) for d in found), default=0)
    rows = _count_variants(document, len(outcomes))
    if len(found) * rows * widest > MAX_CELLS:
        here.error(
            f"{len(found):,} questions x {rows:,} outcomes x {widest} answers are "
            f"too many; their product must be at most {MAX_CELLS:,}."
        )
        return {}, []
    by_id: dict[str, QuestionDraft] = {}
    for draft in found:
        raw_id = draft.table.get("id")
        if isinstance(raw_id, str):
            by_id.setdefault(raw_id, draft)
    expected, worth = _expected(document.get("expected"), by_id, outcomes, place.at("expected"))
    return by_id, [_question(draft, by_id, outcomes, expected, worth) for draft in found]


def _count_variants(document: Table, outcomes: int) -> int:
    """Return the number of outcomes, each variant counted as one."""
    items = document.get("outcomes")
    tables = [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    named = [item.get("variants") for item in tables]
    return outcomes + sum(len(each) - 1 for each in named if isinstance(each, list) and each)


def _without_expected(items: list[Any], place: Place) -> list[Any]:
    """Return the questions without entries of [expected] that stand below the last one because its header is missing."""
    last = items[-1] if items else None
    if not isinstance(last, dict):
        return items
    ids = {item.get("id") for item in items if isinstance(item, dict) and isinstance(item.get("id"), str)}
    stray = [key for key in last if key not in QUESTION_KEYS and (key in ids or key == "worth")]
    if not stray:
        return items
    place.at(len(items) - 1).at(stray[0]).error(
        f"is not a key of a question, but {quote_names(stray)} could be entries of [expected]; "
        "write the line [expected] above them."
    )
    return [*items[:-1], {key: value for key, value in last.items() if key not in stray}]


def _question(
    draft: QuestionDraft,
    drafts: Mapping[str, QuestionDraft],
    outcomes: Mapping[str, int],
    expected: Mapping[str, Expected],
    worth: Mapping[str, Mapping[str, float]],
) -> BankQuestion:
    id = draft.id or ""
    cost: dict[str, dict[str, float]] = {}
    if "cost" in draft.table:
        cost = check_cost(draft.table["cost"], draft.answer_ids, outcomes, draft.place.at("cost"))
    known = expected.get(id, {})
    alternatives = check_ask_if(draft, drafts)
    return BankQuestion(
        id=id,
        text=draft.text,
        help=draft.help,
        type=draft.type,
        answers=check_red_flags(draft, outcomes),
        unit=draft.unit,
        range=draft.range,
        thresholds=draft.thresholds,
        ask_if=alternatives[0] if len(alternatives) == 1 else (),
        ask_if_any=alternatives if len(alternatives) > 1 else (),
        always_ask=draft.always_ask,
        error_rate=draft.error_rate,
        aliases=draft.aliases,
        cost=cost,
        expected=known,
        worth={REST: WORTH, **worth.get(REST, {}), **worth.get(id, {})} if known else {},
    )


def _expected(
    value: object, drafts: Mapping[str, QuestionDraft], outcomes: Mapping[str, int], place: Place
) -> tuple[dict[str, Expected], dict[str, dict[str, float]]]:
    """Return what is known beforehand, by question, and its worth, by question and outcome."""
    if value is None:
        return {}, {}
    table = fields.read_table(value, place)
    if table is None:
        return {}, {}
    worth: dict[str, dict[str, float]] = {}
    checked: dict[str, Expected] = {}
    for key, entry in table.items():
        draft = drafts.get(key)
        if key == "worth":
            worth = check_worth(entry, drafts, outcomes, place.at("worth"))
        elif draft is None:
            dotted = entry if isinstance(entry, dict) else {}
            quoted = next((f"{key}.{rest}" for rest in dotted if f"{key}.{rest}" in drafts), "")
            message = (
                f'an id with a dot needs quotes: "{quoted}".'
                if quoted
                else place.report.describe_unknown(
                    "question", key, [*drafts, "worth"], "Write the id of a question, or worth."
                )
            )
            place.at(key).error(message)
        elif draft.answers is not None and draft.answer_ids is not None:
            here = place.at(key).of(draft.place.about)
            checked[key] = check_expected(
                entry, draft.type, draft.answer_ids, draft.thresholds, outcomes, here
            )
    return checked, worth
