"""Why this question: the best three, what each would tell and cost, and what each answer would change."""

from __future__ import annotations

from rich.cells import cell_len
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from odm_tui.formatting import format_number, format_percent
from odm_tui.tui.widgets.drawing import fitted, right
from odm_tui.views.interview import CandidateView, Effect, WhyView

_COLUMN = 8


class WhyPanel(Widget):
    """A small table; the answers of the proposed question first, of the others where there is room."""

    DEFAULT_CSS = """
    WhyPanel { height: auto; max-height: 1fr; padding: 0 2; border-top: solid $border-blurred; overflow-y: auto; }
    """

    why: reactive[WhyView | None] = reactive(None, layout=True)
    unit: reactive[str] = reactive("")
    room: reactive[int] = reactive(12, layout=True)

    def render(self) -> Content:
        """The table in the width at hand."""
        if self.why is None:
            return Content.styled("Working out why …", "$quiet")
        return Content("\n").join(lines(self.why, self.unit, self.content_size.width, self.room))


def lines(why: WhyView, unit: str, width: int, room: int) -> list[Content]:
    """The panel's lines: at most ``room`` of them, ``width`` cells wide."""
    text = max(16, width - 3 * _COLUMN)
    asked = any(candidate.shown for candidate in why.candidates)
    title = "Why this question" if asked else "Your own pick; the best would be"
    head = fitted(title, text) + "".join(right(word, _COLUMN) for word in ("gain", "cost", "ratio"))
    drawn = [Content.styled(head, "$quiet")]
    learns = 2 if why.explores and asked else 0
    spare = room - 1 - len(why.candidates) - learns
    for candidate in why.candidates:
        drawn.append(_row(candidate, text))
        effects = candidate.effects if len(candidate.effects) <= spare else ()
        spare -= len(effects)
        drawn += [_effect(effect, width) for effect in effects]
    if why.explores and asked:
        drawn.append(Content.assemble(("◆ ", "bold $accent"), "Asked partly to learn."))
        drawn.append(Content.styled(fitted(f"  Without learning: {why.instead}", width), "$quiet"))
    return drawn[: max(room, 1)]


def _row(candidate: CandidateView, text: int) -> Content:
    numbers = "".join(
        right(format_number(float(f"{value:.3g}")), _COLUMN)
        for value in (candidate.gain, candidate.cost, candidate.score)
    )
    mark, style = ("▸ ", "bold") if candidate.shown else ("  ", "")
    return Content.assemble((mark + fitted(candidate.text, text - 2), style), numbers)


def _effect(effect: Effect, width: int) -> Content:
    reply = fitted(effect.reply, min(22, width // 4))
    tail = f"{format_percent(effect.before)} → {format_percent(effect.share)}"
    room = width - 4 - cell_len(reply) - 6 - 3 - len(tail) - 2
    return Content.assemble(
        ("    " + reply, "$quiet"),
        (right(format_percent(effect.chance), 6), "$quiet"),
        ("   ", ""),
        fitted(effect.leader, room),
        "  ",
        tail,
    )
