"""Print what was learned: the heat map, the most telling questions, costs and measured times."""

from __future__ import annotations

from typing import Any

import typer

from odm_tui.cli.output.tables import print_table, split_columns
from odm_tui.formatting import format_count

_SHADES = "·░▒▓█"
_LEARNED_WITH = {"pooled": "the question for all outcomes", "shared": "all questions and outcomes"}
_OFTEN = 0.1
"""Questions whose answer is not known more often than this are listed."""


def print_state_overview(found: dict[str, Any], top: int) -> None:
    """Print what was learned, with at most ``top`` questions."""
    typer.echo(f"{found['bank']}: learned from {format_count(found['interviews'], 'interview')}.")
    if found["drift"]:
        days, weight = found["drift"]["half_life_days"], found["drift"]["weight"]
        typer.echo(
            f"Interviews count half after {days:g} days: together as much as {round(weight, 1):,g} new ones."
        )
    if found["target"]:
        _print_target(found["target"], found["cost_unit"])
    if found["pooled"]:
        pairs, of = found["pooled"]["pairs"], found["pooled"]["of"]
        typer.echo(
            f"Learning is {found['pooled']['learning']}: {pairs:,} of {of:,} pairs of question and outcome have no expectation in the "
            f"bank, and start from what was learned about {_LEARNED_WITH[found['pooled']['learning']]}."
        )
    telling = found["telling"][:top]
    _print_answers(found, [question["question"] for question in telling])
    _print_telling(telling, found["cost_unit"])
    _print_variants(found["variants"])
    _print_not_known(found["not_known"])
    _print_certainty(found["certainty"])
    _print_costs(found)
    _print_operators(found["operators"], found["cost_unit"])


def _print_certainty(steps: list[dict[str, float]]) -> None:
    """Print how often decisions were right, by how sure they were."""
    if not steps:
        return
    typer.echo("\nHow sure decisions were, how often they were right, and what is shown now")
    print_table(
        ["said", "right", "shown now", "decisions"],
        [
            [f"{one['said']:.0%}", f"{one['right']:.0%}", f"{one['shown']:.0%}", f"{one['count']:,.4g}"]
            for one in steps
        ],
    )


def _print_target(target: dict[str, Any], unit: str) -> None:
    """Print how the target for the mean cost has moved the stakes."""
    start, now = f"{target['stakes_at_start']:,.4g}", f"{target['stakes']:,.4g}"
    if target["target_cost"] is None:
        wanted = "The bank has no target for the cost of an interview"
    else:
        wanted = f"An interview should cost {target['target_cost']:,.4g} {unit} on average"
    if not target["interviews"]:
        typer.echo(f"{wanted}: the stakes start at {start}.")
        return
    held = format_count(target["interviews"], "interview")
    typer.echo(
        f"{wanted}. {held} with a target cost {target['mean_cost']:,.4g} on average: "
        f"the stakes have moved from {start} to {now}."
    )
    print_table(
        ("with a target", "target", "mean cost", "stakes"),
        [
            [
                f"{one['first']}–{one['last']}",
                f"{one['target_cost']:,.4g}",
                f"{one['mean_cost']:,.4g}",
                f"{one['stakes']:,.4g}",
            ]
            for one in target["moves"]
        ],
        right=("target", "mean cost", "stakes"),
    )


def _print_answers(found: dict[str, Any], questions: list[str]) -> None:
    """Print the heat map: one row per outcome, one column per answer; shade, percentage and number of answers."""
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
        rows = [[outcome, *(_format_cell(columns[name][outcome]) for name in names)] for outcome in outcomes]
        shown = [_shorten(name) for name in names]
        print_table(("outcome", *shown), rows, right=shown)


def _shorten(name: str) -> str:
    return name if len(name) <= 14 else f"{name[:13]}…"


def _format_cell(cell: dict[str, Any]) -> str:
    shade = _SHADES[min(len(_SHADES) - 1, int(cell["mean"] * len(_SHADES)))]
    seen = f" ({cell['seen']})" if cell["seen"] else ""
    return f"{shade * 2}{cell['mean'] * 100:3.0f}±{cell['spread'] * 100:.0f}{seen}"


def _print_telling(telling: list[dict[str, Any]], unit: str) -> None:
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


def _print_variants(found: list[dict[str, Any]]) -> None:
    """Print the variants of outcomes, each with the answers that set it apart."""
    if not found:
        return
    typer.echo(
        "\nVariants of outcomes: answers that go together, and how likely they are in the other variants"
    )
    for outcome in found:
        typer.echo(f"{outcome['outcome']}:")
        for variant in outcome["variants"]:
            answers = ", ".join(
                f"{one['question']}={one['answer']} {one['chance']:.0%} ({one['others']:.0%})"
                for one in variant["answers"]
            )
            typer.echo(
                f"  {variant['label']} ({variant['share']:.0%}): {answers or 'like the outcome as a whole'}"
            )
    if any(outcome["learned"] for outcome in found):
        typer.echo("--variants prints them as TOML, to adopt them in the bank.")


def _print_not_known(found: list[dict[str, Any]]) -> None:
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


def _print_operators(operators: list[dict[str, Any]], unit: str) -> None:
    """Print the figures of each operator, if there are several."""
    if len(operators) < 2:
        return
    typer.echo("\nBy operator")
    cost = f"cost ({unit})"
    print_table(
        ("operator", "interviews", cost, "questions", "right"),
        [
            [
                one["operator"],
                f"{one['interviews']:,}",
                f"{one['mean_cost']:.1f}",
                f"{one['mean_questions']:.1f}",
                "–" if one["right"] is None else f"{one['right']:.0%}",
            ]
            for one in operators
        ],
        right=("interviews", cost, "questions", "right"),
    )


def _print_costs(found: dict[str, Any]) -> None:
    if found["costs"]:
        typer.echo("\nCost and accuracy over the interviews")
        most = max(stretch["mean_cost"] for stretch in found["costs"]) or 1
        rows = [
            [
                f"{s['first']}–{s['last']}",
                "█" * round(20 * s["mean_cost"] / most),
                f"{s['mean_cost']:.4g}",
                f"{s['mean_questions']:.1f}",
                "–" if s["right"] is None else f"{s['right']:.0%}",
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
