"""Which earlier answer, and what it is now: two dialogs in a row."""

from __future__ import annotations

from collections.abc import Callable

from textual.screen import Screen

from odm_tui.tui.dialogs.change import Change, NewAnswer
from odm_tui.tui.dialogs.choose import Choose, Item
from odm_tui.views.interview import StepView

Changed = Callable[[int, str | float | None], None]


def choose_step(screen: Screen[None], steps: tuple[StepView, ...], changed: Changed) -> None:
    """Let the operator choose an earlier answer and give another one."""
    items = tuple(
        Item(str(at), f"{at + 1}  {' '.join(step.question.text.split())}", step.reply)
        for at, step in enumerate(steps)
    )

    def opened(at: str | None) -> None:
        if at is not None:
            change_step(screen, steps, int(at), changed)

    screen.app.push_screen(Choose("Change an earlier answer", items, str(len(items) - 1)), opened)


def change_step(screen: Screen[None], steps: tuple[StepView, ...], at: int, changed: Changed) -> None:
    """Let the operator give another answer to this step."""

    def given(new: NewAnswer | None) -> None:
        if new is not None:
            changed(at, new.answer)

    screen.app.push_screen(Change(steps[at], at + 1), given)
