"""``odm-tui state``: show, rebuild, verify, merge and export what was learned."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from odm_tui.cli.archive_lookup import (
    find_archive,
    find_archives,
    print_notices,
    require_bank,
    send_to_team,
)
from odm_tui.cli.common_options import BankOption, JsonOption, StateDirOption
from odm_tui.cli.output.json_text import format_json
from odm_tui.errors import BadArgument, BadData
from odm_tui.formatting import format_count

if TYPE_CHECKING:
    from odm_tui.session import Archive

app = typer.Typer(rich_markup_mode=None, add_completion=False)


class ExportData(StrEnum):
    """The data that can be exported."""

    INTERVIEWS = "interviews"
    ANSWERS = "answers"
    KNOWLEDGE = "knowledge"


@app.callback(invoke_without_command=True)
def state(context: typer.Context) -> None:
    """Show, rebuild, verify, merge or export what was learned."""
    if context.invoked_subcommand is None:
        show()


@app.command()
def show(
    bank: BankOption = None,
    state_dir: StateDirOption = None,
    top: Annotated[int, typer.Option(min=1, help="Show this many questions.")] = 12,
    patch: Annotated[
        bool, typer.Option("--patch", help="Print a patch that sets the bank's costs to the measured times.")
    ] = False,
    variants: Annotated[
        bool, typer.Option("--variants", help="Print learned variants of outcomes as TOML, to adopt them.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show answers by outcome, telling questions, variants and costs.

    The costs are those of past interviews and, where they were measured, the times that answers took.
    """
    from odm_tui.session.statistics import measure_costs, state_overview

    archive = find_archive(bank, state_dir)
    loaded = require_bank(archive)
    if patch:
        from odm_tui.session.cost_patch import cost_patch

        typer.echo(cost_patch(loaded, measure_costs(archive, loaded)), nl=False)
        return
    if variants:
        from odm_tui.session.variants import adoptable_variants

        text = adoptable_variants(loaded, archive.posterior(archive.read_snapshot().counts))
        if not text:
            typer.echo("No variants of outcomes have been learned.", err=True)
        typer.echo(text, nl=False)
        return
    found = state_overview(archive, loaded)
    for notice in found["notices"]:
        typer.echo(notice, err=True)
    if as_json:
        typer.echo(format_json(found, indent=2))
    else:
        from odm_tui.cli.output.state_overview import print_state_overview

        print_state_overview(found, top)


@app.command()
def rebuild(bank: BankOption = None, state_dir: StateDirOption = None, as_json: JsonOption = False) -> None:
    """Rebuild the state from the log."""
    archive = find_archive(bank, state_dir)
    require_bank(archive)
    known = archive.rebuild()
    print_notices(archive)
    count = known.counts.interviews
    if as_json:
        typer.echo(format_json({"state": str(archive.paths.state), "interviews": count}))
    else:
        typer.echo(f"{archive.paths.state}: {format_count(count, 'interview')}.", err=True)


@app.command()
def verify(bank: BankOption = None, state_dir: StateDirOption = None, as_json: JsonOption = False) -> None:
    """Check the log, and the state against the log.

    Exit with 65 if anything is wrong.
    """
    from odm_tui.text import clean_text

    archives = find_archives(bank, state_dir)
    found = [problem for archive in archives for problem in archive.find_problems()]
    notes = [note for archive in archives for note in archive.find_notes()]
    if as_json:
        typer.echo(format_json({"sound": not found, "problems": found, "notes": notes}, indent=2))
    else:
        for sentence in (*found, *notes):
            typer.echo(clean_text(sentence))
        typer.echo(f"{format_count(len(found), 'problem')}." if found else "No problems found.", err=True)
    if found:
        raise typer.Exit(BadData.exit_code)


@app.command()
def merge(
    other: Annotated[Path, typer.Argument(metavar="FOLDER", help="The state folder to merge from.")],
    bank: BankOption = None,
    state_dir: StateDirOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add the interviews of another state folder.

    The other folder is only read.
    """
    from odm_tui.session import state_paths_in

    if not other.is_dir():
        raise BadArgument(f"{other} is not a folder. Name the state folder to merge from.")
    there = state_paths_in(other)
    if bank is not None:
        stem = find_archive(bank, state_dir).paths.stem
        there = [paths for paths in there if paths.stem == stem]
    if not there:
        raise BadArgument(f"{other} has no log to merge. Name another state folder.")
    rows = []
    for paths in there:
        archive = _archive_for(paths.stem, paths.log, bank, state_dir)
        merged = archive.merge(other)
        print_notices(archive)
        send_to_team(archive)
        rows.append({"bank": paths.stem, **vars(merged)})
    if as_json:
        typer.echo(format_json({"merged": rows}, indent=2))
    else:
        for row in rows:
            typer.echo(
                f"{row['bank']}: added {format_count(row['interviews'], 'interview')} and "
                f"{format_count(row['events'], 'event')}, forgot {format_count(row['forgotten'], 'interview')}, "
                f"skipped {format_count(row['damaged'], 'damaged line')}.",
                err=True,
            )


@app.command()
def export(
    what: Annotated[
        ExportData, typer.Argument(metavar="WHAT", help="Export interviews, answers or knowledge.")
    ] = ExportData.INTERVIEWS,
    bank: BankOption = None,
    state_dir: StateDirOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print interviews, answers or what was learned as CSV.

    No cell is a formula for a spreadsheet.
    """
    from odm_tui.cli.output.csv_text import format_csv
    from odm_tui.session.export import answer_rows, interview_rows, knowledge_rows

    archive = find_archive(bank, state_dir)
    if what is ExportData.KNOWLEDGE:
        header, rows = knowledge_rows(archive, require_bank(archive))
    else:
        header, rows = interview_rows(archive) if what is ExportData.INTERVIEWS else answer_rows(archive)
    if as_json:
        typer.echo(format_json([dict(zip(header, row, strict=True)) for row in rows], indent=2))
    else:
        typer.echo(format_csv(header, rows), nl=False)


@app.command()
def path(bank: BankOption = None, state_dir: StateDirOption = None, as_json: JsonOption = False) -> None:
    """Print the path of the state folder, or of a bank's state file."""
    from odm_tui.session import state_folder

    found: dict[str, str] = {"folder": str(state_folder(state_dir))}
    if bank is not None:
        paths = find_archive(bank, state_dir).paths
        found |= {"state": str(paths.state), "log": str(paths.log)}
    if as_json:
        typer.echo(format_json(found))
    else:
        typer.echo(found["state"] if bank is not None else found["folder"])


def _archive_for(stem: str, log: Path, bank: str | None, state_dir: str | None) -> Archive:
    """This folder's archive for a bank of the other folder; it may not exist yet."""
    from odm_tui.cli.archive_lookup import load_bank_of_log
    from odm_tui.session import Archive, StatePaths, state_folder

    if bank is not None:
        return find_archive(bank, state_dir)
    return Archive(StatePaths(state_folder(state_dir), stem), load_bank_of_log(log))
