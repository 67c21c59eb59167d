"""The reason for a question in one sentence: what its answers tell apart, and what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from odm_tui.formatting import format_amount, format_percent
from odm_tui.text import NO_BREAK

if TYPE_CHECKING:
    from odm_tui.views.interview import CandidateView

_LIKELY = 0.05
"""Answers that are less likely than this are not mentioned."""
_MOST_WORDS = 4
"""A name with more words than this may be a sentence, so it is put in quotes."""
_SHORTEST_NAME = 8
_SMALL_WORD = 3
"""A name that is cut does not end with a word of at most so many letters, such as "or" and "the"."""


class Reason(NamedTuple):
    """What a question tells apart, in a phrase with a ``{}`` for each name, and what it costs and saves."""

    phrase: str
    names: tuple[str, ...] = ()
    cost: str = ""
    saving: str = ""
    is_quoted: bool = False
    """Whether the phrase has quotes around the names already."""

    def __str__(self) -> str:
        """The whole sentence."""
        return self._join(self.names, self.saving).replace(NO_BREAK, " ")

    def fit(self, width: int, rows: int = 1) -> list[str]:
        """The reason in at most so many lines.

        The saving is left out before anything is cut; then the names are cut, the longest first, all so that each can
        still be recognised; the cost stays.

        >>> reason = Reason("Tells {} from {}", ("Router hangs", "Outage in the area"), "22 s", "saves about 30 s")
        >>> reason.fit(70)
        ['Tells Router hangs from Outage in the area · 22 s · saves about 30 s']
        >>> reason.fit(46), reason.fit(36)
        (['Tells Router hangs from Outage… · 22 s'], ['Tells Router… from Outage… · 22 s'])
        """
        from rich.cells import cell_len  # here: the first question does not wait for these

        from odm_tui.views.table_layout import wrap_text

        for saving in dict.fromkeys((self.saving, "")):
            lines = wrap_text(self._join(self.names, saving), width)
            if len(lines) <= rows:
                return lines
        names = list(self.names)
        while names:
            longest = max(range(len(names)), key=lambda at: cell_len(names[at]))
            shorter = _drop_word(names[longest])
            if cell_len(names[longest]) <= _SHORTEST_NAME or shorter == names[longest]:
                break
            names[longest] = shorter
            lines = wrap_text(self._join(tuple(names), ""), width)
            if len(lines) <= rows:
                return lines
        return wrap_text(self.cost.replace(" ", NO_BREAK), width)[:rows]

    def _join(self, names: tuple[str, ...], saving: str) -> str:
        quoted = not self.is_quoted and any(len(name.split()) > _MOST_WORDS for name in self.names)
        shown = (f"“{name}”" if quoted else name for name in names)
        amounts = (part.replace(" ", NO_BREAK) for part in (self.cost, saving) if part)
        return f"{NO_BREAK}· ".join((self.phrase.format(*shown), *amounts))


def _drop_word(name: str) -> str:
    """The name without its last word, and with an ellipsis; a single word loses its last letters."""
    words = name.removesuffix("…").split()
    if len(words) > 1:
        words.pop()
        while len(words) > 1 and len(words[-1]) <= _SMALL_WORD:
            words.pop()
        return " ".join(words).rstrip(",;:") + "…"
    return (
        words[0][: max(_SHORTEST_NAME - 1, len(words[0]) - 2)] + "…" if len(name) > _SHORTEST_NAME else name
    )


def find_reason(
    candidate: CandidateView | None, unit: str, asked_first: bool = False, asked: int = 0
) -> Reason:
    """Say what the answers to this question would tell apart; ``asked`` is how many were asked before it.

    >>> from odm_tui.views.interview import CandidateView, Effect
    >>> charger, battery = Effect("Yes", 0.5, "Charger", 0.8, 0.4), Effect("No", 0.5, "Battery", 0.7, 0.3)
    >>> print(find_reason(CandidateView("Q?", 1.0, 6.0, 0.1, (charger, battery)), "seconds"))
    Tells Charger from Battery · 6 s
    >>> again = Effect("No", 0.5, "Charger", 0.5, 0.4)
    >>> print(find_reason(CandidateView("Q?", 1.0, 6.0, 0.1, (charger, again)), "seconds"))
    “Yes” raises “Charger” from 40 % to 80 % · 6 s
    >>> print(find_reason(CandidateView("Q?", 1.0, 6.0, 0.1, (charger, battery), True, 30.2), "seconds"))
    Tells Charger from Battery · 6 s · saves about 30 s
    """
    if candidate is None:
        return Reason("Your own pick")
    cost = format_amount(candidate.cost, unit)
    if asked_first:
        return Reason("The bank always asks this" if asked else "The bank asks this first", cost=cost)
    saves = candidate.net is not None and candidate.net >= 1
    saving = f"saves about {format_amount(round(candidate.net or 0.0), unit)}" if saves else ""
    likely = sorted((one for one in candidate.effects if one.chance >= _LIKELY), key=lambda one: -one.chance)
    if not likely:
        return Reason("No answer would change much", (), cost, saving)
    leaders = tuple(dict.fromkeys(one.leader for one in likely))
    if len(leaders) > 1:
        others = {2: "{}", 3: "{} and {}"}.get(len(leaders), "{} and others")
        return Reason(f"Tells {{}} from {others}", leaders[: 1 + others.count("{}")], cost, saving)
    telling = max(likely, key=lambda one: abs(one.share - one.before))
    verb = "raises" if telling.share >= telling.before else "lowers"
    change = f"from {format_percent(telling.before)} to {format_percent(telling.share)}"
    return Reason(
        f"“{{}}” {verb} “{{}}” {change.replace(' %', NO_BREAK + '%')}",
        (telling.reply, telling.leader),
        cost,
        saving,
        is_quoted=True,
    )
