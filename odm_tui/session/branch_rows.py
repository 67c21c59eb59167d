"""The branches of interviews that two copies of a folder continued, as rows of a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from odm_tui.session.archive import Archive
from odm_tui.store.branches.choice import follow_branch
from odm_tui.store.events import Answered, Skipped
from odm_tui.store.integrity.chain import identify


def branch_rows(archive: Archive) -> Iterator[dict[str, Any]]:
    """Yield one row per branch of each conflict; the branch that counts comes first."""
    for past in archive.conflicts():
        for number, branch in enumerate((past.events, *past.conflicts)):
            record = follow_branch(branch)
            steps = (step for step in record.steps or () if not isinstance(step, Skipped))
            yield {
                "interview": record.interview,
                "bank": archive.paths.stem if archive.bank is None else archive.bank.name,
                "branch": identify(branch[-1]),
                "counts": number == 0,
                "last": record.last_time,
                "status": record.status,
                "answers": {
                    step.question: step.answer if isinstance(step, Answered) else None for step in steps
                },
                "outcome": record.outcome,
            }
