"""``odm-tui banks``: list the question banks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from odm_tui.cli.output.tables import print_table

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def banks(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """List the question banks with their names, titles, sizes and sources."""
    from odm_tui.banks.locations import available_banks

    found = [_describe(location.name, location.path, location.source) for location in available_banks()]
    if as_json:
        typer.echo(json.dumps({"banks": found}, indent=2))
    elif not found:
        typer.echo("No question banks found. Make one with: odm-tui new NAME", err=True)
    else:
        columns = ("name", "title", "questions", "outcomes", "comes from")
        print_table(columns, map(_cells, found), right=("questions", "outcomes"))


def _describe(name: str, path: Path, source: str) -> dict[str, Any]:
    from odm_tui.banks.loading import load_bank
    from odm_tui.banks.parsing.findings import BadBank
    from odm_tui.text import clean_text

    row: dict[str, Any] = {"name": name, "path": clean_text(str(path)), "source": source}
    try:
        bank = load_bank(path)
    except BadBank as error:
        return {**row, "valid": False, "mistakes": len(error.findings)}
    return {
        **row,
        "valid": True,
        "title": bank.title,
        "description": bank.description,
        "language": bank.language,
        "cost_unit": bank.cost_unit,
        "questions": len(bank.questions),
        "outcomes": len(bank.outcomes),
        "hash": bank.hash,
    }


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    if not row["valid"]:
        return row["name"], "has errors: see odm-tui check", "", "", row["source"]
    return row["name"], row["title"], str(row["questions"]), str(row["outcomes"]), row["source"]
