"""``odm-tui next``: print the next question or the decision for the given answers, without storing anything."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from odm_tui.cli.completion import complete_bank, complete_policy
from odm_tui.cli.output.json_text import format_json
from odm_tui.errors import BadData

if TYPE_CHECKING:
    from odm_tui.session.next_step import NextDecision, NextQuestion

app = typer.Typer(rich_markup_mode=None, add_completion=False)
_MOST_BYTES = 16_000_000


@app.command(name="next")
def next_question(
    bank: Annotated[
        str,
        typer.Option(metavar="NAME", help="Use this bank: a name or a file.", autocompletion=complete_bank),
    ],
    answers: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help='Read answers from a JSON file {question: answer}, or "-" for stdin.'
        ),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Choose questions with this policy; the bank's stop rule still applies.",
            autocompletion=complete_policy,
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, help="Seed the random choices; the same seed asks the same questions.")
    ] = 0,
    target_cost: Annotated[
        float | None,
        typer.Option(
            metavar="COST", help="Aim at this mean cost of an interview, in place of the bank's target."
        ),
    ] = None,
    no_state: Annotated[bool, typer.Option("--no-state", help="Ignore what was learned.")] = False,
    state_dir: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Read the state from this folder.")
    ] = None,
    top: Annotated[int, typer.Option(min=1, max=100, help="Explain this many questions.")] = 3,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """Print the next question, or the decision, for these answers.

    Nothing is stored. Answers are "yes", "no", a choice's id, a number, "unknown" or "skipped", by question id, in the
    order in which they were given.

    With --json: {"status": "question", "question": {"id", "text", "type", "answers" or "unit"}, "belief":
    {outcome: p}, "cost_so_far", "expected_cost_to_come", "explain": [{"question", "gain", "cost", "score",
    "belief_after": {answer: {outcome: p}}}], "explores"}, or {"status": "decision", "outcome", "belief",
    "sure": its p, "stop_reason", "red_flag", "cost_so_far"}. Ask that question, add its answer, and call again.

    An answer that is a red flag ends the interview: "red_flag" is {"label", "advice", "question", "answer", "outcome"},
    or null. Both have "warnings", a list of sentences that the answers set off, and "contradiction": null, or at a decision {"question", "answer", "chance", "outcome", "otherwise", "settle"}: the answer
    that contradicts the others, how likely it was, the outcome with it and without it, and the cheapest question
    that would settle it.
    """
    from odm_tui.banks.loading import load_bank
    from odm_tui.banks.policies import policy_for
    from odm_tui.session import Archive
    from odm_tui.session.next_step import next_step

    given = _read_answers(answers)
    loaded = load_bank(bank)
    counts = None
    if not no_state:
        archive = Archive.of(loaded, state_dir)
        known = archive.read_snapshot()
        counts = archive.counts_for(policy_for(loaded, policy), known.counts, known.cursor)
        for notice in known.notices:
            typer.echo(notice, err=True)
    step = next_step(loaded, given, policy=policy, seed=seed, counts=counts, target_cost=target_cost, top=top)
    typer.echo(format_json(step, indent=2) if as_json else _format_step(step))


def _read_answers(source: str | None) -> dict[str, Any]:
    if source is None:
        return {}
    name = "The input" if source == "-" else source
    try:
        if source == "-":
            data = sys.stdin.buffer.read(_MOST_BYTES + 1)
        else:
            with Path(source).open("rb") as file:
                data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise BadData(f"Can't read {source}: {error.strerror}. Check the name and its permissions.") from None
    if len(data) > _MOST_BYTES:
        raise BadData(f"{name} is larger than {_MOST_BYTES // 1_000_000} MB. Pass only the answers.")
    from odm_tui.strict_json import parse_json

    found = parse_json(data, name)
    if not isinstance(found, dict):
        raise BadData(f'{name} must hold one JSON object, such as {{"fever": "yes"}}.')
    return found


def _format_step(step: NextQuestion | NextDecision) -> str:
    belief = step["belief"]
    likeliest = sorted(belief, key=lambda outcome: -belief[outcome])[:3]
    beliefs = ", ".join(f"{outcome} {belief[outcome]:.0%}" for outcome in likeliest)
    doubt = _format_contradiction(step["contradiction"])
    warned = "".join(f"\nwarning: {warning}" for warning in step["warnings"])
    if step["status"] == "decision":
        flag = step["red_flag"]
        danger = "" if flag is None else f"red flag: {flag['label']}. {flag['advice']}\n"
        return f"{danger}decision: {step['outcome']} ({beliefs}); {step['stop_reason']}{doubt}{warned}"
    question = step["question"]
    replies = "/".join(a["id"] for a in question["answers"]) if "answers" in question else "a number"
    return f"question: {question['id']} ({replies}): {question['text']}\nbelief: {beliefs}{doubt}{warned}"


def _format_contradiction(found: dict[str, Any] | None) -> str:
    if found is None:
        return ""
    settle = f"; {found['settle']} would settle it" if found["settle"] else ""
    return (
        f"\ncontradiction: {found['question']}={found['answer']} makes {found['outcome']} likely, "
        f"but the other answers make {found['otherwise']} likely{settle}"
    )
