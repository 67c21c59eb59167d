"""``odm-tui sessions``: list and show past interviews; confirm, correct, retract, settle or forget one."""

from __future__ import annotations

import contextlib
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from odm_tui.cli.archive_lookup import (
    find_archives,
    find_interview_archive,
    print_notices,
    send_to_team,
)
from odm_tui.cli.common_options import BankOption, JsonOption, StateDirOption
from odm_tui.cli.output.json_text import format_json
from odm_tui.errors import BadArgument
from odm_tui.formatting import format_number, format_time

if TYPE_CHECKING:
    from odm_tui.session import Archive, Cursor, InterviewRecord, InterviewSummary

app = typer.Typer(rich_markup_mode=None, add_completion=False)
_SHOWN_OF_ID = 8
_ROOM_FOR_BANKS = 76
"""From this width on, the names of banks stay on one line."""
_SEARCHED = ("interview", "bank", "began", "operator", "status", "decided", "confirmed", "case", "note")
IdArgument = Annotated[
    str, typer.Argument(metavar="ID", help="The interview's id, the beginning of it, or its case reference.")
]
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
    """List, show, confirm, correct, retract, settle or forget interviews."""
    if context.invoked_subcommand is None:
        list_sessions()


WordsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[WORDS]...", help="List only interviews with these words in case, note or outcome."
    ),
]
AllOption = Annotated[bool, typer.Option("--all", help="List interviews without answers too.")]
LimitOption = Annotated[
    int | None,
    typer.Option(
        "--limit",
        metavar="N",
        min=0,
        help="List the latest N; 0 lists all. The default is 50 in a table, and all in JSON.",
    ),
]
BeforeOption = Annotated[
    str | None, typer.Option("--before", metavar="ID", help="List only interviews before this one.")
]
_PAGE = 50
_ALL = 10**12


