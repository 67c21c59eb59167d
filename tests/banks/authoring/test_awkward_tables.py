"""Tables as spreadsheets and other programs write them are read, or refused with one sentence and a remedy."""

from __future__ import annotations

import codecs
import tracemalloc
from pathlib import Path

import pytest
from typer.testing import CliRunner

from odm_tui import csv_files
from odm_tui.banks import Bank, load_bank
from odm_tui.banks.authoring.importing import Import, import_bank
from odm_tui.cli.app import app
from odm_tui.csv_files import read_table
from odm_tui.errors import BadData
from odm_tui.evaluation.bank.callers import holds_rows
from odm_tui.evaluation.data.case_table import read_case_table
from tests.support.sample_banks import written

ROWS = 30


def table(*columns: list[str], header: str = "x,outcome", delimiter: str = ",") -> str:
    """A table of columns whose cells repeat, with the outcomes p and q."""
    outcomes = ["p", "q"]
    lines = [header.replace(",", delimiter)]
    for row in range(ROWS):
        cells = [column[row % len(column)] for column in columns]
        lines.append(delimiter.join([*cells, outcomes[row * 7 // 3 % 2]]))
    return "\n".join(lines) + "\n"


def take(folder: Path, text: str | bytes) -> tuple[Import, Bank]:
    """Import a table; the bank must take the same file again and know its very rows."""
    data = written(folder, text, "cases.csv")
    found = import_bank(data, "outcome")
    bank = load_bank(written(folder, found.text, "cases.toml"))
    cases = read_case_table(data, bank)
    assert holds_rows(bank.problem, cases.answers, cases.outcomes)
    return found, bank


def refuse(folder: Path, text: str | bytes) -> str:
    with pytest.raises(BadData) as error:
        import_bank(written(folder, text, "cases.csv"), "outcome")
    said = str(error.value)
    assert said.isprintable()
    assert said.endswith(".")
    return said


@pytest.mark.parametrize(
    ("cells", "lowest", "highest"),
    [
        (['"1,234"', '"2,500"', "900", '"12,000"', "450.5", "77", "88", "99"], 77, 12000),
        (['"1,234.5"', '"2,500.25"', "900", "3", "4", "5", "6"], 3, 2500.25),
        (["1 234", "2 500", "900", "3.5", "4", "5", "6"], 3.5, 2500),
        (["1\u202f234,5", "2\u00a0500", "900", "3", "4", "5", "6"], 3, 2500),
        (["1'234", "2’500", "900.5", "3", "4", "5", "6"], 3, 2500),
        (["−3.5", "-2", "900", "3", "4", "5", "6"], -3.5, 900),
        (['"36,6"', '"37,1"', '"38,25"', "39", "40", "41", "42"], 36.6, 42),
        (['"0,125"', '"0,250"', '"0,375"', "1", "2", "3", "4"], 0.125, 4),
    ],
    ids=[
        "commas",
        "commas and points",
        "spaces",
        "narrow spaces",
        "apostrophes",
        "minus",
        "decimals",
        "thirds",
    ],
)
def test_numbers_are_read_as_they_are_meant(
    tmp_path: Path, cells: list[str], lowest: float, highest: float
) -> None:
    text = table([cell.replace("1\u202f234,5", '"1\u202f234,5"') for cell in cells])
    _, bank = take(tmp_path, text)
    thresholds = bank.questions[0].thresholds
    assert thresholds
    assert lowest <= min(thresholds) <= max(thresholds) < highest
    assert max(thresholds) > lowest + (highest - lowest) / 1000  # not a thousandth of what is meant


def test_three_digits_after_a_comma_are_decimals_between_semicolons(tmp_path: Path) -> None:
    text = table(["1,234", "2,500", "3,125", "4,5", "5,75", "6", "7"], delimiter=";")
    _, bank = take(tmp_path, text)
    assert max(bank.questions[0].thresholds) < 7
    text = table(["1,234", "2,500", "3,125", "4,500", "5,750", "6,125", "7,125"], delimiter=";")
    _, bank = take(tmp_path, text)
    assert max(bank.questions[0].thresholds) < 7.2


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ([f"{n} %" for n in range(20)], "has numbers with '%'; write the numbers alone"),
        ([f"€{n}" for n in range(20)], "has numbers with '€'; write the numbers alone"),
        ([f"{n} °C" for n in range(20)], "has numbers with '°C'; write the numbers alone"),
        ([f"2024-01-{n + 1:02}" for n in range(20)], "has dates or times; write what matters about them"),
        ([f"{n + 1}.3.2024 10:00" for n in range(20)], "has dates or times; write what matters about them"),
        ([f"{n}:30" for n in range(20)], "has dates or times; write what matters about them"),
        ([f"{n}e200" for n in range(1, 21)], "has numbers beyond 1e+12; use a larger unit"),
        ([f"{n}e-20" for n in range(20)], "has numbers that all count as 0; use a smaller unit"),
        ([f"word{n}" for n in range(13)], "too many for a choice (at most 12); join the rare ones"),
        ([*[str(n / 2) for n in range(19)], "n/a"], "has numbers, but also 'n/a'; add --missing n/a"),
    ],
)
def test_a_column_that_cannot_be_read_is_left_out_with_the_remedy(
    tmp_path: Path, cells: list[str], reason: str
) -> None:
    found, bank = take(tmp_path, table(cells, ["a", "b"], header="x,other,outcome"))
    assert [question.id for question in bank.questions] == ["other"]
    ((column, said),) = found.left_out
    assert column == "x"
    assert reason in said


def test_yes_and_no_may_be_spelled_in_several_ways_in_one_column(tmp_path: Path) -> None:
    cells = ["Yes", "no", "Y", "N", "TRUE", "False", "1", "0"]
    _, bank = take(tmp_path, table(cells))
    assert bank.questions[0].type == "yes_no"
    _, bank = take(tmp_path, table(["t", "n"]))
    assert bank.questions[0].type == "choice"


def test_cells_that_differ_only_in_case_are_one_answer(tmp_path: Path) -> None:
    found, bank = take(tmp_path, table(["Red", "red", "Red", "blue", "BLUE", "blue"]))
    assert [answer.label for answer in bank.questions[0].answers] == ["Red", "blue"]
    assert found.notes[0] == (
        "x",
        "has 'BLUE', 'red' in another case too; each counts as the usual spelling",
    )


def test_outcomes_that_differ_only_in_case_are_one_outcome(tmp_path: Path) -> None:
    text = "x,outcome\n" + "a,Flu\nb,cold\na,Flu\nb,flu\na,COLD\nb,cold\n" * 4
    found, bank = take(tmp_path, text)
    assert [outcome.label for outcome in bank.outcomes] == ["Flu", "cold"]
    assert found.notes[0][0] == "outcome"


def test_an_answer_that_looks_missing_is_kept_with_a_note(tmp_path: Path) -> None:
    found, bank = take(tmp_path, table(["a", "NA", "none", "b"]))
    assert len(bank.questions[0].answers) == 4
    assert found.notes == (("x", "has the answer 'NA'; if that means that it is missing, add --missing NA"),)


def test_a_column_that_gives_the_outcome_away_is_noted(tmp_path: Path) -> None:
    rows = "".join(f"{'abc'[n % 3]},{n % 2},{'pq'[n % 2]}\n" for n in range(40))
    data = written(tmp_path, "x,my diagnosis,outcome\n" + rows, "cases.csv")
    arguments = ["import", str(data), "--outcome", "outcome", "-o", str(tmp_path / "cases.toml")]
    said = CliRunner().invoke(app, arguments).stderr
    assert "Note: 'my diagnosis' alone tells the outcome in every row; " in said
    assert "leave it out with --drop 'my diagnosis'." in said
    assert "'x' alone" not in said


def test_a_column_with_few_answers_is_noted(tmp_path: Path) -> None:
    found, _ = take(tmp_path, table(["a", *[""] * 9, "b", *[""] * 9]))
    assert found.notes == (("x", "has an answer in only 3 of 30 rows; in a spreadsheet, split merged cells"),)


@pytest.mark.parametrize("first", ["sep=;\n", "\n\n", "sep=;\r\n\r\n"])
def test_lines_above_the_header_are_skipped(tmp_path: Path, first: str) -> None:
    _, bank = take(tmp_path, first + table(["a", "b"], delimiter=";"))
    assert [question.id for question in bank.questions] == ["x"]


def test_empty_columns_at_the_end_are_ignored(tmp_path: Path) -> None:
    lines = table(["a", "b"]).splitlines()
    _, bank = take(tmp_path, "\n".join(line + ",," for line in lines))
    assert [question.id for question in bank.questions] == ["x"]
    _, bank = take(tmp_path, "\n".join([lines[0], *(line + "," for line in lines[1:])]))
    assert [question.id for question in bank.questions] == ["x"]


@pytest.mark.parametrize("newline", ["\r\n", "\r", "\n"])
def test_every_line_end_is_understood(tmp_path: Path, newline: str) -> None:
    found, _ = take(tmp_path, codecs.BOM_UTF8 + table(["a", "b"]).replace("\n", newline).encode())
    assert found.rows == ROWS


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (table(["a", "b"]).encode("utf-16"), "this is text in UTF-16, not CSV; save it as UTF-8"),
        (table(["a", "b"]).encode("utf-32"), "this is text in UTF-32, not CSV; save it as UTF-8"),
        (table(["a", "b"]).encode("utf-16-le"), "this is not text (it has null bytes)"),
        (table(["ä", "ö"]).encode("latin-1"), "byte 11 (line 2) is not UTF-8; save the file as UTF-8"),
        ("# exported\nx,outcome\na,p\n", "there is only one column, '# exported'; the first line must name"),
        ("Patients 2024,,\nx,y,outcome\na,b,p\n", "column 2 has no name in the first line"),
        ("sep=;\n", "the file is empty"),
        ("\n\n", "the file is empty"),
        ("x,outcome\na,p\nb\n", "line 3 has 1 cell, but the header has 2; put quotation marks"),
        ("x,outcome\na,p,extra\n", "line 2 has 3 cells, but the header has 2; put quotation marks"),
        ('x,outcome\na,p\n"b,q\nc,p\n', "line 3 opens a quotation mark that is never closed; close it"),
        (
            'x,outcome\na,p\n"b"c,q\n',
            "line 3 is not CSV (',' expected after '\"'); check its quotation marks",
        ),
        (b"PK\x03\x04rest", "this is an Excel or OpenDocument file, or a ZIP archive, not CSV; open it in"),
        (b"PAR1rest", "this is a Parquet file, not CSV; write it as CSV"),
        (b"\x1f\x8brest", "this is a gzip file, not CSV; unpack it"),
        (",".join(f"c{n}" for n in range(25_000)) + "\n", "there are 25,000 columns; at most 20,000 are"),
    ],
)
def test_what_is_no_table_gets_one_sentence_with_the_remedy(
    tmp_path: Path, text: str | bytes, said: str
) -> None:
    assert said in refuse(tmp_path, text)


