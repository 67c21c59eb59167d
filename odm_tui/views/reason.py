"""The reason for a question in one sentence: what its answers tell apart, and what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from odm_tui.formatting import format_amount, format_percent

if TYPE_CHECKING:
    from odm_tui.views.interview import CandidateView

_LIKELY = 0.05
"""Answers that are less likely than this are not mentioned."""


def reason_sentence(candidate: CandidateView | None, unit: str, asked_first: bool = False) -> str:
    """Say what the answers to this question would tell apart.

    >>> from odm_tui.views.interview import CandidateView, Effect
    >>> charger, battery = Effect("Yes", 0.5, "Charger", 0.8, 0.4), Effect("No", 0.5, "Battery", 0.7, 0.3)
    >>> reason_sentence(CandidateView("Q?", 1.0, 6.0, 0.1, (charger, battery)), "seconds")
    'Tells Charger from Battery · 6 s'
    >>> again = Effect("No", 0.5, "Charger", 0.5, 0.4)
    >>> reason_sentence(CandidateView("Q?", 1.0, 6.0, 0.1, (charger, again)), "seconds")
    'Yes would make Charger 80 % instead of 40 % · 6 s'
    >>> reason_sentence(CandidateView("Q?", 1.0, 6.0, 0.1, (charger, battery), True, 30.2), "seconds")
    'Tells Charger from Battery · 6 s · saves about 30 s'
    """
    if candidate is None:
        return "Your own pick"
    cost = format_amount(candidate.cost, unit)
    if asked_first:
        return f"The bank asks this first · {cost}"
    if candidate.net is not None and candidate.net >= 1:
        cost += f" · saves about {format_amount(round(candidate.net), unit)}"
    likely = sorted((one for one in candidate.effects if one.chance >= _LIKELY), key=lambda one: -one.chance)
    if not likely:
        return f"No answer would change much · {cost}"
    leaders = list(dict.fromkeys(one.leader for one in likely))
    if len(leaders) > 1:
        others = " and ".join(leaders[1:3]) if len(leaders) <= 3 else f"{leaders[1]} and others"
        return f"Tells {leaders[0]} from {others} · {cost}"
    telling = max(likely, key=lambda one: abs(one.share - one.before))
    change = f"{format_percent(telling.share)} instead of {format_percent(telling.before)}"
    return f"{telling.reply} would make {telling.leader} {change} · {cost}"
