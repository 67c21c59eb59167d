"""The list of answers so far, newest last; a click opens one to change it."""

from __future__ import annotations

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from odm_tui.tui.messages import OpenAnswer
from odm_tui.tui.widgets.drawing import align_right, fit_text
from odm_tui.views.interview import StepView


class AnswersSoFar(Widget):
    """One line per answer: the question and the reply; as many of the latest as fit.

    The Answers key opens a list of all answers, so this one need not scroll. A scrolling list would be laid out
    again with every answer.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    AnswersSoFar { height: 1fr; min-height: 1; }
    """

    steps: reactive[tuple[StepView, ...]] = reactive(())

    def render(self) -> Content:
        """Draw the heading, then the latest answers, and count those that do not fit."""
        lines = [Content.styled("Answers", "bold $quiet")]
        first = self._first
        if first:
            lines.append(Content.styled(f"   {first} earlier …", "$quiet"))
        width = self.content_size.width
        lines += [draw_answer(self.steps[at], at, width) for at in range(first, len(self.steps))]
        return Content("\n").join(lines)

    @property
    def _first(self) -> int:
        """The place of the first answer that is shown."""
        room = self.content_size.height - 1
        return 0 if len(self.steps) <= room else len(self.steps) - max(room - 1, 1)

    def on_click(self, event: events.Click) -> None:
        """Open the answer in the clicked line."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        step = self._first + offset.y - 1 - bool(self._first)
        if offset.y >= 1 and self._first <= step < len(self.steps):
            self.post_message(OpenAnswer(step))


def draw_answer(step: StepView, at: int, width: int) -> Content:
    """One line for one step; the reply takes up to half of it."""
    reply = step.reply if cell_len(step.reply) <= width // 2 else fit_text(step.reply, width // 2)
    room = width - cell_len(reply) - 5
    style = "bold" if step.kind == "answered" else "$quiet"
    text = " ".join(step.question.text.split())
    return Content.assemble(
        (align_right(str(at + 1), 2) + " ", "$quiet"), fit_text(text, room), "  ", (reply, style)
    )
