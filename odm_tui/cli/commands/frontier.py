"""``odm-tui experiment --frontier``: show cost against accuracy over several stakes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from odm_tui.cli.commands.experiment_options import ExperimentOptions
    from odm_tui.evaluation.experiment.plan import Experiment, Unit
    from odm_tui.evaluation.experiment.simulation import Trace


def show_frontier(
    planned: Experiment,
    grid: tuple[float, ...],
    traces: Mapping[Unit, Trace],
    options: ExperimentOptions,
    *,
    jobs: int,
    command: str,
) -> None:
    """Write and print the frontier of simulated interviews."""
    from odm_tui.evaluation.experiment.frontier import compute_frontiers, frontiers_to_csv
    from odm_tui.evaluation.report.experiment_results import provenance, to_json, write_files
    from odm_tui.evaluation.report.frontier_charts import draw_frontiers, plot_frontier

    frontiers = compute_frontiers(planned, grid, traces, jobs)
    lines = [frontier.as_dict() for frontier in frontiers]
    report = to_json({"frontiers": lines, "grid": list(grid), **provenance(planned, command)})
    if options.out is not None:
        write_files(
            options.out, {"frontier.json": report + "\n", "frontier.csv": frontiers_to_csv(frontiers)}
        )
        if options.charts:
            draw_frontiers(frontiers, options.out)
    if options.as_json:
        typer.echo(report)
        return
    from rich.console import Console

    console = Console(highlight=False)
    for frontier in frontiers:
        console.print(plot_frontier(frontier, width=console.width))
        console.print()
