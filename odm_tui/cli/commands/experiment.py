"""``odm-tui experiment``: run the paper's experiments."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from odm_tui.cli.commands.experiment_options import ExperimentOptions
from odm_tui.cli.commands.paper_experiment import PAPER, list_paper_runs
from odm_tui.cli.option_class import takes_options

if TYPE_CHECKING:
    from odm_tui.evaluation.experiment.plan import Experiment, Unit
    from odm_tui.evaluation.experiment.simulation import Trace
    from odm_tui.evaluation.report.experiment_results import Curves, Row

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
@takes_options(ExperimentOptions)
def experiment(options: ExperimentOptions) -> None:
    """Run the paper's experiments: what each policy's interviews cost, and how often they are right."""
    if options.datasets == [PAPER]:
        for title, run in list_paper_runs(options):
            typer.echo(f"{title}\n", err=options.as_json)
            run_experiment(run)
    else:
        run_experiment(options)


def run_experiment(options: ExperimentOptions) -> None:
    """Run one experiment and show its results."""
    from odm_tui.cli.commands.frontier import show_frontier
    from odm_tui.evaluation.experiment.frontier import list_frontier_units, parse_stakes
    from odm_tui.evaluation.experiment.runner import run_units
    from odm_tui.evaluation.parallel import count_cores
    from odm_tui.evaluation.report.experiment_results import check_writable

    planned = options.check()
    jobs = options.jobs or count_cores()
    grid = parse_stakes(options.grid)
    if options.out is not None:
        check_writable(options.out)
    with _progress_bar() as progress:
        traces = run_units(
            list_frontier_units(planned, grid) if options.frontier else list(planned.units()),
            folder=None if options.out is None else options.out / "units",
            jobs=jobs,
            backend=options.backend,
            scheduler=options.scheduler,
            progress=progress,
        )
    if options.frontier:
        show_frontier(planned, grid, traces, options, jobs=jobs, command=_command_line())
    else:
        _show_results(planned, traces, options)


def _show_results(planned: Experiment, traces: Mapping[Unit, Trace], options: ExperimentOptions) -> None:
    from odm_tui.evaluation.report.experiment_results import (
        compute_curves,
        compute_rows,
        make_report,
        to_json,
    )

    rows = compute_rows(planned, traces)
    curves = [compute_curves(planned, source, traces) for source in planned.sources]
    report = to_json(make_report(planned, rows, _command_line()))
    if options.out is not None:
        _write(options.out, report, rows, curves, options.charts)
    if options.as_json:
        typer.echo(report)
    else:
        _print(rows, curves, options)


def _command_line() -> str:
    import shlex

    return shlex.join(["odm-tui", *sys.argv[1:]])


@contextmanager
def _progress_bar() -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on stderr while units run, if stderr is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda done, of: None
        return
    columns = (
        TextColumn("Interviews"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("runs"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)


def _write(out: Path, report: str, rows: list[Row], curves: list[Curves], charts: bool) -> None:
    from odm_tui.evaluation.report.charts import draw_curves
    from odm_tui.evaluation.report.experiment_results import curves_to_csv, rows_to_csv, write_files

    texts = {
        "results.json": report + "\n",
        "results.csv": rows_to_csv(rows),
        "curves.csv": curves_to_csv(curves),
    }
    write_files(out, texts)
    if charts:
        draw_curves(curves, out)


def _print(rows: list[Row], curves: list[Curves], options: ExperimentOptions) -> None:
    from rich.console import Console

    from odm_tui.evaluation.report.experiment_tables import (
        COVERAGE_LEGEND,
        LEGEND,
        make_coverage_table,
        make_tables,
    )
    from odm_tui.evaluation.report.line_plot import plot_lines

    console = Console(highlight=False)
    console.print(make_tables(rows))
    console.print(f"\n{LEGEND}", style="dim")
    if options.coverage or options.refer is not None:
        console.print()
        console.print(make_coverage_table(rows))
        console.print(f"\n{COVERAGE_LEGEND}", style="dim")
    if not options.plot:
        return
    for each in curves:
        console.print()
        title = f"{each.dataset}: mean cost so far"
        console.print(plot_lines(title, each.cost, width=console.width))
        title = f"{each.dataset}: regret so far and the theorem's bound, logarithmic"
        lines = {**each.regret, "bound": each.bound}
        console.print(plot_lines(title, lines, width=console.width, logarithmic=True))
