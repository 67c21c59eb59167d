"""``odm-tui team``: set up, look at and fill a team's store on PostgreSQL."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from odm_tui.cli.common_options import JsonOption, StateDirOption, StoreOption
from odm_tui.cli.store_lookup import require_store
from odm_tui.errors import Locked
from odm_tui.formatting import format_count

if TYPE_CHECKING:
    from odm_tui.session.team.administration import FolderTransfer

app = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True)


@app.callback()
def team() -> None:
    """Share interviews with a team through PostgreSQL."""


@app.command()
def init(
    store: StoreOption = None,
    restored: Annotated[
        bool,
        typer.Option(
            "--restored",
            help="The database was restored from a backup: every folder sends again what it may lack.",
        ),
    ] = False,
) -> None:
    """Set up the tables and roles in a database; run it as the user who will own them."""
    from odm_tui.session.team.address import describe_address
    from odm_tui.session.team.administration import init_store

    address = require_store(store)
    before, after = init_store(address, restored=restored)
    where = describe_address(address)
    if before == 0:
        typer.echo(
            f"The team's store {where} is set up (version {after}). "
            "Give each user one of its roles: GRANT odm_tui_operator TO ann;"
        )
    elif before < after:
        typer.echo(f"The team's store {where} was upgraded from version {before} to {after}.")
    elif restored:
        typer.echo(
            f"The team's store {where} is marked as restored. Every folder sends again what it may lack."
        )
    else:
        typer.echo(f"The team's store {where} is set up already (version {before}). Nothing was changed.")


@app.command()
def upgrade(store: StoreOption = None) -> None:
    """Bring the tables of a store up to date with this odm-tui."""
    from odm_tui.session.team.address import describe_address
    from odm_tui.session.team.administration import upgrade_store

    address = require_store(store)
    before, after = upgrade_store(address)
    where = describe_address(address)
    if before == after:
        typer.echo(f"The team's store {where} is up to date (version {after}).")
    else:
        typer.echo(f"The team's store {where} was upgraded from version {before} to {after}.")


@app.command()
def status(store: StoreOption = None, state_dir: StateDirOption = None, as_json: JsonOption = False) -> None:
    """Show the store's banks, what is missing here, what has not been sent yet, and who has an interview open."""
    from odm_tui.session.team.administration import team_status

    found = team_status(require_store(store), state_dir)
    if as_json:
        from odm_tui.cli.output.json_text import format_json

        typer.echo(
            format_json(
                {**asdict(found), "banks": [{**asdict(bank), "lag": bank.lag} for bank in found.banks]}
            )
        )
        return
    from odm_tui.text import one_line

    typer.echo(f"Store {found.store}, version {found.version}")
    typer.echo(f"Your user may {'' if found.may_forget else 'not '}forget interviews there.")
    typer.echo(f"Open interviews: {', '.join(one_line(name) for name in found.present) or 'none'}")
    for bank in found.banks:
        typer.echo(
            f"\n{one_line(bank.bank)}: {format_count(bank.head, 'row')} in the store, {bank.lag} of them not taken in yet, "
            f"{format_count(bank.unsent, 'event')} not sent yet"
        )
        for folder in bank.folders:
            this = "  (this folder)" if folder.is_this else ""
            typer.echo(
                f"  folder {folder.folder}: {format_count(folder.events, 'event')}, last {folder.last}{this}"
            )


@app.command()
def sync(store: StoreOption = None, state_dir: StateDirOption = None, as_json: JsonOption = False) -> None:
    """Send and take in everything now, and wait for it."""
    from odm_tui.session.team.administration import sync_folder
    from odm_tui.text import one_line

    done = sync_folder(require_store(store), state_dir)
    if as_json:
        from odm_tui.cli.output.json_text import format_json

        typer.echo(format_json({bank: asdict(result) for bank, result in done.items()}))
    else:
        for bank, result in done.items():
            if not result.busy:
                typer.echo(
                    f"{one_line(bank)}: {format_count(result.sent, 'event')} sent, {result.taken} taken in"
                )
            for notice in result.notices:
                typer.echo(one_line(notice), err=True)
    busy = [one_line(bank) for bank, result in done.items() if result.busy]
    if busy:
        raise Locked(
            f"Another odm-tui is syncing this folder ({', '.join(busy)}) and has not finished in time. "
            "If it is stopped, let it go on or end it, and try again."
        )


@app.command("import")
def import_command(
    folder: Annotated[Path, typer.Argument(metavar="STATE_DIR", help="The state folder to copy from.")],
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Copy all interviews of a state folder into the store; it can be repeated."""
    from odm_tui.session.team.administration import import_team

    _print_transfers(import_team(require_store(store), folder), as_json)


@app.command("export")
def export_command(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The new state folder to copy to.")],
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Copy all interviews of the store into a new state folder."""
    from odm_tui.session.team.administration import export_team

    _print_transfers(export_team(require_store(store), folder), as_json)


def _print_transfers(found: list[FolderTransfer], as_json: bool) -> None:
    from odm_tui.text import one_line

    if as_json:
        from odm_tui.cli.output.json_text import format_json

        typer.echo(format_json([asdict(one) for one in found]))
        return
    if not found:
        typer.echo("There are no interviews to copy.")
    for one in found:
        typer.echo(
            f"{one_line(one.bank)}: {format_count(one.events, 'event')}, {one.new} of them new, "
            f"{format_count(one.forgotten, 'forgotten interview')}"
        )
        if one.damaged:
            typer.echo(f"{format_count(one.damaged, 'damaged line')} left out", err=True)
        if one.notice:
            typer.echo(one.notice, err=True)
