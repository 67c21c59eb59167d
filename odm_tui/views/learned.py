"""Views of what a bank has learned: the heat map, cost and accuracy over time, the most informative questions, variants."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from odm_tui.text import one_line
from odm_tui.views.trend import TrendPoint, smooth_trend

if TYPE_CHECKING:
    from odm_tui.banks.bank import Bank
    from odm_tui.session import Archive, statistics, variants

_MOST_OF_TREND = 10_000
"""The trends show so many of the latest interviews: reading all of a very long log takes seconds."""
_MOST_OF_OPERATOR = 2_000
"""What one operator's interviews taught is counted from so many of the latest: each of them is read again."""
_NINETY = 1.645
"""Standard deviations to each side of the mean that include 90 % of a normal distribution."""


@dataclass(frozen=True, slots=True)
class HeatRow:
    """One answer of one question: P(answer | outcome) for each outcome, with its 90 % interval."""

    question: str
    label: str
    cells: tuple[tuple[float, float, float], ...]
    seen: tuple[float, ...]
    """How many interviews answered this question, for each outcome."""


@dataclass(frozen=True, slots=True)
class TellingQuestion:
    """A question, the information that its answer gives about the outcome in bits, and its cost."""

    label: str
    bits: float
    cost: float


@dataclass(frozen=True, slots=True)
class CertaintyRow:
    """Decisions about as sure as each other: what was said, the share that was right, what is shown now, how many.

    Those that were said to be right with a probability from ``low`` to ``high`` are counted together.
    """

    low: float
    high: float
    right: float
    shown: float
    count: float


@dataclass(frozen=True, slots=True)
class VariantTrait:
    """An answer that sets a variant apart: how likely it is there, and in the other variants."""

    question: str
    answer: str
    chance: float
    others: float


@dataclass(frozen=True, slots=True)
class VariantRow:
    """One variant of an outcome: its share of the outcome, and the answers that set it apart."""

    label: str
    share: float
    traits: tuple[VariantTrait, ...]


@dataclass(frozen=True, slots=True)
class VariantGroup:
    """The variants of one outcome."""

    outcome: str
    rows: tuple[VariantRow, ...]
    learned: bool


@dataclass(frozen=True, slots=True)
class LearnedView:
    """What a bank has learned."""

    title: str
    unit: str
    interviews: int
    outcomes: tuple[str, ...]
    rows: tuple[HeatRow, ...]
    telling: tuple[TellingQuestion, ...]
    costs: tuple[TrendPoint, ...]
    """The cost over the confirmed interviews."""
    right: tuple[TrendPoint, ...]
    """The share of right decisions over the confirmed interviews; without those that were handed over."""
    certainty: tuple[CertaintyRow, ...] = ()
    """How often decisions were right, by how sure they were."""
    variants: tuple[VariantGroup, ...] = ()
    """The outcomes that have variants."""
    variants_text: str = ""
    """The learned variants as TOML, to adopt them in the bank; empty if there are none."""
    operator: str = ""
    """Whose interviews these are, by pseudonym; empty for those of all operators."""
    own: str = ""
    """This operator's pseudonym."""
    operators: tuple[str, ...] = ()
    """All who have confirmed interviews: this operator first, then those with the most interviews."""

    @property
    def whose(self) -> str:
        """Whose interviews these are, for a title; empty where there is only one operator."""
        if not self.operator:
            return "all operators" if len(self.operators) > 1 else ""
        return "mine" if self.operator == self.own else one_line(self.operator)

    @property
    def next_operator(self) -> str:
        """The operator after the one that is shown; after the last one, all of them (empty)."""
        turn = ("", *self.operators)
        at = turn.index(self.operator) if self.operator in turn else 0
        return turn[(at + 1) % len(turn)]


def learned_view(
    bank: Bank, archive: Archive, own: str | None = None, operator: str | None = None
) -> LearnedView:
    """Build the view of what a bank has learned, from all interviews or from those of one operator.

    ``own`` is the operator who looks at it, as given at the start. Variants are always those of all interviews.
    """
    from odm_tui.session import statistics, variants
    from odm_tui.session.pseudonyms import find_pseudonym
    from odm_tui.store.interview_record import CONFIRMED

    snapshot = archive.read_snapshot()
    counts = snapshot.counts
    latest = archive.page(_MOST_OF_TREND, [CONFIRMED], matches=lambda record: record.outcome is not None)
    me = find_pseudonym(archive.paths.folder, own) if latest.rows else ""
    tally = Counter(record.operator for record in latest.rows)
    operators = sorted(tally, key=lambda name: (name != me, -tally[name], name))
    if operator:
        counts = archive.counts_of(operator, _MOST_OF_OPERATOR)
    ended = [record for record in latest.rows[::-1] if not operator or record.operator == operator]
    decided = [record for record in ended if not record.referred]
    posterior, everything = archive.posterior(counts), archive.posterior(snapshot.counts)
    cells = statistics.heat_map(bank, posterior)
    rows = []
    for question, asked in zip(bank.questions, bank.problem.questions, strict=True):
        text = one_line(question.text)
        for at, (answer, known) in enumerate(zip(question.answers, asked.answers, strict=True)):
            if question.type == "yes_no" and at == 0:
                continue  # P(no) is 1 - P(yes)
            row = [cells[question.id][known][outcome.id] for outcome in bank.outcomes]
            seen = tuple(cell.seen for cell in row)
            rows.append(HeatRow(text, one_line(answer.label), tuple(map(_interval, row)), seen))
    return LearnedView(
        title=one_line(bank.title),
        unit=one_line(bank.cost_unit),
        interviews=counts.interviews,
        outcomes=tuple(one_line(outcome.label) for outcome in bank.outcomes),
        rows=tuple(rows),
        telling=tuple(
            TellingQuestion(one_line(bank.question(one.question).text), one.bits, one.cost)
            for one in statistics.rank_questions(bank, posterior)
        ),
        costs=smooth_trend([record.cost for record in ended]),
        right=smooth_trend(
            [float(record.decided_outcome == record.outcome) for record in decided], is_share=True
        ),
        certainty=tuple(
            CertaintyRow(one.low, one.high, one.right, one.shown, one.count)
            for one in statistics.certainty_curve(posterior)
        ),
        variants=tuple(_variant_group(bank, each) for each in variants.describe_variants(bank, everything)),
        variants_text=variants.adoptable_variants(bank, everything),
        operator=operator or "",
        own=me,
        operators=tuple(operators),
    )


def _variant_group(bank: Bank, known: variants.OutcomeVariants) -> VariantGroup:
    return VariantGroup(
        one_line(bank.outcome(known.outcome).label),
        tuple(
            VariantRow(
                one_line(variant.named.label),
                variant.named.share,
                tuple(
                    VariantTrait(
                        one_line(bank.questions[trait.question].text),
                        one_line(bank.questions[trait.question].answers[trait.answer].label),
                        trait.chance,
                        trait.others,
                    )
                    for trait in variant.traits
                ),
            )
            for variant in known.variants
        ),
        known.learned,
    )


def _interval(cell: statistics.AnswerEstimate) -> tuple[float, float, float]:
    """Return the mean and its 90 % interval, clipped to 0 and 1."""
    return cell.mean, max(0.0, cell.mean - _NINETY * cell.spread), min(1.0, cell.mean + _NINETY * cell.spread)
