"""Check the outcomes: their ids, texts and priors."""

from __future__ import annotations

import math
from typing import Any

from odm_tui.banks.bank import Outcome
from odm_tui.banks.checks import fields
from odm_tui.banks.checks.questions import MAX_LABEL, MAX_LONG_TEXT
from odm_tui.banks.parsing.findings import Place
from odm_tui.text import one_line, shorten

MAX_OUTCOMES = 5_000
RESERVED_OUTCOMES = ("none",)
OUTCOME_KEYS = ("id", "label", "advice", "prior", "aliases", "variants")


def check_outcomes(value: object, place: Place) -> tuple[list[Outcome], float, dict[str, int]]:
    """Return the outcomes, the sum of their priors, and the index of every id, even an invalid one."""
    if value is None or value == []:
        place.error("is missing; write [[outcomes]] for each possible result of an interview.")
        return [], 1.0, {}
    items = fields.read_tables(value, place, MAX_OUTCOMES)
    if items and len(items) < 2:
        place.error("there is only one; a bank needs at least two outcomes.")
    outcomes: list[Outcome] = []
    ids: list[tuple[str | None, Place]] = []
    known: dict[str, int] = {}
    priors: list[float | None] = []
    for i, item in enumerate(items):
        here = place.at(i)
        table = fields.read_table(item, here)
        if table is None:
            continue
        raw_id = table.get("id")
        if isinstance(raw_id, str):
            known[raw_id] = i
            here = here.of(f"outcome {shorten(one_line(raw_id[:200]), 64)!r}")
        elif type(raw_id) is int and abs(raw_id) < 10**15:
            known[str(raw_id)] = i  # an id without quotes is one error; its uses are keys, which are texts
        fields.report_unknown_keys(table, OUTCOME_KEYS, here)
        id = fields.read_id(raw_id, here.at("id"))
        fields.refuse_reserved_id(id, RESERVED_OUTCOMES, "that no outcome is right", here.at("id"))
        label = fields.read_text(table, "label", here, most=MAX_LABEL) or id or ""
        advice = fields.read_text(table, "advice", here, most=MAX_LONG_TEXT, lines=True)
        priors.append(fields.read_number(table["prior"], here.at("prior")) if "prior" in table else None)
        aliases = fields.read_aliases(table, here)
        for alias in aliases:
            fields.refuse_reserved_id(
                alias, RESERVED_OUTCOMES, "that no outcome is right", here.at("aliases")
            )
        ids += [(id, here.at("id")), *((alias, here.at("aliases")) for alias in aliases)]
        outcomes.append(Outcome(id or "", label, advice, 0.0, aliases))
    fields.report_duplicate_ids(ids)
    total = _check_priors(items, priors, place)
    shares = [1 / len(outcomes) if p is None else p / total for p in priors]
    scaled = [
        Outcome(o.id, o.label, o.advice, share, o.aliases) for o, share in zip(outcomes, shares, strict=True)
    ]
    return scaled, 1.0 if None in priors else total, known


def _check_priors(items: list[Any], priors: list[float | None], place: Place) -> float:
    """Return the sum of the priors; report it if only some outcomes have one, or if all are 0."""
    without = [i for i, item in enumerate(items) if isinstance(item, dict) and "prior" not in item]
    if without and len(without) < len(items):
        place.at(without[0]).at("prior").error("is missing; give all outcomes a prior, or none.")
    total = math.fsum(p for p in priors if p is not None)
    if not without and items and None not in priors and total <= 0:
        place.error("all priors are 0; make at least one greater than 0.")
    return total if total > 0 else 1.0
