"""``odm-tui check``: report the errors and warnings in question banks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from odm_tui.cli.completion import complete_bank
from odm_tui.errors import BadData
from odm_tui.formatting import format_count

if TYPE_CHECKING:
    from odm_tui.banks.loading import Examination
    from odm_tui.banks.parsing.findings import Finding

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def check(
    banks: Annotated[
        list[str],
        typer.Argument(
            metavar="BANK…", help="Names or files of question banks.", autocompletion=complete_bank
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """Report all errors and warnings in question banks; exit with 65 if a bank has errors."""
    from odm_tui.banks.loading import examine_bank

    examined = [(name, examine_bank(name)) for name in banks]
    if as_json:
        typer.echo(json.dumps({"banks": [_as_json(name, found) for name, found in examined]}, indent=2))
    else:
        for name, found in examined:
            _print(name, found)
    if any(found.bank is None for _, found in examined):
        raise typer.Exit(BadData.exit_code)


def _as_json(name: str, found: Examination) -> dict[str, Any]:
    from odm_tui.text import clean_text

    return {
        "bank": clean_text(name),
        "path": clean_text(str(found.path)),
        "valid": found.bank is not None,
        "errors": [_finding_as_json(finding) for finding in found.errors],
        "warnings": [_finding_as_json(finding) for finding in found.warnings],
        "more_errors": found.more,
    }


def _finding_as_json(finding: Finding) -> dict[str, Any]:
    return {
        "path": finding.path,
        "about": finding.about,
        "message": finding.message,
        "line": finding.line,
        "further_places": finding.further,
    }


def _print(name: str, found: Examination) -> None:
    from odm_tui.text import one_line

    shown = one_line(name)
    if found.bank is not None and not found.warnings:
        questions = format_count(len(found.bank.questions), "question")
        outcomes = format_count(len(found.bank.outcomes), "outcome")
        typer.echo(f"{shown}: good ({questions}, {outcomes})")
        return
    summary = [_count(found.errors, "error", found.more)] if found.errors else []
    summary += [_count(found.warnings, "warning")] if found.warnings else []
    typer.echo(f"{shown}: {', '.join(summary)}")
    for kind, colour, findings in (("error", "red", found.errors), ("warning", "yellow", found.warnings)):
        for finding in findings:
            typer.echo(f"  {typer.style(kind, fg=colour)}  {finding}")


def _count(findings: tuple[Finding, ...], kind: str, more: bool = False) -> str:
    return f"{'more than ' if more else ''}{format_count(len(findings), kind)}"
