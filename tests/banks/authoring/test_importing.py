"""A bank is made from a table of past cases."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from odm_tui.banks import Bank, load_bank
from odm_tui.banks.authoring.columns import recognise_column
from odm_tui.banks.authoring.importing import Import, ImportOptions, import_bank
from odm_tui.banks.authoring.thresholds import find_quantile_thresholds
from odm_tui.banks.loading import examine_bank
from odm_tui.errors import BadData
from odm_tui.session import Session
from tests.support.sample_banks import written

CASES = """\
fever,colour,Pulse rate,id number,answer,always
yes,red,61,a1,flu,x
no,blue,72,a2,cold,x
yes,red,88.5,a3,flu,x
no,red,,a4,cold,x
yes,green,95,a5,flu,x
,blue,70,a6,cold,x
YES,green,120,a7,flu,x
no,blue,64,a8,cold,x
no,green,77,a9,,x
yes,red,81,a10,flu,x
no,blue,66,a11,cold,x
yes,red,99,a12,flu,x
no,blue,59,a13,cold,x
yes,green,101,a14,flu,x
"""


def made(
    folder: Path, text: str = CASES, costs: str | None = None, thresholds: int = 3
) -> tuple[Import, Bank]:
    """What an import says, and the bank that comes out of it; it must be without errors."""
    data = written(folder, text, "cases.csv")
    prices = written(folder, costs, "costs.csv") if costs is not None else None
    result = import_bank(data, "answer", ImportOptions(prices, thresholds=thresholds))
    return result, load_bank(written(folder, result.text, "cases.toml"))


def refusal(folder: Path, text: str | bytes, outcome: str = "answer", costs: str | None = None) -> str:
    """The one sentence that a table gets."""
    prices = written(folder, costs, "costs.csv") if costs is not None else None
    with pytest.raises(BadData) as error:
        import_bank(written(folder, text, "cases.csv"), outcome, ImportOptions(prices))
    assert str(error.value).isprintable()
    return str(error.value)


def test_each_column_becomes_the_kind_of_question_that_it_answers(tmp_path: Path) -> None:
    _, bank = made(tmp_path)
    assert [(q.id, q.type, q.text) for q in bank.questions] == [
        ("fever", "yes_no", "Fever?"),
        ("colour", "choice", "Colour?"),
        ("pulse-rate", "number", "Pulse rate?"),
    ]
    assert [answer.id for answer in bank.questions[1].answers] == ["blue", "green", "red"]
    assert [outcome.id for outcome in bank.outcomes] == ["cold", "flu"]


def test_columns_that_are_no_question_are_left_out_with_the_reason(tmp_path: Path) -> None:
    result, _ = made(tmp_path)
    assert result.left_out == (
        ("id number", "identifies the rows, as its name says; name it with --only if it is a question"),
        ("always", "has the same value in every row"),
    )


def test_rows_without_an_outcome_do_not_count_and_are_reported(tmp_path: Path) -> None:
    result, bank = made(tmp_path)
    assert (result.rows, result.without_outcome) == (13, 1)
    assert bank.cases is not None
    assert bank.cases.rows == {"cold": 6, "flu": 7}


def test_the_cases_are_the_counts_of_the_rows(tmp_path: Path) -> None:
    _, bank = made(tmp_path)
    cases = bank.problem.cases
    assert cases is not None
    assert cases[0, :, :2].tolist() == [[5, 0], [0, 7]]  # cold has 5 no: one cell is empty
    assert cases[1, :, :3].tolist() == [[5, 0, 1], [0, 3, 4]]  # blue, green, red


def test_the_counts_of_the_intervals_are_the_counts_of_the_rows(tmp_path: Path) -> None:
    _, bank = made(tmp_path)
    numbers: dict[str, list[float]] = {"cold": [72, 70, 64, 66, 59], "flu": [61, 88.5, 95, 120, 81, 99, 101]}
    compiled, cases = bank.problem.questions[2], bank.problem.cases
    assert cases is not None
    for j, outcome in enumerate(bank.problem.outcomes):
        width = len(compiled.answers)
        counts = np.bincount([compiled.interval(x) for x in numbers[outcome]], minlength=width)
        assert cases[2, j, :width].tolist() == counts.tolist()


def test_thresholds_stand_where_the_outcome_changes(tmp_path: Path) -> None:
    rows = "".join(f"{x // 2},{'low' if x < 80 else 'high'}\n" for x in range(200))
    _, bank = made(tmp_path, "age,answer\n" + rows)
    assert bank.questions[0].thresholds == (39.5,)


def test_an_imported_bank_takes_numbers_beyond_its_rows(tmp_path: Path) -> None:
    rows = "".join(f"{x // 2},{'low' if x < 80 else 'high'}\n" for x in range(200))
    _, bank = made(tmp_path, "age,answer\n" + rows)
    session = Session.start(bank, tmp_path, seed=1)
    session.answer(250)
    assert session.steps[0].answer == 250


@pytest.mark.parametrize(
    ("values", "wanted", "cuts"),
    [
        ([0, 1, 2, 3, 4, 5, 6, 7], 1, [3.5]),
        ([0.0] * 9 + [1.0], 3, []),
        ([0.0] * 6 + [1.0] * 6, 3, [0.5]),
        ([1.0, 1.0000001] * 4, 1, [1.00000005]),
        ([-3.0, -2.0, -1.0, 0.0], 1, [-1.5]),
    ],
)
def test_thresholds_are_short_and_between_the_values(
    values: list[float], wanted: int, cuts: list[float]
) -> None:
    assert find_quantile_thresholds(sorted(values), wanted) == pytest.approx(cuts)


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["0", "1", "1"], "yes_no"),
        (["True", "false", ""], "yes_no"),
        (["Y", "n", "?"], "yes_no"),
        (["Y", "n", "NA"], "choice"),
        (["0.0", "1.0", "1.0"], "yes_no"),
        (["1", "2", "3", "?"], "choice"),
        (["a", "b"], "choice"),
        (["1.5", "2.5", "9"], "number"),
        (["1,5", "2,5", "9"], "number"),
        (["0"] * 30 + ["0.5", "16"], "number"),
        ([str(i % 25) for i in range(30)], "number"),
        (["1e400", "1", "2"], "choice"),
    ],
)
def test_the_kind_of_a_column_is_recognised(cells: list[str], kind: str) -> None:
    column = recognise_column("x", 0, cells, [0] * len(cells))
    assert not isinstance(column, str)
    assert column.type == kind


def test_costs_go_by_name_or_by_place_and_by_answer(tmp_path: Path) -> None:
    costs = "test,cost_outcome0,cost_outcome1\nfever,5,6\n2,7,8\n"
    _, bank = made(tmp_path, costs=costs)
    assert bank.problem.cost[0, 0, :2].tolist() == [5, 6]
    assert bank.problem.cost[1, 0, :3].tolist() == [1, 1, 1]
    size = len(bank.questions[2].answers)
    assert bank.problem.cost[2, 0, :size].tolist() == [7.0] * ((size + 1) // 2) + [8.0] * (size // 2)


def test_one_cost_is_enough(tmp_path: Path) -> None:
    _, bank = made(tmp_path, costs="test,cost\ncolour,4\n")
    assert bank.problem.cost[1, 1, :3].tolist() == [4, 4, 4]


def test_costs_may_have_decimal_commas(tmp_path: Path) -> None:
    _, bank = made(tmp_path, costs="test;cost\nfever;0,5\n")
    assert bank.problem.cost[0, 0, :2].tolist() == [0.5, 0.5]


def test_costs_may_be_named_by_answer(tmp_path: Path) -> None:
    _, bank = made(tmp_path, costs="question;cost_no;cost_yes\nfever;2;9\n")
    assert bank.problem.cost[0, 0, :2].tolist() == [2, 9]


def test_semicolons_quotes_and_windows_line_ends_are_understood(tmp_path: Path) -> None:
    text = '\ufeff"a ""b""";answer\r\n"yes";"x, y"\r\nno;z\r\n'
    _, bank = made(tmp_path, text)
    assert bank.questions[0].text == 'A "b"?'
    assert [(o.id, o.label) for o in bank.outcomes] == [("x-y", "x, y"), ("z", "z")]


