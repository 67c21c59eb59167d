"""``odm-tui stakes``: what does each setting of the stakes mean for this bank?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from odm_tui.cli.completion import complete_bank

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def stakes(
    bank: Annotated[
        str, typer.Argument(metavar="BANK", help="The question bank.", autocompletion=complete_bank)
    ],
    callers: Annotated[int, typer.Option(min=1, max=100_000, help="How many callers to simulate.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Draws the callers.")] = 0,
    use_state: Annotated[
        bool, typer.Option("--state/--no-state", help="Simulate callers from what was learned, too.")
    ] = True,
    state_dir: Annotated[Path | None, typer.Option(metavar="FOLDER", help="The state folder.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
) -> None:
    """Show what each setting of the stakes means: questions, cost and right decisions, simulated."""
    from odm_tui.banks import load_bank
    from odm_tui.cli.commands.evaluate import show_progress
    from odm_tui.cli.output.json_text import format_json
    from odm_tui.evaluation.bank.stakes_table import compare_stakes

    loaded = load_bank(bank)
    posterior = None
    if use_state:
        from odm_tui.session import Archive

        posterior = Archive.of(loaded, state_dir).read_snapshot().counts.posterior(loaded.problem)
    with show_progress() as progress:
        rows = compare_stakes(loaded, posterior, callers=callers, seed=seed, progress=progress)
    if as_json:
        result = {
            "bank": loaded.name,
            "cost_unit": loaded.cost_unit,
            "callers": callers,
            "rows": [row.as_dict() for row in rows],
        }
        typer.echo(format_json(result, indent=2))
        return
    from odm_tui.cli.output.tables import print_table
    from odm_tui.formatting import format_number
    from odm_tui.text import one_line

    unit = one_line(loaded.cost_unit)
    cost = f"cost ({unit})"
    columns = ["stakes", "questions", cost, "right", "95 % interval", "handed over", ""]
    print_table(
        columns,
        [
            [
                format_number(float(f"{row.stakes:.4g}")),
                f"{row.questions:.1f}",
                format_number(float(f"{row.cost:.3g}")),
                f"{row.right:.0%}",
                f"{row.right_low:.0%} to {row.right_high:.0%}",
                f"{row.referred:.0%}",
                "this bank" if row.factor == 1 else "",
            ]
            for row in rows
        ],
        right=columns[:-1],
    )
    if loaded.pair_stakes is not None:
        typer.echo(
            "The stakes differ by outcome: the largest is shown, and all of them were scaled.", err=True
        )
