"""Lists of the most probable hypotheses against sorting all of them."""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from odm_tui.engine.belief import IMPOSSIBLE, safe_log
from odm_tui.engine.hypotheses import (
    Contested,
    Hypotheses,
    _smallest,
    list_hypotheses,
    log_weights,
    most_probable,
)
from odm_tui.errors import BadArgument
from tests.support.literal import brute, kbest
from tests.support.literal.instances import Instance, consistent, instances, loud, made

limits = st.sampled_from((1, 2, 3, 7, 15, 70, 400))
etas = st.sampled_from((0.0, 0.002, 0.1, 0.9))


def listed(it: Instance, limit: int, eta: float, contested: Contested = "likeliest") -> Hypotheses:
    with loud():
        return list_hypotheses(
            safe_log(it.prior), safe_log(it.theta), limit, eta=eta, given=it.given, contested=contested
        )


@given(instances(), limits)
@settings(max_examples=150)
def test_most_probable_are_exactly_the_k_best_in_order(it: Instance, limit: int) -> None:
    with loud():
        _, log_p = most_probable(safe_log(it.theta), limit, it.given)
    for j in range(len(it.prior)):
        best = [p for p, _ in kbest.ranked(it.theta, it.sizes, j, it.answers) if p > 0][:limit]
        real = log_p[j] > IMPOSSIBLE / 2
        assert real.sum() == len(best)
        assert real[: len(best)].all(), "the possible ones come first"
        assert_allclose(np.exp(log_p[j][real]), best, rtol=1e-9)
        assert (np.diff(log_p[j]) <= 0).all()


@given(instances(), limits)
@settings(max_examples=100)
def test_every_listed_row_has_the_probability_it_claims_and_none_comes_twice(
    it: Instance, limit: int
) -> None:
    answers, log_p = most_probable(safe_log(it.theta), limit, it.given)
    for j in range(len(it.prior)):
        all_of_them = {h: p for p, h in kbest.ranked(it.theta, it.sizes, j, it.answers)}
        rows = [
            (tuple(h), p) for h, p in zip(answers[j].tolist(), log_p[j], strict=True) if p > IMPOSSIBLE / 2
        ]
        assert len({h for h, _ in rows}) == len(rows)
        for h, p in rows:
            assert_allclose(np.exp(p), all_of_them[h], rtol=1e-9)


@given(instances(), limits, etas)
@settings(max_examples=150)
def test_a_list_ends_when_it_covers_1_minus_eta_or_at_its_limit(it: Instance, limit: int, eta: float) -> None:
    made = listed(it, limit, eta)
    rows: list[list[tuple[int, ...]]] = [[] for _ in it.prior]
    for j in range(len(it.prior)):
        # The hypotheses that an outcome lists stand in its own rows or, if contested, in another's.
        literal = kbest.listed(it.theta, it.sizes, j, it.answers, limit, eta)
        # An outcome that can't be lists nothing, unless none can.
        rows[j] = [h for _, h in literal] if it.prior[j] > 0 else []
    in_rows = [tuple(h) for h in made.answers[made.listed].tolist()]
    assert len(set(in_rows)) == len(in_rows), "each hypothesis stands in one row only"
    ties = _has_ties(it, limit)
    if not ties:
        assert set(in_rows) == {h for own in rows for h in own}
        shared = {h for a, own in enumerate(rows) for h in own if any(h in rows[b] for b in range(a))}
        assert {tuple(h) for h in made.answers[made.contested].tolist()} == shared
    assert not (made.contested & ~made.listed).any()


def _has_ties(it: Instance, limit: int) -> bool:
    """Whether the k best are not the only ones, because the next one is as probable."""
    for j in range(len(it.prior)):
        p = [p for p, _ in kbest.ranked(it.theta, it.sizes, j, it.answers)]
        # The sums that decide where a list ends are rounded, so near the end of all mass a tie is open too.
        if any(abs(p[k - 1] - p[k]) <= 1e-9 * p[k - 1] for k in range(1, len(p)) if p[k - 1] > 0):
            return True
        if any(abs(c - 1) < 1e-12 for c in np.cumsum(p)[:-1]):
            return True
    return False


@given(instances(), limits, etas)
@settings(max_examples=100)
def test_listed_hypotheses_agree_with_the_answers_given(it: Instance, limit: int, eta: float) -> None:
    made = listed(it, limit, eta)
    assert made.listed.any(axis=None)
    assert (consistent(made, it.given) == made.listed).all()
    for i, q in it.answers.items():
        assert (made.answers[made.listed][:, i] == q).all()
    for i, size in enumerate(it.sizes):
        assert (made.answers[made.listed][:, i] < size).all()


@given(instances(outcomes=3), limits)
@settings(max_examples=100)
def test_without_answers_a_contested_hypothesis_keeps_the_row_of_its_likeliest_outcome(
    it: Instance, limit: int
) -> None:
    made = list_hypotheses(safe_log(it.prior), safe_log(it.theta), limit)
    _check_owners(it, made, {}, limit)


