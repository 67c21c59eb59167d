"""``odm-tui policies``: list the policies and stop rules."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from odm_tui.cli.output.json_text import format_json
from odm_tui.cli.output.tables import print_table

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def policies(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """List the policies: how each chooses questions, whether it explores, and when it stops.

    Policies of installed plugins are listed too. A plugin that can't be used is named on stderr.
    """
    from odm_tui.views.policies import policies_view

    found = policies_view()
    for problem in found.problems:
        typer.echo(problem, err=True)
    if as_json:
        typer.echo(format_json(asdict(found), indent=2))
        return
    others = any(p.package for p in found.policies) or any(r.package for r in found.stop_rules)
    package = ("package",) if others else ()
    print_table(
        ("policy", "explores", "stops by", *package, "what it does"),
        (
            (
                each.name,
                "yes" if each.explores else "no",
                each.stop,
                *((each.package or "",) if others else ()),
                f"{each.chooses} {each.uses}".strip(),
            )
            for each in found.policies
        ),
    )
    typer.echo()
    print_table(
        ("stop rule", *package, "what it does"),
        ((each.name, *((each.package or "",) if others else ()), each.stops) for each in found.stop_rules),
    )
