"""Another answer to an earlier question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from odm_tui.tui.actions import answering, keys_for, shown_key
from odm_tui.tui.dialogs.dialog import Dialog, hint
from odm_tui.tui.widgets.answer_pad import DONT_KNOW, AnswerPad, Target
from odm_tui.tui.widgets.number_entry import NumberEntry
from odm_tui.views.interview import Reply, StepView


@dataclass(frozen=True, slots=True)
class NewAnswer:
    """What the earlier question is answered with now; None: nobody knows."""

    answer: str | float | None


class Change(Dialog[NewAnswer]):
    """Comes back with the new answer, or None if the old one stays."""

    AUTO_FOCUS = ""  # Enter must never give an answer that nobody chose

    def __init__(self, step: StepView, number: int) -> None:
        super().__init__()
        self._step, self._number = step, number

    def compose(self) -> ComposeResult:
        """The question again, what was said, and all its answers."""
        with Vertical(classes="box"):
            yield Static(Content(f"Change answer {self._number}"), classes="heading")
            yield Static(Content(self._step.question.text), classes="text strong")
            yield Static(Content(f"So far: {self._step.reply}"), classes="hint above")
            yield AnswerPad(aside=(DONT_KNOW,))
            yield hint("Later answers stay where they still make sense", "keeps it")

    async def on_mount(self) -> None:
        """Offer the answers of that question."""
        pad = self.query_one(AnswerPad)
        await pad.show(self._step.question, max(3, self.app.size.height - 14), self.app.size.width - 12)
        for reply in self._step.question.replies:
            if reply.label == self._step.reply:
                pad.mark(reply, "so far")

    @on(Target.Given)
    def _given(self, event: Target.Given) -> None:
        self._take(event.reply)

    def _take(self, reply: Reply) -> None:
        self.dismiss(NewAnswer(None if reply == DONT_KNOW else reply.id))

    @on(NumberEntry.Submitted)
    def _give_number(self) -> None:
        value = self.query_one(AnswerPad).entry.value()
        if value is not None:
            self.dismiss(NewAnswer(value))

    def on_key(self, event: events.Key) -> None:
        """The same keys as in the interview."""
        question = self._step.question
        if question.kind == "number":
            entry = self.query_one(AnswerPad).entry
            if event.key == "backspace":
                entry.rub_out()
            elif event.key == "enter":
                self._give_number()
            elif event.character and entry.press(event.character):
                event.stop()
        ways = {answering(question.kind, at): reply for at, reply in enumerate(question.replies)}
        keymap: Mapping[str, str] = getattr(self.app, "keymap", {})
        for command, reply in {**ways, "interview.dont-know": DONT_KNOW}.items():
            if command and shown_key(event.key) in keys_for(command, keymap):
                event.stop()
                self._take(reply)
                return
