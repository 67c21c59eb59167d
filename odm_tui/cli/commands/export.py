"""``odm-tui export``: print a bank's question tree for Graphviz or Mermaid."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

import typer

from odm_tui.cli.completion import complete_bank, complete_policy
from odm_tui.errors import BadArgument

app = typer.Typer(rich_markup_mode=None, add_completion=False)


class TreeFormat(StrEnum):
    """The formats of the tree."""

    DOT = "dot"
    MERMAID = "mermaid"


@app.command()
def export(
    bank: Annotated[
        str, typer.Argument(help="Name or file of a question bank.", autocompletion=complete_bank)
    ],
    tree: Annotated[bool, typer.Option("--tree", help="Print the question tree of a policy.")] = False,
    form: Annotated[
        TreeFormat, typer.Option("--format", help="dot for Graphviz, or mermaid.")
    ] = TreeFormat.DOT,
    depth: Annotated[int, typer.Option(min=1, max=12, help="Depth of the tree, in questions.")] = 4,
    policy: Annotated[
        str | None,
        typer.Option(
            help="Policy to follow, such as w-ig-ts (default: the bank's own, without exploration).",
            autocompletion=complete_policy,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed for a policy that explores at random.")] = 0,
) -> None:
    """Print a bank's question tree: the question after each answer, and the outcome of each path."""
    if not tree:
        raise BadArgument("Nothing to export. Add --tree to print the question tree.")
    from odm_tui.banks.loading import load_bank
    from odm_tui.banks.question_tree import build_tree, draw_tree

    language: Literal["dot", "mermaid"] = "dot" if form is TreeFormat.DOT else "mermaid"
    typer.echo(draw_tree(build_tree(load_bank(bank), policy, depth, seed), language), nl=False)
