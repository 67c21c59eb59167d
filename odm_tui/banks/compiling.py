"""Compile a bank into the engine's arrays.

A known probability p with worth w becomes w·p counts of a Dirichlet distribution. No number of observations
proves "never", so a p of exactly 0 becomes the engine's ``NEVER`` (1 %), and the other answers get less.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from odm_tui.banks.bank import Bank, BankQuestion, PairStakes
from odm_tui.banks.checks.costs import REST
from odm_tui.engine import problem as engine
from odm_tui.engine.problem import PSEUDO_COUNT, USUAL_HORIZON, Floats, Problem, never_certain
from odm_tui.engine.stakes import Stakes
from odm_tui.engine.variants.variants import Variants


def compile_problem(bank: Bank) -> Problem:
    """Return the engine's problem, with questions and outcomes in the order of the bank."""
    outcomes = [outcome.id for outcome in bank.outcomes]
    width = max(len(question.answers) for question in bank.questions)
    shape = len(bank.questions), len(outcomes), width
    cost, pseudo, expects = np.zeros(shape), np.zeros(shape), np.zeros(shape[:2], dtype=bool)
    for i, question in enumerate(bank.questions):
        size = len(question.answers)
        cost[i, :, :size] = _costs(question, outcomes, bank.default_cost)
        pseudo[i, :, :size] = _pseudo(question, outcomes)
        expects[i] = [REST in question.expected or outcome in question.expected for outcome in outcomes]
    cases = case_outcomes = None
    if bank.cases is not None:
        cases, case_outcomes = bank.cases.counted(bank.questions, bank.outcomes, width)
    problem = Problem.build(
        [
            engine.Question(
                question.id,
                answers=tuple(answer.id for answer in question.answers),
                thresholds=question.thresholds,
                ask_if=question.ask_if,
                ask_if_any=question.ask_if_any,
                always_ask=question.always_ask,
                stops=tuple(
                    (at, answer.stop.outcome)
                    for at, answer in enumerate(question.answers)
                    if answer.stop is not None
                ),
            )
            for question in bank.questions
        ],
        outcomes,
        prior=_prior(bank),
        cost=cost,
        pseudo=pseudo,
        stakes=bank.stakes,
        refer_cost=None if bank.refer is None else bank.refer.cost,
        horizon=USUAL_HORIZON if bank.horizon is None else bank.horizon,
        target_cost=bank.target_cost,
        outcome_worth=bank.outcome_prior_worth if bank.outcome_prior == "learned" else 0.0,
        pooled=bank.learning != "separate",
        shared=bank.learning == "shared",
        error_rates=_error_rates(bank),
        cases=cases,
        case_outcomes=case_outcomes,
    )
    problem = replace(problem, expects=expects, most_variants=bank.most_variants, **_variants(bank, pseudo))
    if bank.pair_stakes is None:
        return problem
    return replace(problem, stakes=_stakes(bank.pair_stakes, outcomes, problem.effective_stakes))


def _variants(bank: Bank, pseudo: Floats) -> dict[str, Any]:
    """Return what the author knows of variants, for the problem's fields; nothing if no outcome names any.

    A question that a variant does not name has the outcome's expected answers, and so does every question of an outcome
    without variants.
    """
    if not any(outcome.variants for outcome in bank.outcomes):
        return _case_variants(bank, pseudo)
    at = {question.id: i for i, question in enumerate(bank.questions)}
    number = [max(1, len(outcome.variants)) for outcome in bank.outcomes]
    outcome_of = np.repeat(np.arange(len(number)), number)
    counts = np.ascontiguousarray(pseudo[:, outcome_of])
    expects = np.zeros(counts.shape[:2], dtype=bool)
    weight, worth = np.ones(len(outcome_of)), np.zeros(len(number))
    place = 0
    for j, outcome in enumerate(bank.outcomes):
        worth[j] = sum(variant.share * variant.worth for variant in outcome.variants)
        for v, variant in enumerate(outcome.variants):
            weight[place + v] = variant.share
            for id, shares in variant.expected.items():
                row = never_certain(np.array(shares)) * variant.worth
                counts[at[id], place + v, : len(row)] = row
                expects[at[id], place + v] = True
        place += number[j]
    return {
        "named_variants": Variants(outcome_of, weight, counts),
        "named_expects": expects,
        "variant_worth": worth,
    }


