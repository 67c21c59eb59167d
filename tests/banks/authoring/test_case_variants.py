"""Importing rows fits variants of outcomes where they explain the rows better, and the bank keeps them."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from odm_tui.banks import Bank, load_bank
from odm_tui.banks.authoring.case_variants import fit_rows
from odm_tui.banks.authoring.importing import ImportOptions, import_bank
from odm_tui.banks.parsing.findings import BadBank
from odm_tui.banks.schema import bank_schema
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.variants.variants import Variants
from odm_tui.evaluation.bank.callers import refit_variants, split_folds
from odm_tui.evaluation.bank.evaluate import EvaluationOptions, evaluate_bank
from odm_tui.evaluation.data.case_table import read_case_table


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rows whose outcome says whether two answers are equal."""
    rng = np.random.default_rng(4)
    path = tmp_path_factory.mktemp("rows") / "lamps.csv"
    with path.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["left", "right", "colour", "age", "result"])
        for _ in range(300):
            left, differs = int(rng.integers(2)), int(rng.integers(2))
            right = left ^ differs if rng.random() < 0.95 else left
            colour = ("red", "blue", "", "none")[int(rng.integers(4))]
            row = [("no", "yes")[left], ("no", "yes")[right], colour, int(rng.integers(0, 40))]
            writer.writerow([*row, ("same", "different")[differs]])
    return path


@pytest.fixture(scope="module")
def text(data: Path) -> str:
    return import_bank(data, "result").text


@pytest.fixture
def bank(data: Path, text: str, tmp_path: Path) -> Bank:
    return loaded(tmp_path, text)


def loaded(folder: Path, text: str) -> Bank:
    path = folder / "lamps.toml"
    path.write_text(text, encoding="utf-8")
    return load_bank(path)


def variants_of(bank: Bank) -> Variants:
    assert bank.problem.named_variants is not None
    return bank.problem.named_variants


def test_the_imported_bank_has_the_variants_that_were_fitted_to_its_rows(bank: Bank, data: Path) -> None:
    table = read_case_table(data, bank)
    fitted = fit_rows(bank, table.answers, table.outcomes)
    assert fitted is not None
    named = variants_of(bank)
    assert_array_equal(named.outcome, fitted.outcome)
    assert_allclose(named.weight, fitted.weight, atol=1e-5)
    assert_allclose(named.counts, fitted.counts, atol=1e-3)
    assert_array_equal(bank.problem.variant_worth, bank.problem.case_outcomes)


def test_the_bank_decides_by_its_variants(bank: Bank) -> None:
    known = Posterior.of(bank.problem).by_variant
    theta, of = known.mean(), known.problem.outcome_of
    assert of is not None
    left, right = (bank.problem.positions[name] for name in ("left", "right"))
    for answers, wanted in (((0, 0), "same"), ((1, 1), "same"), ((0, 1), "different"), ((1, 0), "different")):
        joint = known.outcome_prior() * theta[left, :, answers[0]] * theta[right, :, answers[1]]
        by_outcome = np.bincount(of, joint)
        assert bank.outcomes[int(by_outcome.argmax())].id == wanted
        assert by_outcome.max() > 0.8 * by_outcome.sum()


def test_at_most_one_variant_switches_them_off(data: Path, tmp_path: Path, text: str) -> None:
    off = import_bank(data, "result", ImportOptions(variants=1))
    assert (off.variants, "[cases.variants]" in off.text) == (0, False)
    assert loaded(tmp_path, off.text).most_variants == 1
    switched = text.replace('outcome_prior = "learned"', 'variants = 1\noutcome_prior = "learned"')
    assert loaded(tmp_path, switched).problem.named_variants is None


def test_a_cap_is_kept_in_the_bank(data: Path, tmp_path: Path) -> None:
    capped = loaded(tmp_path, import_bank(data, "result", ImportOptions(variants=2)).text)
    assert capped.most_variants == 2
    assert variants_of(capped).numbers.max() == 2


def test_few_rows_get_no_variants(data: Path, tmp_path: Path) -> None:
    few = tmp_path / "few.csv"
    few.write_text("".join(data.read_text().splitlines(keepends=True)[:140]))
    assert import_bank(few, "result").variants == 0