def test_a_line_without_an_end_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    file = tmp_path / "cases.csv"
    with file.open("wb") as out:
        out.write(b"x,outcome\na,p\n")
        for _ in range(60):
            out.write(b"x" * 2**20)
    tracemalloc.start()
    try:
        with pytest.raises(BadData, match=r"line 3 has over 16,777,216 characters; check the line ends"):
            read_table(file)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 60 * 2**20


def test_cells_that_repeat_are_stored_once(tmp_path: Path) -> None:
    columns = read_table(written(tmp_path, table(["some text", "another text"]), "cases.csv")).columns
    assert len({id(cell) for cell in columns["x"]}) == 2


def test_nothing_is_written_if_the_table_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_files, "MAX_CELLS", 10)
    data = written(tmp_path, table(["a", "b"]), "cases.csv")
    arguments = ["import", str(data), "--outcome", "outcome", "-o", str(tmp_path / "new" / "bank.toml")]
    assert isinstance(CliRunner().invoke(app, arguments).exception, BadData)
    assert list(tmp_path.iterdir()) == [data]


def test_a_row_is_named_by_its_line_in_the_file(tmp_path: Path) -> None:
    text = 'sep=,\n\nx,outcome\n"a\nb",p\n\nc,q\n'
    assert list(read_table(written(tmp_path, text, "cases.csv")).lines) == [5, 7]
