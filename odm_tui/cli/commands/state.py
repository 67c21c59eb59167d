"""``odm-tui state``: show, rebuild, verify, merge and export what was learned."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from odm_tui.cli.archives import (
    find_archive,
    find_archives,
    print_notices,
    require_bank,
)
from odm_tui.cli.common_options import BankOption, JsonOption, StateDirOption
from odm_tui.cli.output.json_text import format_json
from odm_tui.errors import BadArgument, BadData
from odm_tui.formatting import format_count

if TYPE_CHECKING:
    from odm_tui.session import Archive

app = typer.Typer(rich_markup_mode=None, add_completion=False)
_SHADES = "·░▒▓█"
_OFTEN = 0.1
"""Questions whose answer is not known more often than this are listed."""


class Sheet(StrEnum):
    """What can be exported."""

    INTERVIEWS = "interviews"
    ANSWERS = "answers"
    KNOWLEDGE = "knowledge"


@app.callback(invoke_without_command=True)
def state(context: typer.Context) -> None:
    """Show, rebuild, verify, merge or export what was learned."""
    if context.invoked_subcommand is None:
        show()


@app.command()
def show(
    bank: BankOption = None,
    state_dir: StateDirOption = None,
    top: Annotated[int, typer.Option(min=1, help="Show this many questions.")] = 12,
    patch: Annotated[
        bool, typer.Option("--patch", help="Print a patch that sets the bank's costs to the measured times.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show answers by outcome, telling questions and costs.

    The costs are those of past interviews and, where they were measured, the times that answers took.
    """
    from odm_tui.session.statistics import measure_costs, state_overview

    archive = find_archive(bank, state_dir)
    loaded = require_bank(archive)
    if patch:
        from odm_tui.session.cost_patch import cost_patch

        typer.echo(cost_patch(loaded, measure_costs(archive, loaded)), nl=False)
        return
    found = state_overview(archive, loaded)
    for notice in found["notices"]:
        typer.echo(notice, err=True)
    if as_json:
        typer.echo(format_json(found, indent=2))
    else:
        _draw(found, top)


@app.command()
def rebuild(bank: BankOption = None, state_dir: StateDirOption = None, as_json: JsonOption = False) -> None:
    """Rebuild the state from the log."""
    archive = find_archive(bank, state_dir)
    require_bank(archive)
    known = archive.rebuild()
    print_notices(archive)
    count = known.counts.interviews
    if as_json:
        typer.echo(format_json({"state": str(archive.paths.state), "interviews": count}))
    else:
        typer.echo(f"{archive.paths.state}: {format_count(count, 'interview')}.", err=True)


@app.command()
def verify(bank: BankOption = None, state_dir: StateDirOption = None, as_json: JsonOption = False) -> None:
    """Check the log, and the state against the log.

    Exit with 65 if anything is wrong.
    """
    from odm_tui.text import clean_text

    found = [problem for archive in find_archives(bank, state_dir) for problem in archive.find_problems()]
    if as_json:
        typer.echo(format_json({"sound": not found, "problems": found}, indent=2))
    else:
        for problem in found:
            typer.echo(clean_text(problem))
        typer.echo(f"{format_count(len(found), 'problem')}." if found else "No problems found.", err=True)
    if found:
        raise typer.Exit(BadData.exit_code)


