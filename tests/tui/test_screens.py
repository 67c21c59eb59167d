"""The screens around the interview: banks, history, replay, learned, help, palette, settings, themes."""

from __future__ import annotations

import re
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from textual.command import CommandList
from textual.widgets import Input, OptionList

from odm_tui.banks import load_bank
from odm_tui.errors import BadArgument
from odm_tui.interview_options import InterviewOptions
from odm_tui.session import Archive, Session
from odm_tui.tui import key_bindings
from odm_tui.tui.app import OdmApp
from odm_tui.tui.key_bindings import GROUPS
from odm_tui.tui.screens.history import HistoryScreen
from odm_tui.tui.screens.learned import LearnedLoaded, LearnedScreen
from odm_tui.tui.screens.replay import ReplayScreen
from odm_tui.tui.widgets.heat_map import HeatMap
from odm_tui.tui.worker.client import ThreadWorker
from tests.support.sample_banks.texts import BANK_WITH_VARIANTS
from tests.support.terminal.driving import BANK, Operator, at_the_screen


def held(folder: Path, outcome: str | None = "line", answers: int = 2, operator: str = "tester") -> str:
    """Run an interview without a screen; its id."""
    session = Session.start(load_bank(BANK), folder, seed=2, operator=operator)
    for _ in range(answers):
        question = session.question
        assert question is not None
        session.answer(250.0 if question.type == "number" else question.answers[-1].id)
    session.stop()
    if outcome is not None:
        session.confirm(outcome)
    session.leave()
    return session.id


async def test_the_banks_are_listed_and_filtered_by_typing(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank=None) as operator:
        assert "Mobile phone support" in operator.text
        assert "Charging stop" in operator.text
        await operator.type("charg")
        assert "Mobile phone support" not in operator.text
        await operator.press("enter")
        assert operator.screen == "InterviewScreen"
        assert operator.session.bank.name == "navigation"


async def test_escape_leads_back_to_the_banks_where_the_interview_stands_on_top(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="led") as operator:
        await operator.press("question_mark")
        interview = operator.session.id
        await operator.press("escape")
        assert operator.screen == "HomeScreen"
        assert "unfinished, 1 answer" in operator.text
        await operator.press("ctrl+r")
        assert operator.session.id == interview


async def test_a_pending_outcome_stands_on_top_and_opens_its_list(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="led") as operator:
        await operator.press("question_mark", "d", "l")
        assert "confirm: " in operator.text
        await operator.press("ctrl+o")
        assert operator.screen == "HistoryScreen"
        await operator.press("c", "enter", "escape")
        assert operator.screen == "HomeScreen"


async def test_a_bank_that_can_not_be_used_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "question_banks").mkdir()
    (tmp_path / "question_banks" / "zz-broken.toml").write_text("format = 1\n")
    monkeypatch.chdir(tmp_path)
    async with at_the_screen(tmp_path / "state", bank=None) as operator:
        await operator.type("zz-broken")
        await operator.press("enter")
        assert operator.screen == "HomeScreen"
        assert "title" in operator.text


async def on_history(operator: Operator) -> None:
    operator.app.push_screen(HistoryScreen(operator.app.worker, BANK))
    await operator.settle()


async def test_the_history_lists_interviews_and_corrects_an_outcome(tmp_path: Path) -> None:
    held(tmp_path, "line")
    async with at_the_screen(tmp_path, bank=None) as operator:
        await on_history(operator)
        assert "Fault on the line" in operator.text
        await operator.press("c")
        await operator.type("login")
        await operator.press("enter")
        assert "Corrected" in operator.text
        assert Archive.of(load_bank(BANK), tmp_path).history()[0].outcome == "account"


async def test_none_of_these_says_truly_that_nothing_is_learned(tmp_path: Path) -> None:
    held(tmp_path, None)
    async with at_the_screen(tmp_path, bank=None) as operator:
        await on_history(operator)
        await operator.press("c")
        await operator.type("none")
        await operator.press("enter")
        assert "nothing is learned from it." in operator.text
        assert "learned from." not in operator.text.replace("nothing is learned from it.", "")
        assert "none of these" in operator.text
    assert Archive.of(load_bank(BANK), tmp_path).read_snapshot().counts.interviews == 0


async def test_an_interview_corrected_to_none_reads_none_of_these(tmp_path: Path) -> None:
    held(tmp_path, "line")
    async with at_the_screen(tmp_path, bank=None) as operator:
        await on_history(operator)
        history = operator.app.screen
        assert isinstance(history, HistoryScreen)
        (row,) = history.rows
        await operator.press("c")
        await operator.type("none")
        await operator.press("enter")
        line = next(line for line in operator.text.splitlines() if "confirmed" in line)
        assert "none of these" in line
        assert row.decided not in line
        assert "nothing is learned from it any more" in operator.text


