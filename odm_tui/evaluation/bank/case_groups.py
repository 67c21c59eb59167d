"""The callers of an evaluation with a table: rows that the bank was made from, by folds, or others."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np

from odm_tui.banks.bank import Bank
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Problem
from odm_tui.errors import BadArgument, OdmError
from odm_tui.evaluation.bank.callers import CallerGroup, ChooseAgain, holds_rows, split_folds_stepwise
from odm_tui.evaluation.bank.fold_thresholds import choose_again, find_free_numbers
from odm_tui.evaluation.data.case_table import CaseTable, read_case_table
from odm_tui.formatting import format_count

Way = Literal["folds", "new rows", "simulated"]
"""How the callers of an evaluation come about."""


def find_own_cases(bank: Bank, largest: int) -> Path | None:
    """Return the file that a bank was made from, if it stands beside the bank, unchanged, and has at most this many bytes."""
    if bank.cases is None or not bank.cases.file:
        return None
    beside = bank.path.parent / bank.cases.file
    try:
        if beside.parent != bank.path.parent or not beside.is_file() or beside.stat().st_size > largest:
            return None
        table = read_case_table(beside, bank)
    except (OSError, OdmError):
        return None
    return beside if holds_rows(bank.problem, table.answers, table.outcomes) else None


def read_groups(
    bank: Bank, known: Posterior, data: Path, *, label: str | None, folds: int, most: int | None, seed: int
) -> Generator[None, None, tuple[Way, list[CallerGroup], tuple[str, ...]]]:
    """Read a table and return how its rows call, the callers, and what to know about them; yield before each fold.

    ``label`` is the outcome's column, ``most`` how many rows call at most.
    """
    table = read_case_table(data, bank, label)
    answers, outcomes = table.answers, table.outcomes
    rng = np.random.default_rng(seed)
    notes = list(table.notes)
    if holds_rows(bank.problem, answers, outcomes):
        if folds < 2:
            raise BadArgument("The bank was made from these rows, so it needs at least 2 folds.")
        folds = min(folds, len(outcomes))
        single = int((np.bincount(outcomes[outcomes >= 0], minlength=len(bank.outcomes)) == 1).sum())
        if single:
            notes.append(
                f"{format_count(single, 'outcome')} with a single row: when it calls, nothing is known of its outcome, "
                "so by folds it is decided wrong. Try the bank without the table too."
            )
        by_hand = any(outcome.variants for outcome in bank.outcomes)
        refits = bank.problem.named_variants is not None and not by_hand
        choose = None if by_hand or known.interviews else _chooser(known.problem, table)
        groups = yield from split_folds_stepwise(
            known, answers, outcomes, folds, rng, refits=refits, choose=choose
        )
        return "folds", _thin(groups, most, rng), tuple(notes)
    if bank.cases is not None and bank.cases.file == data.name:
        notes.append(
            "The bank was made from a file of this name, but with other rows or answers: "
            "rows that it has learned from are easy for it."
        )
    rows = rng.permutation(len(outcomes))[:most]
    return "new rows", [CallerGroup(known, answers[rows], outcomes[rows])], tuple(notes)


def _chooser(problem: Problem, table: CaseTable) -> ChooseAgain | None:
    """Return how to choose the thresholds of numbers again from some of the rows; None if there is nothing to choose."""
    numbers = {at: table.numbers[at] for at in find_free_numbers(problem, table.numbers)}
    if not numbers:
        return None
    return lambda known: choose_again(problem, numbers, table.answers, table.outcomes, known)


def _thin(groups: list[CallerGroup], most: int | None, rng: np.random.Generator) -> list[CallerGroup]:
    """Take about as many callers from each fold, ``most`` in all."""
    if most is None:
        return groups
    thinned = []
    for number, group in enumerate(groups):
        size = most // len(groups) + (number < most % len(groups))
        if not size:
            break
        kept = rng.permutation(len(group.outcomes))[:size]
        thinned.append(replace(group, answers=group.answers[kept], outcomes=group.outcomes[kept]))
    return thinned
