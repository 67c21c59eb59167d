"""The pooled prior: base rates shared by all outcomes, their weight chosen by evidence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import gammaln
from scipy.stats import betabinom, dirichlet_multinomial

from odm_tui.banks.loading import load_bank
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.priors.base_rates import WEIGHTS, base_rates, log_gamma, pooled_prior, unknown_pairs
from odm_tui.engine.problem import Problem, Question


def problem(sizes: tuple[int, ...], outcomes: int, **more: object) -> Problem:
    questions = [Question(f"q{i}", tuple(f"a{k}" for k in range(size))) for i, size in enumerate(sizes)]
    return Problem.build(questions, [f"o{j}" for j in range(outcomes)], pooled=True, **more)  # type: ignore[arg-type]


def literal_prior(counts: np.ndarray, sizes: tuple[int, ...]) -> np.ndarray:
    """Question by question, weight by weight, with scipy's Dirichlet-multinomial."""
    made = np.zeros_like(counts)
    for i, size in enumerate(sizes):
        evidence, rates = [], []
        for s in WEIGHTS:
            seen = np.ones(size)
            for row in counts[i, :, :size]:
                if row.any():
                    seen += row / row.sum() * (row.sum() * (s + 1) / (s + row.sum()))
            rate = seen / seen.sum()
            rates.append(rate)
            total = 0.0
            for row in counts[i, :, :size]:
                if not row.any():  # no answers have chance 1; scipy 1.14 refuses to say so
                    continue
                # scipy counts the orders of the answers too; the weights share that factor.
                seen_here = row.astype(int)
                total += float(dirichlet_multinomial.logpmf(seen_here, s * rate, seen_here.sum()))
            evidence.append(total)
        chance = np.exp(np.array(evidence) - max(evidence))
        weight = np.exp((chance * np.log(WEIGHTS)).sum() / chance.sum())
        made[i, :, :size] = weight * (chance / chance.sum()) @ np.array(rates)
    return made


@given(
    st.integers(0, 10_000),
    st.sampled_from(((2,), (2, 2, 2), (2, 3, 2), (4, 2))),
    st.integers(1, 5),
    st.integers(0, 30),
)
@settings(max_examples=60)
def test_the_pooled_prior_is_that_of_scipys_dirichlet_multinomial(
    seed: int, sizes: tuple[int, ...], outcomes: int, most: int
) -> None:
    rng = np.random.default_rng(seed)
    counts = np.zeros((len(sizes), outcomes, max(sizes)))
    for i, size in enumerate(sizes):
        counts[i, :, :size] = rng.integers(0, most + 1, (outcomes, size))
    ours = pooled_prior(problem(sizes, outcomes), counts)
    assert_allclose(ours, literal_prior(counts, sizes), rtol=1e-8)


@given(st.floats(1e-6, 1e6))
@settings(max_examples=200)
def test_log_gamma_is_scipys(x: float) -> None:
    assert_allclose(log_gamma(np.array([x])), gammaln(x), rtol=1e-11, atol=1e-11)


def test_a_rare_symptom_is_thought_rare_under_an_outcome_that_was_never_seen() -> None:
    posterior = Posterior.of(problem((2,), 3))
    for _ in range(20):
        posterior = posterior.updated([0], 0).updated([0], 1)
    assert posterior.mean()[0, 2, 1] < 0.12
    assert Posterior.of(Problem.build(["q"], ["x", "y", "z"])).mean()[0, 2, 1] == 0.5


def test_answers_that_depend_on_the_outcome_get_a_smaller_weight_than_answers_that_do_not() -> None:
    counts = np.array([[[20.0, 0.0], [0.0, 20.0]], [[10.0, 10.0], [10.0, 10.0]]])
    prior = pooled_prior(problem((2, 2), 2), counts)
    telling, dull = prior[0, 0].sum(), prior[1, 0].sum()
    assert telling < 1 < 16 < dull


def test_what_the_bank_expects_is_left_alone() -> None:
    expected = np.array([[0.9, 0.2], [0.5, 0.5]])
    known = problem((2, 2), 2, expected=expected)
    counts = np.zeros((2, 2, 2))
    assert not unknown_pairs(known).any()
    assert_allclose(pooled_prior(known, counts), known.pseudo)
    half = np.full((2, 2, 2), 2.0)
    half[0, 0] = [1.0, 7.0]
    mixed = problem((2, 2), 2, pseudo=half)
    counts[:, 1, 0] = 30
    prior = pooled_prior(mixed, counts)
    assert_allclose(prior[0, 0], [1.0, 7.0])
    assert prior[0, 1, 1] < prior[0, 1, 0]


