"""What an evaluation found, in words and tables."""

from __future__ import annotations

from pathlib import Path

from odm_tui.banks import load_bank
from odm_tui.evaluation.bank.evaluate import EvaluationOptions, evaluate_bank
from odm_tui.views.evaluation import evaluation_view
from tests.support.sample_banks import written

BANK = """\
format = 1
title = "x"
stakes = 20
REFER
[[outcomes]]
id = "a"
[[outcomes]]
id = "b"
[[questions]]
id = "q"
text = "Q?"
[expected]
worth = 5
q = { a = 0.6, b = 0.4 }
"""


def test_interviews_that_are_handed_over_are_named_in_the_summary(tmp_path: Path) -> None:
    options = EvaluationOptions(most=20, policies=(), stakes=())
    refers = load_bank(written(tmp_path, BANK.replace("REFER", "[refer]\ncost = 5"), "refers.toml"))
    view = evaluation_view(evaluate_bank(refers, None, options))
    assert "% are handed over; the others count as right or wrong." in view.summary
    assert view.tables[0].header[-1] == "referred"
    decides = load_bank(written(tmp_path, BANK.replace("REFER", ""), "decides.toml"))
    view = evaluation_view(evaluate_bank(decides, None, options))
    assert "handed over" not in view.summary
    assert view.tables[0].header[-1] == "in all"


def test_the_tree_is_explained_only_where_it_stands(tmp_path: Path) -> None:
    bank = load_bank(written(tmp_path, BANK.replace("REFER", ""), "x.toml"))
    view = evaluation_view(evaluate_bank(bank, None, EvaluationOptions(most=10)))
    assert "tree" not in view.tables[0].note
    assert {len(row) for row in view.tables[0].rows} == {len(view.tables[0].header)}