async def test_retracting_asks_first_and_takes_the_lesson_back(tmp_path: Path) -> None:
    held(tmp_path)
    archive = Archive.of(load_bank(BANK), tmp_path)
    async with at_the_screen(tmp_path, bank=None) as operator:
        await on_history(operator)
        await operator.press("r", "escape")
        assert archive.read_snapshot().counts.interviews == 1
        await operator.press("r", "down", "enter")
        assert archive.read_snapshot().counts.interviews == 0
        assert "retracted" in operator.text


async def test_a_past_interview_is_replayed_with_the_beliefs_as_they_were(tmp_path: Path) -> None:
    held(tmp_path, answers=2)
    async with at_the_screen(tmp_path, bank=None) as operator:
        await on_history(operator)
        await operator.press("enter")
        assert operator.screen == "ReplayScreen"
        assert "40 %" in operator.text  # the prior of the likeliest outcome, before any answer
        before = operator.text
        await operator.press("right")
        assert operator.text != before
        await operator.press("end")
        assert "Confirmed: Fault on the line" in operator.text
        await operator.press("home")
        assert operator.text.count("Started") == before.count("Started")


async def test_an_unfinished_interview_is_resumed_from_the_history(tmp_path: Path) -> None:
    session = Session.start(load_bank("led"), tmp_path, seed=2, operator="tester")
    session.dont_know()
    session.leave()
    async with at_the_screen(tmp_path, bank=None) as operator:
        operator.app.push_screen(HistoryScreen(operator.app.worker, "led"))
        await operator.settle()
        await operator.press("enter", "enter")
        assert operator.screen == "InterviewScreen"
        assert operator.session.id == session.id


async def test_learned_shows_heat_map_trend_and_telling_questions(tmp_path: Path) -> None:
    held(tmp_path)
    async with at_the_screen(tmp_path) as operator:
        await operator.press("f4")
        assert operator.screen == "LearnedScreen"
        assert "Loose cable: 30 %" in operator.text or "Loose cable: 3" in operator.text
        before = operator.text
        await operator.press("right", "down")
        assert operator.text != before
        await operator.press("2")
        assert "Right decisions" in operator.text
        await operator.press("3")
        assert "bits" in operator.text
        await operator.press("4")
        assert "said and right" in operator.text
        assert "shown now" in operator.text
        assert "decisions" in operator.text
        await operator.press("escape")
        assert operator.screen == "InterviewScreen"


async def test_learned_goes_through_the_operators_and_keeps_page_and_cell(tmp_path: Path) -> None:
    for operator_name in ("tester", "ben", "ben"):
        held(tmp_path, operator=operator_name)
    async with at_the_screen(tmp_path, operator="tester", size=(120, 40)) as operator:
        await operator.press("f4", "down", "right")
        heat_map = operator.app.screen.query_one(HeatMap)
        marked = heat_map.mark
        assert marked != (0, 0)
        for whose in ("mine", "ben", "all operators"):
            await operator.press("f7")
            assert f"{whose} ·" in operator.text.splitlines()[0]
            assert heat_map.mark == marked
        await operator.press("3")
        for whose, interviews in (("mine", "1 interview"), ("ben", "2 interviews")):
            await operator.press("f7")
            assert f"{whose} · {interviews}" in operator.text.splitlines()[0]


async def test_learned_says_that_all_interviews_are_of_one_operator(tmp_path: Path) -> None:
    held(tmp_path)
    async with at_the_screen(tmp_path, operator="tester") as operator:
        await operator.press("f4", "f7")
        assert "All these interviews are of one operator." in operator.text
        assert "mine" not in operator.text.splitlines()[0]


async def test_learned_lists_the_variants_of_outcomes_and_copies_them_for_the_bank(tmp_path: Path) -> None:
    (tmp_path / "phone.toml").write_text(BANK_WITH_VARIANTS, encoding="utf-8")
    async with at_the_screen(tmp_path, bank=None, size=(140, 40)) as operator:
        operator.app.push_screen(LearnedScreen(operator.app.worker, str(tmp_path / "phone.toml")))
        await operator.settle()
        await operator.press("5")
        assert "variants of outcomes" in operator.text
        assert "Worn battery" in operator.text
        assert re.search(r"Drains fast +75 %.*Does it drain fast\? +Yes +95 % +20 %", operator.text)
        await operator.press("y")
        assert "No variants have been learned." in operator.text
        screen = operator.app.screen
        assert isinstance(screen, LearnedScreen)
        assert screen.view is not None
        screen.post_message(
            LearnedLoaded(replace(screen.view, variants_text='[[outcomes.variants]]\nid = "a"\n'))
        )
        await operator.settle()
        assert "paste this into the bank" in operator.text
        await operator.press("y")
        assert operator.app.clipboard == '[[outcomes.variants]]\nid = "a"\n'


