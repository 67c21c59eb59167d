"""Find the interview to resume from what the operator types: ``last``, an id, or the beginning of an id."""

from __future__ import annotations

from typing import TYPE_CHECKING

from odm_tui.errors import BadArgument
from odm_tui.session import Archive
from odm_tui.session.pseudonyms import find_pseudonym

if TYPE_CHECKING:
    from odm_tui.banks.bank import Bank
    from odm_tui.store.index.summary import InterviewSummary

LAST = "last"


def unfinished_interviews(
    bank: Bank, state_dir: str | None, operator: str | None, case: str | None = None
) -> list[InterviewSummary]:
    """Find the operator's unfinished interviews of a bank that no process has open, the latest first.

    With a case reference, find only those of that case: another case is another call.
    """
    archive = Archive.of(bank, state_dir)
    if not archive.paths.log.exists():
        return []
    try:
        found = archive.unfinished(find_pseudonym(archive.paths.folder, operator))
        return [record for record in found if case is None or record.case == case]
    finally:
        archive.close()


def find_interview(bank: Bank, word: str, state_dir: str | None, operator: str | None) -> str:
    """Find the id of the interview that ``word`` names."""
    if word == LAST:
        unfinished = unfinished_interviews(bank, state_dir, operator)
        if not unfinished:
            raise BadArgument("There is no unfinished interview of yours to resume; start a new one.")
        return unfinished[0].interview
    archive = Archive.of(bank, state_dir)
    try:
        return archive.find_id(word)
    finally:
        archive.close()