def test_pooling_changes_neither_the_counts_nor_their_retraction() -> None:
    start = Posterior.of(problem((2, 3), 2))
    after = start.updated([1, 2], 1).updated([0, None], 0)
    back = after.retracted([0, None], 0).retracted([1, 2], 1)
    assert not back.counts.any()
    assert_allclose(back.alpha, start.alpha)


def test_pooled_probabilities_sum_to_1_and_can_be_sampled_and_bounded() -> None:
    posterior = Posterior.of(problem((2, 3), 2)).updated([1, 2], 1)
    assert_allclose(posterior.mean().sum(axis=-1), 1)
    assert_allclose(posterior.sample(np.random.default_rng(0)).sum(axis=-1), 1)
    low, high = posterior.bounds(0.9)
    assert (low <= posterior.mean()).all()
    assert (posterior.mean() <= high).all()


def full_bayes(counts: np.ndarray) -> np.ndarray:
    """E[P(yes) | counts] of every outcome, (m,), with p uniform and all weights equally likely, by summing over a grid."""
    p = (np.arange(400) + 0.5) / 400
    s = WEIGHTS[:, None]
    log_chance = np.zeros((len(WEIGHTS), len(p)))
    for no, yes in counts:
        log_chance += gammaln(s * p + yes) + gammaln(s * (1 - p) + no) - gammaln(s + yes + no)
        log_chance -= gammaln(s * p) + gammaln(s * (1 - p)) - gammaln(s)
    chance = np.exp(log_chance - log_chance.max())
    chance /= chance.sum()
    return np.array([(chance * (s * p + yes) / (s + yes + no)).sum() for no, yes in counts])


def test_pooled_means_are_near_those_of_full_hierarchical_bayes() -> None:
    """The root mean square error is .025 here; with base rates that count interviews alone it is .086."""
    rng = np.random.default_rng(5)
    errors = []
    for _ in range(150):
        m = int(rng.integers(2, 9))
        first, second = rng.choice([0.3, 1.0, 4.0], 2)
        theta = rng.beta(float(first), float(second), m)
        totals = np.round(rng.choice([0, 1, 3, 10, 60], m, p=[0.2, 0.2, 0.2, 0.2, 0.2]))
        yes = rng.binomial(totals.astype(int), theta)
        counts = np.stack([totals - yes, yes], axis=-1)
        posterior = Posterior.of(problem((2,), m), counts[None])
        errors.append(posterior.mean()[0, :, 1] - full_bayes(counts))
    assert np.sqrt(np.mean(np.concatenate(errors) ** 2)) < 0.03


def test_one_frequent_outcome_does_not_make_the_base_rate_of_the_others() -> None:
    counts = np.array([[[10.0, 190.0], [9.0, 1.0], [8.0, 2.0], [0.0, 0.0]]])
    unseen = Posterior.of(problem((2,), 4), counts).mean()[0, 3, 1]
    assert abs(unseen - full_bayes(counts[0])[3]) < 0.1
    assert unseen < 0.5


def test_an_expectation_of_one_half_is_knowledge() -> None:
    """Four observations of one half are the same pseudo counts as none; the bank says which it is."""
    counts = np.array([[[30.0, 0.0], [0.0, 0.0]]])
    known = problem((2,), 2, expected=np.array([[0.5, 0.5]]), worth=4.0)
    assert_allclose(pooled_prior(known, counts), known.pseudo)
    assert (known.pseudo == 2).all()
    no, yes = pooled_prior(problem((2,), 2), counts)[0, 1]
    assert yes < 0.5 * no


def test_a_bank_says_which_pairs_it_expects_something_of(tmp_path: Path) -> None:
    path = tmp_path / "half.toml"
    path.write_text(
        """
format = 1
title = "Half"
outcomes = [{ id = "x" }, { id = "y" }]
questions = [{ id = "a", text = "A?" }, { id = "b", text = "B?" }]
[expected]
worth = 4
a = { x = 0.5 }
"""
    )
    assert unknown_pairs(load_bank(path).problem).tolist() == [[False, True], [True, True]]


def test_two_answers_agree_with_the_beta_binomial() -> None:
    counts = np.array([[[3.0, 1.0], [2.0, 6.0]]])
    rates = base_rates(counts, np.ones((1, 2), dtype=bool))[:, 0]
    evidence = [
        sum(betabinom.logpmf(row[1], row.sum(), s * rate[1], s * rate[0]) for row in counts[0])
        for s, rate in zip(WEIGHTS, rates, strict=True)
    ]
    chance = np.exp(np.array(evidence) - max(evidence))
    weight = np.exp((chance * np.log(WEIGHTS)).sum() / chance.sum())
    assert_allclose(pooled_prior(problem((2,), 2), counts)[0, 0].sum(), weight, rtol=1e-8)
