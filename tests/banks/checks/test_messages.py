"""Mistakes that authors make get one message each, with the remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from odm_tui.banks.authoring.importing import MAX_BYTES, import_bank
from odm_tui.banks.loading import examine_bank
from odm_tui.errors import BadData
from tests.support.sample_banks import written

BANK = """\
format = 1
title = "x"
stakes = 20
[[outcomes]]
id = "a"
[[outcomes]]
id = "b"
[[questions]]
id = "q"
text = "Q?"
cost = 1
[[questions]]
id = "r"
text = "R?"
cost = 1
[expected]
worth = 5
q = { a = 0.9, b = 0.1 }
r = { a = 0.6, b = 0.4 }
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('[[questions]]\nid = "q"', '[questions]\nid = "q"', "[[questions]]"),
        ("cost = 1\n[[", "cost = 0,5\n[[", "a number has a point, not a comma: write 0.5"),
        ("cost = 1\n[[", 'cost = "0,5"\n[[', "must be a number without quotes and with a point: write 0.5."),
        (
            "[expected]\n",
            "",
            "'worth', 'q', 'r' could be entries of [expected]; write the line [expected] above",
        ),
        (
            "[expected]",
            "[[expected]]",
            "line 16: expected: must be a table such as { key = value }, not a list.",
        ),
        ("cost = 1\n[[", "cost = 5%\n[[", "line 11: not valid TOML at column 9: write 0.05 for 5 %."),
        (
            'title = "x"',
            "title = “x”",
            'line 2: not valid TOML at column 9: write straight quotes, "…", instead of “ and ”.',
        ),
        ("cost = 1\n[[", "always_ask = True\n[[", "write true or false in lower case."),
        (
            "q = { a = 0.9, b",
            "q = { a = 0.9,\n b",
            "a table in braces must be on one line, without a comma at its end.",
        ),
        (
            "format = 1\n",
            "format: 1\n",
            "line 1: not valid TOML at column 7: this looks like YAML; write `key = value`.",
        ),
        (
            BANK,
            '{"format": 1}',
            "line 1: not valid TOML at column 1: this looks like JSON; a bank is TOML, see docs/banks.md.",
        ),
        (
            "a = 0.9",
            "a = 90",
            "expected.q.a (question 'q'): must be a number from 0 to 1, not 90; write 0.9 for 90 %.",
        ),
        (
            "cost = 1\n[[",
            "cost = 1\ndepends_on = { r = 'yes' }\n[[",
            "unknown key 'depends_on'. Did you mean 'ask_if'?",
        ),
        ("cost = 1\n[[", "price = 1\n[[", "unknown key 'price'. Did you mean 'cost'?"),
        ("cost = 1\n[[", "type = 'boolean'\n[[", "not 'boolean'. Did you mean 'yes_no'?"),
        ("cost = 1\n[[", "type = 'integer'\nthresholds = [2]\n[[", "Did you mean 'number'?"),
        ("worth = 5", "weight = 5", "expected.weight: unknown question 'weight'. Did you mean 'worth'?"),
        (
            "cost = 1\n[[",
            "expected = { a = 0.5 }\n[[",
            "unknown key 'expected'. Write it below [expected], as q = { … }.",
        ),
    ],
)
def test_one_cause_is_one_error(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in BANK
    found = examine_bank(written(tmp_path, BANK.replace(old, new, 1)))
    assert len(found.errors) == 1
    assert said in str(found.errors[0])


def test_outcomes_under_another_name_are_not_reported_wherever_they_are_used(tmp_path: Path) -> None:
    found = examine_bank(written(tmp_path, BANK.replace("[[outcomes]]", "[[outcome]]")))
    said = [str(error) for error in found.errors]
    assert len(said) == 2
    assert "line 4: outcome: unknown key 'outcome'. Did you mean 'outcomes'?" in said
    assert "outcomes: is missing; write [[outcomes]] for each possible result of an interview." in said


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("cost = 1\n[e", "cost = 21\n[e", "costs at least 21, more than the stakes of 20"),
        (
            "stakes = 20",
            "stakes = 0",
            "stakes: a wrong outcome costs nothing, so no question is worth asking",
        ),
        (
            "r = { a = 0.6, b = 0.4 }\n",
            "",
            "expected: 'r' has no expected answers, while other questions have",
        ),
        (
            "stakes = 20",
            'stakes = 20\npolicy = "w-ec2-ts"',
            "stops by region, as if answers were never wrong",
        ),
        (
            "[expected]",
            "[cases]\nrows = { a = 2, c = 3 }\nanswers = { q = { no = [1, 0] }, s = { no = [1, 1] } }\n[expected]",
            'add aliases = ["c"]',
        ),
    ],
)
def test_what_is_unwise_gets_a_warning(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert examine_bank(written(tmp_path, BANK)).warnings == ()
    assert old in BANK
    warnings = examine_bank(written(tmp_path, BANK.replace(old, new, 1))).warnings
    assert any(said in str(warning) for warning in warnings), warnings


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"PK\x03\x04rest", "an Excel or OpenDocument file"),
        (b"\xd0\xcf\x11\xe0rest", "an old Excel file"),
        (b"PAR1rest", "a Parquet file, not CSV; write it as CSV"),
        ("a,answer\n1,x\n".encode("utf-16"), "text in UTF-16, not CSV; save it as UTF-8"),
        ("a,answer\n1,x\n".encode("utf-16-le"), "this is not text"),
        (b"\x1f\x8brest", "a gzip file"),
        (b'{"a": 1}', "JSON"),
        (b"<html>", "HTML or XML"),
        (b"a,,,answer\n1,2,3,x\n", "split merged cells"),
        (b"a,a,answer\n1,2,x\n", "two columns are called 'a'"),
        pytest.param(
            (",".join(f"c{i}" for i in range(1_000_000)) + "\n").encode(), "1,000,000 columns", id="columns"
        ),
        pytest.param(
            b"x" * 2**20 + b",answer\n1,y\n", "line 1 has a cell of over 131,072 characters", id="long cell"
        ),
    ],
)
def test_a_file_that_is_no_table_is_named_as_what_it_is(tmp_path: Path, data: bytes, said: str) -> None:
    with pytest.raises(BadData) as error:
        import_bank(written(tmp_path, data, "cases.csv"), "answer")
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_huge_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "line.csv"
    with path.open("wb") as file:
        file.truncate(2**30)  # one line of a gigabyte, without its blocks on disk
    with pytest.raises(BadData, match=f"the file is over {MAX_BYTES // 2**20} MB"):
        import_bank(path, "answer")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('id = "a"', 'id = "z"', "line 18: expected.q.a (question 'q'): unknown outcome 'a'."),
        ('id = "a"', "id = 5", "line 18: expected.q.a (question 'q'): unknown outcome 'a'."),
    ],
)
def test_a_wrong_id_is_reported_once_with_the_number_of_further_places(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    found = examine_bank(written(tmp_path, BANK.replace(old, new)))
    about = [each for each in found.errors if "unknown outcome" in each.message]
    assert [each.further for each in about] == [1]
    assert str(about[0]).startswith(said)
    assert str(about[0]).endswith(" The same in 1 further place.")


def test_two_wrong_ids_are_two_errors(tmp_path: Path) -> None:
    text = BANK.replace("q = { a = 0.9, b = 0.1 }", "q = { c = 0.9, d = 0.1 }")
    found = examine_bank(written(tmp_path, text))
    assert [(each.path, each.further) for each in found.errors] == [("expected.q.c", 0), ("expected.q.d", 0)]


def test_a_wrong_answer_is_reported_once_for_each_question(tmp_path: Path) -> None:
    choice = 'type = "choice"\nanswers = ["x", "y"]\n'
    text = BANK.replace('text = "Q?"\n', f'text = "Q?"\n{choice}')
    text = text.replace('text = "R?"\n', f'text = "R?"\n{choice}')
    entries = "{ a = { z = 0.9 }, b = { z = 0.1 } }"
    text = text.replace("{ a = 0.9, b = 0.1 }", entries).replace("{ a = 0.6, b = 0.4 }", entries)
    found = examine_bank(written(tmp_path, text))
    assert [(each.path, each.further) for each in found.errors] == [
        ("expected.q.a.z", 1),
        ("expected.r.a.z", 1),
    ]


def test_an_id_written_as_a_number_is_the_only_error_if_its_uses_have_the_same_digits(tmp_path: Path) -> None:
    text = BANK.replace('id = "a"', "id = 5").replace("a = 0.", "5 = 0.")
    found = examine_bank(written(tmp_path, text))
    assert [each.path for each in found.errors] == ["outcomes[0].id"]


@pytest.mark.parametrize("kind", ["outcomes", "questions"])
def test_a_list_of_the_wrong_type_is_not_reported_wherever_it_is_used(tmp_path: Path, kind: str) -> None:
    rest = BANK.replace("format = 1", f"format = 1\n{kind} = 5", 1).replace(f"[[{kind}]]", f"[[x.{kind}]]")
    found = examine_bank(written(tmp_path, rest))
    about = [
        each
        for each in found.errors
        if "unknown outcome" in each.message or "unknown question" in each.message
    ]
    assert not about
    assert any("must be written as" in each.message for each in found.errors)
