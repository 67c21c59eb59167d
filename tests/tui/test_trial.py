"""Try this bank: its interviews are held in the worker, in slices, and every figure arrives."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.containers import VerticalScroll
from textual.widgets import Static

from odm_tui.banks import load_bank
from odm_tui.evaluation.bank.evaluate import EvaluationOptions, evaluate_bank, plan_stepwise
from odm_tui.evaluation.bank.stepwise import StepwiseEvaluation
from odm_tui.interview_options import InterviewOptions
from odm_tui.tui.screens.trial import TrialScreen, draw_figures
from odm_tui.tui.worker import bank_trial
from odm_tui.tui.worker.backend import Backend
from odm_tui.views.evaluation import EvaluationView, evaluation_view
from odm_tui.views.table_layout import TextTable, lay_out_table
from tests.support.terminal.driving import Operator, at_the_screen

SMALL_BANK = """
format = 1
title = "Two faults"
stakes = 30

[[outcomes]]
id = "line"
[[outcomes]]
id = "router"

[[questions]]
id = "light"
text = "Is the light on?"
[[questions]]
id = "noise"
text = "Is there any noise on the line at all?"

[expected]
worth = 20
light = { line = 0.1, router = 0.8 }
noise = { line = 0.7, router = 0.2 }
"""


@pytest.fixture
def bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A small bank, the first of the list."""
    folder = tmp_path / "question_banks"
    folder.mkdir()
    (folder / "aa-faults.toml").write_text(SMALL_BANK, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return "aa-faults"


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Trials that go on for ever after their first figures; one entry for each slice."""
    slices: list[int] = []
    work = bank_trial.BankTrial.work

    def work_until_the_first_figures(trial: bank_trial.BankTrial, seconds: float) -> bank_trial.TrialProgress:
        slices.append(trial.number)
        return work(trial, 0.0) if not trial.evaluation.finished_lines else trial.report()

    monkeypatch.setattr(bank_trial.BankTrial, "work", work_until_the_first_figures)
    return slices


def trial_of(operator: Operator) -> TrialScreen:
    assert isinstance(operator.app.screen, TrialScreen)
    return operator.app.screen


async def open_trial(operator: Operator, bank: str) -> None:
    """Mark the bank and try it; do not wait for the trial."""
    await operator.type(bank)
    await operator.pilot.press("f6")
    while not (isinstance(operator.app.screen, TrialScreen) and operator.app.screen.progress):
        await operator.pilot.pause()


async def test_the_last_figures_are_those_of_the_command(tmp_path: Path, bank: str) -> None:
    expected = evaluation_view(evaluate_bank(load_bank(bank), None, EvaluationOptions()))
    async with at_the_screen(tmp_path, bank=None) as operator:
        await operator.type(bank)
        await operator.press("f6")
        screen = trial_of(operator)
        assert screen.has_ended
        assert screen.figures == expected
        assert screen.progress is not None
        assert screen.progress.held == screen.progress.interviews
        assert "Try: Two faults" in operator.text


async def test_a_trial_is_complete_only_when_the_figures_of_its_last_line_are_there(bank: str) -> None:
    planning = plan_stepwise(load_bank(bank), None, EvaluationOptions(most=12))
    trial = bank_trial.BankTrial(1, StepwiseEvaluation(planning))
    lines = 0
    while not (progress := trial.work(0)).is_complete:
        lines = len(progress.figures.tables[0].rows) if progress.figures else lines
    assert progress.held == progress.interviews
    assert progress.figures is not None
    assert len(progress.figures.tables[0].rows) == lines + 2  # the last line, and asking everything
    assert trial.work(0).figures is None


async def test_stop_keeps_the_finished_lines(tmp_path: Path, bank: str, endless: list[int]) -> None:
    async with at_the_screen(tmp_path, bank=None) as operator:
        await open_trial(operator, bank)
        screen = trial_of(operator)
        while screen.figures is None:
            await operator.pilot.pause()
        await operator.press("s")  # waits until no slice is asked for any more
        assert screen.has_ended
        assert "Stopped after" in operator.text
        assert [row[0] for row in screen.figures.tables[0].rows] == ["lookahead-learn"]
        await operator.press("s")
        assert "It has ended." in operator.text


async def test_leaving_ends_the_trial(tmp_path: Path, bank: str, endless: list[int]) -> None:
    async with at_the_screen(tmp_path, bank=None) as operator:
        await open_trial(operator, bank)
        await operator.press("escape")
        assert operator.screen == "HomeScreen"
        assert operator.backend.trial is None


async def test_other_work_comes_between_two_slices(tmp_path: Path, bank: str, endless: list[int]) -> None:
    async with at_the_screen(tmp_path, bank=None) as operator:
        await open_trial(operator, bank)
        before = len(endless)
        await operator.app.worker.run(Backend.team_status)
        assert len(endless) - before <= 2  # the slice that was going on, and one that was asked for already
        await operator.press("escape")


def test_a_slice_ends_after_its_time_with_one_step_at_least(
    bank: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = EvaluationOptions(most=12)
    steps = sum(1 for _ in StepwiseEvaluation(plan_stepwise(load_bank(bank), None, options)).steps())
    now = [0.0]
    monkeypatch.setattr(bank_trial, "monotonic", lambda: now.__setitem__(0, now[0] + 1.0) or now[0])
    planning = plan_stepwise(load_bank(bank), None, options)
    trial = bank_trial.BankTrial(1, StepwiseEvaluation(planning))
    slices = 1
    while not trial.work(3.0).is_complete:
        slices += 1
    assert slices == -(-steps // 3) + (steps % 3 == 0)


async def test_a_trial_that_another_one_has_replaced_goes_no_further(tmp_path: Path, bank: str) -> None:
    backend = Backend(InterviewOptions(state_dir=str(tmp_path)))
    first = bank_trial.begin_trial(backend, bank)
    second = bank_trial.begin_trial(backend, bank)
    assert bank_trial.continue_trial(backend, first.number) is None
    bank_trial.end_trial(backend, first.number)
    assert bank_trial.continue_trial(backend, second.number) is not None


async def test_a_bank_made_from_rows_beside_it_is_tried_by_folds(tmp_path: Path) -> None:
    from odm_tui.banks.authoring.importing import import_bank

    data = tmp_path / "cases.csv"
    data.write_text("a,b,outcome\n" + "1,x,one\n0,y,two\n1,y,one\n0,x,two\n" * 5, encoding="utf-8")
    file = tmp_path / "cases.toml"
    file.write_text(import_bank(data, "outcome").text, encoding="utf-8")
    async with at_the_screen(tmp_path, bank=str(file)) as operator:
        await operator.press("escape")
        await operator.type("cases")
        await operator.press("f6")
        figures = trial_of(operator).figures
        assert figures is not None
        assert figures.summary.startswith("20 rows in 10 folds")
        await operator.press("escape")
        data.write_text("a,b,outcome\n1,x,one\n0,y,two\n", encoding="utf-8")
        await operator.press("f6")
        figures = trial_of(operator).figures
        assert figures is not None
        assert "simulated" in figures.summary


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (100, 32), (140, 40), (200, 60)])
async def test_nothing_is_cut_at_any_size(tmp_path: Path, bank: str, size: tuple[int, int]) -> None:
    async with at_the_screen(tmp_path, bank=None, size=size) as operator:
        await operator.type(bank)
        await operator.press("f6")
        screen = trial_of(operator)
        assert screen.figures is not None
        page = screen.query_one(VerticalScroll)
        shown = screen.query_one("#figures", Static)
        lines = str(shown.content).split("\n")
        assert max(map(cell_len, lines)) <= shown.content_size.width
        assert shown.region.right <= page.region.right
        assert page.max_scroll_x == 0
        assert_whole(screen.figures, lines)
        await operator.press("end")
        await operator.pilot.pause()
        assert lines[-1] in operator.text


def assert_whole(view: EvaluationView, lines: list[str]) -> None:
    text = "\n".join(lines)
    assert "…" not in text
    for table in view.tables:
        for cell in (*table.header, *(cell for row in table.rows for cell in row)):
            assert cell in text


@pytest.mark.parametrize("width", [46, 54, 74, 94, 120])
def test_long_names_are_broken_and_never_cut(width: int) -> None:
    rows = tuple((f"outcome-{'x' * n}", f"taken-for-{'y' * n}", f"{n}", "100 %") for n in (1, 30, 64))
    table = TextTable(
        "T", ("outcome", "taken for", "times", "of its interviews"), rows, "A note. " * 30, names=2
    )
    lines = lay_out_table(table, width)
    assert max(cell_len(line.text) for line in lines) <= width
    assert "".join(line.text for line in lines).count("y") >= 95
    drawn = draw_figures(EvaluationView("t", "s " * 200, ("n" * 300,), (table,), ()), width)
    assert max(cell_len(line.plain) for line in drawn) <= width


async def test_a_bank_with_a_mistake_cannot_be_tried(tmp_path: Path, bank: str) -> None:
    (tmp_path / "question_banks" / "ab-broken.toml").write_text("format = 1\n", encoding="utf-8")
    async with at_the_screen(tmp_path, bank=None) as operator:
        await operator.type("ab-broken")
        await operator.press("f6")
        assert operator.screen == "HomeScreen"
        assert "can't be tried" in operator.text
