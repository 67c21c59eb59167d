"""``odm-tui experiment --frontier``: cost against accuracy over stakes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from odm_tui.errors import BadArgument

if TYPE_CHECKING:
    from odm_tui.evaluation.experiment.plan import Experiment, Unit
    from odm_tui.evaluation.experiment.simulation import Trace


def stakes_grid(text: str | None) -> tuple[float, ...]:
    """The stakes of ``--grid 3,10,30``, lowest first; the usual ones where it is not given."""
    from odm_tui.evaluation.experiment.frontier import STAKES

    if text is None:
        return STAKES
    try:
        stakes = {float(part) for part in text.split(",")}
    except ValueError:
        stakes = set()
    if not stakes or not all(0 <= each < float("inf") for each in stakes):
        raise BadArgument(f"--grid takes stakes with commas between them, such as 3,10,30, not {text!r}")
    return tuple(sorted(stakes))


def show_frontier(
    planned: Experiment,
    grid: tuple[float, ...],
    traces: Mapping[Unit, Trace],
    *,
    jobs: int,
    command: str,
    out: Path | None,
    charts: bool,
    as_json: bool,
) -> None:
    """Write and print the frontier of interviews that were held."""
    from odm_tui.evaluation.experiment.frontier import frontiers_as_csv, frontiers_of
    from odm_tui.evaluation.report.frontier_charts import draw_frontiers, terminal_chart
    from odm_tui.evaluation.report.results import as_json as to_json
    from odm_tui.evaluation.report.results import provenance, write_files

    frontiers = frontiers_of(planned, grid, traces, jobs)
    lines = [frontier.told() for frontier in frontiers]
    told = to_json({"frontiers": lines, "grid": list(grid), **provenance(planned, command)})
    if out is not None:
        write_files(out, {"frontier.json": told + "\n", "frontier.csv": frontiers_as_csv(frontiers)})
        if charts:
            draw_frontiers(frontiers, out)
    if as_json:
        typer.echo(told)
        return
    from rich.console import Console

    console = Console(highlight=False)
    for frontier in frontiers:
        console.print(terminal_chart(frontier, width=console.width))
        console.print()
