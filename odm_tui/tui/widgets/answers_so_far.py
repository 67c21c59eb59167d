"""The list of answers so far, newest last; a click opens one to change it."""

from __future__ import annotations

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from odm_tui.tui.messages import OpenAnswer
from odm_tui.tui.widgets.drawing import align_right, fit_text, wrap_text
from odm_tui.views.interview import StepView

_MOST_LINES = 4
"""The most lines for one answer."""


class AnswersSoFar(Widget):
    """The question and the reply of each answer, whole where there is room; as many of the latest as fit.

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
        return Content("\n").join([*lines, *(line for line, _ in self._draw_lines())])

    def _draw_lines(self) -> list[tuple[Content, int | None]]:
        """The lines below the heading, each with the place of its answer: in as many lines per answer as fit."""
        width, room = self.content_size.width, self.content_size.height - 1
        for most in range(_MOST_LINES, 0, -1):
            blocks = [draw_answer(step, at, width, most) for at, step in enumerate(self.steps)]
            if sum(map(len, blocks)) <= room:
                break
        lines: list[tuple[Content, int | None]] = [
            (line, at) for at, block in enumerate(blocks) for line in block
        ]
        if len(lines) <= room:
            return lines
        shown = max(room - 1, 1)
        earlier = Content.styled(f"   {len(lines) - shown} earlier …", "$quiet")
        return [(earlier, None), *lines[-shown:]]

    def on_click(self, event: events.Click) -> None:
        """Open the answer in the clicked line."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        lines = self._draw_lines() if self.steps else []
        if 1 <= offset.y <= len(lines) and (step := lines[offset.y - 1][1]) is not None:
            self.post_message(OpenAnswer(step))


def draw_answer(step: StepView, at: int, width: int, most: int = 1) -> list[Content]:
    """At most ``most`` lines for one step: the question, and the reply at the end; in a single line it takes up to half."""
    limit = width // 2 if most == 1 else max(width - 5, 1)
    reply = step.reply if cell_len(step.reply) <= limit else fit_text(step.reply, limit).rstrip()
    style = "bold" if step.kind == "answered" else "$quiet"
    room = max(width - 3, 1)
    lines = wrap_text(" ".join(step.question.text.split()), room)
    if cell_len(lines[-1]) + 2 + cell_len(reply) > room:
        lines.append("")
    if len(lines) > most:
        lines = [*lines[: most - 1], " ".join(lines[most - 1 :])]
    numbers = [align_right(str(at + 1), 2) + " ", *["   "] * (len(lines) - 1)]
    drawn = [
        Content.assemble((number, "$quiet"), line)
        for number, line in zip(numbers[:-1], lines[:-1], strict=True)
    ]
    last = fit_text(lines[-1], room - cell_len(reply) - 2)
    return [*drawn, Content.assemble((numbers[-1], "$quiet"), last, "  ", (reply, style))]
