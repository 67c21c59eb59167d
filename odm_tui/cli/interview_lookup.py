"""Which interviews a command means: those of one bank, or of every bank in the state folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from odm_tui.cli.completion import bank_names
from odm_tui.errors import BadArgument, BadData

if TYPE_CHECKING:
    from odm_tui.banks.bank import Bank
    from odm_tui.session import Archive

BankOption = Annotated[
    str | None,
    typer.Option("--bank", metavar="NAME", help="A bank's name or file.", autocompletion=bank_names),
]
StateDirOption = Annotated[
    str | None,
    typer.Option("--state-dir", metavar="FOLDER", help="Where interviews and what was learned are kept."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


def archives(bank: str | None, state_dir: str | None) -> list[Archive]:
    """The archive of the named bank, or those of all banks that have a log in the folder."""
    from odm_tui.session import Archive, state_folder, state_paths_in

    if bank is not None:
        return [needed(bank, state_dir)]
    return [Archive(paths, bank_of(paths.log)) for paths in state_paths_in(state_folder(state_dir))]


def needed(bank: str | None, state_dir: str | None) -> Archive:
    """The archive of the named bank; without a name, of the only one there is."""
    from odm_tui.banks.loading import load_bank
    from odm_tui.session import Archive

    if bank is not None:
        return Archive.of(load_bank(bank), state_dir)
    found = archives(None, state_dir)
    if len(found) != 1:
        names = ", ".join(archive.paths.stem for archive in found)
        there = f"there are {names}" if names else "no interviews are kept here yet"
        raise BadArgument(f"Name a bank with --bank; {there}.")
    return found[0]


def with_bank(archive: Archive) -> Bank:
    """The bank of an archive, or one sentence if its file was not found."""
    if archive.bank is None:
        raise BadArgument(f"The bank of {archive.paths.log} was not found; name its file with --bank.")
    return archive.bank


def meant(interview: str, bank: str | None, state_dir: str | None) -> tuple[Archive, str]:
    """The archive and the full id of the interview whose id begins so."""
    found = []
    for archive in archives(bank, state_dir):
        try:
            found.append((archive, archive.find_id(interview)))
        except BadArgument:
            if bank is not None:
                raise
    if not found:
        raise BadArgument(f"There is no interview {interview!r} here; 'odm-tui sessions list' shows all.")
    if len(found) > 1:
        raise BadArgument(f"{len(found)} interviews begin with {interview!r}; type more of the id.")
    return found[0]


def tell_notices(archive: Archive) -> None:
    """Say on stderr what the operator should know."""
    from odm_tui.text import clean_text

    for notice in archive.notices:
        typer.echo(clean_text(notice), err=True)


def bank_of(log: Path) -> Bank | None:
    """The bank that a log names at its beginning, if it can still be found by that name."""
    from odm_tui.banks.loading import load_bank
    from odm_tui.session import bank_name_in_log

    try:
        name = bank_name_in_log(log)
        return None if name is None else load_bank(name)
    except BadData:
        return None
