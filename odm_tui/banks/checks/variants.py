"""Check the variants of outcomes: what an author knows about the different forms that an outcome takes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from odm_tui.banks.bank import NamedVariant, Outcome
from odm_tui.banks.checks import fields
from odm_tui.banks.checks.costs import REST
from odm_tui.banks.checks.expected import WORTH, check_shares, read_worth
from odm_tui.banks.checks.fields import Table, describe_value
from odm_tui.banks.checks.questions import MAX_LABEL, QuestionDraft
from odm_tui.banks.parsing.findings import Place

MOST_VARIANTS = 16
VARIANT_KEYS = ("id", "label", "share", "worth", "expected")


def check_most_variants(document: Table, place: Place) -> int | None:
    """Return how many variants an outcome may have at most; None if the bank does not say."""
    if "variants" not in document:
        return None
    value = document["variants"]
    if type(value) is int and 1 <= value <= MOST_VARIANTS:
        return value
    place.at("variants").error(
        f"must be a whole number from 1 to {MOST_VARIANTS}, not {describe_value(value)}: how many variants an outcome may "
        "have at most. 1 switches variants off; name variants below an outcome, with [[outcomes.variants]]."
    )
    return None


def check_variants(
    document: Table,
    outcomes: Sequence[Outcome],
    drafts: Mapping[str, QuestionDraft],
    most: int | None,
    place: Place,
) -> tuple[Outcome, ...]:
    """Return the outcomes with the variants that the document names for them."""
    items = document.get("outcomes")
    if not isinstance(items, list) or len(items) != len(outcomes):
        return tuple(outcomes)
    worth = _usual_worth(document.get("expected"))
    made = []
    for i, (item, outcome) in enumerate(zip(items, outcomes, strict=True)):
        here = place.at("outcomes").at(i).of(f"outcome {outcome.id!r}").at("variants")
        found = _check_variants_of(item["variants"], drafts, worth, here) if "variants" in item else ()
        if found and len(found) > (most or MOST_VARIANTS):
            place.at("variants").error(
                f"is {most}, but the outcome {outcome.id!r} names {len(found)} variants; raise it, or remove some of them."
            )
        made.append(replace(outcome, variants=found))
    return tuple(made)


def _usual_worth(expected: object) -> float:
    """Return what knowledge is worth in this bank where nothing else is said."""
    worth: Any = expected.get("worth") if isinstance(expected, dict) else None
    if isinstance(worth, dict):
        worth = worth.get(REST)
    return float(worth) if fields.is_number(worth) and worth > 0 else WORTH


def _check_variants_of(
    value: object, drafts: Mapping[str, QuestionDraft], worth: float, place: Place
) -> tuple[NamedVariant, ...]:
    if not isinstance(value, list):
        given = "a single table" if isinstance(value, dict) else describe_value(value)
        place.error(f"must be written as [[outcomes.variants]], once for each variant, not {given}.")
        return ()
    if len(value) > MOST_VARIANTS:
        place.error(f"there are {len(value):,}; an outcome may have at most {MOST_VARIANTS} variants.")
        return ()
    if len(value) == 1:
        place.error("there is only one; name at least two variants of an outcome, or none.")
    made: list[NamedVariant] = []
    shares: list[float | None] = []
    ids: list[tuple[str | None, Place]] = []
    for i, item in enumerate(value):
        here = place.at(i)
        table = fields.read_table(item, here)
        if table is None:
            continue
        fields.report_unknown_keys(table, VARIANT_KEYS, here)
        id = fields.read_id(table.get("id"), here.at("id"))
        ids.append((id, here.at("id")))
        label = fields.read_text(table, "label", here, most=MAX_LABEL) or id or ""
        shares.append(_read_share(table, here))
        own = read_worth(table["worth"], here.at("worth")) if "worth" in table else worth
        expected = _check_expected(table.get("expected"), drafts, here.at("expected"))
        made.append(NamedVariant(id or "", label, 0.0, own or worth, expected))
    fields.report_duplicate_ids(ids)
    without = [i for i, item in enumerate(value) if isinstance(item, dict) and "share" not in item]
    if without and len(without) < len(value):
        message = "is missing; give all variants of the outcome a share, or none."
        place.at(without[0]).at("share").error(message)
    total = math.fsum(share for share in shares if share is not None)
    return tuple(
        replace(variant, share=1 / len(made) if share is None else share / total)
        for variant, share in zip(made, shares, strict=True)
    )


def _read_share(table: Table, place: Place) -> float | None:
    if "share" not in table:
        return None
    if fields.is_number(table["share"]) and table["share"] <= 0:
        given = describe_value(table["share"])
        place.at("share").error(f"must be more than 0, not {given}; remove a variant that never occurs.")
        return None
    return fields.read_number(table["share"], place.at("share"))


def _check_expected(
    value: object, drafts: Mapping[str, QuestionDraft], place: Place
) -> dict[str, tuple[float, ...]]:
    """Return P of every answer by question."""
    example = next((f"{{ {id} = 0.9 }}" for id, draft in drafts.items() if draft.type == "yes_no"), "{ … }")
    if value is None or value == {}:
        given = "is missing" if value is None else "is empty"
        place.error(f"{given}; write the answers that set this variant apart, such as expected = {example}.")
        return {}
    if not isinstance(value, dict):
        place.error(f"must be a table by question, such as {example}, not {describe_value(value)}.")
        return {}
    checked: dict[str, tuple[float, ...]] = {}
    for question, entry in value.items():
        here, draft = place.at(question), drafts.get(question)
        if draft is None:
            remedy = "Write the id of a question."
            here.error(place.report.describe_unknown("question", question, drafts, remedy))
        elif draft.answer_ids is not None:
            shares = check_shares(entry, draft.type, draft.answer_ids, draft.thresholds, here)
            if shares is not None:
                checked[question] = shares
    return checked