def test_names_that_come_out_the_same_get_numbers(tmp_path: Path) -> None:
    _, bank = made(tmp_path, "a b,a-b,worth,日本,answer\n0,1,1,0,x\n1,0,1,1,y\n1,1,0,1,y\n")
    assert [q.id for q in bank.questions] == ["a-b", "a-b-2", "worth-2", "q"]


def test_values_that_are_reserved_ids_get_numbers(tmp_path: Path) -> None:
    text = "worth,answer\nunknown,none\nskipped,flu\nred,worth\n"
    _, bank = made(tmp_path, text)
    assert [question.id for question in bank.questions] == ["worth-2"]
    assert [answer.id for answer in bank.questions[0].answers] == ["red", "skipped-2", "unknown-2"]
    assert [outcome.id for outcome in bank.outcomes] == ["flu", "none-2", "worth"]


def test_hostile_cells_are_only_text(tmp_path: Path) -> None:
    text = 'q"] \x1b[31m,answer\n"""",x\n\\,"]] = \n[[outcomes]]"\n'
    _, bank = made(tmp_path, text)
    assert bank.questions[0].text == 'Q"] \ufffd[31m?'
    assert [answer.label for answer in bank.questions[0].answers] == ['"', "\\"]
    assert bank.outcomes[0].label == "]] = [[outcomes]]"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file is empty"),
        ("a,answer\n", "there are no rows below the header"),
        ("answer\nx\n", "there is only one column"),
        ("a,a,answer\n1,2,x\n", "two columns are called 'a'"),
        ("a,,answer\n1,2,x\n", "column 2 has no name"),
        ("a,answer\n1,x\n1\n", "line 3 has 1 cell, but the header has 2"),
        ("a,anwser\n1,x\n", "Unknown column 'answer'. Did you mean 'anwser'?"),
        ("a,answer\n1,x\n0,x\n", "the column 'answer' has only the value 'x'. "),
        (
            "a,answer\n" + "".join(f"{i % 2},o{i}\n" for i in range(1001)),
            "Choose a column whose values repeat.",
        ),
        ("a,answer\n1,x\n1,y\n", "no column can be a question: 'a' has the same value in every row"),
        ('a,answer\n0,y\n"1,x\n0,y\n', "line 3 opens a quotation mark that is never closed"),
        (b"a,answer\n1,x\n\xff,x\n", "byte 14 (line 3) is not UTF-8"),
        pytest.param(
            "a,answer\n" + "x" * 200_000 + ",y\n",
            "line 2 has a cell of over 131,072 characters",
            id="long cell",
        ),
    ],
)
def test_a_bad_table_gets_one_sentence(tmp_path: Path, text: str | bytes, said: str) -> None:
    assert said in refusal(tmp_path, text)


