"""``odm-tui experiment``: the paper's experiments."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from odm_tui.cli.commands.frontier import show_frontier, stakes_grid
from odm_tui.errors import BadArgument

if TYPE_CHECKING:
    from odm_tui.evaluation.experiment.plan import Experiment
    from odm_tui.evaluation.report.results import Curves, Row

app = typer.Typer(rich_markup_mode=None, add_completion=False)

POLICIES = ["w-ec2-ts", "w-ec2-bucb", "w-ig-ts", "w-ig-bucb", "random", "all", "dpp"]
"""The policies of the paper's Table 1."""
FIRST_SEED = 130


@app.command()
def experiment(
    datasets: Annotated[
        list[str],
        typer.Argument(
            metavar="DATASET…",
            help="navigation, led, fico, compas, breast-cancer, troubleshooting, or any name with --data.",
        ),
    ],
    policy: Annotated[
        list[str] | None, typer.Option("--policy", "-p", help="A policy; may be given several times.")
    ] = None,
    frontier: Annotated[
        bool,
        typer.Option(
            "--frontier", help="Draw cost against accuracy over stakes, in live interviews, for all policies."
        ),
    ] = False,
    grid: Annotated[
        str | None, typer.Option(help="The stakes of --frontier, with commas: 3,10,30,100,300.")
    ] = None,
    protocol: Annotated[
        str | None,
        typer.Option(
            help="paper (where not said): its formulas; authors: as their program computes; live: as real "
            "interviews go."
        ),
    ] = None,
    prior: Annotated[
        str | None,
        typer.Option(
            help="separate: Beta(2,2) for every pair of question and outcome; pooled: each question's base rate "
            "is learned from all outcomes. Live: pooled; else separate."
        ),
    ] = None,
    regions: Annotated[
        str | None,
        typer.Option(help="known: from the whole data set; unknown: from what is learned. Live: unknown."),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds.")] = 5,
    first_seed: Annotated[int, typer.Option(min=0, help="The first seed; the others follow.")] = FIRST_SEED,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many scenarios.")] = None,
    data: Annotated[
        str | None,
        typer.Option(help="A CSV file of scenarios; {seed} and {dataset} are filled in."),
    ] = None,
    label: Annotated[str, typer.Option(help="The column with the right outcome.")] = "label",
    costs: Annotated[
        str | None, typer.Option(help="A CSV file: one line a question, a column cost… for each answer.")
    ] = None,
    cost_seed: Annotated[int, typer.Option(min=0, help="Draws the costs where no file is named.")] = 0,
    hypotheses: Annotated[
        int | None, typer.Option(min=1, help="Hypotheses an outcome; the paper's where not said.")
    ] = None,
    eta: Annotated[
        float, typer.Option(help="How much of an outcome's probability a list may leave out.")
    ] = 0.002,
    thresholds: Annotated[
        int, typer.Option(min=1, help="Thresholds for real-valued columns, scaled to 0 to 1; 1 means 0.5.")
    ] = 1,
    stakes: Annotated[
        float | None, typer.Option(min=0, help="What a wrong outcome costs, for policies that weigh it.")
    ] = None,
    milliseconds: Annotated[
        float, typer.Option(help="What a plan of the lookahead may take; more plans further ahead.")
    ] = 10.0,
    jobs: Annotated[int, typer.Option(min=0, help="Processes at a time; 0: one a core.")] = 0,
    backend: Annotated[str, typer.Option(help="processes, or dask for a cluster.")] = "processes",
    scheduler: Annotated[str | None, typer.Option(help="The address of the Dask scheduler.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Write results.json, results.csv and curves.csv here, and keep unfinished runs."),
    ] = None,
    charts: Annotated[
        bool, typer.Option("--charts", help="Also draw cost, utility and regret as PNG and SVG in --out.")
    ] = False,
    plot: Annotated[bool, typer.Option(help="Draw cost and regret below the table.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
) -> None:
    """Run the paper's experiments: what each policy's interviews cost, and how often they are right."""
    from odm_tui.evaluation.data.datasets import Source
    from odm_tui.evaluation.experiment.frontier import POLICIES as FRONTIER_POLICIES
    from odm_tui.evaluation.experiment.frontier import frontier_units
    from odm_tui.evaluation.experiment.plan import PRIORS, Experiment
    from odm_tui.evaluation.experiment.runner import run_units
    from odm_tui.evaluation.experiment.simulation import PROTOCOLS
    from odm_tui.evaluation.parallel import count_cores
    from odm_tui.evaluation.report.results import as_json as to_json
    from odm_tui.evaluation.report.results import curves_of, report, rows_of
    from odm_tui.session import policy_from

    chosen = policy or (list(FRONTIER_POLICIES) if frontier else POLICIES)
    for name in chosen:
        policy_from(name)
    if protocol is None:
        protocol = "live" if frontier else "paper"
    if protocol not in PROTOCOLS:
        raise BadArgument(f"there is no protocol {protocol!r}; there are {', '.join(PROTOCOLS)}")
    if regions is None:
        regions = "unknown" if protocol == "live" else "known"
    if regions not in ("known", "unknown"):
        raise BadArgument(f"--regions is known or unknown, not {regions!r}")
    if prior is None:
        prior = "pooled" if protocol == "live" else "separate"
    if prior not in PRIORS:
        raise BadArgument(f"--prior is {' or '.join(PRIORS)}, not {prior!r}")
    if not 0 <= eta < 1:
        raise BadArgument(f"--eta is from 0 to below 1, not {eta:g}")
    if data is not None and len(datasets) > 1 and "{dataset}" not in data:
        raise BadArgument("with several data sets, --data must contain {dataset}")
    if frontier and protocol != "live":
        raise BadArgument("--frontier is about live interviews: leave --protocol out")
    if frontier and stakes is not None:
        raise BadArgument("--frontier goes over many stakes: name them with --grid 3,10,30")
    if grid is not None and not frontier:
        raise BadArgument("--grid goes with --frontier; --stakes takes one number")
    if charts and out is None:
        raise BadArgument("--charts needs --out FOLDER")
    planned = Experiment(
        sources=tuple(
            Source(name, data, label, costs, cost_seed, thresholds, hypotheses, limit)
            for name in dict.fromkeys(datasets)
        ),
        policies=tuple(dict.fromkeys(chosen)),
        protocol=protocol,  # type: ignore[arg-type]  # checked above
        regions=regions,  # type: ignore[arg-type]  # checked above
        seeds=tuple(range(first_seed, first_seed + seeds)),
        eta=eta,
        stakes=stakes,
        prior=prior,  # type: ignore[arg-type]  # checked above
        milliseconds=milliseconds,
    )
    steps = stakes_grid(grid)
    with _progress() as progress:
        traces = run_units(
            frontier_units(planned, steps) if frontier else list(planned.units()),
            folder=None if out is None else out / "units",
            jobs=jobs or count_cores(),
            backend=backend,
            scheduler=scheduler,
            progress=progress,
        )
    if frontier:
        show_frontier(
            planned,
            steps,
            traces,
            jobs=jobs or count_cores(),
            command=_command(),
            out=out,
            charts=charts,
            as_json=as_json,
        )
        return
    rows = rows_of(planned, traces)
    curves = [curves_of(planned, source, traces) for source in planned.sources]
    told = report(planned, rows, _command())
    if out is not None:
        _write(out, to_json(told), rows, curves, charts)
    if as_json:
        typer.echo(to_json(told))
    else:
        _print(planned, rows, curves, plot)


def _command() -> str:
    import shlex

    return shlex.join(["odm-tui", *sys.argv[1:]])


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr while units run, if someone is there to see it."""
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


def _write(out: Path, told: str, rows: list[Row], curves: list[Curves], charts: bool) -> None:
    from odm_tui.evaluation.report.charts import draw
    from odm_tui.evaluation.report.results import as_csv, curves_as_csv, write_files

    texts = {"results.json": told + "\n", "results.csv": as_csv(rows), "curves.csv": curves_as_csv(curves)}
    write_files(out, texts)
    if charts:
        draw(curves, out)


def _print(planned: Experiment, rows: list[Row], curves: list[Curves], plot: bool) -> None:
    from rich.console import Console

    from odm_tui.evaluation.report.experiment_tables import LEGEND, tables
    from odm_tui.evaluation.report.line_plot import plot_lines

    console = Console(highlight=False)
    console.print(tables(rows))
    console.print(f"\n{LEGEND}", style="dim")
    if not plot:
        return
    for each in curves:
        console.print()
        title = f"{each.dataset}: mean cost so far"
        console.print(plot_lines(title, each.cost, width=console.width))
        title = f"{each.dataset}: regret so far and the theorem's bound, logarithmic"
        console.print(
            plot_lines(title, {**each.regret, "bound": each.bound}, width=console.width, logarithmic=True)
        )
