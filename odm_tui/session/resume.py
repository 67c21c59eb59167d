"""Find an interview from what the operator types: ``last``, an id, the beginning of an id, or a case reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from odm_tui.errors import BadArgument
from odm_tui.session import Archive
from odm_tui.session.pseudonyms import find_pseudonym
from odm_tui.store.interview_record import PENDING, UNFINISHED

if TYPE_CHECKING:
    from odm_tui.banks.bank import Bank
    from odm_tui.store.index.summary import InterviewSummary

LAST = "last"
_MOST_OF_CASE = 100
_MOST_NAMED = 5


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
    except BadArgument:
        found = find_by_case(archive, word, UNFINISHED, PENDING)
        if not found:
            raise
        return check_only(found, word)
    finally:
        archive.close()


def find_by_case(archive: Archive, reference: str, *statuses: str) -> list[str]:
    """Find the ids of the interviews with this case reference, in upper or lower case."""
    wanted = reference.casefold()
    page = archive.page(
        _MOST_OF_CASE, statuses, words=reference, matches=lambda one: one.case.casefold() == wanted
    )
    return [record.interview for record in page.rows]


def check_only(found: list[str], reference: str) -> str:
    """Return the only id; raise BadArgument if there are several."""
    if len(found) > 1:
        raise BadArgument(
            f"{len(found)} interviews have the case {reference!r}: {', '.join(found[:_MOST_NAMED])}. Name one by its id."
        )
    return found[0]
