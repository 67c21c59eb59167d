"""What the operator did beside answering: stop, ask on, or find that an outcome's advice did not help.

Each is a mark at a number of steps. Undo takes back the last mark at the current number of steps, or else the last step.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

MarkKind = Literal["stopped", "asked_on", "tried"]


class Mark(NamedTuple):
    """One thing that the operator did after ``depth`` steps.

    ``target`` is the belief at which asking on ends; ``outcome`` is the outcome whose advice did not help.
    """

    kind: MarkKind
    depth: int
    target: float = 0.0
    outcome: str = ""


Marks = tuple[Mark, ...]


def is_stopped(marks: Marks) -> bool:
    """Whether the operator has stopped the interview, and has not asked on since."""
    return next((mark.kind == "stopped" for mark in reversed(marks) if mark.kind != "tried"), False)


def find_target(marks: Marks) -> float | None:
    """The belief up to which the operator asks on; None if the policy decides when to stop."""
    last = next((mark for mark in reversed(marks) if mark.kind != "tried"), None)
    return last.target if last is not None and last.kind == "asked_on" else None


def find_tried(marks: Marks) -> tuple[str, ...]:
    """The outcomes whose advice did not help."""
    return tuple(mark.outcome for mark in marks if mark.kind == "tried")


def undo_mark(marks: Marks, depth: int) -> Marks | None:
    """The marks without the last one, if that was made after this many steps; None if the last step comes first."""
    return marks[:-1] if marks and marks[-1].depth == depth else None


def keep_after_change(marks: Marks, depth: int) -> Marks:
    """The marks that stay when an earlier answer changes: what was tried."""
    return tuple(mark._replace(depth=min(mark.depth, depth)) for mark in marks if mark.kind == "tried")