@pytest.mark.parametrize(
    ("costs", "said"),
    [
        ("test,price\nfever,1\n", "there is no column cost, "),
        ("test,cost\nfevre,1\n", "line 2: the data has no column 'fevre'. Did you mean 'fever'?"),
        (
            "test,cost\n\nxyz,1\n",
            "line 3: the data has no column 'xyz'. Write the name of one of its columns.",
        ),
        ("test,cost\nfever,free\n", "line 2: cost must be a number, 0 or more, not 'free'"),
        ("test,cost\nfever,nan\n", "line 2: cost must be a number, 0 or more, not 'nan'"),
        (
            "test,cost_outcome0,cost_outcome1\ncolour,1,2\n",
            "line 2 has 2 costs, but the question has 3 answers",
        ),
        ("test,cost_yes,cost_maybe\nfever,1,2\n", "'fever' has no answer 'maybe'"),
    ],
)
def test_bad_costs_get_one_sentence(tmp_path: Path, costs: str, said: str) -> None:
    assert said in refusal(tmp_path, CASES, costs=costs)


def test_a_missing_table_and_a_folder_get_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadData, match="there is no such file; give a CSV file"):
        import_bank(tmp_path / "nothing.csv", "answer")
    with pytest.raises(BadData, match="not a regular file; give a CSV file"):
        import_bank(tmp_path, "answer")


_cells = st.one_of(
    st.sampled_from(
        ["", "0", "1", "yes", "no", "NA", "x", '"', "\\", "[[a]]", "1e5", "-0", "5e-324", "1e12", "-1e12"]
    ),
    st.floats(-1e13, 1e13).map(str),
    st.text(max_size=5),
)


@given(
    header=st.lists(st.text(min_size=1, max_size=6), min_size=2, max_size=4, unique_by=str.strip),
    rows=st.lists(
        st.tuples(_cells, _cells, _cells, st.sampled_from(["p", "q", "p", "q", "", "\x1b"])), max_size=12
    ),
)
@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_table_gives_a_bank_or_one_sentence(
    tmp_path: Path, header: list[str], rows: list[tuple[str, ...]]
) -> None:
    path = tmp_path / "cases.csv"
    with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
        csv.writer(file).writerows([header, *(row[-len(header) :] for row in rows)])
    try:
        result = import_bank(path, header[-1].strip())
    except BadData as error:
        said = str(error)
    else:
        said = ""
        assert examine_bank(written(tmp_path, result.text)).errors == ()
    assert said.isprintable()


@pytest.mark.parametrize(
    "data_set", ["breastcancer", "compas", "fico", "led", "navigation", "troubleshooting"]
)
def test_the_data_sets_become_banks_that_check_clean(
    tmp_path: Path, shared_data: Path, data_set: str
) -> None:
    scenarios = shared_data / "scenarios" / f"{data_set}_seed130.csv"
    options = ImportOptions(shared_data / "costs" / f"costs_{data_set}.csv")
    result = import_bank(scenarios, "label", options)
    examined = examine_bank(written(tmp_path, result.text))
    assert examined.errors == ()
    assert examined.warnings == ()
    assert result.left_out == ()
