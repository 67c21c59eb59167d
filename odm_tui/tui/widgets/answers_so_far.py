"""The answers so far, newest last; any of them can be opened and changed."""

from __future__ import annotations

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from odm_tui.tui.messages import OpenStep
from odm_tui.tui.widgets.drawing import fitted, right
from odm_tui.views.interview import StepView


class AnswersSoFar(Widget):
    """One line an answer: what was asked, and what was said; as many of the latest as fit.

    A click opens one. The key for the same opens a list of them all, so nothing here needs to scroll: a
    list that scrolls would be laid out again with every answer.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    AnswersSoFar { height: 1fr; min-height: 1; }
    """

    steps: reactive[tuple[StepView, ...]] = reactive(())

    def render(self) -> Content:
        """The heading, then the latest answers; those that don't fit are counted."""
        lines = [Content.styled("Answers so far", "bold $quiet")]
        first = self._first
        if first:
            lines.append(Content.styled(f"   {first} earlier …", "$quiet"))
        width = self.content_size.width
        lines += [line(self.steps[at], at, width) for at in range(first, len(self.steps))]
        return Content("\n").join(lines)

    @property
    def _first(self) -> int:
        """The first answer that is shown."""
        room = self.content_size.height - 1
        return 0 if len(self.steps) <= room else len(self.steps) - max(room - 1, 1)

    def on_click(self, event: events.Click) -> None:
        """Open the answer that was clicked on."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        step = self._first + offset.y - 1 - bool(self._first)
        if offset.y >= 1 and self._first <= step < len(self.steps):
            self.post_message(OpenStep(step))


def line(step: StepView, at: int, width: int) -> Content:
    """One answer in one line; the answer keeps up to half of it."""
    reply = step.reply if cell_len(step.reply) <= width // 2 else fitted(step.reply, width // 2)
    room = width - cell_len(reply) - 5
    style = "bold" if step.kind == "answered" else "$quiet"
    text = " ".join(step.question.text.split())
    return Content.assemble((right(str(at + 1), 2) + " ", "$quiet"), fitted(text, room), "  ", (reply, style))
