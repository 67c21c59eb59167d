"""The answers so far, newest last; any of them can be opened and changed."""

from __future__ import annotations

from textual import on
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from odm_tui.tui.messages import OpenStep
from odm_tui.tui.views import StepView
from odm_tui.tui.widgets.drawing import fitted, right

_NARROWEST = 10


class AnswersSoFar(OptionList):
    """One line an answer: what was asked, and what was said."""

    DEFAULT_CSS = """
    AnswersSoFar {
        height: 1fr; min-height: 1; border: none; padding: 0; background: transparent;
        scrollbar-size-vertical: 1;
        &:focus { border: none; background-tint: transparent; }
        & > .option-list--option-highlighted { background: transparent; color: $foreground; text-style: none; }
        &:focus > .option-list--option-highlighted {
            background: $block-cursor-background; color: $block-cursor-foreground;
            text-style: $block-cursor-text-style;
        }
    }
    """

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id, markup=False)
        self.steps: tuple[StepView, ...] = ()

    def show(self, steps: tuple[StepView, ...]) -> None:
        """Show these answers; one more than before is only added, which is the quick way."""
        before, self.steps = self.steps, steps
        added = len(steps) == len(before) + 1 == self.option_count + 1 and steps[:-1] == before
        if added and self._room >= _NARROWEST:
            self.add_option(Option(line(steps[-1], len(before), self._room)))
            self._mark_last()
        elif steps != before:
            self._draw()

    def on_resize(self) -> None:
        """Fit the lines to the new width."""
        self._draw()

    @property
    def _room(self) -> int:
        return self.scrollable_content_region.width or self.size.width

    def _draw(self) -> None:
        if self._room >= _NARROWEST:
            self.set_options([Option(line(step, at, self._room)) for at, step in enumerate(self.steps)])
            self._mark_last()

    def _mark_last(self) -> None:
        if self.steps:
            self.highlighted = len(self.steps) - 1
            self.scroll_end(animate=False)

    @on(OptionList.OptionSelected)
    def _open(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.post_message(OpenStep(event.option_index))


def line(step: StepView, at: int, width: int) -> Content:
    """One answer in one line; the answer keeps up to half of it."""
    reply = step.reply if len(step.reply) <= width // 2 else fitted(step.reply, width // 2)
    room = width - len(reply) - 5
    style = "bold" if step.kind == "answered" else "$quiet"
    text = " ".join(step.question.text.split())
    return Content.assemble((right(str(at + 1), 2) + " ", "$quiet"), fitted(text, room), "  ", (reply, style))
