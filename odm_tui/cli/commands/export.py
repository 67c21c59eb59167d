"""``odm-tui export``: a bank in a form that other programs draw."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

import typer

from odm_tui.cli.completion import bank_names, policy_names
from odm_tui.errors import BadArgument

app = typer.Typer(rich_markup_mode=None, add_completion=False)


class TreeFormat(StrEnum):
    """The languages that a tree can be drawn in."""

    DOT = "dot"
    MERMAID = "mermaid"


@app.command()
def export(
    bank: Annotated[str, typer.Argument(help="Name or file of a bank.", autocompletion=bank_names)],
    tree: Annotated[
        bool, typer.Option("--tree", help="The question tree that a policy would follow.")
    ] = False,
    form: Annotated[
        TreeFormat, typer.Option("--format", help="For Graphviz, or for Mermaid.")
    ] = TreeFormat.DOT,
    depth: Annotated[int, typer.Option(min=1, max=12, help="How many questions deep.")] = 4,
    policy: Annotated[
        str | None,
        typer.Option(
            help="Follow this policy, such as w-ig-ts; without it the bank's own, without exploration.",
            autocompletion=policy_names,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The seed of a policy that explores by chance.")] = 0,
) -> None:
    """Print a bank's question tree: which question comes after which answer, and where it ends."""
    if not tree:
        raise BadArgument("say what to export: --tree draws the question tree")
    from odm_tui.banks.loading import load_bank
    from odm_tui.banks.tree import build_tree, draw_tree

    language: Literal["dot", "mermaid"] = "dot" if form is TreeFormat.DOT else "mermaid"
    typer.echo(draw_tree(build_tree(load_bank(bank), policy, depth, seed), language), nl=False)
