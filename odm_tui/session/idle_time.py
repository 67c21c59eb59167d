"""Say at the start of an interview that a bank with a half-life was not used for long, so that little is left of it."""

from __future__ import annotations

from odm_tui.store.counts import BankIndex, Counts
from odm_tui.store.half_life import middle_of, period_weight

_WORTH_SAYING = 0.25
"""Two half-lives without a confirmed interview."""


def describe_idle_time(counts: Counts, index: BankIndex, time: str) -> str:
    """Return a sentence if what was learned has lost most of its weight since the last interview; else nothing."""
    moment = index.find_moment(time)
    past = [period for period in counts.by_period if moment is not None and middle_of(period) <= moment]
    if moment is None or not past or len(past) < len(counts.by_period):
        return ""
    share = period_weight(max(past), moment)
    if share > _WORTH_SAYING:
        return ""
    days = round((moment - middle_of(max(past))) * (index.half_life_days or 0))
    return (
        f"By this computer's clock ({time[:10]}) the last interview was confirmed about {days:,} days ago. What was learned "
        f"has a half-life of {index.half_life_days:g} days, so it counts only {share:.0%} of what it did then."
    )
