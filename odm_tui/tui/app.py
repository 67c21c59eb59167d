"""The Textual app: move between screens, apply settings, leave, and report crashes."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import App
from textual.binding import Binding
from textual.command import CommandPalette
from textual.screen import Screen

from odm_tui.errors import BadArgument, OdmError
from odm_tui.formatting import format_command, format_path
from odm_tui.text import clean_text, unknown_name
from odm_tui.tui import hangup
from odm_tui.tui.config import AS_THE_BANK_SAYS, Config, read_config, write_setting
from odm_tui.tui.key_bindings import EVERYWHERE, GROUPS, format_key, key_for, make_bindings
from odm_tui.tui.messages import (
    AbandonInterview,
    ConfirmLater,
    DecisionReached,
    GoHome,
    InterviewEnded,
    InterviewReopened,
    RequestFailed,
    SettingChanged,
    ShowPending,
    StartFailed,
    StartInterview,
    TryBank,
)
from odm_tui.tui.screens.interview import InterviewScreen
from odm_tui.tui.themes import DARK, NO_COLOUR, OWN_THEMES, THEME_NAMES, find_theme
from odm_tui.tui.widgets.call_clock import CallClock
from odm_tui.tui.worker import crash_report
from odm_tui.tui.worker.backend import Backend, LeftInterview
from odm_tui.tui.worker.client import WorkerClient, WorkerCrashError

if TYPE_CHECKING:
    from textual.command import Provider
    from textual.driver import Driver
    from textual.geometry import Size

    from odm_tui.tui.web_page import WebPage
    from odm_tui.views.interview import InterviewView


_LEAVING = 1.0
"""The longest time in seconds that leaving waits for the worker."""
_LOOK_AT_TEAM = 2.0
"""Seconds between two looks at the sync with the team's store."""
_START_UP = 1.0
"""Seconds after which the garbage collector is enabled again; without it, the app starts faster."""


def load_command_provider() -> type[Provider]:
    """The provider of the command palette, imported when the palette is first opened."""
    from odm_tui.tui.command_palette import CommandProvider

    return CommandProvider


def format_resume_command(left: LeftInterview, state_dir: str | None) -> str:
    """The shell command that resumes an interview."""
    return f"{format_command(bank=left.bank, state_dir=state_dir)} --resume {left.interview}"


def format_exit_message(left: LeftInterview, state_dir: str | None) -> str:
    """What became of the interview that was open, and the command to go on with it."""
    if left.is_taken_back:
        words = ("sessions", "correct", left.interview, "OUTCOME")
        command = format_command(*words, bank=left.bank, state_dir=state_dir)
        return f"The confirmation was taken back; nothing is learned. To confirm an outcome: {command}"
    status = "pending" if left.pending else "kept"
    return f"The interview is {status}: {format_resume_command(left, state_dir)}"