@given(instances(outcomes=3), limits)
@settings(max_examples=100)
def test_a_contested_hypothesis_keeps_the_row_of_its_likeliest_outcome_given_the_answers(
    it: Instance, limit: int
) -> None:
    _check_owners(it, listed(it, limit, 0.002), it.answers, limit)


def test_the_answers_given_count_when_a_contested_hypothesis_finds_its_outcome() -> None:
    # x is 9 times as likely as y after the first answer; both list both answers to the second question.
    theta = np.array([[[0.1, 0.9], [0.9, 0.1]], [[0.51, 0.49], [0.5, 0.5]]])
    listing = list_hypotheses(safe_log([0.5, 0.5]), safe_log(theta), 2, eta=0.0, given=np.array([1, -1]))
    assert listing.contested.tolist() == [[True, True], [False, False]]


def _check_owners(it: Instance, made: Hypotheses, answers: dict[int, int], limit: int) -> None:
    lists = [
        {h for _, h in kbest.listed(it.theta, it.sizes, j, answers, limit, 0.002)}
        for j in range(len(it.prior))
    ]
    for j, k in zip(*np.nonzero(made.contested), strict=True):
        h = tuple(int(q) for q in made.answers[j, k])
        among = [o for o in range(len(it.prior)) if h in lists[o]]
        p = [it.prior[o] * brute.likelihood(it.theta, h, o) for o in range(len(it.prior))]
        if among:
            best = kbest.likeliest_outcome(it.prior, it.theta, h, among)
            assert p[j] == pytest.approx(p[best], rel=1e-9)


@given(instances(outcomes=3), limits)
@settings(max_examples=50)
def test_apart_changes_the_number_of_regions_and_nothing_else(it: Instance, limit: int) -> None:
    one, other = listed(it, limit, 0.002), listed(it, limit, 0.002, "apart")
    assert (one.answers == other.answers).all()
    assert (one.listed == other.listed).all()
    assert (one.contested == other.contested).all()
    owners = {j for j, k in zip(*np.nonzero(one.listed), strict=True)}
    own = {j for j, k in zip(*np.nonzero(one.listed & ~one.contested), strict=True)}
    assert one.regions_among(one.listed) == len(owners)
    assert other.regions_among(other.listed) == len(own) + bool(one.contested.any())


def test_twins_contest_every_hypothesis_and_apart_makes_them_one_region() -> None:
    theta = np.array([[[0.2, 0.8], [0.2, 0.8]], [[0.6, 0.4], [0.6, 0.4]]])
    one = list_hypotheses(safe_log([0.3, 0.7]), safe_log(theta), 4, eta=0.0)
    assert one.regions_among(one.listed) == 1
    assert one.listed.sum(axis=1).tolist() == [0, 4], "the likelier twin owns them all"
    apart = list_hypotheses(safe_log([0.3, 0.7]), safe_log(theta), 4, eta=0.0, contested="apart")
    assert apart.regions_among(apart.listed) == 1
    assert apart.contested.sum() == 4


def test_consistent_regions_shrink_with_the_answers() -> None:
    theta = np.array([[[0.05, 0.95], [0.95, 0.05]], [[0.5, 0.5], [0.5, 0.5]]])
    made = list_hypotheses(safe_log([0.5, 0.5]), safe_log(theta), 2, eta=0.0)
    assert made.regions_among(made.listed) == 2
    assert made.regions_among(consistent(made, np.array([1, -1]))) == 1
    assert made.regions_among(consistent(made, np.array([-1, 1]))) == 2


@pytest.mark.parametrize(("questions", "size"), [(63, 2), (200, 2), (70, 3), (40, 3)])
def test_contests_are_found_among_many_questions(questions: int, size: int) -> None:
    """Two outcomes that differ in one question only: their lists overlap in what the others say."""
    rng = np.random.default_rng(5)
    theta = np.empty((questions, 2, size))
    theta[:] = rng.dirichlet(np.full(size, 0.5), size=questions)[:, None, :]
    theta[0, 0], theta[0, 1] = np.eye(size)[0] * 0.02 + 0.98 / size, np.eye(size)[1] * 0.02 + 0.98 / size
    made = list_hypotheses(safe_log([0.5, 0.5]), safe_log(theta), 20, eta=0.0)
    rows = [tuple(h) for h in made.answers[made.listed].tolist()]
    assert len(set(rows)) == len(rows)
    alone = [list_hypotheses(safe_log([1.0]), safe_log(theta[:, [j]]), 20, eta=0.0) for j in (0, 1)]
    lists = [{tuple(h) for h in part.answers[part.listed].tolist()} for part in alone]
    assert lists[0] & lists[1], "otherwise this test shows nothing"
    assert {tuple(h) for h in made.answers[made.contested].tolist()} == lists[0] & lists[1]
    assert set(rows) == lists[0] | lists[1]


