"""Write a patch that puts the measured costs into a bank."""

from __future__ import annotations

import difflib
import io
from collections import defaultdict
from collections.abc import Iterable

from odm_tui.banks.authoring.cost_edits import set_costs
from odm_tui.banks.bank import Bank
from odm_tui.errors import BadArgument
from odm_tui.session.statistics import SECONDS_IN, MeasuredCost

_BYTE_ORDER_MARK = "\ufeff"
_NO_LINE_END = "\n\\ No newline at end of file\n"


def cost_patch(bank: Bank, measured: Iterable[MeasuredCost], least: int = 5) -> str:
    """Return a unified diff of the bank's file with the measured costs; empty if nothing changes.

    Answers that were timed fewer than ``least`` times keep the bank's cost.
    """
    scale = SECONDS_IN.get(bank.cost_unit.strip().lower())
    if scale is None:
        raise BadArgument(
            f"The costs of {bank.name!r} are in {bank.cost_unit!r}, but times are measured in seconds. "
            "A patch needs a bank whose cost_unit is seconds or minutes."
        )
    timed: dict[str, dict[str, float]] = defaultdict(dict)
    for one in measured:
        question = bank.question(one.question)
        if one.times >= least and question.type != "number" and not _depends_on_outcome(bank, question.id):
            timed[question.id][one.answer] = one.median_seconds / scale
    costs = {question: _all_costs(bank, question, by_answer) for question, by_answer in timed.items()}
    text = bank.path.read_bytes().decode("utf-8")
    mark = _BYTE_ORDER_MARK if text.startswith(_BYTE_ORDER_MARK) else ""
    edited = set_costs(text.removeprefix(mark), costs)
    if edited is None:
        raise BadArgument(f"The layout of {bank.path} can't be patched. Edit its costs by hand.")
    return _unified_diff(text, mark + edited, bank.path.name)


def _depends_on_outcome(bank: Bank, question: str) -> bool:
    """Whether the bank's costs of this question differ by outcome, which a measured time can't show."""
    costs = bank.problem.cost[bank.problem.positions[question]]
    return bool((costs != costs[0]).any())


def _all_costs(bank: Bank, question: str, timed: dict[str, float]) -> dict[str, float]:
    """The cost of every answer: the measured one, or else the bank's own mean over the outcomes."""
    place = bank.problem.positions[question]
    costs: dict[str, float] = {}
    for k, answer in enumerate(bank.problem.questions[place].answers):
        own = bank.problem.answer_cost(place, k)
        costs[answer] = round(timed.get(answer, own), 2)
    return costs


def _unified_diff(old: str, new: str, name: str) -> str:
    # str.splitlines would also split at characters such as U+2028, at which no patch program does.
    before, after = (io.StringIO(text, newline="\n").readlines() for text in (old, new))
    lines = difflib.unified_diff(before, after, f"a/{name}", f"b/{name}")
    return "".join(line if line.endswith("\n") else line + _NO_LINE_END for line in lines)