def test_an_outcome_or_question_that_an_author_removes_or_renames_does_no_harm(
    tmp_path: Path, text: str, bank: Bank
) -> None:
    renamed = text.replace('[[questions]]\nid = "left"', '[[questions]]\nid = "links"\naliases = ["left"]')
    assert renamed != text
    again = variants_of(loaded(tmp_path, renamed))
    assert_array_equal(again.counts, variants_of(bank).counts)
    more = text.replace("[[questions]]\n", '[[questions]]\nid = "new"\ntext = "New?"\n\n[[questions]]\n', 1)
    grown = loaded(tmp_path, more)
    place = grown.problem.positions["new"]
    assert_array_equal(variants_of(grown).counts[place, :, :2], 2.0)
    other = text.replace("[[outcomes]]\n", '[[outcomes]]\nid = "neither"\n\n[[outcomes]]\n', 1)
    wider = loaded(tmp_path, other)
    assert variants_of(wider).numbers[0] == 1
    assert_array_equal(variants_of(wider).counts[:, 1:], variants_of(bank).counts)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("shares = { different = [", "shares = { different = [0, ", "numbers above 0"),
        ("shares = { different = [", "shares = { different = [0.1, ", "one for each variant in shares"),
        ("[cases.variants]\n", "[cases.variants]\nshare = 1\n", "unknown key"),
        ("shares = { different = ", "shares = { different = 3, other = ", "list of numbers"),
    ],
)
def test_mistakes_in_the_variants_are_reported(
    tmp_path: Path, text: str, old: str, new: str, message: str
) -> None:
    assert old in text
    with pytest.raises(BadBank, match=message):
        loaded(tmp_path, text.replace(old, new, 1))


def test_the_schema_describes_the_variants(text: str, tmp_path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    import tomllib

    jsonschema.Draft202012Validator(bank_schema()).validate(tomllib.loads(text))


def test_the_variants_are_part_of_the_banks_hash(bank: Bank, tmp_path: Path, text: str) -> None:
    other = loaded(tmp_path, text.replace("shares = { different = [0.", "shares = { different = [0.9", 1))
    assert other.hash != bank.hash


def test_each_fold_meets_variants_that_were_fitted_without_it(bank: Bank, data: Path) -> None:
    table = read_case_table(data, bank)
    rng = np.random.default_rng(0)
    groups = split_folds(Posterior.of(bank.problem), table.answers, table.outcomes, 3, rng, refits=True)
    for group in groups:
        assert group.learned is not None
        problem = group.posterior.problem
        expected = refit_variants(bank.problem, *group.learned)
        assert problem.named_variants is not None
        assert expected.named_variants is not None
        assert_array_equal(problem.named_variants.counts, expected.named_variants.counts)
        assert problem.named_variants.counts.sum() < variants_of(bank).counts.sum()


def test_an_evaluation_compares_the_variants_with_one_for_each_outcome(bank: Bank, data: Path) -> None:
    options = EvaluationOptions(policies=("w-ig-ts",), stakes=(), folds=3, most=60)
    rows = evaluate_bank(bank, data, options).rows
    names = [row.policy for row in rows]
    own = names[0]
    assert names[1] == f"{own}, one variant"
    assert rows[0].right > rows[1].right + 0.2


def test_named_variants_by_hand_come_before_those_of_the_rows(tmp_path: Path, text: str) -> None:
    by_hand = text.replace(
        '[[outcomes]]\nid = "same"\nadvice = ""\n',
        '[[outcomes]]\nid = "same"\nadvice = ""\n'
        '[[outcomes.variants]]\nid = "on"\nexpected = { left = 0.9, right = 0.9 }\n'
        '[[outcomes.variants]]\nid = "off"\nexpected = { left = 0.1, right = 0.1 }\n',
    )
    assert by_hand != text
    made = loaded(tmp_path, by_hand)
    assert variants_of(made).numbers.tolist() == [1, 2]


def test_a_problem_without_variants_is_left_as_it_is(bank: Bank) -> None:
    plain = replace(bank.problem, named_variants=None, named_expects=None, variant_worth=None)
    few = np.zeros((3, len(bank.questions)), dtype=np.int16)
    assert refit_variants(plain, few, np.zeros(3, dtype=np.intp)).named_variants is None
