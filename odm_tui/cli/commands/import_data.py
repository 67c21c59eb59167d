"""``odm-tui import``: makes a question bank from a table of past cases."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command("import")
def import_data(
    data: Annotated[Path, typer.Argument(metavar="DATA.csv", help="One case a row, with a header line.")],
    outcome: Annotated[str, typer.Option(metavar="COLUMN", help="The column that holds the outcome.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="NAME.toml", help="The bank to write.")],
    costs: Annotated[
        Path | None,
        typer.Option(
            metavar="COSTS.csv", help="What questions cost: columns test, cost (or cost_no, cost_yes)."
        ),
    ] = None,
    title: Annotated[str, typer.Option(help="The bank's title; the file's name if left out.")] = "",
    thresholds: Annotated[
        int, typer.Option(min=1, max=20, help="How many thresholds a column of numbers gets.")
    ] = 3,
    force: Annotated[bool, typer.Option("--force", help="Replace the bank if it is there already.")] = False,
) -> None:
    """Make a bank from a CSV file: questions from its columns, and what is expected from its rows."""
    from odm_tui.banks.authoring.bank_file import save_bank
    from odm_tui.banks.authoring.importing import import_bank
    from odm_tui.text import one_line

    made = import_bank(data, outcome, costs, title, thresholds)
    save_bank(output, made.text, force)
    for column, reason in made.left_out:
        typer.echo(f"left out: {column!r} {reason}", err=True)
    file = one_line(str(output))
    typer.echo(
        f"{file}: {made.questions:,} questions and {made.outcomes:,} outcomes from {made.rows:,} rows; "
        f"now write the texts, then: odm-tui check {file}",
        err=True,
    )
