"""Find the interviews that a command works on: those of one bank, or of every bank in the state folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from odm_tui.errors import BadArgument, BadData, OdmError

if TYPE_CHECKING:
    from odm_tui.banks.bank import Bank
    from odm_tui.session import Archive

_MOST_NAMES = 200
"""Of the latest interviews: among these, one with a similar id is looked for."""


def find_archives(bank: str | None, state_dir: str | None) -> list[Archive]:
    """The archive of the named bank; without a name, of every bank that has a log in the folder."""
    from odm_tui.session import Archive, state_folder, state_paths_in

    if bank is not None:
        return [find_archive(bank, state_dir)]
    return [Archive(paths, load_bank_of_log(paths.log)) for paths in state_paths_in(state_folder(state_dir))]


def find_archive(bank: str | None, state_dir: str | None) -> Archive:
    """The archive of the named bank; without a name, of the only bank that has a log in the folder."""
    from odm_tui.banks.loading import load_bank
    from odm_tui.session import Archive

    if bank is not None:
        return Archive.of(load_bank(bank), state_dir)
    found = find_archives(None, state_dir)
    if not found:
        raise BadArgument("No bank was named, and there are no interviews yet. Name a bank with --bank.")
    if len(found) > 1:
        names = ", ".join(archive.paths.stem for archive in found)
        raise BadArgument(f"No bank was named. Choose one with --bank: {names}.")
    return found[0]


def require_bank(archive: Archive) -> Bank:
    """The bank of an archive; an error if its file was not found."""
    if archive.bank is None:
        raise BadArgument(f"The bank of {archive.paths.log} was not found. Name its file with --bank.")
    return archive.bank


def find_interview_archive(
    interview: str, bank: str | None, state_dir: str | None, *, forgotten: bool = False
) -> tuple[Archive, str]:
    """The archive and the full id of the interview whose id begins with ``interview``, or that has it as its case."""
    from odm_tui.session.resume import check_only, find_by_case

    archives = find_archives(bank, state_dir)
    found = []
    for archive in archives:
        try:
            found.append((archive, archive.find_id(interview, forgotten=forgotten)))
        except BadArgument:
            of_case = find_by_case(archive, interview)
            if of_case:
                found.append((archive, check_only(of_case, interview)))
            elif bank is not None:
                raise
    if not found:
        from odm_tui.text import unknown_name

        latest = (archive.page(_MOST_NAMES).rows for archive in archives)
        ids = [record.interview for rows in latest for record in rows]
        raise BadArgument(unknown_name("interview", interview, ids, see="`odm-tui sessions list`"))
    if len(found) > 1:
        raise BadArgument(
            f"{len(found)} interviews are called {interview!r}. Type more of the id, or name the bank with --bank."
        )
    return found[0]


def print_notices(archive: Archive) -> None:
    """Print what the operator should know, such as damaged records, to stderr."""
    from odm_tui.text import clean_text

    for notice in archive.notices:
        typer.echo(clean_text(notice), err=True)


def load_bank_of_log(log: Path) -> Bank | None:
    """The bank that a log names; None if there is no bank with that name any more."""
    from odm_tui.banks.loading import load_bank
    from odm_tui.session import bank_name_in_log

    try:
        name = bank_name_in_log(log)
        return None if name is None else load_bank(name)
    except BadData:
        return None


def send_to_team(archive: Archive, *, wait: bool = False) -> None:
    """Send what has changed to the team's store, if one is named: beside the shell, or at once with its notices."""
    from odm_tui.cli.store_lookup import find_store

    store = find_store(None)
    if store is None:
        return
    folder = archive.paths.folder
    if not wait:
        from odm_tui.session.team.sync_client import SyncClient

        SyncClient(store, folder).close()
        return
    from odm_tui.session.team.administration import sync_folder
    from odm_tui.text import clean_text

    try:
        done = sync_folder(store, str(folder))
    except OdmError as error:
        typer.echo(clean_text(f"{error} It is sent later."), err=True)
        return
    for result in done.values():
        for notice in result.notices:
            typer.echo(clean_text(notice), err=True)
