"""``odm-tui evaluate``: what would interviews with this bank be like?"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from odm_tui.cli.completion import complete_bank, complete_policy

if TYPE_CHECKING:
    from odm_tui.views.evaluation import EvaluationView

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def evaluate(
    bank: Annotated[
        str, typer.Argument(metavar="BANK", help="The question bank.", autocompletion=complete_bank)
    ],
    data: Annotated[
        Path | None,
        typer.Argument(
            metavar="DATA.csv", help="Cases, one per row; without them, callers are simulated from the bank."
        ),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="The outcome's column (default: the imported one, or outcome)."),
    ] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            "-p",
            metavar="NAME",
            help="A policy beside the bank's own; may be repeated.",
            autocompletion=complete_policy,
        ),
    ] = None,
    stakes: Annotated[
        list[float] | None,
        typer.Option(min=0, metavar="NUMBER", help="Other stakes for the bank's policy; may be repeated."),
    ] = None,
    folds: Annotated[
        int, typer.Option(min=2, max=1000, help="Folds, where the bank was made from these rows.")
    ] = 10,
    most: Annotated[
        int | None, typer.Option(min=1, help="At most this many rows, or this many simulated callers.")
    ] = None,
    compare: Annotated[
        bool, typer.Option(help="Show other policies and stakes, a decision tree and asking everything too.")
    ] = True,
    learned: Annotated[
        bool, typer.Option("--learned", help="Use what the interviews in the state folder taught, too.")
    ] = False,
    state_dir: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="The state folder, for --learned.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Draws folds, callers and choices.")] = 0,
    jobs: Annotated[int, typer.Option(min=0, help="Processes at a time; 0 is one per core.")] = 0,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Write an HTML page that can be mailed.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
) -> None:
    """Show what interviews with a bank are like: questions, cost, right decisions, calibration and confusions."""
    from odm_tui.banks import load_bank
    from odm_tui.evaluation.bank.evaluate import EvaluationOptions, evaluate_bank
    from odm_tui.evaluation.parallel import count_cores
    from odm_tui.evaluation.report.experiment_results import to_json
    from odm_tui.views.evaluation import evaluation_view

    if report is not None:
        _check_report(report)
    loaded = load_bank(bank)
    posterior = None
    if learned:
        from odm_tui.session import Archive

        posterior = Archive.of(loaded, state_dir).read_snapshot().counts.posterior(loaded.problem)
    options = EvaluationOptions(
        policies=None if policy is None else tuple(dict.fromkeys(policy)),
        stakes=None if stakes is None else tuple(dict.fromkeys(stakes)),
        folds=folds,
        most=most,
        seed=seed,
        jobs=jobs or count_cores(),
        label=label,
        compare=compare,
    )
    with show_progress() as progress:
        found = evaluate_bank(loaded, data, options, posterior=posterior, progress=progress)
    view = evaluation_view(found)
    if report is not None:
        _write_report(report, view)
    if as_json:
        typer.echo(to_json(found.as_dict()))
    else:
        _print(view)


def _check_report(path: Path) -> None:
    """Refuse a file that can't be written before interviews are held for it."""
    import os

    from odm_tui.errors import CannotWrite
    from odm_tui.text import one_line

    reason = ""
    if path.is_dir():
        reason = "it is a folder"
    elif not path.parent.is_dir():
        reason = "there is no such folder"
    elif not os.access(path if path.exists() else path.parent, os.W_OK):
        reason = "permission denied"
    if reason:
        raise CannotWrite(f"Can't write the report {one_line(str(path))}: {reason}. Choose another file.")


def _write_report(path: Path, view: EvaluationView) -> None:
    from odm_tui.errors import CannotWrite
    from odm_tui.text import one_line
    from odm_tui.views.evaluation_page import render_evaluation_page

    try:
        path.write_text(render_evaluation_page(view), encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CannotWrite(
            f"Can't write the report {one_line(str(path))}: {reason}. Choose another file."
        ) from error


def _print(view: EvaluationView) -> None:
    from rich.console import Console
    from rich.text import Text

    from odm_tui.views.table_layout import lay_out_table

    console = Console(highlight=False)
    console.print(Text(view.title, style="bold"))
    console.print(Text(view.summary))
    for table in view.tables:
        console.print()
        console.print(Text(table.title, style="italic"))
        for line in lay_out_table(table, console.width):
            console.print(Text(line.text, style="bold" if line.is_header else ""))
        if table.note:
            console.print(Text(table.note, style="dim"))
    if view.notes:
        console.print()
    for note in view.notes:
        console.print(Text(note))


@contextmanager
def show_progress() -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on stderr while interviews are held, if stderr is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    columns = (TextColumn("Interviews"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("interviews", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
