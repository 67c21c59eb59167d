"""The Why panel: the three best questions with gain and cost, and what each answer would change."""

from __future__ import annotations

from rich.cells import cell_len
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from odm_tui.formatting import format_number, format_percent
from odm_tui.tui.widgets.drawing import align_right, fit_text
from odm_tui.views.interview import CandidateView, Effect, WhyView

_COLUMN = 8


class WhyPanel(Widget):
    """A table of questions; the effects of their answers are shown as far as there is room."""

    DEFAULT_CSS = """
    WhyPanel { height: auto; max-height: 1fr; padding: 0 2; border-top: solid $border-blurred; overflow-y: auto; }
    """

    why: reactive[WhyView | None] = reactive(None, layout=True)
    unit: reactive[str] = reactive("")
    room: reactive[int] = reactive(12, layout=True)

    def render(self) -> Content:
        """Draw the table."""
        if self.why is None:
            return Content.styled("Working out why …", "$quiet")
        return Content("\n").join(draw_lines(self.why, self.unit, self.content_size.width, self.room))


def draw_lines(why: WhyView, unit: str, width: int, room: int) -> list[Content]:
    """At most ``room`` lines, ``width`` cells wide."""
    text = max(16, width - 3 * _COLUMN)
    asked = any(candidate.shown for candidate in why.candidates)
    title = "Why this question" if asked else "Your own pick; the best would be"
    head = fit_text(title, text) + "".join(align_right(word, _COLUMN) for word in ("gain", "cost", "ratio"))
    drawn = [Content.styled(head, "$quiet")]
    learns = 2 if why.explores and asked else 0
    spare = room - 1 - len(why.candidates) - learns
    for candidate in why.candidates:
        drawn.append(_draw_candidate(candidate, text))
        effects = candidate.effects if len(candidate.effects) <= spare else ()
        spare -= len(effects)
        drawn += [_draw_effect(effect, width) for effect in effects]
    if why.explores and asked:
        drawn.append(Content.assemble(("◆ ", "bold $accent"), "Asked partly to learn."))
        drawn.append(Content.styled(fit_text(f"  Without learning: {why.instead}", width), "$quiet"))
    return drawn[: max(room, 1)]


def _draw_candidate(candidate: CandidateView, text: int) -> Content:
    numbers = "".join(
        align_right(format_number(float(f"{value:.3g}")), _COLUMN)
        for value in (candidate.gain, candidate.cost, candidate.score)
    )
    mark, style = ("▸ ", "bold") if candidate.shown else ("  ", "")
    return Content.assemble((mark + fit_text(candidate.text, text - 2), style), numbers)


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
