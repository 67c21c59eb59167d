"""Edits of the costs in a bank's text: the costs change, and every other line stays."""

from __future__ import annotations

import difflib
import tomllib
from pathlib import Path

import pytest

from odm_tui.banks import load_bank
from odm_tui.banks.authoring.cost_edits import set_costs
from tests.support.sample_banks import generated

FOLDER = Path(__file__).parents[3] / "question_banks"
HEAD = 'format = 1  # the version\ntitle = "T"\n\n[[outcomes]]\nid = "a"\n[[outcomes]]\nid = "b"\n'
NEW = {"no": 2.5, "yes": 7}
WRITTEN = "{ no = 2.5, yes = 7 }"


def costs_of(text: str) -> dict[str, object]:
    """The cost of each question, as TOML has it."""
    return {question["id"]: question.get("cost") for question in tomllib.loads(text)["questions"]}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            'id = "q"\ncost = 5   # slow\n', f'id = "q"\ncost = {WRITTEN}   # slow\n', id="a number"
        ),
        pytest.param('cost=5\nid = "q"\n', f'cost={WRITTEN}\nid = "q"\n', id="without blanks, before the id"),
        pytest.param('id = "q"\n"cost" = 5\n', f'id = "q"\n"cost" = {WRITTEN}\n', id="a quoted key"),
        pytest.param(
            'id = "q"\ncost = { yes = 1, "*" = { a = 3, b = 3 } } # why\n',
            f'id = "q"\ncost = {WRITTEN} # why\n',
            id="an inline table, by outcome",
        ),
        pytest.param(
            '  id = "q" # name\n  help = "h"\n\n# about the next block\n',
            f'  id = "q" # name\n  cost = {WRITTEN}\n  help = "h"\n\n# about the next block\n',
            id="none, before a comment about the next block",
        ),
        pytest.param(
            'id = "q"\ncost.yes = 1 # quick\ncost.no = 2\n',
            'id = "q"\ncost.yes = 7 # quick\ncost.no = 2.5\n',
            id="dotted keys",
        ),
        pytest.param(
            'id = "q"\n[questions.cost]\n# by answer\nyes = 1  # quick\nno = 2\n',
            'id = "q"\n[questions.cost]\n# by answer\nyes = 7  # quick\nno = 2.5\n',
            id="a sub-table",
        ),
        pytest.param(
            'id = "q"\n[questions.cost]\n"*" = 1\n[questions.ask_if]\nother = "yes"\n',
            'id = "q"\n[questions.cost]\nno = 2.5\nyes = 7\n[questions.ask_if]\nother = "yes"\n',
            id="a sub-table with all the rest",
        ),
        pytest.param(
            'id = "q"\ntext = """\n[[questions]]\nid = "other"\ncost = 1\n"""\ncost = 3\n',
            f'id = "q"\ntext = """\n[[questions]]\nid = "other"\ncost = 1\n"""\ncost = {WRITTEN}\n',
            id="a text that looks like a block",
        ),
        pytest.param(
            'id = "q"\nanswers = [\n  "red",  # cost = 4\n  "blue",\n]\ncost = 3\n',
            f'id = "q"\nanswers = [\n  "red",  # cost = 4\n  "blue",\n]\ncost = {WRITTEN}\n',
            id="a list over several lines",
        ),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_only_the_costs_change(before: str, after: str, end: str) -> None:
    other = '[[questions]]\nid = "other"\ncost = 4 # stays\n'
    first, second = (
        f"{HEAD}{other}[[questions]]\n{block}[expected]\nworth = 3\n".replace("\n", end)
        for block in (before, after)
    )
    assert set_costs(first, {"q": NEW}) == second


def test_a_bank_without_a_line_end_at_its_end_can_be_edited() -> None:
    text = f'{HEAD}[[questions]]\ntext = "?"\nid = "q"'
    assert set_costs(text, {"q": NEW}) == f"{text}\ncost = {WRITTEN}"


def test_questions_in_a_list_of_inline_tables_can_be_edited() -> None:
    text = 'questions = [\n  { id = "q", cost = 5 },  # first\n  { id = "other" },\n]\n'
    assert set_costs(text, {"q": NEW}) == text.replace("5", WRITTEN)
    assert costs_of(str(set_costs(text, {"other": NEW}))) == {"q": 5, "other": NEW}


def test_questions_between_other_tables_stay_where_they_are() -> None:
    text = f'{HEAD}[[questions]]\nid = "q"\n[expected.q]\na = 0.2\n[[questions]]\nid = "other"\ncost = 3\n[expected.other]\n'
    assert set_costs(text, {"other": NEW}) == text.replace("cost = 3", f"cost = {WRITTEN}")


def test_a_layout_that_can_not_be_edited_is_refused() -> None:
    # tomlkit would move these tables, and the quotes keep the block from being found.
    text = '[[questions]]\nid = "q"\n[b]\n[[ "questions" ]]\nid = "other"\n[c]\n'
    assert set_costs(text, {"other": NEW}) is None


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_every_shipped_bank_can_be_edited(path: Path) -> None:
    bank = load_bank(path)
    text = path.read_text(encoding="utf-8")
    costs = {q.id: {answer.id: 4.25 for answer in q.answers} for q in bank.questions}
    edited = str(set_costs(text, costs))
    assert costs_of(edited) == costs
    changed = [
        line
        for line in difflib.ndiff(text.splitlines(), edited.splitlines())
        if line[0] in "+-" and not line[1:].strip().startswith("cost = ")
    ]
    assert changed == []
    assert set_costs(text, {}) == text


def test_a_large_bank_is_edited_without_parsing_its_numbers_twice() -> None:
    text = generated(200, 200)
    edited = str(set_costs(text, {"q7": NEW}))
    assert len(edited.splitlines()) == len(text.splitlines())
    assert costs_of(edited)["q7"] == NEW