async def test_learned_says_when_variants_are_learned(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, size=(60, 20)) as operator:
        await operator.press("f4", "5")
        assert "No outcome has variants." in operator.text


async def test_the_heat_map_keeps_the_marked_cell_in_sight(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank=None) as operator:
        operator.app.push_screen(LearnedScreen(operator.app.worker, "troubleshooting"))
        await operator.settle()
        heat = operator.app.screen.query_one(HeatMap)
        await operator.press(*["right"] * 14, *["pagedown"] * 3)
        assert heat.mark == (30, 14)
        row = heat.rows[30]
        lines = [line.strip() for line in operator.text.splitlines()]
        assert row.question in lines
        assert any(line.startswith(row.label[:8]) for line in lines[lines.index(row.question) :])
        assert (
            "Locked account" in operator.text or "Trouble with" in operator.text or heat.scroll_offset.x > 0
        )


async def test_help_names_every_command_with_its_key(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, size=(120, 200)) as operator:
        await operator.press("f1")
        text = operator.text
        assert [action.id for group in GROUPS.values() for action in group if action.id not in text] == []
        await operator.press("escape")
        assert operator.screen == "InterviewScreen"


def test_every_command_has_its_own_id_and_something_that_carries_it_out() -> None:
    from odm_tui.tui.app import OdmApp
    from odm_tui.tui.screens.decision import DecisionScreen
    from odm_tui.tui.screens.help import HelpScreen
    from odm_tui.tui.screens.home import HomeScreen
    from odm_tui.tui.screens.interview import InterviewScreen
    from odm_tui.tui.screens.settings import SettingsScreen
    from odm_tui.tui.screens.summary import SummaryScreen
    from odm_tui.tui.screens.trial import TrialScreen

    homes = {
        "Everywhere": OdmApp,
        "Banks": HomeScreen,
        "Interview": InterviewScreen,
        "Decision": DecisionScreen,
        "Summary": SummaryScreen,
        "History": HistoryScreen,
        "Replay": ReplayScreen,
        "Learned": LearnedScreen,
        "Try": TrialScreen,
        "Settings": SettingsScreen,
        "Help": HelpScreen,
    }
    assert set(homes) == set(GROUPS)
    ids = [action.id for group in GROUPS.values() for action in group]
    assert len(ids) == len(set(ids))
    missing = [
        action.id
        for name, group in GROUPS.items()
        for action in group
        if not hasattr(homes[name], f"action_{action.does.split('(')[0]}")
    ]
    assert missing == []


def test_no_key_has_two_commands_on_one_screen() -> None:
    for name, group in GROUPS.items():
        keys = [key for action in group for key in action.keys.split(",")]
        if name == "Interview":
            keys.remove("backspace")  # it erases a digit of a number, and else undoes
        assert len(keys) == len(set(keys)), name


def test_no_command_needs_a_key_that_tmux_or_screen_or_the_terminal_takes() -> None:
    taken = {"ctrl+a", "ctrl+b", "ctrl+s", "ctrl+h", "ctrl+i", "ctrl+j", "ctrl+m"}
    keys = {key for action in key_bindings.BY_ID.values() for key in action.keys.split(",")}
    assert keys & taken == set()
    assert not [key for key in keys if key.startswith(("alt+", "super+", "ctrl+shift"))]


