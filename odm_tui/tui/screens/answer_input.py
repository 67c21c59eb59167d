"""The keys and clicks that answer a question: yes and no, choices, numbers, don't know and skip."""

from __future__ import annotations

from textual import events, on

from odm_tui.tui.key_bindings import Action, format_key, keys_for
from odm_tui.tui.key_guard import KeyGuard
from odm_tui.tui.screens.interview_requests import InterviewRequests
from odm_tui.tui.widgets.answer_pad import DONT_KNOW, SKIP, AnswerButton, AnswerPad
from odm_tui.tui.widgets.key_bar import KeyBar
from odm_tui.tui.widgets.number_entry import NumberEntry
from odm_tui.views.interview import QuestionView, Reply

_SLOW_SAVE = 0.1
"""Seconds after which an answer that is not saved yet is marked as received."""


class AnswerInput(InterviewRequests):
    """Turn keys and clicks into answers."""

    @property
    def question(self) -> QuestionView | None:
        """The question that is shown."""
        return self.view.question if self.view else None

    @property
    def _replies(self) -> tuple[Reply, ...]:
        return self.question.replies if self.question else ()

    @property
    def asks_number(self) -> bool:
        """Whether the answer is a number."""
        return self.question is not None and self.question.kind == "number"

    @on(AnswerButton.Pressed)
    def _handle_button(self, event: AnswerButton.Pressed) -> None:
        self._give(event.reply)

    def _give(self, reply: Reply) -> None:
        """Give this answer, unless the key came too soon after the question."""
        if self.is_too_soon(KeyGuard.ANSWER_DELAY):
            return
        if not self.busy:
            self.set_timer(_SLOW_SAVE, lambda: self._mark_if_unsaved(reply))
        if reply == DONT_KNOW:
            self.perform("dont_know")
        elif reply == SKIP:
            self.perform("skip")
        else:
            self.perform("answer", reply.id)

    def _mark_if_unsaved(self, reply: Reply) -> None:
        """Mark the given answer as received if saving it takes noticeably long."""
        if self.busy:
            self.query_one(AnswerPad).mark(reply)

    def action_reply(self, id: str) -> None:
        """Answer a yes/no question."""
        self._give(next(reply for reply in self._replies if reply.id == id))

    def action_choose(self, at: int) -> None:
        """Give one of the first nine answers of a choice."""
        self._give(self._replies[at])

    def action_dont_know(self) -> None:
        """Answer that the answer is not known."""
        self._give(DONT_KNOW)

    def action_skip(self) -> None:
        """Skip the question."""
        self._give(SKIP)

    def action_undo(self) -> None:
        """Take back the last thing that was done."""
        self.perform("undo")

    def action_erase(self) -> None:
        """Delete the last digit of the number; never an answer."""
        if not self.query_one(AnswerPad).entry.delete_last():
            self.say("The number is empty; u takes back what was done last.")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether a key works for the current question."""
        question = self.question
        if action == "reply":
            return question is not None and question.kind == "yes_no"
        if action == "choose":
            return (
                question is not None
                and question.kind == "choice"
                and int(str(parameters[0])) < len(self._replies)
            )
        if action == "erase":
            return self.asks_number
        if action == "undo":
            return self.view is not None and self.view.can_undo
        if action in ("answers", "evidence"):
            return self.view is not None and bool(self.view.steps)
        if action == "refer":
            return self.view is not None and bool(self.view.can_refer)
        if action in ("dont_know", "skip", "why", "other", "decide", "abandon", "case", "search"):
            return self.view is not None
        return True

    def describe_dead_key(self, action: Action) -> str:
        """Why this key gives no answer to the question that is shown."""
        question = self.question
        if question is None or not action.does.startswith(("reply", "choose")):
            return action.dead
        if question.kind == "yes_no":
            return "This question is answered with y or n."
        if question.kind == "choice":
            return f"This question is answered with 1 to {min(9, len(question.replies))}."
        return "This question is answered with a number, then Enter."

    def on_key(self, event: events.Key) -> None:
        """Send digits to the number field, whatever has the focus; say why a dead key does nothing."""
        if self.asks_number and not self.busy:
            entry = self.query_one(AnswerPad).entry
            if event.key == "enter" and self.focused is None:
                event.stop()
                self._give_number()
                return
            if format_key(event.key) in keys_for("interview.erase", getattr(self.app, "keymap", {})):
                # Here and not through its binding, which runs after digits that were typed later.
                event.stop()
                self.action_erase()
                return
            if event.character and entry.press(event.character):
                event.stop()
                self.query_one(KeyBar).be_quiet()
                return
        self.explain_dead_key(event)

    @on(NumberEntry.Submitted)
    def _give_number(self) -> None:
        if self.is_too_soon(KeyGuard.ANSWER_DELAY):
            return
        value = self.query_one(AnswerPad).entry.value()
        if value is not None:
            self.perform("answer", value)

    def on_paste(self, event: events.Paste) -> None:
        """Send a pasted number to the number field."""
        if self.asks_number:
            for character in event.text.strip():
                self.query_one(AnswerPad).entry.press(character)
