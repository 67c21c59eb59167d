"""``odm-tui import``: make a question bank from a table of past cases."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from odm_tui.formatting import format_count

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command("import")
def import_data(
    data: Annotated[
        Path, typer.Argument(metavar="DATA.csv", help="CSV file with a header line and one case per row.")
    ],
    outcome: Annotated[str, typer.Option(metavar="COLUMN", help="Column with the outcome.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="NAME.toml", help="Bank file to write.")],
    costs: Annotated[
        Path | None,
        typer.Option(
            metavar="COSTS.csv", help="Costs of the questions: columns test, cost (or cost_no, cost_yes)."
        ),
    ] = None,
    title: Annotated[str, typer.Option(help="Title of the bank (default: the name of the data file).")] = "",
    thresholds: Annotated[
        int, typer.Option(min=1, max=20, help="Number of thresholds for a column of numbers.")
    ] = 3,
    missing: Annotated[
        list[str] | None,
        typer.Option(metavar="WORD", help="A cell that means a missing answer, beside an empty one and ?."),
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Take only these columns; may be repeated.")
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Leave a column out; may be repeated.")
    ] = None,
    rename: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=NAME", help="Another name for a column's question; may be repeated."),
    ] = None,
    variants: Annotated[
        int | None,
        typer.Option(min=1, max=16, help="Hidden variants of an outcome at most; 1 switches them off."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the bank file if it exists.")] = False,
) -> None:
    """Make a bank from a CSV file: the questions from its columns, and what its rows teach."""
    from odm_tui.banks.authoring.bank_file import make_bank_id, save_bank, save_schema
    from odm_tui.banks.authoring.importing import ImportOptions, import_bank
    from odm_tui.text import one_line

    options = ImportOptions(
        costs,
        title,
        thresholds,
        tuple(missing or ()),
        tuple(only or ()),
        tuple(drop or ()),
        _parse_renames(rename or []),
        make_bank_id(output),
        variants=variants,
    )
    imported = import_bank(data, outcome, options)
    save_bank(output, imported.text, force)
    save_schema(output.parent)
    for column, reason in imported.left_out:
        typer.echo(f"Left out: {column!r} {reason}.", err=True)
    for column, note in imported.notes:
        typer.echo(f"Note: {column!r} {note}.", err=True)
    if imported.without_outcome:
        rows = format_count(imported.without_outcome, "row")
        typer.echo(f"Left out: {rows} without an outcome.", err=True)
    file = one_line(str(output))
    questions = format_count(imported.questions, "question")
    outcomes = format_count(imported.outcomes, "outcome")
    if imported.variants > imported.outcomes:
        outcomes = f"{outcomes} in {format_count(imported.variants, 'variant')}"
    typer.echo(
        f"{file}: {questions} and {outcomes} from {format_count(imported.rows, 'row')}. "
        f"Edit the texts, then run: odm-tui check {shlex.quote(file)}",
        err=True,
    )


def _parse_renames(given: list[str]) -> dict[str, str]:
    """Return the new names by column; the first = separates them."""
    renames: dict[str, str] = {}
    for pair in given:
        column, sign, name = pair.partition("=")
        if not sign or not column or not name.strip():
            raise typer.BadParameter(f"{pair!r} is not COLUMN=NAME, such as 'bp=Blood pressure'.")
        renames[column] = name.strip()
    return renames
