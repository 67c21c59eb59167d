"""``odm-tui sessions``: list and show past interviews; confirm, correct, retract or forget one."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from odm_tui.cli.archive_lookup import (
    find_archives,
    find_interview_archive,
    print_notices,
)
from odm_tui.cli.common_options import BankOption, JsonOption, StateDirOption
from odm_tui.cli.output.json_text import format_json
from odm_tui.errors import BadArgument

if TYPE_CHECKING:
    from odm_tui.session import Archive, InterviewRecord

app = typer.Typer(rich_markup_mode=None, add_completion=False)
_SHOWN_OF_ID = 8
IdArgument = Annotated[str, typer.Argument(metavar="ID", help="The interview's id, or the beginning of it.")]
OutcomeArgument = Annotated[
    str,
    typer.Argument(
        metavar="OUTCOME", help="The id of the right outcome; 'none' if it is none of the bank's."
    ),
]


class Status(StrEnum):
    """The status of an interview."""

    UNFINISHED = "unfinished"
    PENDING = "pending"
    CONFIRMED = "confirmed"
    ABANDONED = "abandoned"
    RETRACTED = "retracted"


@app.callback(invoke_without_command=True)
def sessions(context: typer.Context) -> None:
    """List, show, confirm, correct, retract or forget interviews."""
    if context.invoked_subcommand is None:
        list_sessions()


@app.command(name="list")
def list_sessions(
    status: Annotated[Status | None, typer.Option(help="List only interviews with this status.")] = None,
    bank: BankOption = None,
    state_dir: StateDirOption = None,
    as_json: JsonOption = False,
) -> None:
    """List interviews, the latest last."""
    statuses = () if status is None else (status.value,)
    _print_rows(_rows(find_archives(bank, state_dir), *statuses), as_json)


@app.command()
def pending(bank: BankOption = None, state_dir: StateDirOption = None, as_json: JsonOption = False) -> None:
    """List the interviews whose outcome is not confirmed yet."""
    _print_rows(_rows(find_archives(bank, state_dir), "pending"), as_json)


@app.command()
def show(
    interview: IdArgument,
    bank: BankOption = None,
    state_dir: StateDirOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the events of an interview, with the beliefs at each one."""
    from odm_tui.session import event_values, replay_interview

    archive, full = find_interview_archive(interview, bank, state_dir)
    past = archive.read_interview(full)
    moments = replay_interview(past, archive.bank) if archive.bank is not None else []
    beliefs = [moment.belief for moment in moments] or [{} for _ in past.events]
    row = _row(archive, past.record)
    events = [
        {**event_values(event), "belief": belief} for event, belief in zip(past.events, beliefs, strict=True)
    ]
    if as_json:
        typer.echo(format_json({**row, "events": events}, indent=2))
    else:
        _print_events(row, events)


@app.command()
def confirm(
    interview: IdArgument,
    outcome: OutcomeArgument,
    bank: BankOption = None,
    state_dir: StateDirOption = None,
    as_json: JsonOption = False,
) -> None:
    """Confirm the outcome of a pending interview and learn from it."""
    archive, full = find_interview_archive(interview, bank, state_dir)
    archive.confirm(full, _parse_outcome(outcome))
    _print_result(archive, full, f"Confirmed: {outcome}.", as_json)


@app.command()
def correct(
    interview: IdArgument,
    outcome: OutcomeArgument,
    bank: BankOption = None,
    state_dir: StateDirOption = None,
    as_json: JsonOption = False,
) -> None:
    """Replace a wrongly confirmed outcome.

    Its counts move to the right outcome.
    """
    archive, full = find_interview_archive(interview, bank, state_dir)
    archive.correct(full, _parse_outcome(outcome))
    _print_result(archive, full, f"Corrected: {outcome}.", as_json)


@app.command()
def retract(
    interview: IdArgument,
    bank: BankOption = None,
    state_dir: StateDirOption = None,
    as_json: JsonOption = False,
) -> None:
    """Learn nothing from an interview; it stays in the log."""
    archive, full = find_interview_archive(interview, bank, state_dir)
    archive.retract(full)
    _print_result(archive, full, "Retracted.", as_json)


@app.command()
def forget(
    interview: IdArgument,
    bank: BankOption = None,
    state_dir: StateDirOption = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Remove an interview from the log for good; only its id stays."""
    archive, full = find_interview_archive(interview, bank, state_dir)
    if not yes and not typer.confirm(f"Forget interview {full}? This can't be undone.", err=True):
        raise typer.Exit(1)
    archive.forget(full)
    print_notices(archive)
    if as_json:
        typer.echo(format_json({"interview": full, "status": "forgotten"}))
    else:
        typer.echo(f"Forgotten: {full}.", err=True)


def _parse_outcome(given: str) -> str | None:
    return None if given == "none" else given


def _print_result(archive: Archive, interview: str, sentence: str, as_json: bool) -> None:
    from odm_tui.text import clean_text

    print_notices(archive)
    if as_json:
        typer.echo(format_json(_row(archive, archive.read_interview(interview).record)))
    else:
        typer.echo(clean_text(sentence), err=True)


def _rows(found: list[Archive], *statuses: str) -> list[dict[str, Any]]:
    rows = [_row(archive, record) for archive in found for record in archive.history(*statuses)]
    return sorted(rows, key=lambda row: str(row["began"]))


def _row(archive: Archive, record: InterviewRecord) -> dict[str, Any]:
    return {
        "interview": record.interview,
        "bank": archive.paths.stem if archive.bank is None else archive.bank.name,
        "began": record.began,
        "operator": record.operator,
        "status": record.status,
        "questions": record.questions,
        "cost": round(record.cost, 6),
        "seconds": round(record.seconds, 3),
        "decided": record.decided_outcome,
        "confirmed": record.outcome,
    }


def _print_rows(rows: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        typer.echo(format_json({"sessions": rows}, indent=2))
        return
    if not rows:
        typer.echo("There are no such interviews.", err=True)
        return
    from odm_tui.cli.output.tables import print_table

    columns = (
        "interview",
        "bank",
        "began",
        "operator",
        "status",
        "questions",
        "cost",
        "decided",
        "confirmed",
    )
    print_table(
        columns,
        [[_format_cell(name, row[name]) for name in columns] for row in rows],
        right=("questions", "cost"),
    )


def _format_cell(name: str, value: object) -> str:
    if value is None:
        return "–"
    if name == "interview":
        return str(value)[:_SHOWN_OF_ID]
    if name == "began":
        return str(value)[:16].replace("T", " ")
    return f"{value:g}" if isinstance(value, float) else str(value)


def _print_events(row: dict[str, Any], events: list[dict[str, Any]]) -> None:
    from odm_tui.cli.output.tables import print_table

    if not events:
        raise BadArgument(
            f"Interview {row['interview']} has no readable events. Check the log with `odm-tui state verify`."
        )
    table = []
    for event in events:
        belief = event["belief"]
        leader = max(belief, key=lambda outcome: belief[outcome], default=None)
        table.append(
            [
                str(event["time"])[11:19],
                str(event["event"]),
                str(event.get("question") or event.get("outcome") or ""),
                "" if event.get("answer") is None else str(event["answer"]),
                "" if event.get("seconds") is None else f"{event['seconds']:g}",
                "" if leader is None else f"{leader} {belief[leader]:.0%}",
            ]
        )
    print_table(("time", "event", "about", "answer", "seconds", "likeliest then"), table, right=("seconds",))
