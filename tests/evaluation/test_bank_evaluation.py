"""A bank is evaluated on rows that it has not learned from, and every figure is what separate interviews give."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from odm_tui.banks import Bank, load_bank
from odm_tui.banks.authoring.importing import import_bank
from odm_tui.banks.policies import policy_for
from odm_tui.cli.app import app
from odm_tui.engine.interview import Ask, Interview
from odm_tui.engine.interview_tree import InterviewTree
from odm_tui.engine.policy import policy_from
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Problem
from odm_tui.errors import BadArgument, CannotWrite
from odm_tui.evaluation.bank.callers import CallerGroup, count_rows, draw_callers, split_folds
from odm_tui.evaluation.bank.decision_tree import follow_decision_tree
from odm_tui.evaluation.bank.evaluate import EvaluationOptions, evaluate_bank
from odm_tui.evaluation.bank.figures import summarise_trial
from odm_tui.evaluation.bank.trial import ask_everything, hold_interviews, join_trials
from odm_tui.evaluation.data.case_table import read_case_table
from tests.support.sample_banks import written


def telling_rows(rows: int, seed: int = 0) -> str:
    """A question that tells the outcome, one that tells it half, one that tells nothing; some cells are empty."""
    rng = np.random.default_rng(seed)
    lines = ["sure,maybe,noise,colour,answer"]
    for _ in range(rows):
        outcome = int(rng.integers(3))
        maybe = int(rng.random() < (0.8, 0.3, 0.3)[outcome])
        noise = "" if rng.random() < 0.1 else str(int(rng.integers(2)))
        sure = "abc"[outcome] if rng.random() < 0.95 else "abc"[int(rng.integers(3))]
        lines.append(f"{sure},{maybe},{noise},{'red' if rng.random() < 0.5 else 'Dark blue'},o{outcome}")
    return "\n".join(lines) + "\n"


def imported(folder: Path, text: str) -> tuple[Bank, Path]:
    data = written(folder, text, "cases.csv")
    return load_bank(written(folder, import_bank(data, "answer").text, "cases.toml")), data


@pytest.fixture
def rows(tmp_path: Path) -> tuple[Bank, Path]:
    return imported(tmp_path, telling_rows(90))


@pytest.mark.parametrize("name", ["lookahead-ts", "w-ec2-ts", "w-ig-eps", "random"])
def test_shared_interviews_ask_what_separate_ones_ask(rows: tuple[Bank, Path], name: str) -> None:
    bank, data = rows
    table = read_case_table(data, bank)
    policy, posterior = policy_from(name), Posterior.of(bank.problem)
    tree = InterviewTree(Interview(bank.problem, policy, posterior, 7))
    for answers in table.answers[:25]:
        held = tree.hold(answers)
        alone = Interview(bank.problem, policy, posterior, 7)
        while isinstance(upcoming := alone.next, Ask):
            if answers[upcoming.question] < 0:
                alone.dont_know()
            else:
                question = bank.problem.questions[upcoming.question]
                alone.answer(question.answers[answers[upcoming.question]])
        assert held.questions == tuple(step.question for step in alone.steps)
        assert held.decision == alone.next
        np.testing.assert_array_equal(held.beliefs[-1], alone.belief)


def test_a_fold_meets_only_the_knowledge_of_the_others(rows: tuple[Bank, Path]) -> None:
    bank, data = rows
    table = read_case_table(data, bank)
    known = Posterior.of(bank.problem)
    groups = split_folds(known, table.answers, table.outcomes, 6, np.random.default_rng(0))
    assert sum(len(group.outcomes) for group in groups) == len(table.outcomes)
    for group in groups:
        assert group.learned is not None
        counts, totals = count_rows(bank.problem, *group.learned)
        np.testing.assert_array_equal(group.posterior.seen, counts)
        np.testing.assert_array_equal(group.posterior.seen_outcomes, totals)


def test_rows_that_mean_nothing_are_not_recognised(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    lines = [",".join(f"q{i}" for i in range(30)) + ",answer"]
    lines += [
        ",".join(map(str, rng.integers(0, 2, 30))) + f",{'ab'[int(rng.integers(2))]}" for _ in range(40)
    ]
    bank, data = imported(tmp_path, "\n".join(lines) + "\n")
    options = EvaluationOptions(compare=False, folds=5)
    assert evaluate_bank(bank, data, options).rows[0].right < 0.7
    # The same bank on the same rows, with what it has learned from them, recognises most.
    known = Posterior.of(bank.problem)
    table = read_case_table(data, bank)
    assert ask_everything(CallerGroup(known, table.answers, table.outcomes)).right.mean() > 0.75


def test_asking_everything_is_the_policy_all(rows: tuple[Bank, Path]) -> None:
    bank, data = rows
    table = read_case_table(data, bank)
    group = CallerGroup(Posterior.of(bank.problem), table.answers, table.outcomes)
    fast, slow = ask_everything(group), hold_interviews(group, policy_from("all"), 0)
    np.testing.assert_array_equal(fast.questions, slow.questions)
    np.testing.assert_allclose(fast.cost, slow.cost)
    np.testing.assert_array_equal(fast.decided, slow.decided)
    np.testing.assert_allclose(fast.said, slow.said)


def test_the_tree_pays_each_question_on_its_way_once(rows: tuple[Bank, Path]) -> None:
    pytest.importorskip("sklearn")
    bank, data = rows
    table = read_case_table(data, bank)
    group = split_folds(
        Posterior.of(bank.problem), table.answers, table.outcomes, 3, np.random.default_rng(0)
    )[0]
    dear = replace(bank.problem, cost=bank.problem.cost * np.array([1, 1000, 1000, 1000])[:, None, None])
    priced = replace(group, posterior=replace(group.posterior, problem=replace(dear, stakes=60.0)))
    trial = follow_decision_tree(priced, 0)
    assert set(trial.questions) == {1.0}  # only the cheap question that tells the outcome
    assert trial.cost.max() == 1.0
    assert trial.right.mean() > 0.6


def test_the_tree_is_pruned_between_two_shapes_and_not_at_the_edge_of_one(tmp_path: Path) -> None:
    datasets = pytest.importorskip("sklearn.datasets")
    iris = datasets.load_iris()
    lines = ["a,b,c,d,answer"]
    lines += [
        ",".join(map(str, [*row, f"o{kind}"])) for row, kind in zip(iris.data, iris.target, strict=True)
    ]
    bank, data = imported(tmp_path, "\n".join(lines) + "\n")
    found = evaluate_bank(bank, data, EvaluationOptions(policies=(), stakes=()))
    tree = next(row for row in found.rows if row.policy == "tree")
    assert tree.right >= 0.925
    assert tree.questions < 2  # the whole tree asks 2.2


def test_other_rows_meet_all_that_the_bank_knows(rows: tuple[Bank, Path], tmp_path: Path) -> None:
    bank, _ = rows
    other = written(tmp_path, telling_rows(40, seed=9) + "z,1,0,red,o1\na,1,0,red,o9\n,1,0,red,\n", "new.csv")
    found = evaluate_bank(bank, other, EvaluationOptions(compare=False))
    assert (found.way, found.callers) == ("new rows", 42)
    assert "1 row without an outcome left out." in found.notes
    assert any("1 cell with answers that the bank does not have ('sure')" in note for note in found.notes)
    assert any("1 row with outcomes that the bank does not have" in note for note in found.notes)


@pytest.mark.parametrize("most", [1, 4, 10, 25])
def test_at_most_so_many_rows_are_used(rows: tuple[Bank, Path], most: int) -> None:
    bank, data = rows
    assert evaluate_bank(bank, data, EvaluationOptions(compare=False, most=most)).callers == most


def test_asking_everything_stands_there_once(rows: tuple[Bank, Path]) -> None:
    bank, data = rows
    found = evaluate_bank(bank, data, EvaluationOptions(policies=("all",), stakes=(), most=10))
    assert [row.policy for row in found.rows].count("all") == 1


def test_a_report_that_cannot_be_written_is_refused_before_any_interview(
    rows: tuple[Bank, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "odm_tui.evaluation.bank.evaluate.evaluate_bank", lambda *given, **more: pytest.fail("held")
    )
    for page, reason in ((tmp_path / "no" / "page.html", "no such folder"), (tmp_path, "it is a folder")):
        result = CliRunner().invoke(app, ["evaluate", str(rows[0].path), "--report", str(page)])
        assert isinstance(result.exception, CannotWrite)
        assert reason in str(result.exception)


def test_lines_differ_in_nothing_but_what_they_compare(rows: tuple[Bank, Path]) -> None:
    bank, data = rows
    blind = replace(bank, policy={"oracle": "random", "exploration": "mean", "stop": {"max_questions": 1}})
    options = EvaluationOptions(policies=(), stakes=(5.0, 5000.0))
    own, low, high, *_ = evaluate_bank(blind, data, options).rows
    assert own.questions == low.questions == high.questions  # this policy ignores the stakes
    assert own.right == low.right == high.right


def test_outcomes_with_a_single_row_are_noted(tmp_path: Path) -> None:
    rows = "".join(f"{'abc'[n % 3]},{'xyz'[n % 3]},animal-{n}\n" for n in range(6))
    bank, data = imported(tmp_path, "one,two,answer\n" + rows + "a,x,animal-0\n")
    found = evaluate_bank(bank, data, EvaluationOptions(compare=False))
    (note,) = found.notes
    assert note.startswith("5 outcomes with a single row: when it calls, nothing is known of its outcome")


def test_rows_of_other_outcomes_beside_the_bank_s_own_are_counted_as_wrong(tmp_path: Path) -> None:
    bank, data = imported(tmp_path, telling_rows(40))
    data.write_text(telling_rows(40) + "a,1,1,red,o9\n", encoding="utf-8")
    found = evaluate_bank(bank, data, EvaluationOptions(compare=False))
    assert (found.way, found.callers) == ("folds", 41)
    assert any("1 row with outcomes that the bank does not have" in note for note in found.notes)


def test_without_data_callers_come_from_what_the_bank_knows(rows: tuple[Bank, Path]) -> None:
    bank, _ = rows
    groups = draw_callers(Posterior.of(bank.problem), 4000, 8, seed=3)
    outcomes = np.concatenate([group.outcomes for group in groups])
    shares = np.bincount(outcomes, minlength=3) / len(outcomes)
    np.testing.assert_allclose(shares, Posterior.of(bank.problem).outcome_prior(), atol=0.03)
    found = evaluate_bank(bank, None, EvaluationOptions(compare=False, most=60))
    assert (found.way, found.callers) == ("simulated", 60)
    assert found.rows[0].right > 0.7


def test_simulated_callers_do_not_know_an_answer_as_often_as_was_learned() -> None:
    problem = load_bank("led").problem
    asked = np.zeros(problem.shape)
    asked[:, 3, 1] = 1000
    learned = Posterior.of(problem, asked, unknown=[1000, 0, 0, 0, 0, 0, 0])
    answers = np.concatenate([group.answers for group in draw_callers(learned, 2000, 8, seed=3)])
    unknown = (answers < 0).mean(axis=0)
    assert unknown[0] == pytest.approx(0.5, abs=0.05)
    assert unknown[1:].max() < 0.01


def test_the_interval_of_simulated_callers_covers_what_the_bank_expects_of_them() -> None:
    known = Posterior.of(Problem.build(["a"], ["x", "y"], expected=[[0.8, 0.2]], worth=3))
    covered = 0
    for seed in range(60):
        trial = join_trials([ask_everything(group) for group in draw_callers(known, 200, 8, seed)])
        row = summarise_trial("all", known.problem, trial, 0.0)
        covered += row.right_low <= 0.8 <= row.right_high
    assert covered >= 53


def test_callers_of_one_world_share_their_theta() -> None:
    known = Posterior.of(Problem.build(["a"], ["x", "y"], expected=[[0.5, 0.5]], worth=1))
    worlds = draw_callers(known, 8000, 40, 1, one_theta=True)
    shares = [group.answers[group.outcomes == 0].mean() for group in worlds]
    assert np.std(shares) > 0.2
    shares = [group.answers[group.outcomes == 0].mean() for group in draw_callers(known, 8000, 40, 1)]
    assert np.std(shares) < 0.1


def test_the_command_prints_the_lines_that_programs_rely_on(rows: tuple[Bank, Path], tmp_path: Path) -> None:
    bank, data = rows
    page = tmp_path / "page.html"
    result = CliRunner().invoke(
        app,
        [
            "evaluate",
            str(bank.path),
            str(data),
            "--most",
            "30",
            "--jobs",
            "1",
            "--json",
            "--report",
            str(page),
        ],
    )
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    lines = found["rows"]
    assert {"policy", "stakes", "n", "questions", "cost", "cost_share", "right", "said", "ece"} <= set(
        lines[0]
    )
    assert lines[0]["policy"] == policy_for(bank, None).name
    assert [line["policy"] for line in lines][-2:] == ["tree", "all"]
    assert lines[-1]["cost_share"] == 1
    assert "noise" in {*found["never_asked"], *(each["question"] for each in found["questions"])}
    text = page.read_text(encoding="utf-8")
    assert "<svg" in text
    assert "http" not in text


def test_the_figures_are_printed_as_tables(rows: tuple[Bank, Path]) -> None:
    bank, data = rows
    arguments = ["evaluate", str(bank.path), str(data), "--most", "20", "--jobs", "1", "--no-compare"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0
    assert "20 rows in 10 folds" in " ".join(result.stdout.split())
    assert "Questions that pay most" in result.stdout


def test_other_stakes_beside_a_bank_without_stakes_are_refused_with_the_remedy(tmp_path: Path) -> None:
    text = import_bank(written(tmp_path, telling_rows(20), "cases.csv"), "answer").text
    free = written(tmp_path, text.replace("format = 1", "format = 1\nstakes = 0", 1), "free.toml")
    result = CliRunner().invoke(app, ["evaluate", str(free), "--stakes", "10", "--most", "5", "--jobs", "1"])
    assert isinstance(result.exception, BadArgument)
    assert "write stakes above 0 into the bank" in str(result.exception)


def test_some_of_the_banks_own_rows_are_not_called_new(rows: tuple[Bank, Path], tmp_path: Path) -> None:
    bank, data = rows
    some = written(tmp_path, "".join(data.read_text().splitlines(keepends=True)[:11]), "some.csv")
    result = CliRunner().invoke(app, ["evaluate", str(bank.path), str(some), "--no-compare", "--jobs", "1"])
    said = " ".join(result.output.split())
    assert (
        "10 rows; each is asked with all that the bank knows, so rows that it was made from are easy." in said
    )
    assert "not among" not in said
