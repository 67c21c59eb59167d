"""``odm-tui schema``: print the JSON Schemas of the file formats, for editors and other programs."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated

import typer

app = typer.Typer(rich_markup_mode=None, add_completion=False)


class SchemaName(StrEnum):
    """The file formats that have a schema."""

    BANK = "bank"
    STATE = "state"
    LOG = "log"


@app.command()
def schema(
    of: Annotated[SchemaName, typer.Argument(metavar="FORMAT", help="bank, state or log")],
) -> None:
    """Print the JSON Schema of a file format."""
    from odm_tui.banks.schema import bank_schema
    from odm_tui.session import log_schema, state_schema

    schemas = {SchemaName.BANK: bank_schema, SchemaName.STATE: state_schema, SchemaName.LOG: log_schema}
    typer.echo(json.dumps(schemas[of](), indent=2))
