"""Data sets: CSV files, thresholds, costs, and what is generated."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from odm_tui.csv_files import read_table
from odm_tui.engine.posterior import Posterior
from odm_tui.errors import BadArgument, BadData
from odm_tui.evaluation.data.dataset import Dataset
from odm_tui.evaluation.data.dataset_sources import Source, canonical_name

SCENARIOS = "x0,colour,weight,label\n0,red,10,0\n1,blue,20,1\n1,red,30,1\n0,green,40,0\n"
COSTS = "test,cost_outcome0,cost_outcome1,cost_outcome2\n0,0.1,0.2,0\n1,0.3,0.4,0.5\n2,0.6,0.7,0.8\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "toy_7.csv").write_text(SCENARIOS)
    (tmp_path / "costs.csv").write_text(COSTS)
    return tmp_path


def source(files: Path, **options: object) -> Source:
    return Source("toy", data=f"{files}/{{dataset}}_{{seed}}.csv", **options)  # type: ignore[arg-type]


def test_columns_become_questions_by_what_they_hold(files: Path) -> None:
    made = source(files).load(7)
    assert [len(question.answers) for question in made.problem.questions] == [2, 3, 2]
    assert made.answers.tolist() == [[0, 2, 0], [1, 0, 0], [1, 2, 1], [0, 1, 1]]


def test_numbers_are_scaled_before_they_are_cut(files: Path) -> None:
    assert source(files).load(7).values[:, 2] == pytest.approx([0, 1 / 3, 2 / 3, 1])


def test_numbers_that_are_scaled_already_are_left_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "toy_1.csv").write_text("a,label\n0.2,0\n0.6,1\n")
    assert source(tmp_path).load(1).values[:, 0].tolist() == [0.2, 0.6]


def test_a_value_on_the_threshold_is_not_above_it(tmp_path: Path) -> None:
    (tmp_path / "toy_1.csv").write_text("a,label\n0.5,0\n0.6,1\n")
    assert source(tmp_path).load(1).answers[:, 0].tolist() == [0, 1]


def test_several_thresholds_make_several_intervals(files: Path) -> None:
    made = source(files, thresholds=3).load(7)
    assert made.problem.questions[2].thresholds == (0.1, 0.5, 0.9)
    assert made.answers[:, 2].tolist() == [0, 1, 2, 3]


def test_costs_come_from_the_file_answer_by_answer(files: Path) -> None:
    made = source(files, costs=f"{files}/costs.csv").load(7)
    assert made.problem.cost[:, 0].tolist() == [[0.1, 0.2, 0], [0.3, 0.4, 0.5], [0.6, 0.8, 0]]


def test_costs_may_depend_on_the_outcome(tmp_path: Path) -> None:
    data, costs = tmp_path / "data.csv", tmp_path / "costs.csv"
    data.write_text("a,b,label\n0,1,x\n1,1,y\n1,0,y\n")
    costs.write_text("outcome,cost_no,cost_yes\ny,1,2\nx,3,4\ny,5,6\nx,7,8\n")
    made = Source("own", data=str(data), costs=str(costs)).load(0)
    # the questions of each outcome in their order, whatever the order of the outcomes
    assert made.problem.cost.tolist() == [[[3, 4], [1, 2]], [[7, 8], [5, 6]]]
    assert made.mean_cost.tolist() == [[3, 2], [8, 5.5]]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("x,1,1\nx,1,1\ny,1,1\n", "1 line of costs for 2 questions under the outcome 'y'"),
        ("x,1,1\nx,1,1\nz,1,1\ny,1,1\n", "Unknown outcome 'z'"),
        ("x,1,1\nx,1,-1\ny,1,1\ny,1,1\n", "a cost is negative"),
    ],
)
def test_bad_costs_by_outcome_get_one_sentence(tmp_path: Path, lines: str, said: str) -> None:
    data, costs = tmp_path / "data.csv", tmp_path / "costs.csv"
    data.write_text("a,b,label\n0,1,x\n1,1,y\n")
    costs.write_text(f"outcome,cost_no,cost_yes\n{lines}")
    with pytest.raises(BadData, match=said):
        Source("own", data=str(data), costs=str(costs)).load(0)


def test_outcomes_that_are_numbers_have_costs_too(tmp_path: Path) -> None:
    data, costs = tmp_path / "data.csv", tmp_path / "costs.csv"
    data.write_text("a,label\n0,0\n1,1\n")
    costs.write_text("outcome,cost_no,cost_yes\n0,1,2\n1,3,4\n")
    assert Source("own", data=str(data), costs=str(costs)).load(0).problem.cost.tolist() == [[[1, 2], [3, 4]]]


def test_drawn_costs_may_differ_by_outcome() -> None:
    same, own = (Source("navigation", costs_by_outcome=each, limit=5).load(0) for each in (False, True))
    assert not np.ptp(same.problem.cost, axis=1).any()
    assert own.problem.cost.shape == (5, 20, 2)
    assert np.ptp(own.problem.cost, axis=1).all()
    assert 0 <= own.problem.cost.min() <= own.problem.cost.max() <= 1
    again = Source("navigation", costs_by_outcome=True, limit=5).load(3)
    assert np.array_equal(own.problem.cost, again.problem.cost)  # fixed for the data set, not drawn by seed
    other = Source("navigation", costs_by_outcome=True, cost_seed=1, limit=5).load(0)
    assert not np.array_equal(own.problem.cost, other.problem.cost)


def test_pairs_make_a_question_of_every_threshold(tmp_path: Path) -> None:
    data, costs = tmp_path / "data.csv", tmp_path / "costs.csv"
    data.write_text("size,red,label\n0.05,1,x\n0.5,0,x\n0.51,1,y\n0.95,0,y\n")
    costs.write_text("cost_low,cost_high\n1,3\n5,6\n")
    made = Source("own", data=str(data), costs=str(costs), thresholds=3, pairs=True).load(0)
    assert [each.id for each in made.problem.questions] == ["size>0.1", "size>0.5", "size>0.9", "red"]
    assert made.answers.tolist() == [[0, 0, 0, 1], [1, 0, 0, 0], [1, 1, 0, 1], [1, 1, 1, 0]]
    assert made.problem.cost[:, 0].tolist() == [[1, 3], [1, 3], [1, 3], [5, 6]]
    # each pair has a Beta of its own
    posterior = Posterior.of(made.problem).updated([1, -1, -1, -1], "x")
    assert posterior.alpha[:, 0].tolist() == [[2, 3], [2, 2], [2, 2], [2, 2]]


def test_pairs_of_one_test_cost_the_same_where_costs_are_drawn() -> None:
    for by_outcome in (False, True):
        made = Source("breast-cancer", thresholds=5, pairs=True, costs_by_outcome=by_outcome, limit=4).load(0)
        assert made.problem.shape == (150, 2, 2)
        cost = made.problem.cost.reshape(30, 5, 2, 2)
        assert not np.ptp(cost, axis=1).any()
        assert np.ptp(cost[:, 0], axis=0).all()


def test_a_limit_keeps_the_shares_of_the_whole_file(files: Path) -> None:
    whole, few = source(files).load(7), source(files, limit=1).load(7)
    assert len(few.labels) == 1
    assert np.array_equal(few.theta, whole.theta)
    assert few.problem.prior.tolist() == [0.5, 0.5]


def test_drawn_costs_lie_between_0_and_1_and_follow_their_seed(files: Path) -> None:
    first, again, other = (source(files, cost_seed=s).load(7).problem.cost for s in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert first.min() >= 0
    assert first.max() <= 1


def test_the_class_means_and_label_shares_are_those_of_the_reference(shared_data: Path) -> None:
    for name in ("navigation", "led", "fico", "compas", "troubleshooting"):
        made = Source(name, data=f"{shared_data}/scenarios/{{dataset}}_seed{{seed}}.csv").load(131)
        told = np.loadtxt(shared_data / "theta" / f"theta_true_{name}_seed131.csv", delimiter=",", skiprows=1)
        assert np.allclose(made.theta[:, :, 1].T, told[:, 1:-1], atol=1e-12)
        assert np.allclose(made.problem.prior, told[:, -1], atol=1e-12)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file is empty"),
        ("a,a\n1,2\n", "two columns are called 'a'"),
        ("a,label\n", "no rows below the header"),
        ("a,label\n1\n", "line 2 has 1 cell"),
        ("label\n1\n", "nothing to ask"),
        ("a,b\n1,2\n", "Unknown column 'label'"),
        ("a,label\nx,1\nx,0\n", "1 different text;"),
    ],
)
def test_a_bad_file_gets_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "toy_1.csv").write_text(text)
    with pytest.raises(BadData, match=said):
        source(tmp_path).load(1)


@pytest.mark.parametrize(
    ("costs", "said"),
    [
        ("test,price\n0,1\n", "begins with 'cost'"),
        ("test,cost0\n0,1\n", "1 line of costs for 3 questions"),
        ("test,cost0\n0,1\n1,-1\n2,1\n", "negative"),
        ("test,cost0\n0,1\n1,x\n2,1\n", "holds text"),
        ("test,cost0,cost1\n0,1,1\n1,1,1\n2,1,1\n", "3 answers and 2 costs"),
    ],
)
def test_bad_costs_get_one_sentence(files: Path, costs: str, said: str) -> None:
    (files / "bad.csv").write_text(costs)
    with pytest.raises(BadData, match=said):
        source(files, costs=f"{files}/bad.csv").load(7)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_every_usual_delimiter_gives_the_same_scenarios(files: Path, delimiter: str) -> None:
    before = source(files).load(7)
    text = "\ufeff" + SCENARIOS.replace(",", f" {delimiter}")
    (files / "toy_8.csv").write_text(text, encoding="utf-8")
    after = source(files).load(8)
    assert after.problem.questions == before.problem.questions
    assert np.array_equal(after.answers, before.answers)


def test_a_file_over_the_limit_is_refused_before_it_is_read(files: Path) -> None:
    with pytest.raises(BadData, match="over 0 MB; use a sample"):
        read_table(files / "toy_7.csv", max_bytes=10)


def test_a_file_that_has_changed_is_read_again(files: Path) -> None:
    first = source(files).load(7)
    (files / "toy_7.csv").write_text(SCENARIOS.replace("blue", "red"))
    os.utime(files / "toy_7.csv", ns=(1, 1))
    assert not np.array_equal(source(files).load(7).answers, first.answers)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadData, match=r"toy_3\.csv"):
        source(tmp_path).load(3)


@pytest.mark.parametrize(
    ("name", "shape", "hypotheses"),
    [("navigation", (5, 20, 2), 2), ("led", (7, 10, 2), 5), ("troubleshooting", (74, 15, 2), 15)],
)
def test_what_is_generated_has_the_paper_s_shape(
    name: str, shape: tuple[int, int, int], hypotheses: int
) -> None:
    made = Source(name, limit=50).load(1)
    assert made.problem.shape == shape
    assert made.hypotheses == hypotheses


def test_a_seed_always_generates_the_same_scenarios() -> None:
    first, again, other = (Source("led").load(seed) for seed in (1, 1, 2))
    assert np.array_equal(first.answers, again.answers)
    assert not np.array_equal(first.answers, other.answers)


def test_a_display_s_segments_fail_one_time_in_ten() -> None:
    shares = Source("led").load(5).theta[..., 1]
    assert np.minimum(shares, 1 - shares).mean() == pytest.approx(0.1, abs=0.01)


def test_breast_cancer_comes_from_scikit_learn() -> None:
    pytest.importorskip("sklearn")
    made = Source("breastcancer").load(1)
    assert made.name == "breast-cancer"
    assert made.problem.shape == (30, 2, 2)
    assert made.problem.prior == pytest.approx([0.63, 0.37], abs=0.03)


def test_data_that_can_t_be_shipped_must_be_named() -> None:
    with pytest.raises(BadArgument, match="--data"):
        Source("compas").load(1)


def test_an_unknown_data_set_is_refused_with_the_known_ones() -> None:
    with pytest.raises(BadArgument, match="navigation"):
        Source("nothing").load(1)


def test_both_spellings_of_breast_cancer_are_one_data_set() -> None:
    assert canonical_name("breastcancer") == canonical_name("breast-cancer") == "breast-cancer"


def test_a_data_set_is_made_from_arrays_in_one_call() -> None:
    made = Dataset.from_arrays([[0, 2], [1, 0], [1, 1]], [0, 1, 1], cost=[1.0, 2.0])
    assert [len(question.answers) for question in made.problem.questions] == [2, 3]
    assert made.problem.outcomes == ("0", "1")
    assert made.problem.prior == pytest.approx([1 / 3, 2 / 3])
    assert made.values.tolist() == [[0, 1], [1, 0], [1, 0.5]]
    assert made.theta[1, 1].tolist() == [0.5, 0.5, 0]


@pytest.mark.parametrize(
    ("answers", "labels", "options", "said"),
    [
        ([0, 1], [0, 1], {}, "shape"),
        ([[0], [1]], [0], {}, "shape"),
        ([[0.5], [1.0]], [0, 1], {}, "answers must hold indices"),
        ([[0], [1]], [0, -1], {}, "labels must hold indices"),
        ([[0], [2]], [0, 1], {"questions": ["fever"]}, "do not match the questions"),
        ([[0], [1]], [0, 1], {"questions": ["fever", "cough"]}, "do not match the questions"),
        ([[0], [1]], [0, 2], {"outcomes": ["flu", "cold"]}, "label 2 is too high"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(
    answers: list[object], labels: list[int], options: dict[str, list[str]], said: str
) -> None:
    with pytest.raises(BadArgument, match=said):
        Dataset.from_arrays(answers, labels, **options)  # type: ignore[arg-type]


def test_a_data_set_is_read_from_a_csv_file_in_one_call(files: Path) -> None:
    made = Dataset.from_csv(files / "toy_7.csv", costs=files / "costs.csv")
    same = source(files, costs=f"{files}/costs.csv").load(7)
    assert (made.name, made.source) == ("toy_7", str(files / "toy_7.csv"))
    assert np.array_equal(made.answers, same.answers)
    assert np.array_equal(made.problem.cost, same.problem.cost)
