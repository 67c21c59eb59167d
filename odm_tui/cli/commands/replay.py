"""``odm-tui replay``: logged interviews audited, and held again by other policies."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from odm_tui.errors import BadArgument, BadData, CannotWrite

app = typer.Typer(rich_markup_mode=None, add_completion=False)

POLICIES = ["w-ec2-ts", "w-ig-ts", "random"]


@app.command()
def replay(
    logs: Annotated[list[Path], typer.Argument(metavar="LOG…", help="Logs; several are merged by time.")],
    bank: Annotated[
        str | None, typer.Option(help="The question bank, where it is not the one that the log names.")
    ] = None,
    policy: Annotated[
        list[str] | None, typer.Option("--policy", "-p", help="A policy; may be given several times.")
    ] = None,
    audit: Annotated[
        bool, typer.Option(help="Check that every interview asks the same questions again.")
    ] = True,
    what_if: Annotated[bool, typer.Option(help="Hold the interviews again with the policies.")] = True,
    most: Annotated[int, typer.Option(min=1, help="Hold only so many again, the latest.")] = 1000,
    draws: Annotated[int, typer.Option(min=1, help="How often missing answers are drawn.")] = 5,
    weighed: Annotated[
        int, typer.Option(min=0, help="For how many interviews theta is redrawn; 0: for none.")
    ] = 100,
    cases: Annotated[
        Path | None, typer.Option(help="A CSV file of cases: a column a question, and the right outcome.")
    ] = None,
    label: Annotated[str, typer.Option(help="The column of --cases with the right outcome.")] = "outcome",
    seed: Annotated[int, typer.Option(min=0, help="Draws answers and intervals.")] = 0,
    jobs: Annotated[int, typer.Option(min=0, help="Processes at a time; 0: one a core.")] = 0,
    report: Annotated[Path | None, typer.Option(help="Write an HTML page that can be mailed.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
) -> None:
    """Evaluate logged interviews: do they repeat, and which policy would have asked less?"""
    from odm_tui.banks import load_bank
    from odm_tui.evaluation.parallel import count_cores
    from odm_tui.evaluation.replay.cases import read_cases
    from odm_tui.evaluation.replay.replay import ReplayOptions
    from odm_tui.evaluation.replay.replay import replay as replayed
    from odm_tui.evaluation.report.html import render_page
    from odm_tui.evaluation.report.replay_tables import make_replay_tables
    from odm_tui.evaluation.report.results import to_json
    from odm_tui.session import policy_from

    chosen = tuple(dict.fromkeys(policy or POLICIES)) if what_if else ()
    for name in chosen:
        policy_from(name)
    loaded = load_bank(bank or _bank_of(logs))
    given = [] if cases is None else read_cases(cases, loaded, label)
    options = ReplayOptions(
        chosen, audit=audit, most=most, draws=draws, weighed=weighed, seed=seed, jobs=jobs or count_cores()
    )
    with _telling() as tell:
        found = replayed(loaded, logs, options, given, tell)
    if report is not None:
        try:
            report.write_text(render_page(found), encoding="utf-8")
        except OSError as error:
            raise CannotWrite(f"{report}: the report can't be written ({error.strerror})") from error
    if as_json:
        typer.echo(to_json(found.as_dict()))
        return
    from rich.console import Console

    console = Console(highlight=False)
    console.print(make_replay_tables(found, console.width))


def _bank_of(logs: list[Path]) -> str:
    """The bank that the first interview of the logs names."""
    from odm_tui.session import bank_name_in_log

    for log in logs:
        if not log.is_file():
            raise BadData(f"{log}: there is no such log; name a file that ends in .log.jsonl")
        name = bank_name_in_log(log)
        if name is not None:
            return name
    raise BadArgument("the logs hold no interview; name the bank with --bank")


@contextmanager
def _telling() -> Iterator[Callable[[str], None]]:
    """What is being done, on stderr, if someone is there to see it."""
    from rich.console import Console

    console = Console(stderr=True)
    if not sys.stderr.isatty():
        yield lambda text: None
        return
    with console.status("Reading") as status:
        yield lambda text: status.update(text)
