"""Options and arguments that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from odm_tui.cli.completion import complete_bank

BankOption = Annotated[
    str | None,
    typer.Option("--bank", metavar="NAME", help="A bank's name or file.", autocompletion=complete_bank),
]
StateDirOption = Annotated[
    str | None,
    typer.Option("--state-dir", metavar="FOLDER", help="The folder that holds interviews and state."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store", metavar="ADDRESS", help="The team's store, such as postgresql://db.example/team."
    ),
]
