"""Check ``[refer]``: what handing over costs, and what is shown then."""

from __future__ import annotations

from odm_tui.banks.bank import Referral
from odm_tui.banks.checks import fields
from odm_tui.banks.checks.questions import MAX_LABEL, MAX_LONG_TEXT
from odm_tui.banks.parsing.findings import Place

REFER_KEYS = ("cost", "label", "advice")
DEFAULT_LABEL = "Hand over"


def check_refer(value: object, place: Place) -> Referral | None:
    """Return how to hand over; None after an error."""
    table = fields.read_table(value, place)
    if table is None:
        return None
    fields.report_unknown_keys(table, REFER_KEYS, place)
    label = fields.read_text(table, "label", place, most=MAX_LABEL) or DEFAULT_LABEL
    advice = fields.read_text(table, "advice", place, most=MAX_LONG_TEXT, lines=True)
    if "cost" not in table:
        place.at("cost").error(
            "is missing; say what handing over costs, in the unit of the stakes, such as cost = 40."
        )
        return None
    cost = fields.read_number(table["cost"], place.at("cost"))
    return None if cost is None else Referral(cost, label, advice)
