"""Statistics of a bank's interviews: answers by outcome, informative questions, costs over time."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import median
from typing import Any

from odm_tui.banks.bank import Bank
from odm_tui.engine.certainty import Certainty, curve_of
from odm_tui.engine.gains import expected_costs, information_bits
from odm_tui.engine.model import Model
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.priors.base_rates import unknown_pairs
from odm_tui.engine.target import stakes_factor
from odm_tui.session.archive import Archive
from odm_tui.session.variants import OutcomeVariants, describe_variants
from odm_tui.store.index.builder import iterate_events
from odm_tui.store.index.summary import InterviewSummary
from odm_tui.store.index.tracked_interview import ANSWERED, STARTED
from odm_tui.store.interview_record import CONFIRMED
from odm_tui.store.log_file import LogFile

SECONDS_IN = {"second": 1, "seconds": 1, "s": 1, "sec": 1, "minute": 60, "minutes": 60, "min": 60}
_MOST_PERIODS = 8


@dataclass(frozen=True)
class AnswerEstimate:
    """P(answer | outcome), its standard deviation, and how many answers were counted for it.

    With a half-life, an old answer counts as a fraction of one.
    """

    mean: float
    spread: float
    seen: float


@dataclass(frozen=True)
class QuestionInformation:
    """The information that a question gives about the outcome, in bits, its cost, and how many answers were counted."""

    question: str
    bits: float
    cost: float
    seen: float


@dataclass(frozen=True)
class UnansweredQuestion:
    """How often the answer to a question was not known, how often it was, and P(not known)."""

    question: str
    times: float
    answered: float
    chance: float


@dataclass(frozen=True)
class MeasuredCost:
    """The bank's cost of an answer, and the seconds that it took."""

    question: str
    answer: str
    bank_cost: float
    median_seconds: float
    times: int


@dataclass(frozen=True)
class CostPeriod:
    """Some consecutive confirmed interviews: their numbers, their means, and the share of right decisions."""

    first: int
    last: int
    mean_cost: float
    mean_questions: float
    right: float | None
    """The share of right ones among those that were not handed over; None if all were."""
    referred: float
    """The share that was handed over."""


def heat_map(bank: Bank, posterior: Posterior) -> dict[str, dict[str, dict[str, AnswerEstimate]]]:
    """Map question, answer and outcome to the estimate of P(answer | outcome)."""
    mean, spread, seen = posterior.mean(), posterior.spread(), posterior.counts.sum(axis=-1)
    cells: dict[str, dict[str, dict[str, AnswerEstimate]]] = {}
    for i, question in enumerate(bank.problem.questions):
        cells[question.id] = {}
        for k, answer in enumerate(question.answers):
            cells[question.id][answer] = {
                outcome.id: AnswerEstimate(
                    float(mean[i, j, k]), float(spread[i, j, k]), _round_count(seen[i, j])
                )
                for j, outcome in enumerate(bank.outcomes)
            }
    return cells


def rank_questions(bank: Bank, posterior: Posterior) -> list[QuestionInformation]:
    """Rank the questions by the information that their answer gives about the outcome, the most informative first."""
    mean = Model.of(posterior, posterior.mean())
    bits, cost = information_bits(mean, mean.prior), expected_costs(mean, mean.prior)
    seen = posterior.counts.sum(axis=(1, 2))
    found = [
        QuestionInformation(q.id, float(bits[i]), float(cost[i]), _round_count(seen[i]))
        for i, q in enumerate(bank.questions)
    ]
    return sorted(found, key=lambda one: (-one.bits, one.question))


def find_unanswered(bank: Bank, posterior: Posterior) -> list[UnansweredQuestion]:
    """Find the questions with unknown answers, the least often answered first."""
    if posterior.unknown is None:
        return []
    chance, answered = 1.0 - posterior.answerable(), posterior.counts.sum(axis=(1, 2))
    found = [
        UnansweredQuestion(
            q.id, _round_count(posterior.unknown[i]), _round_count(answered[i]), float(chance[i])
        )
        for i, q in enumerate(bank.questions)
        if posterior.unknown[i] > 0
    ]
    return sorted(found, key=lambda one: (-one.chance, one.question))


