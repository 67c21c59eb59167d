"""The answers as big targets with their keys; for a number, a field that digits go to by themselves."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.containers import Grid, Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from odm_tui.tui.actions import answering, key_for
from odm_tui.tui.widgets.drawing import fitted
from odm_tui.tui.widgets.number_entry import NumberEntry
from odm_tui.views.interview import QuestionView, Reply

DONT_KNOW = Reply("unknown", "Don't know", "?")
SKIP = Reply("skipped", "Skip", "s")
_ASIDE = {DONT_KNOW: "interview.dont-know", SKIP: "interview.skip"}
_TALL, _SPARE = 3, 4


class Target(Widget, can_focus=True):
    """One answer: its key and its label; a click, or Enter while it has the focus, gives it."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    Target {
        height: 3; padding: 0 1; background: $surface; content-align: left middle;
        border-left: outer $border-blurred;
        &:hover { background: $panel; }
        &:focus { background: $panel; border-left: outer $accent; text-style: $block-cursor-text-style; }
        &.-flat { height: 1; }
        &.-quiet { color: $quiet; }
    }
    """

    @dataclass
    class Given(Message):
        """This answer was given."""

        reply: Reply

    reply: reactive[Reply] = reactive(DONT_KNOW)
    command: reactive[str] = reactive("")
    """The command that gives the same answer by its key."""
    note: reactive[str] = reactive("")
    """A word behind the label: that the answer is being taken down, or was given before."""

    def render(self) -> Content:
        """The key in a cap, then the label."""
        note = f" {self.note}" if self.note else ""
        key = self._key
        room = max(1, self.content_size.width - 5 - len(key) - len(note))
        label = fitted(self.reply.label, room).rstrip()
        said = ((label, "bold"), (note, "bold $accent")) if note else (label,)
        if not key:
            return Content.assemble("     ", *said)
        cap = "bold reverse $quiet" if self.has_class("-quiet") else "bold reverse $accent"
        return Content.assemble((f" {key} ", cap), "  ", *said)

    @property
    def _key(self) -> str:
        """The key that gives it, in the user's own keymap."""
        return key_for(self.command, getattr(self.app, "keymap", {})) if self.command else self.reply.key

    @classmethod
    def of(cls, reply: Reply, command: str, classes: str = "", id: str | None = None) -> Target:
        """The target of a reply that has its command."""
        made = cls(id=id, classes=classes)
        made.set_reactive(Target.reply, reply)
        made.set_reactive(Target.command, command)
        return made

    def on_click(self) -> None:
        """Give this answer."""
        self.post_message(self.Given(self.reply))

    def on_key(self, event: events.Key) -> None:
        """Enter and space give the answer that has the focus."""
        if event.key in ("enter", "space"):
            event.stop()
            self.post_message(self.Given(self.reply))


class AnswerPad(Vertical):
    """All answers of the question at hand; don't know and skip stay in their place below."""

    DEFAULT_CSS = """
    AnswerPad {
        height: auto; padding: 0 2;
        #replies { height: auto; max-height: 60; grid-gutter: 0 1; overflow-y: auto; scrollbar-size-vertical: 1; }
        #aside { height: 1; margin-top: 1; }
        &.-crowded #aside { margin-top: 0; }
        #aside Target { height: 1; width: 1fr; max-width: 24; margin-right: 1; border-left: none; background: transparent; padding: 0; }
        #aside Target:hover { background: $panel; }
        #aside Target:focus { background: $panel; }
        NumberEntry { display: none; }
        &.-number NumberEntry { display: block; }
        &.-number #replies { display: none; }
    }
    """

    def __init__(self, aside: tuple[Reply, ...] = (DONT_KNOW, SKIP)) -> None:
        super().__init__()
        self.question: QuestionView | None = None
        self._aside = aside

    def compose(self) -> ComposeResult:
        """Yes and no, and the two ways around an answer; more places are made when a question needs them."""
        with Grid(id="replies"):
            yield Target()
            yield Target()
        with Horizontal(id="aside"):
            for reply in self._aside:
                yield Target.of(reply, _ASIDE[reply], classes="-quiet")

    @property
    def entry(self) -> NumberEntry:
        """The field for a number."""
        return self.query_one(NumberEntry)

    async def show(self, question: QuestionView, room: int, width: int) -> None:
        """Show the answers of this question in at most ``room`` rows, ``width`` cells wide."""
        again, self.question = question == self.question, question
        number = question.kind == "number"
        self.set_class(number, "-number")
        for target in self.query(Target):
            target.note = ""
        if number:
            if not self.query(NumberEntry):
                await self.mount(NumberEntry(), before="#aside")
            if not again:
                self.entry.ask(question.unit, question.range)
            return
        grid = self.query_one("#replies", Grid)
        targets = list(grid.query(Target))
        missing = len(question.replies) - len(targets)
        if missing > 0:
            await grid.mount_all(added := [Target() for _ in range(missing)])
            targets += added
        self.set_class(question.kind != "yes_no" and room <= len(question.replies), "-crowded")
        columns = _columns(question, width, room)
        rows = -(-len(question.replies) // columns)
        tall = rows * _TALL <= (room if question.kind == "yes_no" else room - _SPARE)
        grid.styles.grid_size_columns = columns
        grid.styles.grid_rows = f"{_TALL if tall else 1}"
        grid.styles.grid_gutter_horizontal = int(rows > 1 and rows * (_TALL + 1) - 1 <= room - _SPARE)
        grid.styles.max_height = max(room, 1)
        for at, target in enumerate(targets):
            target.display = at < len(question.replies)
            if target.display:
                target.reply = question.replies[at]
                target.command = answering(question.kind, at)
                target.set_class(not tall, "-flat")

    def mark(self, reply: Reply, note: str = "…") -> None:
        """Show that this answer is being taken down."""
        for target in self.query(Target):
            if target.display and target.reply == reply:
                target.note = note


def _columns(question: QuestionView, width: int, room: int) -> int:
    """Two columns for yes and no, and where one column would be too long and the labels are short."""
    if question.kind == "yes_no":
        return 2
    longest = max(cell_len(reply.label) for reply in question.replies)
    if len(question.replies) > room and longest <= width // 2 - 8:
        return 2
    return 1