@app.command()
def merge(
    other: Annotated[Path, typer.Argument(metavar="FOLDER", help="The state folder to merge from.")],
    bank: BankOption = None,
    state_dir: StateDirOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add the interviews of another state folder.

    The other folder is only read.
    """
    from odm_tui.session import state_paths_in

    if not other.is_dir():
        raise BadArgument(f"{other} is not a folder. Name the state folder to merge from.")
    there = state_paths_in(other)
    if bank is not None:
        stem = find_archive(bank, state_dir).paths.stem
        there = [paths for paths in there if paths.stem == stem]
    if not there:
        raise BadArgument(f"{other} has no log to merge. Name another state folder.")
    rows = []
    for paths in there:
        archive = _archive_for(paths.stem, paths.log, bank, state_dir)
        merged = archive.merge(other)
        print_notices(archive)
        rows.append({"bank": paths.stem, **vars(merged)})
    if as_json:
        typer.echo(format_json({"merged": rows}, indent=2))
    else:
        for row in rows:
            typer.echo(
                f"{row['bank']}: added {format_count(row['interviews'], 'interview')} and "
                f"{format_count(row['events'], 'event')}, forgot {format_count(row['forgotten'], 'interview')}, "
                f"skipped {format_count(row['damaged'], 'damaged line')}.",
                err=True,
            )


@app.command()
def export(
    what: Annotated[
        Sheet, typer.Argument(metavar="WHAT", help="interviews, answers or knowledge.")
    ] = Sheet.INTERVIEWS,
    bank: BankOption = None,
    state_dir: StateDirOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print interviews, answers or what was learned as CSV.

    No cell is a formula for a spreadsheet.
    """
    from odm_tui.cli.output.csv_text import format_csv
    from odm_tui.session.export import answer_rows, interview_rows, knowledge_rows

    archive = find_archive(bank, state_dir)
    if what is Sheet.KNOWLEDGE:
        header, rows = knowledge_rows(archive, require_bank(archive))
    else:
        header, rows = interview_rows(archive) if what is Sheet.INTERVIEWS else answer_rows(archive)
    if as_json:
        typer.echo(format_json([dict(zip(header, row, strict=True)) for row in rows], indent=2))
    else:
        typer.echo(format_csv(header, rows), nl=False)


@app.command()
def path(bank: BankOption = None, state_dir: StateDirOption = None, as_json: JsonOption = False) -> None:
    """Print the path of the state folder, or of a bank's state file."""
    from odm_tui.session import state_folder

    found: dict[str, str] = {"folder": str(state_folder(state_dir))}
    if bank is not None:
        paths = find_archive(bank, state_dir).paths
        found |= {"state": str(paths.state), "log": str(paths.log)}
    if as_json:
        typer.echo(format_json(found))
    else:
        typer.echo(found["state"] if bank is not None else found["folder"])


def _archive_for(stem: str, log: Path, bank: str | None, state_dir: str | None) -> Archive:
    """This folder's archive for a bank of the other folder; it may not exist yet."""
    from odm_tui.cli.archives import load_bank_of_log
    from odm_tui.session import Archive, StatePaths, state_folder

    if bank is not None:
        return find_archive(bank, state_dir)
    return Archive(StatePaths(state_folder(state_dir), stem), load_bank_of_log(log))


# -- tables and charts --------------------------------------------------------------------------------


def _draw(found: dict[str, Any], top: int) -> None:
    typer.echo(f"{found['bank']}: learned from {format_count(found['interviews'], 'interview')}.")
    if found["drift"]:
        days, weight = found["drift"]["half_life_days"], found["drift"]["weight"]
        typer.echo(f"Interviews count half after {days:g} days: together as much as {weight:,g} new ones.")
    if found["pooled"]:
        pairs, of = found["pooled"]["pairs"], found["pooled"]["of"]
        typer.echo(
            f"Learning is pooled: {pairs:,} of {of:,} pairs of question and outcome have no expectation in the "
            "bank, and start from what was learned about the question for all outcomes."
        )
    telling = found["telling"][:top]
    _draw_answers(found, [question["question"] for question in telling])
    _draw_telling(telling, found["cost_unit"])
    _draw_not_known(found["not_known"])
    _draw_costs(found)


def _draw_answers(found: dict[str, Any], questions: list[str]) -> None:
    """Print the heat map: one row per outcome, one column per answer; shade, percentage and number of answers."""
    from odm_tui.cli.output.tables import print_table, split_columns

    typer.echo("\nP(answer | outcome) in %: darker is likelier, ± one standard deviation, (answers counted)")
    columns = {}
    for question in questions:
        answers = found["answers"][question]
        for answer, cells in answers.items():
            if set(answers) != {"no", "yes"}:
                columns[f"{question}={answer}"] = cells
            elif answer == "yes":
                columns[question] = cells
    outcomes = list(next(iter(columns.values())))
    for names in split_columns(list(columns), max(map(len, outcomes)) + 2, 17):
        rows = [[outcome, *(_cell(columns[name][outcome]) for name in names)] for outcome in outcomes]
        shown = [_cut(name) for name in names]
        print_table(("outcome", *shown), rows, right=shown)


def _cut(name: str) -> str:
    return name if len(name) <= 14 else f"{name[:13]}…"


def _cell(cell: dict[str, Any]) -> str:
    shade = _SHADES[min(len(_SHADES) - 1, int(cell["mean"] * len(_SHADES)))]
    seen = f" ({cell['seen']})" if cell["seen"] else ""
    return f"{shade * 2}{cell['mean'] * 100:3.0f}±{cell['spread'] * 100:.0f}{seen}"


def _draw_telling(telling: list[dict[str, Any]], unit: str) -> None:
    from odm_tui.cli.output.tables import print_table

    typer.echo("\nThe most telling questions")
    most = max((question["bits"] for question in telling), default=0) or 1
    rows = [
        [
            question["question"],
            "█" * round(20 * question["bits"] / most),
            f"{question['bits']:.3f}",
            f"{question['cost']:g}",
            str(question["seen"]),
        ]
        for question in telling
    ]
    print_table(
        ("question", "", "bits", f"cost ({unit})", "answers"),
        rows,
        right=("bits", f"cost ({unit})", "answers"),
    )


def _draw_not_known(found: list[dict[str, Any]]) -> None:
    from odm_tui.cli.output.tables import print_table

    often = [one for one in found if one["chance"] > _OFTEN]
    if often:
        typer.echo("\nQuestions whose answer is often not known; they are asked less")
        rows = [
            [one["question"], f"{one['chance']:.0%}", f"{one['times']:g}", f"{one['answered']:g}"]
            for one in often
        ]
        print_table(
            ("question", "not known", "times", "answers"), rows, right=("not known", "times", "answers")
        )


def _draw_costs(found: dict[str, Any]) -> None:
    from odm_tui.cli.output.tables import print_table

    if found["costs"]:
        typer.echo("\nCost and accuracy over the interviews")
        most = max(stretch["mean_cost"] for stretch in found["costs"]) or 1
        rows = [
            [
                f"{s['first']}–{s['last']}",
                "█" * round(20 * s["mean_cost"] / most),
                f"{s['mean_cost']:.4g}",
                f"{s['mean_questions']:.1f}",
                f"{s['right']:.0%}",
            ]
            for s in found["costs"]
        ]
        print_table(
            ("interviews", "", "mean cost", "questions", "decided rightly"),
            rows,
            right=("mean cost", "questions", "decided rightly"),
        )
    if found["measured"]:
        typer.echo("\nThe bank's costs and the measured times of answers (--patch adopts them)")
        rows = [
            [m["question"], m["answer"], f"{m['bank_cost']:g}", f"{m['median_seconds']:g}", str(m["times"])]
            for m in found["measured"]
        ]
        unit = f"bank ({found['cost_unit']})"
        print_table(
            ("question", "answer", unit, "median seconds", "times"),
            rows,
            right=(unit, "median seconds", "times"),
        )
