"""``ask_if`` with any, not and comparisons means what it says."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from odm_tui.banks import BadBank
from odm_tui.engine.interview import Interview
from odm_tui.engine.prerequisites import find_fulfilled, holds
from tests.support.sample_banks import loaded

BANK = """\
format = 1
title = "x"
[[outcomes]]
id = "a"
[[outcomes]]
id = "b"
[[questions]]
id = "lamp"
text = "Lamp?"
[[questions]]
id = "colour"
text = "Colour?"
type = "choice"
answers = ["red", "amber", "off"]
[[questions]]
id = "age"
text = "Age?"
type = "number"
thresholds = [18, 65]
[[questions]]
id = "last"
text = "Last?"
ask_if = {condition}
"""

SIZES: dict[str, list[Any]] = {"lamp": ["no", "yes"], "colour": ["red", "amber", "off"], "age": [10, 40, 80]}


def literal(condition: dict[str, Any], given: dict[str, Any]) -> bool | None:
    """The three-valued meaning: None while it is not known."""
    parts = []
    for key, wanted in condition.items():
        if key == "any":
            each = [literal(part, given) for part in wanted]
            parts.append(True if True in each else None if None in each else False)
        elif key == "not":
            inner = literal(wanted, given)
            parts.append(None if inner is None else not inner)
        elif given[key] is None:
            parts.append(None)
        elif isinstance(wanted, dict):
            number = given[key]
            parts.append(number > wanted.get("above", -1e9) and number <= wanted.get("at_most", 1e9))
        else:
            parts.append(given[key] in (wanted if isinstance(wanted, list) else [wanted]))
    return False if False in parts else None if None in parts else True


CONDITIONS: list[tuple[str, dict[str, Any]]] = [
    ('{ any = [{ lamp = "yes" }, { colour = "red" }] }', {"any": [{"lamp": "yes"}, {"colour": "red"}]}),
    ('{ not = { lamp = "yes" } }', {"not": {"lamp": "yes"}}),
    ("{ age = { above = 65 } }", {"age": {"above": 65}}),
    (
        '{ lamp = "yes", any = [{ age = { above = 18, at_most = 65 } }, { not = { colour = ["red", "off"] } }] }',
        {"lamp": "yes", "any": [{"age": {"above": 18, "at_most": 65}}, {"not": {"colour": ["red", "off"]}}]},
    ),
    (
        '{ not = { lamp = "yes", any = [{ colour = "red" }, { age = { at_most = 18 } }] } }',
        {"not": {"lamp": "yes", "any": [{"colour": "red"}, {"age": {"at_most": 18}}]}},
    ),
    (
        '{ not = { not = { any = [{ lamp = "no" }, { lamp = "yes", colour = "off" }] } } }',
        {"any": [{"lamp": "no"}, {"lamp": "yes", "colour": "off"}]},
    ),
]


@pytest.mark.parametrize(("text", "condition"), CONDITIONS)
def test_a_condition_holds_exactly_when_it_is_known_to(
    tmp_path: Path, text: str, condition: dict[str, Any]
) -> None:
    problem = loaded(tmp_path, BANK.replace("{condition}", text)).problem
    ((question, alternatives),) = problem.prerequisites
    assert question == 3
    rows, wanted = [], []
    for places in product(*(range(-1, len(values)) for values in SIZES.values())):
        given = {n: None if k < 0 else v[k] for (n, v), k in zip(SIZES.items(), places, strict=True)}
        rows.append([*places, -1])
        wanted.append(literal(condition, given) is True)
    answers = np.array(rows)
    assert find_fulfilled(problem, answers)[:, 3].tolist() == wanted
    assert [holds(alternatives, row) for row in answers] == wanted
    assert any(wanted)
    assert not all(wanted)


def test_an_interview_asks_after_either_answer(tmp_path: Path) -> None:
    bank = loaded(tmp_path, BANK.replace("{condition}", CONDITIONS[0][0]))
    interview = Interview(bank.problem, "lookahead-mean", seed=0)
    assert not interview.available[3]
    interview.answer("no", "lamp")
    assert not interview.available[3]
    interview.answer("red", "colour")
    assert interview.available[3]
    assert interview.expected_cost_to_come >= 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "{ age = { above = 60 } }",
            "60 is not a threshold of 'age'; write 65, or add 60 to its thresholds.",
        ),
        ("{ age = { abov = 65 } }", "unknown comparison 'abov'. Did you mean 'above'?"),
        ("{ lamp = { above = 1 } }", "'lamp' is not a number; name an answer, such as 'yes'."),
        ("{ age = { above = 65, at_most = 18 } }", "can never hold"),
        ('{ lamp = "yes", not = { lamp = "yes" } }', "can never hold: its conditions contradict each other."),
        ('{ any = { lamp = "yes" } }', "must be a list of tables"),
        ('{ nto = { lamp = "yes" } }', "unknown question 'nto'. Did you mean 'not'?"),
        ('{ not = "yes" }', "must be a table such as"),
    ],
)
def test_a_condition_that_is_none_says_what_is_wrong(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(BadBank) as error:
        loaded(tmp_path, BANK.replace("{condition}", text))
    assert said in str(error.value)