@app.command(name="list")
def list_sessions(
    words: WordsArgument = None,
    status: Annotated[Status | None, typer.Option(help="List only interviews with this status.")] = None,
    bank: BankOption = None,
    state_dir: StateDirOption = None,
    everything: AllOption = False,
    limit: LimitOption = None,
    before: BeforeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List interviews, the latest last."""
    statuses = () if status is None else (status.value,)
    _list(find_archives(bank, state_dir), words, everything, limit, before, as_json, *statuses)


@app.command()
def pending(
    words: WordsArgument = None,
    bank: BankOption = None,
    state_dir: StateDirOption = None,
    limit: LimitOption = None,
    before: BeforeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the interviews whose outcome is not confirmed yet."""
    _list(find_archives(bank, state_dir), words, False, limit, before, as_json, "pending")


@app.command()
def show(
    interview: IdArgument,
    bank: BankOption = None,
    state_dir: StateDirOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show an interview: its summary, events and beliefs."""
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
        if archive.bank is not None:
            from odm_tui.views.call_summary import past_call_summary

            typer.echo(past_call_summary(archive.bank, past.record))
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
def case(
    interview: IdArgument,
    reference: Annotated[str, typer.Argument(metavar="REF", help="The case reference; '' removes it.")],
    bank: BankOption = None,
    state_dir: StateDirOption = None,
    as_json: JsonOption = False,
) -> None:
    """Give an interview a case reference, such as a ticket number."""
    archive, full = find_interview_archive(interview, bank, state_dir)
    archive.set_case(full, reference)
    _print_result(archive, full, f"Case: {reference or 'removed'}.", as_json)


@app.command()
def note(
    interview: IdArgument,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The note; '' removes it.")],
    bank: BankOption = None,
    state_dir: StateDirOption = None,
    as_json: JsonOption = False,
) -> None:
    """Give an interview a note."""
    archive, full = find_interview_archive(interview, bank, state_dir)
    archive.set_note(full, text)
    _print_result(archive, full, "Noted." if text else "The note was removed.", as_json)


@app.command()
def redate(
    interview: IdArgument,
    confirmed: Annotated[
        str,
        typer.Argument(metavar="TIME", help="When it was confirmed: 2026-02-03 or 2026-02-03T10:00:00Z."),
    ],
    bank: BankOption = None,
    state_dir: StateDirOption = None,
    as_json: JsonOption = False,
) -> None:
    """Correct the time of a confirmation that a wrong clock dated."""
    archive, full = find_interview_archive(interview, bank, state_dir)
    archive.redate(full, confirmed)
    _print_result(archive, full, f"Redated: {confirmed}.", as_json)


@app.command()
def conflicts(
    bank: BankOption = None,
    state_dir: StateDirOption = None,
    as_json: JsonOption = False,
) -> None:
    """List interviews that two copies of a folder continued.

    The first branch of each counts; choose another one with 'odm-tui sessions settle'.
    """
    from odm_tui.session.branch_rows import branch_rows

    rows = [row for archive in find_archives(bank, state_dir) for row in branch_rows(archive)]
    if as_json:
        typer.echo(format_json({"conflicts": rows}, indent=2))
        return
    if not rows:
        typer.echo("There are no conflicts.", err=True)
        return
    from odm_tui.cli.output.tables import print_table

    columns = ("interview", "bank", "branch", "counts", "last", "status", "answers", "outcome")
    print_table(columns, [[_format_branch_cell(name, row[name]) for name in columns] for row in rows])


@app.command()
def settle(
    interview: IdArgument,
    branch: Annotated[
        str, typer.Argument(metavar="BRANCH", help="The branch that counts, or the beginning of its name.")
    ],
    bank: BankOption = None,
    state_dir: StateDirOption = None,
    as_json: JsonOption = False,
) -> None:
    """Choose which branch of a conflicting interview counts.

    It has branches if two copies of a folder continued it. The other branches stay in the log.
    """
    archive, full = find_interview_archive(interview, bank, state_dir)
    archive.settle(full, branch)
    _print_result(archive, full, f"Settled: {branch} counts.", as_json)


@app.command()
def forget(
    interview: IdArgument,
    bank: BankOption = None,
    state_dir: StateDirOption = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Remove an interview from the log for good; only its id stays."""
    archive, full = find_interview_archive(interview, bank, state_dir, forgotten=True)
    if not yes and not typer.confirm(f"Forget interview {full}? This can't be undone.", err=True):
        raise typer.Exit(1)
    archive.forget(full)
    print_notices(archive)
    send_to_team(archive, wait=True)
    if as_json:
        typer.echo(format_json({"interview": full, "status": "forgotten"}))
    else:
        typer.echo(f"Forgotten: {full}.", err=True)


def _parse_outcome(given: str) -> str | None:
    return None if given == "none" else given


def _print_result(archive: Archive, interview: str, sentence: str, as_json: bool) -> None:
    from odm_tui.text import clean_text

    print_notices(archive)
    send_to_team(archive)
    if as_json:
        typer.echo(format_json(_row(archive, archive.read_interview(interview).record)))
    else:
        typer.echo(clean_text(sentence), err=True)


def _list(
    found: list[Archive],
    words: list[str] | None,
    everything: bool,
    limit: int | None,
    before: str | None,
    as_json: bool,
    *statuses: str,
) -> None:
    """Print the latest interviews of these banks, and say how to see those before them."""
    most = (0 if as_json else _PAGE) if limit is None else limit
    rows, are_more = _rows(found, " ".join(words or ()), everything, most or _ALL, before, statuses)
    _print_rows(rows, as_json, "status" if len(statuses) == 1 else "")
    if are_more and not as_json:
        typer.echo(
            f"These are the latest {len(rows):,}. Those before them: --before {rows[0]['interview']}; all: --limit 0.",
            err=True,
        )


def _rows(
    found: list[Archive],
    words: str,
    everything: bool,
    most: int,
    before: str | None,
    statuses: tuple[str, ...],
) -> tuple[list[dict[str, Any]], bool]:
    """Return the latest interviews of these banks as rows, and whether there are more before them."""
    from odm_tui.views.inbox import matches_words

    place = None if before is None else _find_place(found, before)
    rows: list[dict[str, Any]] = []
    for archive in found:
        name = archive.paths.stem if archive.bank is None else archive.bank.name
        # A word that is in the bank's name is in every row of it.
        wanted = " ".join(word for word in words.split() if word.casefold() not in name.casefold())

        def matches(record: InterviewSummary, archive: Archive = archive) -> bool:
            if record.is_empty and not everything:
                return False
            row = _row(archive, record)
            return not words or matches_words(words, [str(row[name] or "") for name in _SEARCHED])

        page = archive.page(most + 1, statuses, words=wanted, matches=matches, before=place)
        rows += (_row(archive, record) for record in page.rows)
    rows.sort(key=lambda row: str(row["began"]))
    return rows[-most:], len(rows) > most


def _find_place(found: list[Archive], interview: str) -> Cursor:
    """Return the place of an interview in a list of all banks."""
    for archive in found:
        with contextlib.suppress(BadArgument):
            return archive.find_place(archive.find_id(interview))
    raise BadArgument(f"There is no interview {interview!r}. See `odm-tui sessions list`.")


def _row(archive: Archive, record: InterviewRecord | InterviewSummary) -> dict[str, Any]:
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
        "referred": record.referred,
        "confirmed": record.outcome,
        "case": record.case or None,
        "note": record.note or None,
        "scripted": record.scripted,
        "conflicts": record.conflicts,
    }


def _print_rows(rows: list[dict[str, Any]], as_json: bool, known: str) -> None:
    """Print these interviews; ``known`` is a column that the command itself says."""
    if as_json:
        typer.echo(format_json({"sessions": rows}, indent=2))
        return
    if not rows:
        typer.echo("There are no such interviews.", err=True)
        return
    from odm_tui.cli.output.tables import print_table, table_width

    ids = _shorten_ids([str(row["interview"]) for row in rows])
    table = [
        {
            "id": ids[row["interview"]],
            "began": format_time(str(row["began"])).removeprefix(f"{datetime.now().astimezone():%Y-}"),
            "bank": row["bank"],
            "case": row["case"] or "",
            "status": row["status"],
            "asked": str(row["questions"]),
            "cost": format_number(row["cost"]),
            "outcome": _format_outcome(row),
            "operator": row["operator"],
        }
        for row in rows
    ]
    # A column that says the same in every row takes room from the others.
    same = {name for name in ("bank", "case", "operator") if len({cells[name] for cells in table}) == 1}
    same.add(known)
    columns = [name for name in table[0] if name not in same or (name == "case" and table[0]["case"])]
    print_table(
        columns,
        [[cells[name] for name in columns] for cells in table],
        right=("asked", "cost"),
        whole=("id", "began", "status", *(("bank",) if table_width() >= _ROOM_FOR_BANKS else ())),
        compact=True,
    )


def _format_outcome(row: dict[str, Any]) -> str:
    """The confirmed outcome, or else the decided one; both if they differ."""
    if row["referred"]:
        return f"refer ({row['confirmed'] or row['decided']})"
    if row["status"] == "confirmed" and row["confirmed"] != row["decided"]:
        return f"{row['confirmed'] or 'none'} (decided {row['decided']})"
    return str(row["confirmed"] or row["decided"] or "–")


def _shorten_ids(ids: list[str]) -> dict[str, str]:
    """Shorten ids to the fewest characters, eight or more, that tell them apart."""
    size = _SHOWN_OF_ID
    while len({id[:size] for id in ids}) < len(set(ids)):
        size += 1
    return {id: id[:size] for id in ids}


def _format_branch_cell(name: str, value: object) -> str:
    if name == "counts":
        return "yes" if value else "no"
    if name == "last":
        return str(value)[:16].replace("T", " ")
    if isinstance(value, dict):
        return ", ".join(
            f"{question} {'?' if answer is None else answer}" for question, answer in value.items()
        )
    return "–" if value is None else str(value)


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
    print_table(
        ("time", "event", "about", "answer", "seconds", "likeliest then"),
        table,
        right=("seconds",),
        compact=True,
    )
