"""An operator's day: cases, red flags, the inbox, and keys that do nothing without a word."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events
from textual.widgets import OptionList

from odm_tui.banks import load_bank
from odm_tui.session import Archive, Session
from odm_tui.tui.command_palette import available_commands
from odm_tui.tui.key_guard import KeyGuard
from odm_tui.tui.screens.decision import DecisionScreen
from odm_tui.tui.screens.interview import InterviewScreen
from odm_tui.tui.widgets.belief_bars import BeliefBars
from odm_tui.tui.widgets.number_entry import NumberEntry
from tests.support.terminal.driving import BANK, SIZES, Operator, at_the_screen


def footer(operator: Operator) -> str:
    return operator.text.splitlines()[-1]


async def pick(operator: Operator, words: str) -> None:
    await operator.press("o")
    await operator.type(words)
    await operator.press("enter")


async def test_backspace_edits_a_number_and_never_takes_an_answer_back(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("question_mark")
        await pick(operator, "ping")
        await operator.press("4", "2", "backspace")
        assert operator.app.screen.query_one(NumberEntry).typed == "4"
        await operator.press("backspace", "backspace", "backspace")
        assert operator.question == "ping"
        assert len(operator.session.steps) == 1
        assert "The number is empty" in footer(operator)


async def test_keys_of_a_number_count_in_the_order_in_which_they_were_typed(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await pick(operator, "ping")
        for key in ("4", "2", "backspace", "backspace", "1", "7", "backspace", "9"):
            operator.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await operator.settle()
        assert operator.app.screen.query_one(NumberEntry).typed == "19"


async def test_another_key_can_erase_digits(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, keys={"interview.erase": "delete"}) as operator:
        await pick(operator, "ping")
        await operator.press("4", "2", "delete")
        assert operator.app.screen.query_one(NumberEntry).typed == "4"


@pytest.mark.parametrize(
    ("picked", "key", "word"),
    [
        ("colour", "y", "answered with 1 to"),
        ("light on the router", "2", "answered with y or n"),
        ("ping", "y", "answered with a number"),
        ("light on the router", "a", "There is no answer yet"),
    ],
)
async def test_a_key_that_does_not_fit_the_question_gets_a_quiet_word(
    tmp_path: Path, picked: str, key: str, word: str
) -> None:
    async with at_the_screen(tmp_path) as operator:
        await pick(operator, picked)
        await operator.press(key)
        assert word in footer(operator)
        assert not operator.session.steps


async def test_a_key_that_came_too_soon_gets_a_quiet_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at_the_screen(tmp_path) as operator:
        monkeypatch.setattr(KeyGuard, "ANSWER_DELAY", 60.0)
        await operator.press("question_mark")
        assert "too soon" in footer(operator)


async def test_resume_with_nothing_waiting_and_a_filter_without_a_match_get_a_quiet_word(
    tmp_path: Path,
) -> None:
    async with at_the_screen(tmp_path, bank=None) as operator:
        await operator.press("ctrl+r")
        assert "No unfinished interview" in footer(operator)
        await operator.type("zzz")
        assert "Nothing matches “zzz”" in footer(operator)
        await operator.press("enter")
        assert operator.screen == "HomeScreen"
        await operator.press("escape")
        assert "Start" in footer(operator)


async def test_an_unknown_bank_is_told_in_a_sentence_and_the_program_ends(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="nope") as operator:
        assert "Unknown bank 'nope'" in operator.app.exit_message
        assert operator.app.return_code == 65


async def test_escape_closes_why_before_it_leaves_the_interview(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("question_mark", "w")
        assert " → " in operator.text
        await operator.press("escape")
        assert operator.screen == "InterviewScreen"
        assert " → " not in operator.text
        await operator.press("escape")
        assert operator.screen == "HomeScreen"


async def test_after_leaving_enter_starts_the_next_call_of_the_same_bank(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="led") as operator:
        await operator.press("y")
        first = operator.session.id
        await operator.press("escape", "enter")
        assert operator.screen == "InterviewScreen"
        assert operator.session.bank.name == "led"
        assert operator.session.id != first


async def test_the_bank_that_was_used_last_is_marked_at_the_next_start(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="lung") as operator:
        await operator.press("question_mark", "d", "C")
    async with at_the_screen(tmp_path, bank=None) as operator:
        assert "› Lung nodule" in operator.text


async def test_a_guess_is_not_confirmed_by_enter(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("question_mark", "d")
        assert "Not certain. Best guess:" in operator.text
        assert "Confirm later" in operator.text
        await operator.press("enter")
        assert "Which outcome was it?" in operator.text
        await operator.press("escape")
        assert not operator.session.has_ended
        await operator.press("C")
        assert operator.screen == "SummaryScreen"


async def test_a_case_is_shown_and_found_again_in_the_inbox_by_its_reference(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("question_mark", "c")
        await operator.type("T-4711")
        await operator.press("tab")
        await operator.type("angry cat")
        await operator.press("enter")
        assert "Router desk · T-4711" in operator.text
        await operator.press("d", "l")
        interview = Archive.of(load_bank(BANK), tmp_path).history()[0]
        assert (interview.case, interview.note, interview.status) == ("T-4711", "angry cat", "pending")
        await operator.type("4711")
        assert "› ? T-4711" in operator.text
        await operator.press("enter")
        assert operator.screen == "DecisionScreen"
        assert operator.session.id == interview.interview


async def test_arrows_reach_the_inbox_and_enter_resumes(tmp_path: Path) -> None:
    session = Session.start(load_bank("led"), tmp_path, seed=2, operator="tester", case="A-1")
    session.answer("yes")
    session.leave()
    async with at_the_screen(tmp_path, bank=None) as operator:
        await operator.press("tab")
        assert "› … A-1" in operator.text
        await operator.press("down", "up", "enter")
        assert operator.session.id == session.id


@pytest.mark.parametrize("size", SIZES.values())
async def test_a_red_flag_ends_the_interview_and_its_advice_stands_above_everything(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with at_the_screen(tmp_path, "troubleshooting", size) as operator:
        await operator.press("2")
        if operator.question != "bulge":
            await pick(operator, "bulge")
        await operator.press("y")
        assert operator.screen == "DecisionScreen"
        top = " ".join(" ".join(operator.text.splitlines()[1:6]).split())
        assert "Swollen battery" in top
        assert "switch it off now" in top


async def test_the_copied_call_has_case_answers_outcome_and_advice(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await pick(operator, "light on the router")
        await operator.press("y", "c")
        await operator.type("T-1")
        await operator.press("enter", "d", "y")
        copied = operator.app.clipboard
        assert "case T-1" in copied
        assert "Yes" in copied
        assert "Best guess, not certain: Fault on the line" in copied
        assert (tmp_path / "call-summary.txt").read_text() == copied
        await operator.press("C", "y")
        assert "Confirmed: " in operator.app.clipboard


async def test_what_the_caller_said_is_found_by_words_and_taken_as_an_answer(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("slash")
        await operator.type("red")
        await operator.press("enter")
        (step,) = operator.session.steps
        assert (step.question.id, step.answer) == ("colour", "red")


async def test_other_questions_are_listed_with_usefulness_and_cost(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("o")
        assert "useful" in operator.text
        assert "shown now" in operator.text


async def test_runners_up_are_shown_with_their_advice_and_can_be_confirmed(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("question_mark", "d", "tab")
        assert "Runners-up" in operator.text
        decided = operator.session.decision
        assert decided is not None
        await operator.press("enter")
        record = Archive.of(load_bank(BANK), tmp_path).history()[0]
        assert record.outcome not in (None, decided.outcome.id)


async def test_evidence_says_which_answers_speak_for_the_likeliest_outcome(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("e")
        assert "There is no answer yet" in footer(operator)
        await pick(operator, "light on the router")
        await operator.press("n", "e")
        assert "What speaks for" in operator.text
        assert "light on the router" in operator.text


async def test_undo_takes_back_a_pick_and_says_so(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        first = operator.question
        await pick(operator, "ping")
        await operator.press("u")
        assert operator.question == first
        assert "Taken back: the pick of another question" in operator.text


async def test_a_confirmation_is_taken_back_from_the_summary(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("question_mark", "d", "C", "u")
        assert operator.screen == "DecisionScreen"
        assert Archive.of(load_bank(BANK), tmp_path).read_snapshot().counts.interviews == 0


async def test_after_a_confirmation_was_taken_back_only_what_works_is_offered(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("y", "d", "C", "u")
        assert "Ask on" not in operator.text
        assert "Later" not in footer(operator)
        for key in ("m", "t", "l", "u", "c"):
            await operator.press(key)
            assert "The confirmation was taken back: confirm an outcome, or leave it." in footer(operator)
        await operator.press("escape")
        assert operator.screen == "HomeScreen"
        assert "nothing is learned. History (F3)" in operator.text
        await operator.press("f3")
        assert "retracted" in operator.text
        await operator.press("c", "enter")
        assert Archive.of(load_bank(BANK), tmp_path).read_snapshot().counts.interviews == 1


async def test_advice_that_did_not_help_leads_to_the_next_outcome(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("question_mark", "d")
        first = operator.session.decision
        await operator.press("t")
        second = operator.session.decision
        assert first is not None
        assert second is None or second.outcome.id != first.outcome.id
        assert len(operator.session.steps) == 1


async def test_the_settings_say_when_questions_are_asked_in_order_to_learn(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        assert operator.session.interview.policy.spec().get("explore") is None
        await operator.press("f5")
        choices = operator.app.screen.query_one("#explore", OptionList)
        choices.focus()
        choices.highlighted = 3
        await operator.press("enter")
        assert "explore is never" in operator.text
        await operator.press("escape", "escape", "enter")
        assert operator.session.interview.policy.spec()["explore"] == "never"
    assert 'explore = "never"' in (tmp_path / "config.toml").read_text()


async def test_the_palette_lists_what_an_operator_wants_first_and_the_answers_last(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        names = [action.id for action in available_commands(operator.app.screen, operator.app)]
        assert names[:2] == ["interview.why", "interview.decide"]
        assert set(names[-4:]) >= {"interview.dont-know", "interview.skip"}
        assert len(names) == len(set(names))


async def test_a_large_screen_compares_more_questions_and_shows_the_runners_up(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="troubleshooting", size=SIZES["large"]) as operator:
        await operator.press("2", "n")
        lines = operator.text.splitlines()
        assert sum("▸ " in line for line in lines) == 1
        last = next(at for at, line in enumerate(lines) if "Why this question" in line)
        assert sum(line[:4] == "    " and line[4:5].isalpha() for line in lines[last:]) >= 7
        await operator.press("d")
        assert isinstance(operator.app.screen, DecisionScreen)
        for one in operator.app.screen.decision.runners_up:
            assert one.label in operator.text
            assert one.advice[:40] in operator.text


async def test_no_other_advice_stands_below_a_red_flag(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="troubleshooting", size=SIZES["large"]) as operator:
        await operator.press("2", "y")
        assert "switch it off now" in operator.text
        assert "What else it may be" not in operator.text


async def test_answers_are_whole_where_there_is_room(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="troubleshooting") as operator:
        await operator.press("2", "n")
        side = " ".join(" ".join(line[48:].split()) for line in operator.text.splitlines())
        assert "Does the back bulge, or is the screen lifting at an edge? No" in side
        assert "Battery or charging" in side


async def test_the_chosen_question_is_the_best_by_the_last_column_of_the_reason(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="troubleshooting", size=(100, 40)) as operator:
        await operator.press("2", "n", "w", "w")
        lines = operator.text.splitlines()
        head = next(at for at, line in enumerate(lines) if "Why this question" in line)
        assert lines[head].split()[-1] == "net"
        table = [line for line in lines[head + 1 :] if "→" not in line][:3]
        net = [float(line.split()[-1]) for line in table]
        assert "▸" in table[0]
        assert net[0] == max(net)
        assert net[0] > net[1]


def hold(folder: Path, case: str, confirm: bool) -> None:
    session = Session.start(load_bank(BANK), folder, seed=1, operator="tester", case=case)
    session.answer("yes")
    session.stop()
    if confirm:
        session.confirm(load_bank(BANK).outcomes[0].id)
    session.leave()


async def test_a_past_interview_is_found_by_its_case_reference(tmp_path: Path) -> None:
    for number in range(3):
        hold(tmp_path, f"T-10{number}", confirm=number != 1)
    async with at_the_screen(tmp_path) as operator:
        await operator.press("f3")
        assert "T-102" in operator.text
        await operator.press("slash")
        await operator.type("t-101")
        assert "1 of 3 interviews" in operator.text
        assert "T-102" not in operator.text
        await operator.press("enter", "enter")
        assert operator.screen == "ReplayScreen"
        assert "T-101" in operator.text.splitlines()[0]
        await operator.press("escape", "slash")
        await operator.type("zz")
        assert "Nothing matches" in footer(operator)
        await operator.press("escape")
        assert "3 interviews" in operator.text
        await operator.press("escape")
        assert operator.screen == "InterviewScreen"


async def test_the_summary_sells_the_learning_and_never_says_that_nothing_moved(tmp_path: Path) -> None:
    for number in range(4):
        hold(tmp_path, f"T-10{number}", confirm=True)
    async with at_the_screen(tmp_path) as operator:
        await operator.press("y", "d", "C")
        assert operator.screen == "SummaryScreen"
        assert "1 question, your average is 1" in operator.text
        for line in operator.text.splitlines():
            before, arrow, after = line.partition("→")
            if arrow and "now" not in after:
                assert before.split()[-2:] != after.split()[:2]


async def test_the_footer_says_what_enter_does_with_a_guess(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("d")
        assert "Choose outcome" in operator.text
        assert "Enter Choose" in footer(operator)
        assert "Enter Confirm" not in footer(operator)


async def test_the_words_of_a_caller_find_an_answer_even_misspelt(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="troubleshooting") as operator:
        await operator.press("2", "n", "slash")
        await operator.type("hott charging")
        marked = next(line for line in operator.text.splitlines() if "› " in line)
        assert "too hot to hold while it charges" in marked
        await operator.press("enter")
        assert "Taken as an answer" in operator.text
        assert "hot" in operator.session.bank.questions[operator.session.interview.steps[-1].question].text


async def test_the_evidence_goes_through_the_likeliest_outcomes(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("y", "e")
        view = operator.app.screen_stack[-2]
        assert isinstance(view, InterviewScreen)
        assert view.view is not None
        first, second = view.view.bars[:2]
        assert f"What speaks for {first.label}" in operator.text
        await operator.press("right")
        assert f"What speaks for {second.label}" in operator.text
        await operator.press("left", "left", "right")
        assert f"What speaks for {first.label}" in operator.text


async def test_a_click_on_a_bar_shows_the_evidence_for_that_outcome(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="home-network") as operator:
        await operator.click(operator.app.screen.query_one(BeliefBars), offset=(2, 2))
        assert "There is no answer yet" in footer(operator)
        await operator.press("2")
        bars = operator.app.screen.query_one(BeliefBars)
        lines = operator.text.splitlines()
        top = next(at for at, line in enumerate(lines) if line.strip().startswith("Likely"))
        second = bars.bars[1].label
        row = next(at for at, line in enumerate(lines) if at > top and second[:20] in line)
        await operator.click(bars, offset=(2, row - top))
        assert f"What speaks for {second}" in operator.text


async def test_no_key_of_the_screen_below_a_dialog_is_in_the_footer(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="troubleshooting") as operator:
        await operator.press("o")
        assert "Why" not in footer(operator)
        assert "Decide" not in footer(operator)
        assert "^Q Leave" in footer(operator)
        await operator.press("escape")
        assert "w Why" in footer(operator)


async def test_an_own_pick_is_never_said_to_be_asked_to_learn(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="home-network") as operator:
        await operator.press("2")
        await pick(operator, "speed")
        assert "your own pick" in operator.text
        assert "◆" not in operator.text
        await operator.press("w", "w")
        assert "partly to learn" not in operator.text
        assert "the best would be" in operator.text


async def test_the_line_of_the_reason_always_says_what_the_question_costs(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="home-network", size=SIZES["small"]) as operator:
        await operator.press("2")
        line = next(line for line in operator.text.splitlines() if line.strip()[:1] in "◆◇" and line.strip())
        assert "…" in line
        assert " s" in line.split("…")[-1]


async def test_a_word_about_a_key_goes_when_the_next_question_comes(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await pick(operator, "colour")
        await operator.press("y")
        assert "answered with 1 to" in footer(operator)
        await pick(operator, "ping")
        assert "answered with" not in footer(operator)


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
async def test_every_way_on_from_a_decision_is_whole(tmp_path: Path, size: tuple[int, int]) -> None:
    async with at_the_screen(tmp_path, bank="home-network", size=size) as operator:
        await operator.press("2", "d")
        assert isinstance(operator.app.screen, DecisionScreen)
        for way in operator.app.screen._choices:
            assert way.label in operator.text


async def test_a_copied_guess_says_that_it_is_one(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("question_mark", "d", "y")
        text = (tmp_path / "call-summary.txt").read_text()
        assert "Best guess, not certain: " in text
        assert "Not confirmed yet" in text
        await operator.press("C", "y")
        text = (tmp_path / "call-summary.txt").read_text()
        assert "\nConfirmed: " in text
        assert "Not confirmed" not in text


async def test_enter_twice_does_not_confirm_a_guess(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("question_mark", "d")
        await operator.press("enter")
        assert operator.screen == "FilterListDialog"
        monkeypatch.setattr(operator.app.screen, "_delay", 60.0)
        await operator.press("enter")
        assert operator.screen == "FilterListDialog"
        assert "too soon" in operator.text
        monkeypatch.setattr(operator.app.screen, "_delay", 0.0)
        await operator.press("enter")
        assert operator.screen == "SummaryScreen"


async def test_a_red_flag_leaves_the_decision_its_whole_width(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="troubleshooting", size=SIZES["small"]) as operator:
        await operator.press("2", "y")
        assert operator.app.screen.query_one("#flag").display
        assert operator.app.screen.query_one("#body").region.width == SIZES["small"][0]


async def test_the_history_has_room_for_outcomes_at_every_width(tmp_path: Path) -> None:
    hold(tmp_path, "T-100", confirm=True)
    async with at_the_screen(tmp_path, size=SIZES["small"]) as operator:
        await operator.press("f3")
        line = next(line for line in operator.text.splitlines() if "T-100" in line)
        assert "✓" in line
        assert load_bank(BANK).outcomes[0].label in line


async def test_enter_in_the_list_of_pending_outcomes_opens_the_decision(tmp_path: Path) -> None:
    hold(tmp_path, "T-7", confirm=False)
    async with at_the_screen(tmp_path) as operator:
        await operator.press("escape", "ctrl+o")
        assert operator.screen == "HistoryScreen"
        assert "Enter Decision" in footer(operator)
        await operator.press("enter")
        assert operator.screen == "DecisionScreen"
        assert "T-7" in operator.text.splitlines()[0]
