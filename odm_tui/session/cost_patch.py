"""A bank patch that takes over the costs as they were measured."""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise

from odm_tui.banks.bank import Bank
from odm_tui.errors import BadArgument
from odm_tui.session.statistics import SECONDS_IN, MeasuredCost

_ID = re.compile(r"""\s*id\s*=\s*["']([^"']*)["']""")
_COST = re.compile(r"\s*cost\s*=[^#]*?(\s*#.*)?$")
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def cost_patch(bank: Bank, measured: Iterable[MeasuredCost], least: int = 5) -> str:
    """A unified diff of the bank's file with the measured costs of answers that were timed often enough.

    Answers that were timed fewer than ``least`` times keep what the bank says. Empty if nothing changes.
    """
    scale = SECONDS_IN.get(bank.cost_unit.strip().lower())
    if scale is None:
        raise BadArgument(
            f"The costs of {bank.name!r} are in {bank.cost_unit!r}, and times are measured in seconds; "
            "only a bank whose cost_unit is seconds or minutes can take them over."
        )
    wanted: dict[str, dict[str, float]] = defaultdict(dict)
    for one in measured:
        question = bank.question(one.question)
        if one.times >= least and question.type != "number" and not _by_outcome(bank, question.id):
            wanted[question.id][one.answer] = one.median_seconds / scale
    old = bank.path.read_text(encoding="utf-8").splitlines(keepends=True)
    new = _patched(old, bank, wanted)
    try:
        tomllib.loads("".join(new))
    except tomllib.TOMLDecodeError:
        raise BadArgument(
            f"{bank.path} is written in a way that can't be patched; edit its costs by hand."
        ) from None
    name = bank.path.name
    return "".join(difflib.unified_diff(old, new, f"a/{name}", f"b/{name}"))


def _patched(lines: list[str], bank: Bank, wanted: dict[str, dict[str, float]]) -> list[str]:
    made = list(lines)
    blocks = [n for n, line in enumerate(made) if line.lstrip().startswith("[")] + [len(made)]
    for begin, end in reversed(list(pairwise(blocks))):
        if not made[begin].replace(" ", "").startswith("[[questions]]"):
            continue
        ids = [(n, found.group(1)) for n in range(begin, end) if (found := _ID.match(made[n]))]
        if not ids or ids[0][1] not in wanted:
            continue
        line = _cost_line(bank, ids[0][1], wanted[ids[0][1]])
        there = [n for n in range(begin, end) if _COST.match(made[n])]
        if not there:
            made.insert(ids[0][0] + 1, line)
        elif made[there[0]].count("{") == made[there[0]].count("}"):
            comment = _COST.match(made[there[0]].rstrip("\n"))
            kept = comment.group(1) if comment and comment.group(1) else ""
            made[there[0]] = f"{line.rstrip()}{kept}\n"
    return made


def _by_outcome(bank: Bank, question: str) -> bool:
    """Whether the bank tells the costs of this question apart by outcome, which times alone can't."""
    costs = bank.problem.cost[bank.problem.positions[question]]
    return bool((costs != costs[0]).any())


def _cost_line(bank: Bank, question: str, costs: dict[str, float]) -> str:
    """The measured costs, and the bank's own mean for answers that were not timed often enough."""
    place = bank.problem.positions[question]
    parts = []
    for k, answer in enumerate(bank.problem.questions[place].answers):
        own = float(bank.problem.cost[place, :, k] @ bank.problem.prior)
        key = answer if _BARE.fullmatch(answer) else json.dumps(answer)
        parts.append(f"{key} = {round(costs.get(answer, own), 2):g}")
    return f"cost = {{ {', '.join(parts)} }}\n"
