"""Choose one branch of an interview that two copies of a folder continued.

Each event names the one before it in its interview (``after``), so the events of an interview form a tree. A path from
its root to a leaf is a branch, and exactly one branch counts as a whole. Which one follows from the set of events
alone, so folders that have the same events agree, in whatever order these were merged: a branch that a person chose
comes first, then one that has ended, then the longer one, then the one that went on later.

Events of old logs name none. Such an event follows the one with the next lower number, the latest of those that are
not later than itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from odm_tui.store.events import Answer, Answered, Event, Filed, Noted, Settled
from odm_tui.store.integrity.chain import identify
from odm_tui.store.interview_record import InterviewRecord

Branch = tuple[Event, ...]
_Standing = tuple[tuple[tuple[str, str, Answer | None], ...], str, str | None, bool]


@dataclass(frozen=True)
class Choice:
    """The branch that counts, and the others that differ from it in what was answered or in how they ended."""

    branch: Branch
    conflicts: tuple[Branch, ...] = ()
    labels: tuple[Filed | Noted, ...] = ()
    """Case references and notes of all branches: the latest one counts, whichever branch it is of."""


def choose_branch(events: Iterable[Event]) -> Choice:
    """Choose the branch that counts among the events of one interview, given in any order, even twice."""
    known = {identify(event): event for event in events}
    order = sorted(known, key=lambda identity: (known[identity].n, known[identity].time, identity))
    parents = {identity: _find_parent(known[identity], known, order) for identity in order}
    leaves = [identity for identity in order if identity not in parents.values()]
    branches = [_path(leaf, parents, known) for leaf in leaves]
    best = max(branches, key=_rank)
    settled = {name for event in known.values() if isinstance(event, Settled) for name in event.against}
    others = (
        branch
        for leaf, branch in zip(leaves, branches, strict=True)
        if branch is not best and leaf not in settled and _differ(branch, best)
    )
    labels = tuple(event for event in (known[i] for i in reversed(order)) if isinstance(event, Filed | Noted))
    return Choice(best, tuple(sorted(others, key=_rank, reverse=True)), labels)


def _find_parent(event: Event, known: dict[str, Event], order: Sequence[str]) -> str | None:
    named = known.get(event.after)
    if named is not None and named.n < event.n:
        return event.after
    earlier = [identity for identity in order if known[identity].n < event.n]
    if not earlier:
        return None
    nearest = known[earlier[-1]].n
    candidates = [identity for identity in earlier if known[identity].n == nearest]
    return max(candidates, key=lambda i: (known[i].time <= event.time, known[i].time, i))


def _path(leaf: str, parents: dict[str, str | None], known: dict[str, Event]) -> Branch:
    path: list[Event] = []
    at: str | None = leaf
    while at is not None:
        path.append(known[at])
        at = parents[at]
    return tuple(reversed(path))


def follow_choice(choice: Choice) -> InterviewRecord:
    """Build the record of an interview from the branch that counts."""
    record = follow_branch(choice.branch)
    for label in choice.labels:
        record.take_label(label)
    record.conflicts = len(choice.conflicts)
    return record


def follow_branch(branch: Iterable[Event]) -> InterviewRecord:
    """Build the record of an interview from one branch."""
    record: InterviewRecord | None = None
    for event in branch:
        record = record or InterviewRecord(event.interview)
        record.follow(event)
    assert record is not None, "a branch has at least one event"
    return record


def _rank(branch: Branch) -> tuple[bool, bool, int, str, str]:
    last = branch[-1]
    settled = any(isinstance(event, Settled) for event in branch)
    return settled, follow_branch(branch).ending is not None, last.n, last.time, identify(last)


def _differ(branch: Branch, best: Branch) -> bool:
    """Whether a branch says anything that the best one does not: more than it said where the two parted."""
    shared = 0
    while shared < min(len(branch), len(best)) and branch[shared] == best[shared]:
        shared += 1
    parted = _standing(branch[:shared]) if shared else None
    return _standing(branch) not in (parted, _standing(best))


def _standing(branch: Branch) -> _Standing:
    """Return what an interview came to: its answers, its status and its outcome."""
    record = follow_branch(branch)
    answers = tuple(
        (step.question, step.name, step.answer if isinstance(step, Answered) else None)
        for step in record.steps or ()
    )
    status = record.status if record.ending is not None else ""
    return answers, status, record.outcome, record.stopped