def _round_count(count: float) -> float:
    """Round a count to two decimals, and make it an int if it is whole."""
    rounded = round(float(count), 2)
    return int(rounded) if rounded.is_integer() else rounded


def _confirmed(records: list[InterviewSummary]) -> list[InterviewSummary]:
    return [record for record in records if record.status == CONFIRMED and record.outcome is not None]


def costs_over_time(records: list[InterviewSummary]) -> list[CostPeriod]:
    """Divide the confirmed interviews into up to eight periods, in order."""
    confirmed = _confirmed(records)
    size = max(1, -(-len(confirmed) // _MOST_PERIODS))
    periods = []
    for first in range(0, len(confirmed), size):
        part = confirmed[first : first + size]
        decided = [record for record in part if not record.referred]
        right = sum(record.decided_outcome == record.outcome for record in decided)
        periods.append(
            CostPeriod(
                first + 1,
                first + len(part),
                sum(record.cost for record in part) / len(part),
                sum(record.questions for record in part) / len(part),
                right / len(decided) if decided else None,
                1 - len(decided) / len(part),
            )
        )
    return periods


@dataclass(frozen=True)
class OperatorFigures:
    """The confirmed interviews that one operator began: how many, their means, and the share of right decisions."""

    operator: str
    interviews: int
    mean_cost: float
    mean_questions: float
    right: float | None
    """The share of right ones among those that were not handed over; None if all were."""


def figures_by_operator(records: list[InterviewSummary]) -> list[OperatorFigures]:
    """Compute the figures of each operator, by pseudonym; the one with the most interviews first."""
    by_operator: dict[str, list[InterviewSummary]] = defaultdict(list)
    for record in _confirmed(records):
        by_operator[record.operator].append(record)
    found = []
    for operator, part in by_operator.items():
        decided = [record for record in part if not record.referred]
        right = sum(record.decided_outcome == record.outcome for record in decided)
        found.append(
            OperatorFigures(
                operator,
                len(part),
                sum(record.cost for record in part) / len(part),
                sum(record.questions for record in part) / len(part),
                right / len(decided) if decided else None,
            )
        )
    return sorted(found, key=lambda one: (-one.interviews, one.operator))


def measure_costs(archive: Archive, bank: Bank) -> list[MeasuredCost]:
    """Measure the median time of each answer, beside the bank's cost; answers that a program gave do not count."""
    seconds: dict[tuple[int, int], list[float]] = defaultdict(list)
    index = archive.require_index()
    scripted: set[str] = set()
    with LogFile(archive.paths.log) as log:
        for kind, event in iterate_events(log):
            if kind == STARTED and event.scripted:
                scripted.add(event.interview)
            elif kind == ANSWERED and event.interview not in scripted:
                place = index.find_answer(event.question, event.answer)
                if place is not None:
                    seconds[place].append(event.seconds)
    problem = bank.problem
    measured = []
    for (i, k), times in sorted(seconds.items()):
        question = problem.questions[i]
        cost = problem.answer_cost(i, k)
        measured.append(MeasuredCost(question.id, question.answers[k], cost, median(times), len(times)))
    return measured


def state_overview(archive: Archive, bank: Bank) -> dict[str, Any]:
    """Collect everything that ``state show`` prints, as plain values."""
    known = archive.read_snapshot()
    posterior, records = archive.posterior(known.counts), archive.history()
    return {
        "bank": bank.name,
        "bank_hash": bank.hash,
        "interviews": known.counts.interviews,
        "outcomes": {
            bank.outcomes[j].id: _round_count(float(posterior.outcome_counts[j]))
            for j in sorted(known.counts.outcomes)
        },
        "pooled": _pooled(bank),
        "drift": _drift(bank, posterior),
        "target": _target(posterior, records),
        "certainty": [vars(one) for one in certainty_curve(posterior)],
        "answers": {
            question: {
                answer: {
                    outcome: {"mean": cell.mean, "spread": cell.spread, "seen": cell.seen}
                    for outcome, cell in cells.items()
                }
                for answer, cells in rows.items()
            }
            for question, rows in heat_map(bank, posterior).items()
        },
        "telling": [vars(one) for one in rank_questions(bank, posterior)],
        "variants": [_variants_of(bank, each) for each in describe_variants(bank, posterior)],
        "not_known": [vars(one) for one in find_unanswered(bank, posterior)],
        "costs": [vars(period) for period in costs_over_time(records)],
        "operators": [vars(one) for one in figures_by_operator(records)],
        "measured": [vars(measured) for measured in measure_costs(archive, bank)],
        "cost_unit": bank.cost_unit,
        "notices": list(known.notices),
    }


@dataclass(frozen=True)
class CertaintyStep:
    """The decisions that were said to be right with a probability from ``low`` to ``high``.

    ``said`` is the mean of what was said, ``right`` the share that was right, and ``shown`` what is shown now where
    ``said`` is said. With a half-life ``count`` is a weight.
    """

    low: float
    high: float
    count: float
    said: float
    right: float
    shown: float


def certainty_curve(posterior: Posterior) -> list[CertaintyStep]:
    """Return how often decisions were right, by how sure they were, in steps of 10 %; steps without any are left out."""
    if posterior.said is None:
        return []
    certainty = Certainty.of(posterior.said)
    return [
        CertaintyStep(
            one.low,
            one.high,
            _round_count(round(one.count, 6)),
            one.said,
            one.right,
            float(certainty.share_right(one.said)),
        )
        for one in curve_of(posterior.said)
    ]


def _pooled(bank: Bank) -> dict[str, Any] | None:
    """Count the pairs of question and outcome that share what is learned; None if none do."""
    pairs = unknown_pairs(bank.problem)
    if not bank.problem.pooled or not pairs.any():
        return None
    return {"pairs": int(pairs.sum()), "of": pairs.size, "learning": bank.learning}


def _target(posterior: Posterior, records: list[InterviewSummary]) -> dict[str, Any] | None:
    """Return the target for the mean cost, and how it has moved the stakes; None if no interview had one.

    ``target_cost`` is the bank's; ``mean_cost`` is that of the ``interviews`` that had a target. ``moves`` has up to
    eight periods of these, each with the means of its targets, costs and stakes.
    """
    problem = posterior.problem
    held = [record for record in _confirmed(records) if record.target_cost is not None]
    if problem.target_cost is None and not held:
        return None
    start = problem.effective_stakes
    size = max(1, -(-len(held) // _MOST_PERIODS))
    periods = [held[first : first + size] for first in range(0, len(held), size)]
    return {
        "target_cost": problem.target_cost,
        "interviews": len(held),
        "mean_cost": _mean([record.cost for record in held]),
        "stakes_at_start": start,
        "stakes": start * stakes_factor(posterior.moved),
        "moves": [
            {
                "first": at * size + 1,
                "last": at * size + len(part),
                "target_cost": _mean([record.target_cost or 0.0 for record in part]),
                "mean_cost": _mean([record.cost for record in part]),
                "stakes": start * _mean([record.stakes_factor for record in part]),
            }
            for at, part in enumerate(periods)
        ],
    }


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _variants_of(bank: Bank, known: OutcomeVariants) -> dict[str, Any]:
    """Return the variants of an outcome with the answers that set them apart, as plain values."""
    questions = bank.problem.questions
    return {
        "outcome": known.outcome,
        "learned": known.learned,
        "variants": [
            {
                "id": variant.named.id,
                "label": variant.named.label,
                "share": variant.named.share,
                "answers": [
                    {
                        "question": questions[trait.question].id,
                        "answer": questions[trait.question].answers[trait.answer],
                        "chance": trait.chance,
                        "others": trait.others,
                    }
                    for trait in variant.traits
                ],
            }
            for variant in known.variants
        ],
    }


def _drift(bank: Bank, posterior: Posterior) -> dict[str, float] | None:
    """Return the half-life in days and the total weight of the interviews; None without a half-life."""
    if bank.half_life_days is None:
        return None
    weight = _round_count(round(float(posterior.outcome_counts.sum()), 6))
    return {"half_life_days": _round_count(bank.half_life_days), "weight": weight}
