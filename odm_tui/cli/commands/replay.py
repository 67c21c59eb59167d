"""``odm-tui replay``: check logged interviews, and hold them again with other policies."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from odm_tui.errors import BadArgument, BadData, CannotWrite

if TYPE_CHECKING:
    from odm_tui.banks.bank import Bank

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def replay(
    logs: Annotated[
        list[str],
        typer.Argument(
            metavar="LOG…", help="Logs, or the address of a team's store; several are merged by time."
        ),
    ],
    bank: Annotated[
        str | None, typer.Option(metavar="NAME", help="The question bank, if it is not the one in the log.")
    ] = None,
    policy: Annotated[
        list[str] | None, typer.Option("--policy", "-p", metavar="NAME", help="A policy; may be repeated.")
    ] = None,
    audit: Annotated[
        bool, typer.Option(help="Check that every interview asks the same questions again.")
    ] = True,
    what_if: Annotated[bool, typer.Option(help="Hold the interviews again with the policies.")] = True,
    most: Annotated[int, typer.Option(min=1, help="Hold only the latest N interviews again.")] = 1000,
    draws: Annotated[int, typer.Option(min=1, help="How often missing answers are drawn.")] = 5,
    weighed: Annotated[
        int, typer.Option(min=0, help="At most how many interviews the off-policy estimates use.")
    ] = 100,
    cases: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="A CSV file of cases: a column per question, and the right outcome."
        ),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column of --cases with the right outcome (default: the imported one, or outcome).",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Draws answers, choices and intervals.")] = 0,
    jobs: Annotated[int, typer.Option(min=0, help="Processes at a time; 0 is one per core.")] = 0,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write an HTML page that can be mailed.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
) -> None:
    """Evaluate logged interviews: do they repeat, and which policy would have asked less?"""
    from odm_tui.banks import load_bank
    from odm_tui.evaluation.parallel import count_cores
    from odm_tui.evaluation.replay.cases import read_cases
    from odm_tui.evaluation.replay.replay import POLICIES, ReplayOptions
    from odm_tui.evaluation.replay.replay import replay as run_replay
    from odm_tui.evaluation.report.experiment_results import to_json
    from odm_tui.evaluation.report.replay_html import render_page
    from odm_tui.evaluation.report.replay_terminal import make_replay_tables
    from odm_tui.session import policy_from

    policies = tuple(dict.fromkeys(policy or POLICIES)) if what_if else ()
    for name in policies:
        policy_from(name)
    with ExitStack() as stack:
        named = None if bank is None else load_bank(bank)
        paths = [stack.enter_context(_open_log(log, named)) for log in logs]
        loaded = load_bank(_bank_named_in(paths)) if named is None else named
        given = [] if cases is None else read_cases(cases, loaded, label)
        options = ReplayOptions(
            policies,
            audit=audit,
            max_interviews=most,
            answer_draws=draws,
            max_weighted=weighed,
            seed=seed,
            jobs=jobs or count_cores(),
        )
        with _status() as progress:
            result = run_replay(loaded, paths, options, cases=given, progress=progress)
    result.logs = tuple(_name_log(log) for log in logs)
    if report is not None:
        try:
            report.write_text(render_page(result), encoding="utf-8")
        except OSError as error:
            raise CannotWrite(
                f"Can't write the report {report}: {error.strerror}. Choose another file."
            ) from error
    if as_json:
        typer.echo(to_json(result.as_dict()))
        return
    from rich.console import Console

    console = Console(highlight=False)
    console.print(make_replay_tables(result, console.width))


@contextmanager
def _open_log(log: str, bank: Bank | None) -> Iterator[Path]:
    """Yield the path of a log; a team's store is copied to a temporary one."""
    from odm_tui.session.team.address import check_visible_address, is_address

    if not is_address(log):
        yield Path(log)
        return
    check_visible_address(log)
    from odm_tui.evaluation.replay.team_log import copied_log

    with copied_log(log, None if bank is None else bank.log_name) as path:
        yield path


def _name_log(log: str) -> str:
    from odm_tui.session.team.address import describe_address, is_address

    return describe_address(log) if is_address(log) else log


def _bank_named_in(logs: list[Path]) -> str:
    """Return the name of the bank in the first interview of the logs."""
    from odm_tui.evaluation.replay.logged_interviews import describe_damage
    from odm_tui.session import bank_name_in_log

    for log in logs:
        if not log.is_file():
            raise BadData(f"{log}: there is no such log. Name a file that ends in .log.jsonl.")
        name = bank_name_in_log(log)
        if name is not None:
            return name
    damage = describe_damage(logs)
    if damage is not None:
        raise BadData(damage)
    raise BadArgument("The logs hold no interview. Name the bank with --bank.")


@contextmanager
def _status() -> Iterator[Callable[[str], None]]:
    """Show what is being done on stderr, if stderr is a terminal."""
    from rich.console import Console

    console = Console(stderr=True)
    if not sys.stderr.isatty():
        yield lambda text: None
        return
    with console.status("Reading") as status:
        yield lambda text: status.update(text)
