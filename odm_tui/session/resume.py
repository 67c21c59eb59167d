"""Which interview is meant by what an operator types: ``last``, an id, or the beginning of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from odm_tui.errors import BadArgument
from odm_tui.session import Archive
from odm_tui.session.pseudonyms import find_pseudonym

if TYPE_CHECKING:
    from odm_tui.banks.bank import Bank
    from odm_tui.store.interview_record import InterviewRecord

LAST = "last"


def unfinished_interviews(bank: Bank, state_dir: str | None, operator: str | None) -> list[InterviewRecord]:
    """The operator's own interviews of this bank that were interrupted, the latest first."""
    archive = Archive.of(bank, state_dir)
    if not archive.paths.log.exists():
        return []
    try:
        return archive.unfinished(find_pseudonym(archive.paths.folder, operator))
    finally:
        archive.close()


def find_interview(bank: Bank, word: str, state_dir: str | None, operator: str | None) -> str:
    """The id of the interview that the word means."""
    if word == LAST:
        waiting = unfinished_interviews(bank, state_dir, operator)
        if not waiting:
            raise BadArgument("There is no interrupted interview of yours to resume.")
        return waiting[0].interview
    archive = Archive.of(bank, state_dir)
    try:
        return archive.find(word).record.interview
    finally:
        archive.close()
