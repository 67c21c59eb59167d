"""Warnings: what is valid in a bank, but probably not what its author wants."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from odm_tui.banks.loading import examine_bank
from tests.support.sample_banks import SMALL, generated, written

HEAD = """\
format = 1
title = "x"
[[outcomes]]
id = "a"
[[outcomes]]
id = "b"
"""
KNOWN = """\
[[questions]]
id = "known"
text = "Known?"
[expected]
known = { a = 0.2, b = 0.8 }
"""


def warned(folder: Path, text: str) -> list[tuple[str, str]]:
    """Return the place and the message of every warning about a bank without errors.

    Questions without expected answers are left out: most banks here have some, and test_messages is about them.
    """
    examined = examine_bank(written(folder, text))
    assert examined.errors == ()
    return [
        (warning.path, warning.message)
        for warning in examined.warnings
        if "no expected answers, while" not in warning.message
    ]


def test_a_good_bank_gives_no_warning(tmp_path: Path) -> None:
    assert warned(tmp_path, SMALL) == []


def test_outcomes_that_no_question_can_tell_apart_are_named(tmp_path: Path) -> None:
    text = SMALL.replace("ping = { wifi = { above_20 = 0.9, above_300 = 0.3 } }\n", "")
    ((path, message),) = warned(tmp_path, text)
    assert path == "outcomes"
    assert message.startswith("no question can tell 'wifi', 'router' apart")


def test_a_bank_that_knows_nothing_is_told_so_once(tmp_path: Path) -> None:
    ((path, message),) = warned(tmp_path, HEAD + '[[questions]]\nid = "q"\ntext = "Q?"\n')
    assert path == "expected"
    assert "the first decisions are guesses" in message


def question(id: str, ask_if: str) -> str:
    return f'[[questions]]\nid = "{id}"\ntext = "{id}?"\nask_if = {{ {ask_if} }}\n'


def test_a_cycle_of_prerequisites_is_named(tmp_path: Path) -> None:
    cycle = question("q1", 'q3 = "yes"') + question("q2", 'q1 = "yes"') + question("q3", 'q2 = "no"')
    assert warned(tmp_path, HEAD + cycle + KNOWN) == [
        (
            "questions[0].ask_if",
            "depends on itself, so it is never asked: q1 -> q3 -> q2 -> q1. Remove one of these conditions.",
        )
    ]


def test_a_question_that_waits_for_a_cycle_can_never_be_asked(tmp_path: Path) -> None:
    cycle = question("q1", 'q2 = "yes"') + question("q2", 'q1 = "yes"') + question("q3", 'q2 = "no"')
    found = warned(tmp_path, HEAD + cycle + KNOWN)
    assert [path for path, _ in found] == ["questions[0].ask_if", "questions[2].ask_if"]
    assert found[1][1].startswith("is never asked: ")


def test_prerequisites_that_contradict_each_other_are_found(tmp_path: Path) -> None:
    chain = question("q1", 'known = "yes"') + question("q2", 'q1 = "yes", known = "no"')
    ((path, message),) = warned(tmp_path, HEAD + chain + KNOWN)
    assert path == "questions[1].ask_if"
    assert (
        message
        == "is never asked: its other conditions need the answer 'No' to 'known'. Change the conditions."
    )


def test_a_number_that_the_range_rules_out_is_found(tmp_path: Path) -> None:
    number = '[[questions]]\nid = "n"\ntext = "N?"\ntype = "number"\nrange = [0, 10]\nthresholds = [5, 10]\n'
    found = warned(tmp_path, HEAD + number + question("q2", 'n = "above_10"') + KNOWN)
    assert found == [
        (
            "questions[0].thresholds",
            "10 separates nothing within the range from 0 to 10; remove it, or widen the range.",
        ),
        (
            "questions[1].ask_if",
            "is never asked: no number in the range of 'n' gives the answer that it needs. Change the conditions.",
        ),
    ]


def test_a_long_chain_of_prerequisites_is_no_warning(tmp_path: Path) -> None:
    chain = "".join(question(f"q{i}", f'q{i - 1} = "yes"' if i else 'known = "no"') for i in range(300))
    assert warned(tmp_path, HEAD + chain + KNOWN) == []


@pytest.mark.parametrize(
    ("priors", "said"),
    [
        ((0.2, 0.5), "the priors sum to 0.7, not to 1"),
        ((20, 80), "the priors sum to 100, not to 1"),
        ((0.51, 0.5), None),
    ],
)
def test_priors_far_from_one_are_noticed(
    tmp_path: Path, priors: tuple[float, float], said: str | None
) -> None:
    text = (
        HEAD.replace('"a"', f'"a"\nprior = {priors[0]}').replace('"b"', f'"b"\nprior = {priors[1]}') + KNOWN
    )
    found = warned(tmp_path, text)
    assert [path for path, _ in found] == (["outcomes"] if said else [])
    assert not said or found[0][1].startswith(said)


def test_an_outcome_with_a_prior_of_zero_is_noticed(tmp_path: Path) -> None:
    text = HEAD.replace('"a"', '"a"\nprior = 0').replace('"b"', '"b"\nprior = 1') + KNOWN
    assert [path for path, _ in warned(tmp_path, text)] == ["outcomes[0].prior"]


def test_a_threshold_outside_the_range_is_noticed(tmp_path: Path) -> None:
    found = warned(tmp_path, SMALL.replace("range = [0, 5000]", "range = [30, 300]"))
    assert found == [
        (
            "questions[2].thresholds",
            "20, 300 separate nothing within the range from 30 to 300; remove them, or widen the range.",
        )
    ]


def test_costs_that_differ_by_a_factor_over_a_thousand_are_noticed(tmp_path: Path) -> None:
    ((path, message),) = warned(tmp_path, SMALL.replace("line-fault = 40", "line-fault = 1001"))
    assert path == "questions[0].cost"
    assert message.startswith(
        "costs up to 1001, over 1,000 times the 1 of 'colour'; check that both are in seconds."
    )


def test_free_questions_do_not_count_as_a_large_factor(tmp_path: Path) -> None:
    assert warned(tmp_path, SMALL.replace("{ red = 1 }", "{ red = 0 }")) == []


def test_duplicated_texts_are_noticed(tmp_path: Path) -> None:
    text = SMALL.replace('"Which colour is it instead?"', '"is the  internet light GREEN?"').replace(
        'id = "wifi"', 'id = "wifi"\nlabel = "Fault on the line"'
    )
    assert warned(tmp_path, text) == [
        ("outcomes[1].label", "has the same text as outcome 'line-fault'; change one of them."),
        ("questions[1].text", "has the same text as question 'lights'; change one of them."),
    ]


def test_answers_with_the_same_label_are_noticed(tmp_path: Path) -> None:
    text = SMALL.replace('label = "Amber"', 'label = "Red"')
    assert [path for path, _ in warned(tmp_path, text)] == ["questions[1].answers"]


def test_warnings_know_their_lines(tmp_path: Path) -> None:
    text = SMALL.replace("range = [0, 5000]", "range = [30, 5000]")
    (warning,) = examine_bank(written(tmp_path, text)).warnings
    assert warning.line == text.splitlines().index("thresholds = [20, 80, 300]") + 1


def test_networkx_is_loaded_only_where_there_are_prerequisites(tmp_path: Path) -> None:
    path = written(tmp_path, generated(3, 2))
    program = (
        "import sys; from odm_tui.banks import load_bank; load_bank(sys.argv[1]).warnings; "
        "sys.exit('networkx' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program, str(path)], check=False).returncode == 0
