"""The possible answers as buttons with their keys; for a number, a field that receives the typed digits."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.app import ComposeResult
from textual.containers import Grid, Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from odm_tui.tui.key_bindings import find_answer_action, key_for
from odm_tui.tui.widgets.drawing import wrap_text
from odm_tui.tui.widgets.interview_layout import InterviewLayout
from odm_tui.tui.widgets.number_entry import NumberEntry
from odm_tui.views.interview import QuestionView, Reply

DONT_KNOW = Reply("unknown", "Don't know", "?")
SKIP = Reply("skipped", "Skip", "s")
_OTHER_REPLIES = {DONT_KNOW: "interview.dont-know", SKIP: "interview.skip"}


class AnswerButton(Widget, can_focus=True):
    """One answer with its key and its label; a click gives it, or Enter while it has the focus."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    AnswerButton {
        height: 3; padding: 0 1; background: $surface; content-align: left middle;
        border-left: outer $border-blurred;
        &:hover { background: $panel; }
        &:focus { background: $panel; border-left: outer $accent; text-style: $block-cursor-text-style; }
        &.-flat { height: 1; }
        &.-quiet { color: $quiet; }
    }
    """

    @dataclass
    class Pressed(Message):
        """The operator gave this answer."""

        reply: Reply

    reply: reactive[Reply] = reactive(DONT_KNOW)
    command: reactive[str] = reactive("")
    """The id of the action that gives the same answer by a key."""
    note: reactive[str] = reactive("")
    """A note after the label: the answer is being saved, or was given before."""

    def render(self) -> Content:
        """Draw the key, then the label."""
        note = f" {self.note}" if self.note else ""
        key = self._key
        room = max(1, self.content_size.width - 4 - max(len(key), 1) - len(note))
        first, *others = wrap_text(self.reply.label, room)[: max(1, self.content_size.height)]
        text = [(first, "bold"), (note, "bold $accent")] if note else [(first, "")]
        indent = " " * (len(key) + 4)
        text += [(f"\n{indent}{other}", "bold" if note else "") for other in others]
        if not key:
            return Content.assemble("     ", *text)
        key_style = "bold reverse $quiet" if self.has_class("-quiet") else "bold reverse $accent"
        return Content.assemble((f" {key} ", key_style), "  ", *text)

    @property
    def _key(self) -> str:
        """The key that gives this answer in the user's keymap."""
        return key_for(self.command, getattr(self.app, "keymap", {})) if self.command else self.reply.key

    @classmethod
    def of(cls, reply: Reply, command: str, classes: str = "", id: str | None = None) -> AnswerButton:
        """A button for this reply and the action that gives it."""
        button = cls(id=id, classes=classes)
        button.set_reactive(AnswerButton.reply, reply)
        button.set_reactive(AnswerButton.command, command)
        return button

    def on_click(self) -> None:
        """Give this answer."""
        self.post_message(self.Pressed(self.reply))

    def on_key(self, event: events.Key) -> None:
        """Give this answer on Enter or Space."""
        if event.key in ("enter", "space"):
            event.stop()
            self.post_message(self.Pressed(self.reply))


class AnswerPad(Vertical):
    """All answers of the current question, with "don't know" and "skip" below them."""

    DEFAULT_CSS = """
    AnswerPad {
        height: auto; padding: 0 2;
        #replies { height: auto; grid-gutter: 0 1; overflow-y: auto; scrollbar-size-vertical: 1; }
        #other-replies { height: 1; }
        #other-replies AnswerButton { height: 1; width: 1fr; max-width: 60; margin-right: 1; border-left: outer transparent; background: transparent; }
        #other-replies AnswerButton:hover { background: $panel; }
        #other-replies AnswerButton:focus { background: $panel; border-left: outer $accent; }
        NumberEntry { display: none; }
        &.-number NumberEntry { display: block; }
        &.-number #replies { display: none; }
    }
    """

    def __init__(self, other_replies: tuple[Reply, ...] = (DONT_KNOW, SKIP)) -> None:
        super().__init__()
        self.question: QuestionView | None = None
        self._other_replies = other_replies

    def compose(self) -> ComposeResult:
        """Create two buttons for answers, and those below them; more are added when a question needs them."""
        with Grid(id="replies"):
            yield AnswerButton()
            yield AnswerButton()
        with Horizontal(id="other-replies"):
            for reply in self._other_replies:
                yield AnswerButton.of(reply, _OTHER_REPLIES[reply], classes="-quiet -flat")

    @property
    def entry(self) -> NumberEntry:
        """The number field."""
        return self.query_one(NumberEntry)

    async def show(self, question: QuestionView, plan: InterviewLayout) -> None:
        """Show the answers of this question in the columns and rows of the plan."""
        again, self.question = question == self.question, question
        number = question.kind == "number"
        self.set_class(number, "-number")
        for button in self.query(AnswerButton):
            button.note = ""
        if number:
            if not self.query(NumberEntry):
                await self.mount(NumberEntry(), before="#other-replies")
            if not again:
                self.entry.reset(question.unit, question.range)
            return
        grid = self.query_one("#replies", Grid)
        buttons = list(grid.query(AnswerButton))
        missing = len(question.replies) - len(buttons)
        if missing > 0:
            await grid.mount_all(added := [AnswerButton() for _ in range(missing)])
            buttons += added
        grid.styles.grid_size_columns = plan.columns
        grid.styles.grid_rows = " ".join(map(str, plan.answer_rows))
        grid.styles.max_height = max(plan.shown_rows, 1)
        for at, button in enumerate(buttons):
            button.display = at < len(question.replies)
            if button.display:
                button.reply = question.replies[at]
                button.command = find_answer_action(question.kind, at)
                button.styles.height = plan.answer_rows[at // plan.columns]

    def mark(self, reply: Reply, note: str = "…") -> None:
        """Show a note beside this answer, such as that it is being saved."""
        for button in self.query(AnswerButton):
            if button.display and button.reply == reply:
                button.note = note
