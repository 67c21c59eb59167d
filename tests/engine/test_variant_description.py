"""What is said of variants: few enough to read, and the answers that set each apart."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from odm_tui.engine.variants.description import ALIKE, MOST_SHOWN, find_different, find_traits, merge_alike
from odm_tui.engine.variants.variants import Variants


def yes_no(outcome: list[int], weight: list[float], yes: list[list[float]]) -> Variants:
    """Variants of yes/no questions; ``yes[i][s]`` is P(yes)."""
    table = np.array(yes)
    return Variants(np.array(outcome), np.array(weight), 50 * np.stack([1 - table, table], axis=-1))


THREE = yes_no(
    [0, 0, 0, 1], [0.5, 0.3, 0.2, 1.0], [[0.9, 0.1, 0.1, 0.5], [0.5, 0.5, 0.5, 0.5], [0.2, 0.2, 0.95, 0.5]]
)


def test_traits_are_the_answers_that_differ_from_the_other_variants_the_most_telling_first() -> None:
    first, second, third, alone = find_traits(THREE)
    assert [(t.question, t.answer) for t in first] == [(0, 1), (2, 0)]
    assert first[0].chance == pytest.approx(0.9)
    assert first[0].others == pytest.approx(0.1)
    assert first[1].others == pytest.approx(1 - (0.3 * 0.2 + 0.2 * 0.95) / 0.5)
    assert [(t.question, t.answer) for t in second] == [(0, 0), (2, 0)]
    assert (third[0].question, third[0].answer) == (2, 1)
    assert alone == []


def test_no_more_traits_than_asked_for_are_returned() -> None:
    many = yes_no([0, 0, 1], [0.5, 0.5, 1.0], [[0.9, 0.1, 0.5]] * 9)
    assert [len(traits) for traits in find_traits(many, most=3)] == [3, 3, 0]


def test_the_questions_that_variants_answer_differently_are_found_by_outcome() -> None:
    assert find_different(THREE).tolist() == [[True, False], [False, False], [True, False]]


def test_variants_that_are_hardly_different_are_merged_with_their_weights() -> None:
    alike = yes_no([0, 0, 0, 1], [0.3, 0.5, 0.2, 1.0], [[0.9, 0.1, 0.85, 0.5], [0.2, 0.8, 0.25, 0.5]])
    merged = merge_alike(alike)
    assert merged.outcome.tolist() == [0, 0, 1]
    assert_allclose(merged.weight, [0.5, 0.5, 1.0])
    means = merged.counts[:, :, 1] / merged.counts.sum(axis=-1)
    assert_allclose(sorted(means[0, :2]), [0.1, (0.3 * 0.9 + 0.2 * 0.85) / 0.5])


def loss(a: float, b: float, one: list[float], other: list[float]) -> float:
    """What is lost per case by taking two variants of yes/no questions as one, term by term."""
    total = 0.0
    for p, q in zip(one, other, strict=True):
        mean = (a * p + b * q) / (a + b)
        for weight, x in ((a, p), (b, q)):
            total += weight * (x * math.log(x / mean) + (1 - x) * math.log((1 - x) / (1 - mean)))
    return total / (a + b)


@pytest.mark.parametrize("seed", range(20))
def test_a_pair_is_merged_exactly_if_little_is_lost_by_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    yes = rng.uniform(0.05, 0.95, (3, 2))
    a = float(rng.uniform(0.2, 0.8))
    two = yes_no([0, 0], [a, 1 - a], yes.tolist())
    expected = loss(a, 1 - a, yes[:, 0].tolist(), yes[:, 1].tolist())
    assert len(merge_alike(two).weight) == (1 if expected < ALIKE else 2)


def test_an_outcome_with_many_variants_is_shown_with_few() -> None:
    rng = np.random.default_rng(2)
    many = Variants(np.zeros(16, dtype=np.intp), np.full(16, 1 / 16), rng.choice([1.0, 30.0], (20, 16, 2)))
    merged = merge_alike(many)
    assert len(merged.weight) == MOST_SHOWN
    assert merged.weight.sum() == pytest.approx(1)
    assert (np.diff(merged.weight) <= 0).all()