async def test_the_palette_offers_the_commands_of_the_screen(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("ctrl+p")
        assert "Pick another question to ask now." in operator.text
        await operator.type("decide")
        await operator.press("enter")
        assert operator.screen == "DecisionScreen"


def offered(operator: Operator) -> set[str]:
    """The ids of all commands in the open palette."""
    options = operator.app.screen.query_one(CommandList).options
    shown = [str(option.prompt) for option in options]
    return {action.id for action in key_bindings.BY_ID.values() if any(action.help in text for text in shown)}


def keyed(operator: Operator) -> set[str]:
    """The ids of all commands whose keys work on the current screen."""
    bound = operator.app.screen.active_bindings.values()
    return {found.binding.id for found in bound if found.enabled and found.binding.id in key_bindings.BY_ID}


@pytest.mark.parametrize(
    "keys", [(), ("d",), ("d", "C"), ("f3",), ("f4",), ("f5",), ("f1",), ("question_mark", "escape")]
)
async def test_every_command_of_the_screen_is_in_the_palette(tmp_path: Path, keys: tuple[str, ...]) -> None:
    held(tmp_path)
    async with at_the_screen(tmp_path, size=(100, 160)) as operator:
        await operator.press(*keys)
        # A screen's own key hides the command that has the same key everywhere; it is not taken away by that.
        everywhere = {
            action.id
            for action in key_bindings.EVERYWHERE
            if operator.app.check_action(action.does, ()) is True
        }
        wanted = (keyed(operator) | everywhere) - {"commands"}
        await operator.press("ctrl+p")
        assert operator.screen == "CommandPalette"
        assert wanted - offered(operator) == set()


async def test_help_history_learned_and_settings_are_opened_from_the_palette(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        for word in ("Help", "History", "Learned", "Settings"):
            await operator.press("ctrl+p")
            await operator.type(f"{word} (")
            await operator.press("enter")
            assert operator.screen == f"{word}Screen"
            await operator.press("escape")
            assert operator.screen == "InterviewScreen"


async def test_the_settings_open_with_their_first_heading_in_sight(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, size=(60, 20)) as operator:
        await operator.press("f5")
        assert "Theme" in operator.text


@pytest.mark.parametrize("key", ["f3", "f4", "f5"])
async def test_a_screen_that_is_opened_again_does_not_stack_up(tmp_path: Path, key: str) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press(key, key, key, "escape")
        assert operator.screen == "InterviewScreen"


async def test_help_and_settings_opened_from_each_other_do_not_stack_up(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("f5", "f1", "f5", "f1", "escape")
        assert operator.screen == "SettingsScreen"
        await operator.press("escape")
        assert operator.screen == "InterviewScreen"


async def test_palette_and_help_show_the_keys_of_the_keymap(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, keys={"interview.undo": "z,ctrl+u"}, size=(100, 160)) as operator:
        await operator.press("question_mark", "ctrl+p")
        assert "Undo  (z or ^U)" in operator.text
        await operator.press("escape", "f1")
        assert "z or ^U" in operator.text


async def test_a_command_with_two_keys_that_is_moved_is_no_clash(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, keys={"interview.undo": "z"}) as operator:
        await operator.press("question_mark", "z")
        assert operator.session.steps == ()
        assert "One key" not in operator.text
        assert not operator.app._notifications


async def test_a_key_can_be_moved_in_the_config_file(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, keys={"interview.dont-know": "g", "interview.why": "v"}) as operator:
        await operator.press("question_mark")
        assert operator.session.steps == ()
        await operator.press("g")
        assert len(operator.session.steps) == 1
        assert "v Why" in operator.text


def test_an_unknown_theme_gets_a_suggestion(tmp_path: Path) -> None:
    worker = ThreadWorker(InterviewOptions(state_dir=str(tmp_path)))
    with pytest.raises(BadArgument, match=r"Unknown theme 'drak'\. Did you mean 'dark'\?"):
        OdmApp.open(worker, "drak")
    worker.close()


async def test_f2_goes_through_the_themes_and_keeps_the_last(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        seen = []
        for _ in range(4):
            await operator.press("f2")
            seen.append(operator.app.theme)
        assert seen == ["light", "high contrast", "no colour", "dark"]
        assert (tmp_path / "config.toml").read_text() == 'theme = "dark"\n'


async def test_settings_take_effect_at_once_and_are_kept(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank=None) as operator:
        await operator.press("f5", "down", "enter")
        assert operator.app.theme == "light"
        await operator.press("tab", "down", "enter")
        assert operator.app.config.why
        operator.app.screen.query_one(Input).value = "desk-4"
        operator.app.screen.query_one(Input).focus()
        await operator.press("enter")
        assert operator.app.worker.options.operator == "desk-4"
        kept = (tmp_path / "config.toml").read_text()
        assert 'theme = "light"' in kept
        assert "why = true" in kept
        assert 'operator = "desk-4"' in kept


async def test_the_setting_that_enter_would_take_bears_a_sign(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank=None, theme="no colour", keys={"interview.why": "v"}) as operator:
        await operator.press("f5")
        assert "› no colour" in operator.text
        await operator.press("tab")
        assert "› closed until asked for (v)" in operator.text
        assert operator.text.count("›") == 1


async def test_a_setting_that_can_not_be_kept_is_told_and_still_holds(tmp_path: Path) -> None:
    (tmp_path / "config.toml").mkdir()
    async with at_the_screen(tmp_path, bank=None) as operator:
        await operator.press("f5", "down", "enter")
        assert operator.app.theme == "light"
        assert "Can't write" in operator.text


async def test_the_list_of_banks_has_one_entry_a_bank(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank=None) as operator:
        names = [option.id for option in operator.app.screen.query_one("#banks", OptionList).options]
        assert len(names) == len(set(names)) > 3


async def test_leaving_does_not_wait_for_long_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = threading.Event()
    async with at_the_screen(tmp_path) as operator:
        await operator.press("?")
        monkeypatch.setattr("odm_tui.tui.app._LEAVING", 0.05)
        operator.app.worker.submit(lambda backend: done.wait(30))
        await operator.pilot.press("ctrl+q")
        deadline = time.monotonic() + 25
        while not operator.app.exit_message and time.monotonic() < deadline:
            await operator.pilot.pause()
        done.set()
        assert "All answers are saved" in operator.app.exit_message


async def test_of_very_many_interviews_pages_are_read_as_the_list_is_walked_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("odm_tui.views.history.PAGE", 2)
    monkeypatch.setattr("odm_tui.tui.screens.history._NEAR_END", 1)
    for seed in range(5):
        session = Session.start(load_bank(BANK), tmp_path, seed=seed, operator="tester", case=f"T-{seed}")
        session.stop()
        session.confirm("line")
    async with at_the_screen(tmp_path) as operator:
        await operator.press("f3")
        assert "the latest 2 of 5 interviews" in operator.text
        await operator.press("down")
        assert "the latest 4 of 5 interviews" in operator.text
        await operator.press("end")
        assert "5 interviews" in operator.text
        assert "latest" not in operator.text
        assert "T-0" in operator.text


async def test_the_filter_finds_interviews_on_pages_that_were_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("odm_tui.views.history.PAGE", 2)
    monkeypatch.setattr("odm_tui.tui.screens.history._NEAR_END", 0)
    for seed in range(5):
        session = Session.start(load_bank(BANK), tmp_path, seed=seed, operator="tester", case=f"T-{seed}")
        session.stop()
        session.confirm("line")
    async with at_the_screen(tmp_path) as operator:
        await operator.press("f3")
        assert "T-0" not in operator.text
        await operator.press("slash", *"t-0")
        assert "1 of 5 interviews" in operator.text
        assert "T-0" in operator.text
        await operator.press("escape")
        assert "the latest 2 of 5 interviews" in operator.text


@pytest.mark.parametrize(("width", "numbered"), [(60, True), (80, True), (200, False)])
async def test_the_columns_of_the_heat_map_can_be_told_apart_at_every_width(
    tmp_path: Path, width: int, numbered: bool
) -> None:
    async with at_the_screen(tmp_path, bank="home-network", size=(width, 40)) as operator:
        await operator.press("f4")
        heat_map = operator.app.screen.query_one(HeatMap)
        assert heat_map._heading.is_numbered == numbered
        text = operator.text
        names = [name for name in heat_map.columns if name.split()[0] in text]
        assert len(names) >= len(heat_map._visible_columns)
        if numbered:
            assert "1 Weak" in text
            assert "2 Wi-Fi" in text


async def test_the_rows_of_the_heat_map_are_answers_below_their_question(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="home-network", size=(100, 40)) as operator:
        await operator.press("f4")
        lines = [line.strip() for line in operator.text.splitlines()]
        at = next(at for at, line in enumerate(lines) if line.startswith("Which devices have the trouble"))
        assert [lines[at + 1 + i].split("  ")[0] for i in range(3)] == [
            "All devices",
            "Just one device",
            "Those in some rooms",
        ]
        await operator.press(*["down"] * 60)
        heat_map = operator.app.screen.query_one(HeatMap)
        last = heat_map.rows[heat_map.mark[0]]
        assert heat_map.mark[0] == len(heat_map.rows) - 1
        assert last.question[:30] in operator.text


async def test_a_click_on_the_heat_map_selects_the_cell_under_it(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank="home-network", size=(100, 40)) as operator:
        await operator.press("f4")
        heat_map = operator.app.screen.query_one(HeatMap)
        above = len(heat_map._heading.lines)
        x = heat_map.label_width + heat_map.cell_width * 3 + 1
        await operator.click(heat_map, offset=(x, above + 2))
        assert heat_map.mark == (1, 3)
        assert heat_map.columns[3] in operator.text.splitlines()[-2] + operator.text.splitlines()[-3]
