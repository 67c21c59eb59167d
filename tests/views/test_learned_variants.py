"""Variants of outcomes: on the learned view, in ``state show``, and as TOML for the bank."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from odm_tui.banks import Bank
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.variants.variants import Variants
from odm_tui.session import Archive
from odm_tui.session.statistics import state_overview
from odm_tui.session.variants import adoptable_variants, describe_variants
from odm_tui.views.learned import learned_view
from tests.support.sample_banks import loaded
from tests.support.sample_banks.texts import BANK_WITH_VARIANTS as BANK


@pytest.fixture
def plain(tmp_path: Path) -> Bank:
    """The bank without the variants that it names."""
    start, end = BANK.index("[[outcomes.variants]]"), BANK.index('[[outcomes]]\nid = "charger"')
    return loaded(tmp_path, BANK[:start] + BANK[end:])


def learned(bank: Bank) -> Posterior:
    """A posterior with two variants of the battery, fitted to interviews."""
    counts = np.zeros((4, 3, 3))
    counts[0, :, :2] = [[1, 19], [16, 4], [18, 2]]
    counts[1, :, :2] = [[2, 18], [10, 10], [10, 10]]
    counts[2] = [[7.0, 7.0, 6.0], [18.003, 1.001, 0.996], [7.0, 7.0, 6.0]]
    counts[3] = [[2, 12, 6], [15, 2, 3], [7, 7, 6]]
    return replace(
        Posterior.of(bank.problem), variants=Variants(np.array([0, 0, 1]), np.array([0.61, 0.39, 1]), counts)
    )


def test_learned_variants_are_described_with_the_answers_that_set_them_apart(plain: Bank) -> None:
    (battery,) = describe_variants(plain, learned(plain))
    assert (battery.outcome, battery.learned) == ("battery", True)
    first, second = battery.variants
    assert (first.named.id, first.named.label, first.named.share) == ("a", "A", 0.61)
    told = [
        (plain.questions[t.question].id, plain.questions[t.question].answers[t.answer].id)
        for t in first.traits
    ]
    assert told[0] == ("drains", "yes")
    assert ("warm", "yes") in told
    assert first.traits[0].chance == pytest.approx(0.95)
    assert first.traits[0].others == pytest.approx(0.2)
    assert {plain.questions[t.question].id for t in second.traits} == {"drains", "colour", "minutes", "warm"}


def test_without_variants_there_is_nothing_to_describe(plain: Bank) -> None:
    assert describe_variants(plain, Posterior.of(plain.problem)) == []
    assert adoptable_variants(plain, Posterior.of(plain.problem)) == ""


def test_learned_variants_can_be_pasted_into_the_bank(plain: Bank, tmp_path: Path) -> None:
    text = adoptable_variants(plain, learned(plain))
    assert 'id = "battery"' in text.splitlines()[0]
    source = plain.path.read_text(encoding="utf-8")
    at = source.index('[[outcomes]]\nid = "charger"')
    adopted = loaded(tmp_path, source[:at] + text + "\n" + source[at:])
    named = adopted.problem.named_variants
    assert named is not None
    assert_allclose(named.weight, [0.61, 0.39, 1.0])
    known = learned(plain).variants
    assert known is not None
    ours, theirs = (each.counts / each.counts.sum(axis=-1, keepdims=True) for each in (named, known))
    assert_allclose(ours[:, :2], theirs[:, :2], atol=0.002)


def test_named_variants_keep_their_names_and_are_not_to_be_adopted(tmp_path: Path) -> None:
    bank = loaded(tmp_path, BANK)
    view = learned_view(bank, Archive.of(bank, tmp_path))
    (group,) = view.variants
    assert (group.outcome, group.learned) == ("Worn battery", False)
    assert [(row.label, row.share) for row in group.rows] == [("Drains fast", 0.75), ("swollen", 0.25)]
    trait = group.rows[0].traits[0]
    assert (trait.question, trait.answer) == ("Does it drain fast?", "Yes")
    assert view.variants_text == ""


def test_variants_of_imported_rows_are_described_as_learned(plain: Bank, tmp_path: Path) -> None:
    cases = """
[cases]
rows = { battery = 40, charger = 10 }
[cases.answers]
drains = { no = [18, 8], yes = [22, 2] }
warm = { no = [20, 5], yes = [20, 5] }
[cases.variants]
shares = { battery = [0.55, 0.45] }
[cases.variants.answers]
drains = { no = [1, 17], yes = [21, 1] }
warm = { no = [2, 18], yes = [20, 2] }
"""
    bank = loaded(tmp_path, plain.path.read_text(encoding="utf-8") + cases)
    view = learned_view(bank, Archive.of(bank, tmp_path))
    (group,) = view.variants
    assert (group.outcome, group.learned) == ("Worn battery", True)
    assert [row.label for row in group.rows] == ["A", "B"]
    assert "[[outcomes.variants]]" in view.variants_text


def test_the_state_tells_variants_by_id(tmp_path: Path) -> None:
    bank = loaded(tmp_path, BANK)
    (battery,) = state_overview(Archive.of(bank, tmp_path), bank)["variants"]
    assert (battery["outcome"], battery["learned"]) == ("battery", False)
    assert [variant["id"] for variant in battery["variants"]] == ["worn", "swollen"]
    assert battery["variants"][0]["answers"][0]["question"] == "drains"
    assert battery["variants"][0]["answers"][0]["answer"] == "yes"


def test_a_bank_without_variants_has_none_to_show(bank: Bank, state: Path) -> None:
    view = learned_view(bank, Archive.of(bank, state))
    assert (view.variants, view.variants_text) == ((), "")
