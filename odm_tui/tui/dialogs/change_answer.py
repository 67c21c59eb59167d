"""Change an earlier answer: choose it from a list, then give another one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from odm_tui.tui.dialogs.dialog import Dialog, make_hint
from odm_tui.tui.dialogs.filter_list import FilterListDialog, ListItem
from odm_tui.tui.key_bindings import find_answer_action, format_key, keys_for
from odm_tui.tui.widgets.answer_pad import DONT_KNOW, AnswerButton, AnswerPad
from odm_tui.tui.widgets.interview_layout import plan_layout
from odm_tui.tui.widgets.number_entry import NumberEntry
from odm_tui.views.interview import Reply, StepView

OnChange = Callable[[int, str | float | None], None]
"""Called with the number of the step, counted from 0, and the new answer."""


@dataclass(frozen=True, slots=True)
class NewAnswer:
    """The new answer to an earlier question; None means that the answer is not known."""

    answer: str | float | None


class ChangeAnswerDialog(Dialog[NewAnswer]):
    """Return the new answer, or None to keep the old one."""

    AUTO_FOCUS = ""  # without focus, Enter gives no answer by accident

    def __init__(self, step: StepView, number: int) -> None:
        super().__init__()
        self._step, self._number = step, number

    def compose(self) -> ComposeResult:
        """Show the question, the old answer and all possible answers."""
        with Vertical(classes="box"):
            yield Static(Content(f"Change answer {self._number}"), classes="heading")
            yield Static(Content(self._step.question.text), classes="text strong")
            yield Static(Content(f"So far: {self._step.reply}"), classes="hint above")
            yield AnswerPad(other_replies=(DONT_KNOW,))
            yield make_hint("Later answers stay where they still make sense", "keeps it")

    async def on_mount(self) -> None:
        """Show the possible answers and mark the old one."""
        pad = self.query_one(AnswerPad)
        width = self.box_width
        plan = plan_layout(self._step.question, width, max(3, self.app.size.height - 10), reason=0)
        await pad.show(self._step.question, plan)
        for reply in self._step.question.replies:
            if reply.label == self._step.reply:
                pad.mark(reply, "so far")

    @on(AnswerButton.Pressed)
    def _handle_button(self, event: AnswerButton.Pressed) -> None:
        self._give(event.reply)

    def _give(self, reply: Reply) -> None:
        self.dismiss(NewAnswer(None if reply == DONT_KNOW else reply.id))

    @on(NumberEntry.Submitted)
    def _give_number(self) -> None:
        value = self.query_one(AnswerPad).entry.value()
        if value is not None:
            self.dismiss(NewAnswer(value))

    def on_key(self, event: events.Key) -> None:
        """Accept the same keys as the interview screen."""
        question = self._step.question
        if question.kind == "number":
            entry = self.query_one(AnswerPad).entry
            if event.key == "backspace":
                entry.delete_last()
            elif event.key == "enter":
                self._give_number()
            elif event.character and entry.press(event.character):
                event.stop()
        replies = {find_answer_action(question.kind, at): reply for at, reply in enumerate(question.replies)}
        keymap: Mapping[str, str] = getattr(self.app, "keymap", {})
        for command, reply in {**replies, "interview.dont-know": DONT_KNOW}.items():
            if command and format_key(event.key) in keys_for(command, keymap):
                event.stop()
                self._give(reply)
                return


def choose_answer_to_change(screen: Screen[None], steps: tuple[StepView, ...], on_change: OnChange) -> None:
    """Let the operator choose an earlier answer from a list and give another one."""
    items = tuple(
        ListItem(str(at), f"{at + 1}  {' '.join(step.question.text.split())}", step.reply)
        for at, step in enumerate(steps)
    )

    def on_choice(at: str | None) -> None:
        if at is not None:
            change_answer(screen, steps, int(at), on_change)

    screen.app.push_screen(
        FilterListDialog("Change an earlier answer", items, str(len(items) - 1)), on_choice
    )


def change_answer(screen: Screen[None], steps: tuple[StepView, ...], at: int, on_change: OnChange) -> None:
    """Let the operator give another answer to this step."""

    def on_answer(new: NewAnswer | None) -> None:
        if new is not None:
            on_change(at, new.answer)

    screen.app.push_screen(ChangeAnswerDialog(steps[at], at + 1), on_answer)
