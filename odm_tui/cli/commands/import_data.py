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
    force: Annotated[bool, typer.Option("--force", help="Replace the bank file if it exists.")] = False,
) -> None:
    """Make a bank from a CSV file: the questions from its columns, the expected answers from its rows."""
    from odm_tui.banks.authoring.bank_file import save_bank
    from odm_tui.banks.authoring.importing import import_bank
    from odm_tui.text import one_line

    imported = import_bank(data, outcome, costs, title, thresholds)
    save_bank(output, imported.text, force)
    for column, reason in imported.left_out:
        typer.echo(f"Left out: {column!r} {reason}.", err=True)
    file = one_line(str(output))
    questions = format_count(imported.questions, "question")
    outcomes = format_count(imported.outcomes, "outcome")
    typer.echo(
        f"{file}: {questions} and {outcomes} from {format_count(imported.rows, 'row')}. "
        f"Edit the texts, then run: odm-tui check {shlex.quote(file)}",
        err=True,
    )