class OdmApp(App[None]):
    """Show the screens and connect them with the worker."""

    TITLE = "odm-tui"
    BINDINGS = make_bindings(EVERYWHERE)
    COMMANDS: ClassVar = {load_command_provider}
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012  (as Textual declares it)
        (0, "-narrow"),
        (76, "-medium"),
        (120, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (23, "-middle"), (36, "-high")]  # noqa: RUF012  (as Textual declares it)

    def __init__(self, worker: WorkerClient, theme: str | None = None, config: Config | None = None) -> None:
        self.config = read_config() if config is None else config
        self.worker = worker
        if worker.options.operator is None and self.config.operator is not None:
            worker.set_operator(self.config.operator)
        colourless = "NO_COLOR" in os.environ
        styles: list[str | PurePath] = ["odm.tcss"]
        if worker.options.bank is None:  # Textual does not load the default screen's own styles
            styles.append("screens/lists.tcss")
        super().__init__(css_path=styles, ansi_color=True if colourless else None)
        for known in OWN_THEMES.values():
            self.register_theme(known)
        if worker.options.explore is None and self.config.explore != AS_THE_BANK_SAYS:
            worker.set_explore(self.config.explore)
        self._set_first_theme(theme or (NO_COLOUR.name if colourless else self.config.theme or DARK.name))
        self.exit_message = ""
        """The message that is printed after the terminal was restored."""
        self.clock = CallClock()
        self._last_bank = worker.options.bank or ""
        self._has_moved_on = False
        self._exit_code = 0
        self._last_size: Size | None = None
        self._web_page: WebPage | None = None
        self.team_mark = ""
        self._team_news = 0
        self._is_looking = False
        self.keymap = dict(self.config.keys)
        self.set_keymap(self.keymap)

    @classmethod
    def open(cls, worker: WorkerClient, theme: str | None = None) -> int:
        """Run the app until the operator leaves; the exit code."""
        if theme is not None and theme not in THEME_NAMES:
            raise BadArgument(unknown_name("theme", theme, THEME_NAMES))
        app = cls(worker, theme)
        hangup.watch_terminal()
        try:
            app.run()
        finally:
            app.worker.close()
            if app.exit_message:
                sys.stderr.write(f"{clean_text(app.exit_message)}\n")
        return app.return_code or 0

    def _set_first_theme(self, theme: str) -> None:
        """Set the theme before the styles are parsed; changing it later would parse them twice."""
        self.register_theme(find_theme(theme))
        self.set_reactive(App.theme, theme)
        self._refresh_truecolor_filter(self.ansi_theme)
        self.stylesheet.set_variables(self.get_css_variables())

    def get_driver_class(self) -> type[Driver]:
        """Textual's driver with odm-tui's fixes."""
        usual = super().get_driver_class()
        if sys.platform == "win32":
            return usual
        from odm_tui.tui.terminal_driver import choose_driver

        return choose_driver(usual)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Values for odm-tui's own colours, in case a theme lacks them."""
        return DARK.variables

    def get_key_display(self, binding: Binding) -> str:
        """A key as it is shown to the user."""
        return format_key(binding.key)

    def get_default_screen(self) -> Screen[None]:
        """The interview screen if a bank was named, else the list of banks."""
        options = self.worker.options
        if options.bank is None:
            return self._banks(" ".join(self.config.complaints))
        return self._interview(options.bank, options.resume, note=" ".join(self.config.complaints))

    def _interview(
        self,
        bank: str,
        resume: str | None = None,
        view: InterviewView | None = None,
        note: str = "",
        is_new: bool = False,
    ) -> Screen[None]:
        return InterviewScreen(
            self.worker, bank, self.clock, view, resume=resume, is_new=is_new, why=self.config.why, note=note
        )

    def _banks(self, note: str = "", left: LeftInterview | None = None, failed: bool = False) -> Screen[None]:
        from odm_tui.tui.screens.home import HomeScreen

        return HomeScreen(self.worker, note, left, self._last_bank, failed)

    def _go_to(self, screen: Screen[None]) -> None:
        """Replace the current screen; close the screens above it, such as history and help.

        Textual's first screen can't be replaced, so it stays below the others.
        """
        while len(self.screen_stack) > 2:
            self.pop_screen()
        if len(self.screen_stack) == 1 or not self._has_moved_on:
            while len(self.screen_stack) > 1:
                self.pop_screen()
            self._has_moved_on = True
            self.push_screen(screen)
        else:
            self.switch_screen(screen)

    def _open_screen(self, screen: Screen[None]) -> None:
        """Show a screen above the current one; if one of its kind is open already, return to that one."""
        kinds = [type(below) for below in self.screen_stack]
        if type(screen) not in kinds:
            self.push_screen(screen)
            return
        while type(self.screen) is not type(screen):
            self.pop_screen()

    def on_mount(self) -> None:
        """Enable the garbage collector after the start, and watch for a closed terminal and exit signals."""
        self.set_timer(_START_UP, self._started)
        if self.worker.options.store is not None:
            self.set_interval(_LOOK_AT_TEAM, self._look_at_team)
        if not self.is_headless:
            hangup.handle_exit_signals(lambda code: self.call_later(self.action_leave, code))

    def _look_at_team(self) -> None:
        """Ask how the sync with the team's store is doing; nothing waits for the answer."""
        if not self._is_looking:
            self._is_looking = True
            self.run_worker(self._show_team())

    async def _show_team(self) -> None:
        try:
            status = await self.worker.run(Backend.team_status)
        except OdmError:
            return
        finally:
            self._is_looking = False
        if status is None or not self.screen_stack:  # the program may have ended in the meantime
            return
        self.team_mark = status.mark
        for bar in self.screen.query("TitleBar"):
            bar.mark = status.mark  # type: ignore[attr-defined]  # the class of the bar is not loaded here
        if status.news != self._team_news:
            self._team_news = status.news
            refresh = getattr(self.screen, "refresh_cases", None)
            if refresh is not None:
                refresh()

    def _started(self) -> None:
        if not gc.isenabled():  # disabled by the launcher to start faster; objects made by now will stay
            gc.freeze()
            gc.enable()

    def post_display_hook(self) -> None:
        """Tell the page in the browser about the screen, if there is one."""
        if self._driver is None or not self._driver.is_web:
            return
        if self._web_page is None:
            from odm_tui.tui.web_page import WebPage

            self._web_page = WebPage(self)
        self._web_page.update()

    # -- moving between screens -------------------------------------------------------------------------

    @on(StartInterview)
    def _start(self, event: StartInterview) -> None:
        self._exit_code = 0
        self._last_bank = event.bank
        self._go_to(self._interview(event.bank, event.interview, is_new=event.interview is None))

    @on(StartFailed)
    def _handle_start_failed(self, event: StartFailed) -> None:
        """Leave with the sentence if the bank was named on the command line; else show it on the home screen."""
        if len(self.screen_stack) == 1 and not self._has_moved_on:
            self.exit_message = event.sentence
            self.exit(return_code=event.code)
        else:
            self._go_to(self._banks(event.sentence, failed=True))

    @on(DecisionReached)
    def _decided(self, event: DecisionReached) -> None:
        from odm_tui.tui.screens.decision import DecisionScreen

        self._go_to(DecisionScreen(self.worker, event.view, self.clock))

    @on(InterviewReopened)
    def _reopened(self, event: InterviewReopened) -> None:
        self._go_to(self._interview(event.view.bank, view=event.view))

    @on(InterviewEnded)
    def _ended(self, event: InterviewEnded) -> None:
        from odm_tui.tui.screens.summary import SummaryScreen

        self._go_to(SummaryScreen(self.worker, event.summary))

    @on(ConfirmLater)
    @on(GoHome)
    async def _home(self) -> None:
        """Leave the interview and show the banks, with a note on how to continue the interview."""
        try:
            left = await self.worker.run(Backend.leave)
        except OdmError as error:
            self.notify(str(error), severity="error", markup=False)
        else:
            self._go_to(self._banks(self._format_left_note(left), left))

    def _format_left_note(self, left: LeftInterview | None) -> str:
        if left is None:
            return ""
        if left.is_taken_back:
            key = key_for("history", self.keymap)
            return (
                f"The confirmation was taken back; nothing is learned. History ({key}) can confirm it again."
            )
        if left.pending:
            return "Saved in the inbox, to be confirmed. Enter starts the next call."
        key = key_for("home.resume", self.keymap)
        return f"Saved in the inbox; {key} goes on with it. Enter starts the next call."

    @on(AbandonInterview)
    async def _abandon(self) -> None:
        try:
            await self.worker.run(Backend.abandon)
        except OdmError as error:
            self.screen.post_message(RequestFailed(str(error)))
        else:
            self._go_to(self._banks("The interview was abandoned; nothing was learned from it."))

    @on(ShowPending)
    def _show_pending(self, event: ShowPending) -> None:
        from odm_tui.tui.screens.history import HistoryScreen

        self._open_screen(HistoryScreen(self.worker, event.bank, pending=True))

    @on(TryBank)
    def _try_bank(self, event: TryBank) -> None:
        from odm_tui.tui.screens.trial import TrialScreen

        self._open_screen(TrialScreen(self.worker, event.bank))

    # -- commands that work everywhere --------------------------------------------------------------------

    @property
    def _active_screen(self) -> Screen[object]:
        """The screen that commands apply to: the visible one, or the one below the command palette."""
        return next(s for s in reversed(self.screen_stack) if not isinstance(s, CommandPalette))

    @property
    def current_bank(self) -> str | None:
        """The bank of the current screen: the interview's bank, or the marked one."""
        return getattr(self._active_screen, "bank", None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether a command works: some need a bank, and some are off while a dialog is open."""
        if action in ("history", "learned"):
            return self.current_bank is not None
        if action in ("help", "settings"):
            return not self._active_screen.is_modal
        return True

    def action_history(self) -> None:
        """Show the past interviews of the current bank."""
        from odm_tui.tui.screens.history import HistoryScreen

        if (bank := self.current_bank) is not None:
            self._open_screen(HistoryScreen(self.worker, bank))

    def action_learned(self) -> None:
        """Show what the current bank has learned."""
        from odm_tui.tui.screens.learned import LearnedScreen

        if (bank := self.current_bank) is not None:
            self._open_screen(LearnedScreen(self.worker, bank))

    def action_help(self) -> None:
        """Show all keys."""
        from odm_tui.tui.screens.help import HelpScreen

        actions = getattr(self._active_screen, "ACTIONS", ())
        first = next((name for name, group in GROUPS.items() if group is actions), "Everywhere")
        self._open_screen(HelpScreen(first, self.keymap))

    def action_settings(self) -> None:
        """Show the settings."""
        from odm_tui.session import state_folder
        from odm_tui.tui.screens.settings import SettingsScreen

        files = {
            "config": clean_text(format_path(self.config.path)),
            "state folder": clean_text(format_path(state_folder(self.worker.options.state_dir))),
        }
        operator, why_key = self.worker.options.operator or "", key_for("interview.why", self.keymap)
        self._open_screen(
            SettingsScreen(self.theme, self.config.why, operator, files, why_key, self.config.explore)
        )

    @on(SettingChanged)
    def _setting_changed(self, event: SettingChanged) -> None:
        from odm_tui.tui.screens.settings import SettingsScreen

        error = self._set(event.name, event.value)
        if isinstance(self.screen, SettingsScreen):
            self.screen.show_message(
                error or f"Saved: {event.name} is {clean_text(str(event.value))}.", bool(error)
            )

    def action_next_theme(self) -> None:
        """Switch to the next of odm-tui's own themes."""
        names = list(OWN_THEMES)
        at = names.index(self.theme) + 1 if self.theme in names else 0
        self._set("theme", names[at % len(names)])

    def _set(self, name: str, value: str | bool) -> str:
        """Apply a setting and write it to the config file; the error message if it can't be written, else ""."""
        if name == "theme":
            self.register_theme(find_theme(str(value)))
            self.theme = str(value)
        elif name == "why":
            self.config = replace(self.config, why=bool(value))
        elif name == "explore":
            self.config = replace(self.config, explore=str(value))
            self.worker.set_explore(str(value))
        elif name == "operator":
            self.worker.set_operator(str(value))
        try:
            write_setting(self.config.path, name, value)
        except OdmError as error:
            return str(error)
        return ""

    async def action_leave(self, code: int = 0) -> None:
        """Close the app and print how to resume the interview; all answers are on disk."""
        try:
            left = await asyncio.wait_for(self.worker.run(Backend.leave), _LEAVING)
        except TimeoutError:  # the worker is still computing; every answer is on disk
            self.exit_message = "All answers are saved. Resume the interview with --resume last."
        except OdmError as error:
            self.exit_message = str(error)
        else:
            if left is not None:
                self.exit_message = format_exit_message(left, self.worker.options.state_dir)
        self.exit(return_code=code or self._exit_code)

    # -- resizing and crashes ---------------------------------------------------------------------------------

    def on_resize(self, event: events.Resize) -> None:
        """Redraw everything if the size is unchanged: the terminal reports it after ``fg``, which cleared the screen."""
        if event.size == self._last_size:
            self.refresh(layout=True)
        self._last_size = event.size

    def _fatal_error(self) -> None:
        """Print one sentence; Textual would print local variables, and with them answers."""
        from odm_tui.session import state_folder

        error = self._exception or RuntimeError()
        error = getattr(error, "error", error)  # Textual wraps an error that was raised in a worker
        folder = state_folder(self.worker.options.state_dir)
        self.exit_message = (
            str(error)
            if isinstance(error, WorkerCrashError)
            else crash_report.write_crash_report(error, folder)
        )
        self._close_messages_no_wait()
