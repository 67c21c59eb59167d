"""``odm-tui new``: write a commented bank to start from."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="Name of the bank, or the file to write.")],
    title: Annotated[str, typer.Option(help="Title of the bank (default: its name).")] = "",
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
) -> None:
    """Write a small commented bank to start from.

    A plain name goes into the folder question_banks if there is one, or else into the current folder.
    """
    from odm_tui.banks.authoring.bank_file import make_bank_id, save_bank, save_schema
    from odm_tui.banks.authoring.starter import starter_bank
    from odm_tui.banks.locations import FOLDER, SUFFIX
    from odm_tui.text import one_line, shorten

    given = Path(name if name.endswith(SUFFIX) else f"{name}{SUFFIX}")
    path = Path(FOLDER) / given if given.parent == Path() and Path(FOLDER).is_dir() else given
    words = title or given.stem.replace("-", " ").replace("_", " ")
    shown = one_line(str(path))
    heading = shorten(one_line(words), 200) or "New bank"
    text = starter_bank(heading[:1].upper() + heading[1:], shown, make_bank_id(path))
    save_bank(path, text, force)
    save_schema(path.parent)
    typer.echo(f"Wrote {shown}. Edit it, then run: odm-tui check {shlex.quote(shown)}", err=True)