@pytest.mark.parametrize("seed", range(4))
def test_the_k_best_of_many_questions_are_those_of_a_search_over_single_changes(seed: int) -> None:
    """60 questions with 2 or 5 answers, too many to sort all: compared with growing the list of changes.

    Every hypothesis but the best has a parent that is no less probable: the same one with one of its
    changed questions set back. So the k best are found by changing one question of a better one at a time.
    """
    rng = np.random.default_rng(seed)
    sizes = tuple(int(s) for s in rng.choice([2, 5], size=60))
    it = made(seed, sizes, 2)
    _, log_p = most_probable(safe_log(it.theta), 40)
    for j in range(2):
        logs = [np.log(it.theta[i, j, :size]) for i, size in enumerate(sizes)]
        best = tuple(int(row.argmax()) for row in logs)
        heap = [(-sum(row.max() for row in logs), best)]
        seen = {best}
        found: list[float] = []
        while len(found) < 40:
            loss, top = heappop(heap)
            found.append(-loss)
            for i, size in enumerate(sizes):
                for q in range(size):
                    changed = (*top[:i], q, *top[i + 1 :])
                    if top[i] == best[i] and changed not in seen:
                        seen.add(changed)
                        heappush(heap, (loss + logs[i][best[i]] - logs[i][q], changed))
        assert_allclose(log_p[j], found, rtol=1e-9)


def test_1000_outcomes_and_1000_questions_are_listed() -> None:
    rng = np.random.default_rng(0)
    yes = rng.beta(2, 2, size=(1000, 1000))
    log_theta = safe_log(np.stack([1 - yes, yes], axis=-1))
    log_prior = safe_log(np.full(1000, 1e-3))
    listing = list_hypotheses(log_prior, log_theta, 15)
    assert listing.answers.shape == (1000, 15, 1000)
    assert listing.listed.all(), "15 of 2^1000 cover next to nothing, so no list ends before its limit"
    weights = log_weights(listing, log_prior, log_theta)
    assert np.isfinite(weights).all()
    # Each outcome's best hypothesis takes the likelier answer everywhere.
    assert (listing.answers[:, 0, :] == (yes.T > 0.5)).all()


def test_a_list_ends_with_the_hypothesis_that_covers_exactly_1_minus_eta() -> None:
    halves = safe_log(np.full((1, 1, 2), 0.5))
    assert list_hypotheses(safe_log([1.0]), halves, 9, eta=0.5).answers.shape[1] == 1
    assert list_hypotheses(safe_log([1.0]), halves, 9, eta=0.4999).answers.shape[1] == 2


def test_one_question_and_one_outcome_list_what_there_is() -> None:
    listing = list_hypotheses(safe_log([1.0]), safe_log([[[0.25, 0.75]]]), 10, eta=0.0)
    assert listing.answers[listing.listed].tolist() == [[1], [0]]
    assert listing.regions_among(listing.listed) == 1


def test_impossible_hypotheses_are_not_listed() -> None:
    listing = list_hypotheses(safe_log([1.0]), safe_log([[[0.0, 1.0]], [[0.5, 0.5]]]), 10, eta=0.0)
    assert sorted(listing.answers[listing.listed].tolist()) == [[1, 0], [1, 1]]


def test_an_answer_that_an_outcome_thinks_impossible_can_be_given() -> None:
    theta = np.array([[[1.0, 0.0], [1.0, 0.0]], [[0.3, 0.7], [0.9, 0.1]]])
    with loud():
        listing = list_hypotheses(safe_log([0.5, 0.5]), safe_log(theta), 4, given=np.array([1, -1]))
    assert {tuple(h) for h in listing.answers[listing.listed].tolist()} == {(1, 0), (1, 1)}


@pytest.mark.parametrize(
    ("limit", "eta", "what"),
    [
        (0, 0.002, "must be at least 1, not 0"),
        (-3, 0.002, "must be at least 1, not -3"),
        (5, 1.0, "eta"),
        (5, -0.1, "eta"),
        (5, float("nan"), "eta"),
    ],
)
def test_lists_of_no_length_and_shares_out_of_range_are_refused(limit: int, eta: float, what: str) -> None:
    with pytest.raises(BadArgument, match=what):
        list_hypotheses(safe_log([1.0]), safe_log([[[0.5, 0.5]]]), limit, eta=eta)


@given(st.integers(0, 10_000), st.integers(1, 800), st.integers(1, 40), st.sampled_from([2, 5, 1_000_000]))
@settings(max_examples=100)
def test_the_smallest_are_found_in_order_and_of_equal_ones_the_first(
    seed: int, width: int, count: int, distinct: int
) -> None:
    values = np.random.default_rng(seed).integers(0, distinct, (3, width)).astype(float)
    for row, found in zip(values, _smallest(values, min(count, width)), strict=True):
        assert found.tolist() == sorted(range(width), key=lambda at: (row[at], at))[:count]
