"""``odm-tui stakes``: what does each setting of the stakes mean for this bank?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from odm_tui.cli.completion import complete_bank

if TYPE_CHECKING:
    from odm_tui import Posterior
    from odm_tui.banks.bank import Bank

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
    learning: Annotated[
        bool,
        typer.Option(
            "--learning", help="Compare policies and horizons instead, in simulated interviews that learn."
        ),
    ] = False,
    runs: Annotated[int, typer.Option(min=2, help="With --learning: how many runs.")] = 40,
    interviews: Annotated[int, typer.Option(min=4, help="With --learning: how long a run is.")] = 40,
    jobs: Annotated[int, typer.Option(min=0, help="With --learning: processes; 0 is one per core.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
) -> None:
    """Show what each setting of the stakes means: questions, cost and right decisions, simulated.

    With --learning, show what each policy and horizon mean over runs of interviews that learn from each other.
    """
    from odm_tui.banks import load_bank
    from odm_tui.cli.commands.evaluate import show_progress
    from odm_tui.cli.output.json_text import format_json
    from odm_tui.evaluation.bank.stakes_table import compare_stakes

    loaded = load_bank(bank)
    posterior = None
    if use_state:
        from odm_tui.session import Archive

        posterior = Archive.of(loaded, state_dir).read_snapshot().counts.posterior(loaded.problem)
    if learning:
        _show_learning(loaded, posterior, runs, interviews, seed, jobs, as_json)
        return
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


def _show_learning(
    bank: Bank,
    posterior: Posterior | None,
    runs: int,
    interviews: int,
    seed: int,
    jobs: int,
    as_json: bool,
) -> None:
    """Print what each policy and horizon mean for this bank."""
    from odm_tui.cli.commands.evaluate import show_progress
    from odm_tui.cli.output.json_text import format_json
    from odm_tui.cli.output.tables import print_table
    from odm_tui.evaluation.bank.learning_runs import compare_learning
    from odm_tui.evaluation.parallel import count_cores
    from odm_tui.text import one_line

    with show_progress() as progress:
        rows = compare_learning(
            bank,
            posterior,
            runs=runs,
            interviews=interviews,
            seed=seed,
            jobs=jobs or count_cores(),
            progress=progress,
        )
    if as_json:
        result = {
            "bank": bank.name,
            "cost_unit": bank.cost_unit,
            "runs": runs,
            "interviews": interviews,
            "rows": [row.as_dict() for row in rows],
        }
        typer.echo(format_json(result, indent=2))
        return
    cost = f"cost ({one_line(bank.cost_unit)})"
    columns = [
        "policy",
        "horizon",
        "questions",
        cost,
        "right",
        "value",
        "more than the bank's",
        "last quarter",
    ]
    print_table(
        columns,
        [
            [
                f"{row.policy} (this bank)" if row.is_own else row.policy,
                "" if row.horizon is None else f"{row.horizon:g}",
                f"{row.questions:.1f}",
                f"{row.cost:.4g}",
                f"{row.right:.0%}",
                f"{row.value:.4g}",
                "" if row.is_own else f"{row.gap:+.3g} ({row.gap_low:+.3g} to {row.gap_high:+.3g})",
                f"{row.late:.4g}",
            ]
            for row in rows
        ],
        right=columns[1:],
    )
    typer.echo(
        f"{runs} runs of {interviews} interviews; value: stakes less losses and cost, per interview; "
        "95 % intervals over runs.",
        err=True,
    )
