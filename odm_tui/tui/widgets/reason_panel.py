"""Why this question: one line, then what each answer would change, then the table of the best questions."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from odm_tui.formatting import format_number, format_percent
from odm_tui.tui.widgets.drawing import align_right, fit_text
from odm_tui.views.interview import CandidateView, Effect, WhyView

LINE, EFFECTS, TABLE = range(3)
"""How much is shown: the reason in one line or two, what each answer would change, or the table."""
_COLUMN = 11
_MOST_ROWS = 16
"""The most rows for the reason where what is known stands below it."""
_FEW = 3
"""How many questions the table has where there is little room."""
_MOST_DIGITS = 6
_NARROW = 90
"""Below this width, two names and what the question costs and saves may need two lines."""


class ReasonPanel(Widget):
    """Draw as much of the reason as the operator asked for."""

    DEFAULT_CSS = """
    ReasonPanel { height: 1; padding: 0 2; }
    """

    why: reactive[WhyView | None] = reactive(None)
    level: reactive[int] = reactive(LINE)

    def wanted_rows(self, is_alone: bool = False) -> int:
        """The rows that the panel would like to have; ``is_alone``: nothing stands below it."""
        if self.level == LINE:
            return 1
        if self.why is None:
            return 4 if self.level == EFFECTS else 6
        if self.level == EFFECTS:
            return min(_MOST_ROWS, 2 + len(_shown_effects(self.why)))
        candidates = self.why.candidates if is_alone else self.why.candidates[:_FEW]
        rows = 3 + sum(1 + len(one.effects) for one in candidates)
        return rows if is_alone else min(_MOST_ROWS, rows)

    def spare_rows(self, width: int) -> int:
        """The rows that the line takes too if nothing else needs them: a narrow screen has no room for two names."""
        return 1 if self.level == LINE and width < _NARROW else 0

    def render(self) -> Content:
        """Draw the line, the effects or the table."""
        width, room = self.content_size
        if self.why is None:
            return (
                Content.styled("◇ …", "$quiet")
                if self.level == LINE
                else Content.styled("◇ Working out why …", "$quiet")
            )
        draw = {LINE: draw_line, EFFECTS: draw_effects, TABLE: draw_table}[self.level]
        return Content("\n").join(draw(self.why, width, room))


def _mark(why: WhyView) -> tuple[str, str]:
    return ("◆ ", "bold $accent") if why.explores else ("◇ ", "$accent")


def draw_line(why: WhyView, width: int, room: int) -> list[Content]:
    """The reason in the rows that there are; see :meth:`Reason.fit` for what is left out where it is too long."""
    first, *others = why.reason.fit(max(2, width - 2), max(1, room)) or [""]
    return [Content.assemble(_mark(why), first), *(Content(f"  {other}") for other in others)]


def draw_effects(why: WhyView, width: int, room: int) -> list[Content]:
    """The reason in full, and what each answer to this question would change."""
    first, *others = why.reason.fit(max(2, width - 2), _MOST_ROWS) or [""]
    lines = [Content.assemble(_mark(why), (first, "bold"))]
    lines += [Content.styled(f"  {other}", "bold") for other in others]
    lines += [_draw_effect(effect, width) for effect in _shown_effects(why)]
    return lines[: max(room, 1)]


def draw_table(why: WhyView, width: int, room: int) -> list[Content]:
    """The best questions with their usefulness and cost, at most ``room`` lines, ``width`` cells wide.

    The last column is the number that the choice is made by: usefulness less cost for a policy that plans, else
    usefulness per cost. It has as many digits as are needed to tell the best question from the next one.
    """
    plans = any(candidate.net is not None for candidate in why.candidates)
    last = ("net", "net") if plans else ("per cost", "ratio")
    columns = ("usefulness", "cost", last[0]) if width >= 70 else ("useful", "cost", last[1])
    text = max(14, width - len(columns) * _column(width))
    asked = any(candidate.shown for candidate in why.candidates)
    title = "Why this question" if asked and not why.picked else "Your own pick; the best would be"
    head = fit_text(title, text) + "".join(align_right(word, _column(width)) for word in columns)
    drawn = [Content.styled(head, "bold $quiet")]
    learns = 2 if why.explores and asked else 0
    candidates = why.candidates[: max(_FEW, (room - 1 - learns) // 3)]
    spare = room - 1 - len(candidates) - learns
    numbers = _format_columns(candidates, plans)
    for candidate, row in zip(candidates, numbers, strict=True):
        cells = "".join(align_right(number, _column(width)) for number in row)
        mark, style = ("▸ ", "bold") if candidate.shown else ("  ", "")
        drawn.append(Content.assemble((mark + fit_text(candidate.text, text - 2), style), cells))
        effects = candidate.effects if len(candidate.effects) <= spare else ()
        spare -= len(effects)
        drawn += [_draw_effect(effect, width) for effect in effects]
    if why.explores and asked:
        drawn.append(Content.assemble(("◆ ", "bold $accent"), "Asked partly to learn."))
        drawn.append(Content.styled(fit_text(f"  Without learning: {why.instead}", width), "$quiet"))
    return drawn[: max(room, 1)]


def _column(width: int) -> int:
    return _COLUMN if width >= 70 else 7


def _shown_effects(why: WhyView) -> tuple[Effect, ...]:
    """What the answers to the question that is shown would change."""
    return next((one.effects for one in why.candidates if one.shown), ())


def _format_columns(candidates: Sequence[CandidateView], plans: bool) -> list[tuple[str, str, str]]:
    """Usefulness, cost, and the number that the choice is made by, for each question."""
    worth = format_apart([one.net if plans else one.score for one in candidates])
    return [
        (
            _format_short(one.gain if one.net is not None or not plans else None),
            _format_short(one.cost),
            number,
        )
        for one, number in zip(candidates, worth, strict=True)
    ]


def format_apart(values: Sequence[float | None]) -> list[str]:
    """The numbers with three digits, or as many as show that the first two are different.

    >>> format_apart([31.85, 28.2, None]), format_apart([2.0001, 2.0]), format_apart([2.0, 2.0])
    (['31.9', '28.2', '–'], ['2.0001', '2'], ['2', '2'])
    """
    first = [value for value in values[:2] if value is not None]
    for digits in range(3, _MOST_DIGITS + 1):
        written = [f"{float(f'{value:.{digits}g}'):g}" for value in first]
        if len(set(written)) == len(set(first)):
            break
    return ["–" if value is None else _format_digits(value, digits) for value in values]


def _format_digits(value: float, digits: int) -> str:
    return format_number(float(f"{value:.3g}")) if digits == 3 else f"{float(f'{value:.{digits}g}'):,g}"


def _format_short(value: float | None) -> str:
    return "–" if value is None else format_number(float(f"{value:.3g}"))


def _draw_effect(effect: Effect, width: int) -> Content:
    reply = fit_text(effect.reply, min(22, width // 4))
    tail = f"{format_percent(effect.before)} → {format_percent(effect.share)}"
    room = width - 4 - cell_len(reply) - 6 - 3 - len(tail) - 2
    return Content.assemble(
        ("    " + reply, "$quiet"),
        (align_right(format_percent(effect.chance), 6), "$quiet"),
        ("   ", ""),
        fit_text(effect.leader, room),
        "  ",
        tail,
    )
