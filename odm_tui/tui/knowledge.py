"""What a bank has learned, as values: the heat map, the course of cost and accuracy, the telling questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from odm_tui.banks.text import one_line

if TYPE_CHECKING:
    from odm_tui.engine.posterior import Posterior
    from odm_tui.engine.problem import Floats
    from odm_tui.tui.desk import Desk


@dataclass(frozen=True, slots=True)
class HeatRow:
    """One answer of one question: for each outcome P(answer | outcome), with its 90 % interval."""

    label: str
    cells: tuple[tuple[float, float, float], ...]
    seen: tuple[int, ...]
    """For each outcome, how many interviews have answered this question."""


@dataclass(frozen=True, slots=True)
class Telling:
    """A question and how much it tells about the outcome: bits, and bits per unit of cost."""

    label: str
    bits: float
    cost: float


@dataclass(frozen=True, slots=True)
class LearnedView:
    """What a bank has learned."""

    title: str
    unit: str
    interviews: int
    outcomes: tuple[str, ...]
    rows: tuple[HeatRow, ...]
    telling: tuple[Telling, ...]
    costs: tuple[float, ...]
    """The cost of each confirmed interview, in order."""
    right: tuple[bool, ...]
    """Whether each of them was decided rightly."""


def learned_view(desk: Desk, name: str) -> LearnedView:
    """What the bank of this name has learned by now."""
    from odm_tui.store.lives import CONFIRMED

    bank, archive = desk.bank(name), desk.archive(name)
    try:
        knowledge = archive.known().knowledge
        ended = [life for life in archive.history(CONFIRMED) if life.outcome is not None]
    finally:
        archive.close()
    posterior = knowledge.posterior(bank.problem)
    mean = posterior.mean()
    low, high = intervals(posterior)
    seen = posterior.counts.sum(axis=2).astype(int)
    rows = []
    for i, question in enumerate(bank.questions):
        text = one_line(question.text)
        for q, answer in enumerate(question.answers):
            if question.type == "yes_no" and q == 0:
                continue
            label = text if question.type == "yes_no" else f"{one_line(answer.label)}: {text}"
            cells = tuple(
                (float(mean[i, j, q]), float(low[i, j, q]), float(high[i, j, q]))
                for j in range(len(bank.outcomes))
            )
            rows.append(HeatRow(label, cells, tuple(int(n) for n in seen[i])))
    return LearnedView(
        title=one_line(bank.title),
        unit=one_line(bank.cost_unit),
        interviews=knowledge.interviews,
        outcomes=tuple(one_line(outcome.label) for outcome in bank.outcomes),
        rows=tuple(rows),
        telling=telling(posterior, [one_line(q.text) for q in bank.questions]),
        costs=tuple(life.cost for life in ended),
        right=tuple(life.verdict == life.outcome for life in ended),
    )


def intervals(posterior: Posterior) -> tuple[Floats, Floats]:
    """The 90 % interval of each P(answer | outcome): mean ± 1.64 standard deviations of its Beta, cut at 0 and 1."""
    alpha = posterior.alpha
    total = np.maximum(alpha.sum(axis=2, keepdims=True), 1e-9)
    mean = alpha / total
    spread = 1.645 * np.sqrt(mean * (1 - mean) / (total + 1))
    return np.clip(mean - spread, 0, 1), np.clip(mean + spread, 0, 1)


def telling(posterior: Posterior, labels: list[str]) -> tuple[Telling, ...]:
    """The questions by what one of them alone tells about the outcome, I(x_i; y) in bits, most first."""
    theta, prior = posterior.mean(), posterior.outcome_prior()
    joint = theta * prior[None, :, None]
    answers = joint.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = joint * np.log2(joint / (answers * prior[None, :, None]))
    bits = np.nansum(terms, axis=(1, 2))
    costs = (posterior.problem.cost * joint).sum(axis=(1, 2))
    order = np.argsort(-bits, kind="stable")
    return tuple(Telling(labels[i], float(bits[i]), float(costs[i])) for i in order)
