"""``[[outcomes.variants]]`` and ``variants = N`` in a bank."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from odm_tui.banks import BadBank
from odm_tui.engine.interview import Ask, Interview
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.variants.cases import LearningCases
from odm_tui.engine.variants.fit import fit_variants
from tests.support.sample_banks import SMALL, loaded
from tests.support.sample_banks.texts import BANK_WITH_VARIANTS as BANK


def test_named_variants_reach_the_engine_with_what_they_are_worth(tmp_path: Path) -> None:
    problem = loaded(tmp_path, BANK).problem
    named, expects = problem.named_variants, problem.named_expects
    assert named is not None
    assert expects is not None
    assert named.outcome.tolist() == [0, 0, 1]
    assert_allclose(named.weight, [0.75, 0.25, 1])
    assert problem.variant_worth is not None
    assert_allclose(problem.variant_worth, [0.75 * 20 + 0.25 * 4, 0.0])
    assert_allclose(named.counts[0, :, :2], [[1.0, 19.0], [3.2, 0.8], [7.2, 0.8]])
    assert_allclose(named.counts[1, :, :2], [[2, 18], [2, 2], [2, 2]])
    assert_allclose(named.counts[2, 1], [3.6, 0.2, 0.2])
    assert_allclose(named.counts[3, 1], [0.8, 1.6, 1.6])
    assert expects.tolist() == [
        [True, True, False],
        [True, False, False],
        [False, True, False],
        [False, True, False],
    ]


def test_variants_without_shares_are_alike_and_worth_what_the_bank_says(tmp_path: Path) -> None:
    text = BANK.replace("share = 3\nworth = 20\n", "").replace("share = 1\nworth = 4\n", "")
    problem = loaded(tmp_path, text).problem
    assert problem.named_variants is not None
    assert_allclose(problem.named_variants.weight, [0.5, 0.5, 1])
    assert_allclose(problem.named_variants.counts[0, 0, :2], [0.4, 7.6])
    for worth in ("30", '{ "*" = 30, warm = 2 }'):
        problem = loaded(tmp_path, text.replace("[expected]", f"[expected]\nworth = {worth}")).problem
        assert problem.named_variants is not None
        assert_allclose(problem.named_variants.counts[0, 0, :2], [1.5, 28.5])


def test_an_answer_moves_the_belief_by_the_variant_that_it_fits(tmp_path: Path) -> None:
    bank = loaded(tmp_path, BANK)
    interview = Interview(bank.problem, "lookahead-mean")
    assert isinstance(interview.next, Ask)
    interview.answer("no", "drains")
    swollen = interview.sub_belief[1] / interview.sub_belief[:2].sum()
    assert swollen == pytest.approx(0.25 * 0.8 / (0.25 * 0.8 + 0.75 * 0.05), abs=1e-6)
    assert interview.belief.shape == (2,)


def test_what_the_author_does_not_name_is_learned_by_outcome(tmp_path: Path) -> None:
    problem = loaded(tmp_path, BANK).problem
    posterior = Posterior.of(problem)
    for _ in range(30):
        posterior = posterior.updated(["yes", "yes", None, None], "charger")
    known = posterior.known_variants
    assert known is not None
    assert_allclose(known.counts[:, 2], posterior.alpha[:, 1])
    assert_allclose(known.counts[1, 1], posterior.alpha[1, 0])
    assert_allclose(known.counts[0, 0, :2], [1, 19])


def test_interviews_teach_named_variants_in_the_order_of_the_bank(tmp_path: Path) -> None:
    problem = loaded(tmp_path, BANK).problem
    answers = np.array([[0, -1, 0, 2]] * 40 + [[0, 0, 1, 0]] * 10, dtype=np.int16)
    cases = LearningCases.of(problem, answers, [0] * 40 + [1] * 10)
    fitted = fit_variants(cases)
    assert fitted is not None
    assert fitted.outcome.tolist() == [0, 0, 1]
    assert fitted.weight[1] > 0.6  # the swollen one, although it began as the rarer one
    share, worth = 0.25, 16
    of_swollen = fitted.counts[0, 1].sum() - 4  # its cases, whose first answers are all known
    assert fitted.weight[1] == pytest.approx((share * worth + of_swollen) / (worth + 40), abs=1e-5)
    plain = cases.posterior(cases.weights)
    assert_allclose(fitted.counts[:, 2], plain.alpha[:, 1], atol=1e-5)


def test_past_cases_count_for_what_the_author_does_not_name(tmp_path: Path) -> None:
    problem = loaded(tmp_path, BANK).problem
    counts = np.zeros(problem.shape)
    counts[1, 0, 1], counts[1, 1, 0] = 40, 30
    with_cases = replace(problem, cases=counts, case_outcomes=np.array([40.0, 30.0]))
    cases = LearningCases.of(with_cases, np.array([[1, -1, -1, -1]], dtype=np.int16), [0])
    fitted = fit_variants(cases)
    assert fitted is not None
    known = cases.posterior(cases.weights)
    plain = known.prior
    assert_allclose(fitted.counts[1, 1], plain[1, 0] + 0.25 * counts[1, 0], atol=1e-5)
    assert_allclose(fitted.counts[1, 2], known.alpha[1, 1], atol=1e-5)
    assert_allclose(fitted.counts[1, 0, :2], [2.0, 18.0], atol=1e-5)


def test_variants_are_part_of_the_banks_hash_only_where_they_are_used(tmp_path: Path) -> None:
    plain, named = loaded(tmp_path, SMALL), loaded(tmp_path, BANK)
    capped = loaded(tmp_path, SMALL.replace("stakes = 900", "stakes = 900\nvariants = 1"))
    assert capped.problem.most_variants == 1
    assert plain.problem.most_variants is None
    assert plain.hash != capped.hash
    assert named.hash != loaded(tmp_path, BANK.replace("share = 3", "share = 2")).hash
    assert plain.hash == loaded(tmp_path, SMALL).hash


@pytest.mark.parametrize(
    ("old", "new", "line", "place", "message"),
    [
        ("share = 3\n", "", 9, "outcomes[0].variants[0].share", "give all variants of the outcome a share"),
        ("share = 3", "share = 0", 12, "outcomes[0].variants[0].share", "remove a variant that never occurs"),
        ("worth = 4", "worth = -4", 19, "outcomes[0].variants[1].worth", "more than 0"),
        ("worth = 4", "wort = 4", 19, "outcomes[0].variants[1].wort", "Did you mean 'worth'?"),
        ('id = "swollen"', 'id = "worn"', 17, "outcomes[0].variants[1].id", "is taken by outcomes[0].variants[0].id"),
        ('id = "swollen"\n', "", 16, "outcomes[0].variants[1].id", "is missing"),
        ("drains = 0.2", "drain = 0.2", 21, "outcomes[0].variants[1].expected.drain", "Did you mean 'drains'?"),
        ("drains = 0.2", "drains = 2", 21, "outcomes[0].variants[1].expected.drains", "from 0 to 1"),
        ("{ red = 0.9 }", "{ blue = 0.9 }", 22, "outcomes[0].variants[1].expected.colour.blue", "unknown answer"),
        ("above_10 = 0.8", "above_11 = 0.8", 23, "outcomes[0].variants[1].expected.minutes.above_11", "unknown threshold"),
        ("{ drains = 0.95, warm = 0.9 }", "0.9", 14, "outcomes[0].variants[0].expected", "must be a table by question"),
        ("expected = { drains = 0.95, warm = 0.9 }\n", "", 9, "outcomes[0].variants[0].expected", "set this variant apart"),
        ('id = "charger"', 'id = "charger"\nvariants = 3', 27, "outcomes[1].variants", "[[outcomes.variants]]"),
        ('id = "charger"', 'id = "charger"\nlabel = 3', 27, "outcomes[1].label", "text in quotes"),
        ("stakes = 60", "stakes = 60\nvariants = 0", 4, "variants", "from 1 to 16"),
        ("stakes = 60", "stakes = 60\nvariants = 1", 4, "variants", "names 2 variants; raise it"),
    ],
)  # fmt: skip
def test_mistakes_in_variants_are_named_with_line_place_and_remedy(
    tmp_path: Path, old: str, new: str, line: int, place: str, message: str
) -> None:
    assert old in BANK
    with pytest.raises(BadBank) as error:
        loaded(tmp_path, BANK.replace(old, new, 1))
    (found,) = error.value.findings
    assert (found.path, found.line) == (place, line)
    assert message in found.message
    assert "sample.toml" in str(error.value)


def test_one_variant_alone_is_refused(tmp_path: Path) -> None:
    start = BANK.index('[[outcomes.variants]]\nid = "swollen"')
    text = BANK[:start] + BANK[BANK.index('[[outcomes]]\nid = "charger"') :]
    with pytest.raises(BadBank, match="at least two variants"):
        loaded(tmp_path, text)


def test_variants_that_expect_the_same_are_warned_of(tmp_path: Path) -> None:
    start, end = BANK.index("[outcomes.variants.expected]"), BANK.index('[[outcomes]]\nid = "charger"')
    alike = BANK[:start] + "expected = { drains = 0.95, warm = 0.9 }\n\n" + BANK[end:]
    messages = [str(found) for found in loaded(tmp_path, alike).warnings]
    assert any("has the same answers as the variant 'worn'" in message for message in messages)
    assert not any("same answers" in str(found) for found in loaded(tmp_path, BANK).warnings)
