"""The interview screen, by keyboard and by mouse."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.widgets import Static

from odm_tui.banks import load_bank
from odm_tui.errors import CannotWrite, Locked
from odm_tui.interview_options import InterviewOptions
from odm_tui.session import Archive, Session
from odm_tui.tui.app import OdmApp
from odm_tui.tui.config import Config
from odm_tui.tui.key_guard import KeyGuard
from odm_tui.tui.widgets.answer_pad import AnswerButton
from odm_tui.tui.widgets.key_bar import KeyBar
from odm_tui.tui.widgets.number_entry import NumberEntry
from odm_tui.tui.worker.backend import Backend
from odm_tui.tui.worker.client import ThreadWorker
from tests.support.terminal.driving import BANK, SIZES, Operator, at_the_screen


async def to_number(operator: Operator) -> None:
    """Go to the number question by picking it."""
    await operator.press("o")
    await operator.type("ping")
    await operator.press("enter")
    assert operator.question == "ping"


async def test_the_first_question_is_asked_at_once(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        assert operator.session.question is not None
        assert operator.session.question.text[:20] in operator.text
        assert "Loose cable" in operator.text


async def test_an_answer_is_on_disk_when_the_next_question_shows(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        first = operator.question
        await operator.press("y" if first != "colour" else "1")
        assert operator.question != first
        events = [
            e.name for e in Archive.of(load_bank(BANK), tmp_path).read_interview(operator.session.id).events
        ]
        assert "answered" in events


async def test_undo_takes_the_last_answer_back(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        first = operator.question
        await operator.press("question_mark", "u")
        assert operator.question == first
        assert operator.session.steps == ()


async def test_backspace_undoes_too(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        first = operator.question
        await operator.press("question_mark", "backspace")
        assert operator.question == first


async def test_an_earlier_answer_can_be_changed(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("o")
        await operator.type("light on the router")
        await operator.press("enter", "y", "question_mark")
        assert operator.session.steps[0].answer == "yes"
        await operator.press("a", "up", "enter", "n")
        assert operator.session.steps[0].answer == "no"
        assert len(operator.session.steps) == 2
        assert "Answer 1 was changed" in operator.text


async def test_escape_leaves_an_earlier_answer_as_it_was(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("question_mark", "a", "enter", "escape")
        assert operator.session.steps[0].kind == "unknown"


async def test_a_number_is_typed_with_digits_and_enter(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await to_number(operator)
        await operator.press("4", "2", "full_stop", "5", "enter")
        assert operator.session.steps[-1].answer == 42.5


async def test_a_number_out_of_range_is_not_taken(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await to_number(operator)
        await operator.press("9", "9", "9", "9", "enter")
        assert operator.question == "ping"
        assert "outside 0 to 5000" in operator.text
        assert operator.session.steps == ()


async def test_backspace_takes_a_digit_back_before_it_takes_an_answer_back(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("question_mark")
        await to_number(operator)
        await operator.press("9", "backspace", "7", "enter")
        assert operator.session.steps[-1].answer == 7
        assert len(operator.session.steps) == 2


async def test_letters_keep_their_meaning_while_a_number_is_typed(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await to_number(operator)
        await operator.press("9", "question_mark")
        assert operator.session.steps[-1].kind == "unknown"


async def test_a_choice_is_made_by_its_digit(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("o")
        await operator.type("colour")
        await operator.press("enter", "2")
        assert operator.session.steps[-1].answer == "red"


async def test_dont_know_to_the_end_comes_to_a_decision(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        for _ in range(5):
            await operator.press("question_mark")
        assert operator.screen == "DecisionScreen"
        assert "Loose cable" in operator.text


async def test_a_skipped_question_is_not_asked_again(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        first = operator.question
        await operator.press("s")
        assert first not in [q.id for q in operator.session.available]


async def test_another_question_can_be_picked(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await to_number(operator)
        assert "your own pick" in operator.text


async def test_a_confirmed_outcome_is_summed_up_and_the_next_interview_is_one_key_away(
    tmp_path: Path,
) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("question_mark", "d", "C")
        assert operator.screen == "SummaryScreen"
        assert "Confirmed" in operator.text
        await operator.press("enter")
        assert operator.screen == "InterviewScreen"
        assert "question 1" in operator.text


async def test_another_outcome_is_found_by_typing(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("d", "o")
        await operator.type("login")
        await operator.press("enter")
        assert "Account or login" in operator.text
        records = Archive.of(load_bank(BANK), tmp_path).history()
        assert records[0].outcome == "account"


async def test_the_key_of_an_answer_pressed_once_too_often_confirms_nothing(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("d", "y", "n", "1", "2", "question_mark", "s")
        assert Archive.of(load_bank(BANK), tmp_path).history()[0].status == "pending"


async def test_none_of_these_is_confirmed_and_teaches_nothing(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("d", "N")
        assert "none of the outcomes" in operator.text
        archive = Archive.of(load_bank(BANK), tmp_path)
        assert archive.history()[0].status == "confirmed"
        assert archive.read_snapshot().counts.interviews == 0


async def test_later_leaves_the_outcome_pending_and_it_can_be_confirmed_from_there(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("question_mark", "d", "l")
        assert operator.screen == "HomeScreen"
    async with at_the_screen(tmp_path, bank=None) as operator:
        operator.app.push_screen(_history(operator))
        await operator.settle()
        assert "pending" in operator.text
        await operator.press("c", "enter")
        assert Archive.of(load_bank(BANK), tmp_path).history()[0].status == "confirmed"


def _history(operator: Operator) -> Any:
    from odm_tui.tui.screens.history import HistoryScreen

    return HistoryScreen(operator.app.worker, BANK, pending=True)


async def test_undo_leads_back_from_the_decision(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("d", "u")
        assert operator.screen == "InterviewScreen"
        assert operator.session.decision is None


async def test_an_answer_can_be_changed_at_the_decision(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("o")
        await operator.type("bill")
        await operator.press("enter", "y", "d", "a", "enter", "n")
        assert operator.session.steps[0].answer == "no"


async def test_abandoning_asks_first_and_teaches_nothing(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("x", "escape")
        assert operator.screen == "InterviewScreen"
        await operator.press("x", "down", "enter")
        assert operator.screen == "HomeScreen"
        assert Archive.of(load_bank(BANK), tmp_path).history()[0].status == "abandoned"


@pytest.mark.parametrize("key", ["ctrl+c", "ctrl+q"])
async def test_leaving_keeps_the_answers(tmp_path: Path, key: str) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("question_mark")
        await operator.pilot.press(key)
    (record,) = Archive.of(load_bank(BANK), tmp_path).unfinished()
    assert record.questions == 1


async def test_an_interrupted_interview_is_offered_and_resumed_at_its_question(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("question_mark")
        asked, interview = operator.question, operator.session.id
        await operator.pilot.press("ctrl+q")
    async with at_the_screen(tmp_path) as operator:
        assert "is unfinished" in operator.text
        await operator.press("enter")
        assert (operator.question, operator.session.id) == (asked, interview)


async def test_an_interrupted_interview_of_another_case_is_not_offered(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, case="T-1") as operator:
        await operator.press("question_mark")
        await operator.pilot.press("ctrl+q")
    async with at_the_screen(tmp_path, case="T-2") as operator:
        assert "is unfinished" not in operator.text
    async with at_the_screen(tmp_path, case="T-1") as operator:
        assert "is unfinished" in operator.text


async def test_an_interrupted_interview_can_be_left_for_a_new_one(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        interview = operator.session.id
        await operator.pilot.press("ctrl+q")
    async with at_the_screen(tmp_path) as operator:
        await operator.press("down", "enter")
        assert operator.session.id != interview


async def test_the_why_panel_shows_three_questions_and_closes_again(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("w")
        assert " → " in operator.text
        await operator.press("w")
        assert "Why this question" in operator.text
        assert "usefulness" in operator.text
        await operator.press("w")
        assert "Why this question" not in operator.text


async def test_the_mouse_alone_is_enough(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        target = next(t for t in operator.app.screen.query(AnswerButton) if t.reply.id == "unknown")
        await operator.click(target)
        assert len(operator.session.steps) == 1
        bar = operator.app.screen.query_one(KeyBar)
        undo = next(at for at, hint in enumerate(bar.hints) if hint.label == "Undo")
        await operator.click(bar, (1 + sum(hint.width for hint in bar.hints[:undo]), 0))
        assert len(operator.session.steps) == 0


async def test_tab_and_enter_give_an_answer_but_enter_alone_gives_none(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        first = operator.question
        await operator.press("enter")
        assert operator.question == first
        await operator.press("tab", "enter")
        assert len(operator.session.steps) == 1


async def test_a_full_disk_is_told_and_the_interview_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at_the_screen(tmp_path) as operator:
        first = operator.question

        def full(self: Session) -> None:
            raise CannotWrite("The disk is full; make room, then press the key again.")

        with monkeypatch.context() as patch:
            patch.setattr(Session, "dont_know", full)
            await operator.press("question_mark")
        assert "The disk is full" in operator.text
        assert operator.question == first
        await operator.press("question_mark")
        assert operator.question != first
        assert "The disk is full" not in operator.text


async def test_a_locked_state_is_told_and_the_decision_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("d")

        def locked(self: Session, outcome: str | None) -> None:
            raise Locked("Another process holds the state.")

        with monkeypatch.context() as patch:
            patch.setattr(Session, "confirm", locked)
            await operator.press("C")
        assert "Another process holds the state" in operator.text
        await operator.press("C")
        assert operator.screen == "SummaryScreen"


async def test_a_slow_disk_blocks_neither_the_screen_nor_lets_a_key_answer_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = threading.Event()
    real = Session.dont_know

    def waits(self: Session) -> None:
        slow.wait(10)
        real(self)

    async with at_the_screen(tmp_path) as operator:
        monkeypatch.setattr(Session, "dont_know", waits)
        await operator.pilot.press("question_mark")
        await operator.pilot.press("question_mark", "s")
        await operator.pilot.press("f1")
        await operator.pilot.pause()
        assert operator.screen == "HelpScreen"
        slow.set()
        await operator.settle()
        assert [step.kind for step in operator.session.steps] == ["unknown"]


async def test_resizing_loses_nothing(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await to_number(operator)
        await operator.press("4", "2")
        for size in SIZES.values():
            await operator.pilot.resize_terminal(*size)
            await operator.settle()
            assert "42" in operator.text
            assert "What does the ping page show?" in operator.text
        await operator.press("enter")
        assert operator.session.steps[-1].answer == 42


async def test_a_bank_that_can_not_be_read_is_told_in_a_sentence(tmp_path: Path) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text("format = 1\ntitle = 3\n")
    async with at_the_screen(tmp_path, bank=str(broken)) as operator:
        assert "title" in operator.app.exit_message
        assert operator.app.return_code == 65
        assert operator.backend.session is None


async def test_a_number_can_be_typed_with_the_mouse_alone(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await to_number(operator)
        entry = operator.app.screen.query_one(NumberEntry)
        for key in "42":
            await operator.click(entry, (2 + 2 * "1234567890".index(key), 2))
        assert entry.typed == "42"
        await operator.click(entry, (2 + 2 * 12, 2))
        assert operator.session.steps[-1].answer == 42


def copied(folder: Path) -> Path:
    """A copy of the bank in a file that the test may change."""
    bank = folder / "desk.toml"
    bank.write_text(Path(BANK).read_text())
    return bank


async def test_a_bank_that_changed_is_reported_with_the_next_interview(tmp_path: Path) -> None:
    bank = copied(tmp_path)
    async with at_the_screen(tmp_path, bank=str(bank)) as operator:
        bank.write_text(bank.read_text().replace("Router desk", "Another desk"))
        await operator.press("question_mark")
        assert "Router desk" in operator.text
        await operator.press("d", "C", "enter")
        assert "The bank's file has changed" in operator.text
        assert "Another desk" in operator.text


async def test_a_bank_that_was_broken_keeps_the_interview_and_is_reported_at_the_next(
    tmp_path: Path,
) -> None:
    bank = copied(tmp_path)
    async with at_the_screen(tmp_path, bank=str(bank)) as operator:
        bank.write_text("format = 1")
        await operator.press("question_mark", "d", "C")
        assert operator.screen == "SummaryScreen"
        await operator.press("enter")
        assert "title" in operator.text
        assert operator.backend.session is None


@pytest.mark.parametrize("word", ["last", "prefix"])
async def test_an_interview_is_resumed_by_option(tmp_path: Path, word: str) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("question_mark")
        interview = operator.session.id
        await operator.pilot.press("ctrl+q")
    async with at_the_screen(tmp_path, resume=interview[:6] if word == "prefix" else word) as operator:
        assert operator.session.id == interview
        assert "question 2" in operator.text


async def test_losing_and_gaining_the_focus_of_the_terminal_changes_nothing(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await to_number(operator)
        await operator.press("4")
        operator.app.post_message(events.AppBlur())
        await operator.settle()
        operator.app.post_message(events.AppFocus())
        await operator.settle()
        await operator.press("2", "enter")
        assert operator.session.steps[-1].answer == 42


async def test_enter_pressed_twice_after_a_number_confirms_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(KeyGuard, "CONFIRM_DELAY", 60.0)
    async with at_the_screen(tmp_path) as operator:
        await operator.press("d")
        await operator.press("C", "enter", "N")
        assert operator.screen == "DecisionScreen"
        assert operator.session.decision is not None
        assert not operator.session.has_ended
        monkeypatch.setattr(KeyGuard, "CONFIRM_DELAY", 0.0)
        await operator.press("C")
        assert operator.screen == "SummaryScreen"
        monkeypatch.setattr(KeyGuard, "CONFIRM_DELAY", 60.0)
        await operator.press("enter")
        assert operator.screen == "SummaryScreen"


async def test_a_key_held_down_answers_one_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with at_the_screen(tmp_path) as operator:
        monkeypatch.setattr(KeyGuard, "ANSWER_DELAY", 60.0)
        await operator.press("?", "?", "?")
        assert not operator.session.steps
        monkeypatch.setattr(KeyGuard, "ANSWER_DELAY", 0.0)
        await operator.press("?")
        assert len(operator.session.steps) == 1


async def test_the_notice_of_a_bank_is_in_sight_with_every_question_and_the_decision(tmp_path: Path) -> None:
    for size in SIZES.values():
        async with at_the_screen(tmp_path / str(size), "breast-cancer", size) as operator:
            assert "Not for medical use." in " ".join(operator.text.split())
            await operator.press("d")
            assert operator.screen == "DecisionScreen"
            assert "Not for medical use." in " ".join(operator.text.split())


async def test_a_mistake_in_the_config_file_is_told_beside_the_first_question(tmp_path: Path) -> None:
    options = InterviewOptions(bank=BANK, state_dir=str(tmp_path), seed=1, operator="tester")
    config = Config(tmp_path / "config.toml", complaints=("The theme 'pink' is not known.",))
    app = OdmApp(ThreadWorker(options), "dark", config)
    try:
        async with app.run_test(size=SIZES["usual"]) as pilot:
            operator = Operator(app, pilot)
            await operator.settle()
            assert "The theme 'pink' is not known." in operator.text
    finally:
        app.worker.close()


async def test_what_does_not_fit_on_the_decision_can_be_scrolled_to(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, size=(60, 20)) as operator:
        await operator.press("d")
        verdict = operator.app.screen.query_one("#verdict")
        verdict.query_one("#advice", Static).update("advice\n" * 40)
        await operator.settle()
        await operator.press("pagedown")
        assert verdict.scroll_y > 0
        await operator.press("pageup")
        assert verdict.scroll_y == 0


async def test_with_why_open_on_a_small_screen_every_answer_is_in_sight(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, "home-network", (60, 20)) as operator:
        await operator.press("w")
        question = operator.session.question
        assert question is not None
        for answer in question.answers:
            assert answer.label in operator.text


async def test_the_buttons_show_the_keys_of_the_users_own_keymap(tmp_path: Path) -> None:
    keys = {"interview.yes": "j", "interview.dont-know": "k", "decision.enter": "ctrl+s"}
    async with at_the_screen(tmp_path, keys=keys) as operator:
        shown = {target.render().plain.split()[0] for target in operator.app.screen.query(AnswerButton)}
        assert {"j", "n", "k", "s"} <= shown
        await operator.press("y")
        assert not operator.session.steps
        await operator.press("j")
        assert len(operator.session.steps) == 1
        await operator.press("d")
        assert "^S" in operator.text


async def test_an_explanation_that_fails_is_reported_once_and_not_requested_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def refused(backend: Backend) -> None:
        asked.append(1)
        raise CannotWrite("The worker is gone.")

    async with at_the_screen(tmp_path) as operator:
        await operator.press("w")
        monkeypatch.setattr(Backend, "explain_question", refused)
        await operator.press("question_mark")
        assert len(asked) == 1
        assert "The worker is gone." in operator.text