def _case_variants(bank: Bank, pseudo: Floats) -> dict[str, Any]:
    """Return the same for variants that were fitted to past cases; each outcome's cases are what its shares are worth."""
    if bank.cases is None or bank.cases.variants is None or bank.most_variants == 1:
        return {}
    width = pseudo.shape[2]
    outcome_of, weight, counts, known = bank.cases.variants.counted(bank.questions, bank.outcomes, pseudo)
    return {
        "named_variants": Variants(outcome_of, weight, counts),
        "named_expects": known,
        "variant_worth": bank.cases.counted(bank.questions, bank.outcomes, width)[1],
    }


def _stakes(pairs: PairStakes, outcomes: Sequence[str], default: float) -> Stakes:
    """Return the stakes by pair; decisions without stakes of their own share those of the missed outcomes."""
    own = pairs.decisions
    rows = [d for d, decided in enumerate(outcomes) if decided in own]
    losses = [
        [0.0 if d == j else pairs.cost(outcomes[d], true, default) for j, true in enumerate(outcomes)]
        for d in rows
    ]
    missed = [pairs.missed.get(true, {}).get(REST, default) for true in outcomes]
    return Stakes(
        np.array(missed),
        np.array(rows, dtype=np.intp),
        np.array(losses, dtype=np.float64).reshape(len(rows), len(outcomes)),
    )


def _prior(bank: Bank) -> Floats:
    prior = np.array([outcome.prior for outcome in bank.outcomes])
    return np.asarray(prior / math.fsum(prior))


def _error_rates(bank: Bank) -> Floats | None:
    """Return how often each answer is wrong, (n,), NaN if unknown; None if all are unknown."""
    rates = [question.error_rate for question in bank.questions]
    if all(rate is None for rate in rates):
        return None
    return np.array([math.nan if rate is None else rate for rate in rates])


def _costs(question: BankQuestion, outcomes: Sequence[str], default: float) -> Floats:
    """Return the cost by outcome and answer, (m, K)."""
    rest = question.cost.get(REST, {})
    columns = []
    for answer in question.answers:
        by_outcome = question.cost.get(answer.id, rest)
        other = by_outcome.get(REST, default)
        if len(by_outcome) - (REST in by_outcome):
            columns.append([by_outcome.get(outcome, other) for outcome in outcomes])
        else:
            columns.append([other] * len(outcomes))
    return np.array(columns).T


def _pseudo(question: BankQuestion, outcomes: Sequence[str]) -> Floats:
    """Return the Dirichlet counts before anything is learned, by outcome and answer, (m, K)."""
    size = len(question.answers)
    if not question.expected:
        return np.full((len(outcomes), size), PSEUDO_COUNT)
    known = question.expected
    if question.type == "yes_no":
        yes = np.array(_by_outcome(known, outcomes, math.nan), dtype=float)
        p = np.stack([1 - yes, yes], axis=-1)
    else:
        p = np.array(_by_outcome(known, outcomes, (math.nan,) * size))
    worth = np.array(_by_outcome(question.worth, outcomes, 0.0))
    counts = never_certain(p) * worth[:, None]
    return np.where(np.isnan(p), PSEUDO_COUNT, counts)


def _by_outcome(table: Mapping[str, Any], outcomes: Sequence[str], otherwise: object) -> list[Any]:
    """Return a table's value for each outcome; ``"*"`` is the value of outcomes that it does not name."""
    rest = table.get(REST, otherwise)
    return [table.get(outcome, rest) for outcome in outcomes]
