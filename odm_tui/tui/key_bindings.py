"""Declare every command of the screens once: its keys, label, help text and action.

The bindings of each screen, the key bar, the command palette and the help screen are all made from these lists. A
user changes the keys of a command by its id, in the config file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from textual.actions import parse
from textual.binding import Binding, BindingType

if TYPE_CHECKING:
    from textual.screen import Screen


@dataclass(frozen=True, slots=True)
class Action:
    """One command.

    ``does`` is the Textual action that it runs. ``rank`` is its priority in the key bar: 1 is left out last when the
    bar is too narrow, ``ALWAYS`` stays at every width, and 0 is never shown there, because the command has a button or is rarely needed. With
    ``first``, the key works even if the focused widget uses it too. ``dead`` is what the key bar says if the key is
    pressed while the command can't be used.
    """

    id: str
    keys: str
    does: str
    label: str
    help: str
    rank: int = 0
    first: bool = False
    dead: str = ""

    def binding(self) -> Binding:
        """The command as a Textual binding."""
        return Binding(
            self.keys,
            self.does,
            self.label,
            show=self.rank != 0,
            tooltip=self.help,
            id=self.id,
            priority=self.first,
        )


ALWAYS = -1
"""The rank of keys that stay in the bar at every width."""

EVERYWHERE = (
    Action("help", "f1,h", "help", "Help", "All keys of this screen, and what they do.", ALWAYS),
    Action("commands", "ctrl+p", "command_palette", "Commands", "Find any command by typing.", 5),
    Action("theme", "f2", "next_theme", "Theme", "The next theme: dark, light, high contrast, no colour."),
    Action("history", "f3", "history", "History", "Past interviews of this bank, step by step."),
    Action("learned", "f4", "learned", "Learned", "What has been learned so far, as pictures and numbers."),
    Action(
        "settings",
        "f5",
        "settings",
        "Settings",
        "Theme, exploration, operator name, and where the files are.",
    ),
    Action(
        "leave",
        "ctrl+q,ctrl+c",
        "leave",
        "Leave",
        "Close odm-tui; all answers are saved.",
        ALWAYS,
        first=True,
    ),
    Action(
        "suspend",
        "ctrl+z",
        "suspend_process",
        "Suspend",
        "Back to the shell for a while; fg goes on here.",
        first=True,
    ),
)

HOME = (
    Action("home.start", "enter", "start", "Start", "Go on with the marked case, or start with the bank.", 1),
    Action(
        "home.switch",
        "tab",
        "switch",
        "Inbox",
        "From the banks to the inbox, and back.",
        2,
        first=True,
        dead="The inbox is empty.",
    ),
    Action(
        "home.resume",
        "ctrl+r",
        "resume",
        "Resume",
        "Go on with the interview that was left last.",
        2,
        dead="No unfinished interview is waiting.",
    ),
    Action(
        "home.pending",
        "ctrl+o",
        "pending",
        "Pending",
        "The pending interviews of the marked bank.",
        3,
        dead="Nothing is pending in this bank.",
    ),
    Action(
        "home.try",
        "f6",
        "try_bank",
        "Try",
        "Try the marked bank on simulated callers: what are its interviews like?",
        4,
        dead="This bank can't be tried; Enter says why.",
    ),
    Action(
        "home.mine",
        "f7",
        "mine",
        "Mine/all",
        "Show your own cases only, or those of the whole team.",
        5,
        dead="This folder has no team; see --store.",
    ),
    Action("home.down", "down", "move(1)", "Down", "Mark the next line."),
    Action("home.up", "up", "move(-1)", "Up", "Mark the line before."),
    Action("home.clear", "escape", "clear", "Clear", "Empty the filter."),
)


def _paging(screen: str, what: str) -> tuple[Action, Action]:
    """The two commands that scroll by a page."""
    return (
        Action(f"{screen}.down", "pagedown", "scroll_page(1)", "Down", f"Scroll {what} down."),
        Action(f"{screen}.up", "pageup", "scroll_page(-1)", "Up", f"Scroll {what} up."),
    )


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")

INTERVIEW = (
    Action("interview.yes", "y", "reply('yes')", "Yes", "The answer is yes."),
    Action("interview.no", "n", "reply('no')", "No", "The answer is no."),
    *(
        Action(f"interview.answer-{i}", f"{i}", f"choose({i - 1})", f"Answer {i}", f"The {word} answer.")
        for i, word in enumerate(_ORDINALS, start=1)
    ),
    Action("interview.dont-know", "question_mark", "dont_know", "Don't know", "The answer is not known."),
    Action("interview.skip", "s", "skip", "Skip", "Skip this question; it is not asked again."),
    Action("interview.why", "w", "why", "Why", "Why this question: the reason, then the table.", 1),
    Action(
        "interview.erase",
        "backspace",
        "erase",
        "Erase",
        "Delete the last digit of a number.",
    ),
    Action(
        "interview.undo",
        "u,backspace",
        "undo",
        "Undo",
        "Take back what was done last: a pick, a change, an answer.",
        1,
        dead="There is nothing to take back.",
    ),
    Action("interview.other", "o", "other", "Other", "Pick another question to ask now.", 3),
    Action("interview.search", "slash", "search", "Search", "Find an answer by what was said.", 3),
    Action(
        "interview.answers",
        "a",
        "answers",
        "Answers",
        "Open an earlier answer and change it.",
        4,
        dead="There is no answer yet.",
    ),
    Action(
        "interview.evidence",
        "e",
        "evidence",
        "Evidence",
        "Which answers speak for and against the likeliest outcome.",
        5,
        dead="There is no answer yet.",
    ),
    Action("interview.case", "c", "case", "Case", "Give the interview a case reference and a note.", 3),
    Action("interview.decide", "d", "decide", "Decide", "Stop asking and decide now.", 2),
    Action(
        "interview.refer",
        "r",
        "refer",
        "Hand over",
        "Stop asking and hand over.",
        5,
        dead="Nobody can take over: the bank has no [refer].",
    ),
    Action("interview.abandon", "x", "abandon", "Abandon", "Abandon this interview; nothing is learned.", 7),
    Action(
        "interview.home",
        "escape",
        "home",
        "Home",
        "Close the reason; else back to the home screen, where the interview can be resumed.",
        6,
    ),
    *_paging("interview", "a long question"),
)

DECISION = (
    Action(
        "decision.enter",
        "enter",
        "enter",
        "Confirm",
        "Confirm the outcome; choose one if it is only a guess.",
        1,
    ),
    Action("decision.later", "l", "later", "Later", "Not known yet: confirm it later, from the list.", 1),
    Action("decision.confirm", "C", "confirm", "Confirm", "Confirm the outcome, also if it is a guess."),
    Action(
        "decision.runners-up",
        "tab",
        "runners_up",
        "Runners-up",
        "The next likely outcomes and their advice.",
        3,
        first=True,
    ),
    Action(
        "decision.tried",
        "t",
        "tried",
        "Tried",
        "The advice did not help: go on to the next outcome.",
        3,
        dead="There is no advice to try.",
    ),
    Action(
        "decision.ask-on",
        "m",
        "ask_on",
        "Ask on",
        "Ask on until the decision is surer.",
        2,
        dead="No question is left to ask.",
    ),
    Action("decision.another", "o", "another", "Another", "Another outcome is the right one: choose it.", 3),
    Action("decision.none", "N", "none", "None of these", "None of the outcomes is right: learn nothing.", 4),
    Action(
        "decision.evidence",
        "e",
        "evidence",
        "Evidence",
        "Which answers speak for and against the likeliest outcome.",
        5,
        dead="There is no answer yet.",
    ),
    Action(
        "decision.doubt",
        "exclamation_mark",
        "doubt",
        "Contradiction",
        "Which answer does not fit the others.",
        dead="All answers fit each other.",
    ),
    Action("decision.case", "c", "case", "Case", "Give the interview a case reference and a note.", 3),
    Action(
        "decision.refer",
        "r",
        "refer",
        "Hand over",
        "Hand over; the outcome can be confirmed later.",
        4,
        dead="Nobody can take over here.",
    ),
    Action("decision.copy", "y", "copy", "Copy", "Copy the call for the ticket, and save it as a file.", 2),
    Action(
        "decision.undo",
        "u,backspace",
        "undo",
        "Undo",
        "Take back what was done last.",
        1,
        dead="There is nothing to take back.",
    ),
    Action(
        "decision.answers",
        "a",
        "answers",
        "Answers",
        "Open an earlier answer and change it.",
        4,
        dead="There is no answer yet.",
    ),
    Action(
        "decision.home",
        "escape",
        "home",
        "Home",
        "Back to the home screen; the outcome can be confirmed later.",
        6,
    ),
    *_paging("decision", "a long text"),
)

SUMMARY = (
    Action("summary.undo", "u", "undo", "Undo", "Take the confirmation back; confirm another outcome.", 2),
    Action("summary.copy", "y", "copy", "Copy", "Copy the call for the ticket, and save it as a file.", 2),
    Action("summary.next", "enter,n", "next", "Next interview", "Start the next interview.", 1),
    Action("summary.home", "escape,b", "home", "Banks", "Back to the banks.", 2),
    *_paging("summary", "what was learned"),
)

HISTORY = (
    Action("history.open", "enter", "open", "Replay", "Go through this interview step by step.", 1),
    Action("history.confirm", "c", "confirm", "Outcome", "Say which outcome was the right one.", 2),
    Action(
        "history.find", "slash", "find", "Find", "Find an interview by its case, note, outcome or day.", 2
    ),
    Action("history.retract", "r", "retract", "Retract", "Take what it taught back out, exactly.", 2),
    Action("history.down", "down", "move(1)", "Down", "Mark the next line."),
    Action("history.up", "up", "move(-1)", "Up", "Mark the line before."),
    Action(
        "history.back", "escape,b", "back", "Back", "Close the filter; else back to where you came from.", 1
    ),
)

REPLAY = (
    Action("replay.forth", "right,space", "step(1)", "Next step", "One answer further.", 1),
    Action("replay.back-one", "left", "step(-1)", "Step back", "One answer back.", 1),
    Action("replay.start", "home", "step(-9999)", "First step", "Before the first answer.", 3),
    Action("replay.end", "end", "step(9999)", "Last step", "After the last answer.", 3),
    Action("replay.back", "escape,b", "back", "Back", "Back to the list.", 1),
    *_paging("replay", "a long text"),
)

LEARNED = (
    Action("learned.map", "1", "page('map')", "Map", "How likely each answer is for each outcome.", 1),
    Action("learned.trend", "2", "page('trend')", "Trend", "Cost and accuracy over the interviews.", 1),
    Action("learned.telling", "3", "page('telling')", "Telling", "Which questions tell most.", 1),
    Action("learned.certainty", "4", "page('certainty')", "Certainty", "How often decisions were right.", 1),
    Action("learned.variants", "5", "page('variants')", "Variants", "The forms that outcomes take.", 1),
    Action(
        "learned.copy",
        "y",
        "copy_variants",
        "Copy variants",
        "Copy learned variants as TOML, for the bank.",
        2,
    ),
    Action(
        "learned.operator",
        "f7",
        "operator",
        "Mine/all",
        "Show what all operators learned, you alone, or the next operator.",
        2,
        dead="All these interviews are of one operator.",
    ),
    Action("learned.back", "escape,b", "back", "Back", "Back to where you came from.", 1),
)

TRIAL = (
    Action("trial.stop", "s", "stop", "Stop", "Stop here; the finished lines stay.", 1, dead="It has ended."),
    Action("trial.back", "escape,b", "back", "Back", "Stop, and go back to the banks.", 1),
)

SETTINGS = (Action("settings.back", "escape", "back", "Back", "Back to where you came from.", 1),)
HELP = (Action("help.back", "escape,f1,h,q", "back", "Back", "Back to where you came from.", 1),)

GROUPS: dict[str, tuple[Action, ...]] = {
    "Everywhere": EVERYWHERE,
    "Banks": HOME,
    "Interview": INTERVIEW,
    "Decision": DECISION,
    "Summary": SUMMARY,
    "History": HISTORY,
    "Replay": REPLAY,
    "Learned": LEARNED,
    "Try": TRIAL,
    "Settings": SETTINGS,
    "Help": HELP,
}
"""All commands by screen, in the order of the help screen."""

BY_ID = {action.id: action for group in GROUPS.values() for action in group}


def find_dead_action(
    screen: Screen[Any], actions: tuple[Action, ...], key: str, keymap: Mapping[str, str]
) -> Action | None:
    """The command that this key would run if it could be used now; None if the key belongs to no command."""
    shown = format_key(key)
    found = None
    for action in actions:
        if shown in keys_for(action.id, keymap):
            _, name, parameters = parse(action.does)
            if screen.check_action(name, parameters):
                return None
            found = found or action
    return found


def make_bindings(actions: tuple[Action, ...]) -> list[BindingType]:
    """The Textual bindings of these commands."""
    return [action.binding() for action in actions]


_KEY_NAMES = {
    "question_mark": "?",
    "exclamation_mark": "!",
    "slash": "/",
    "enter": "Enter",
    "escape": "Esc",
    "backspace": "Backspace",
    "space": "Space",
    "left": "←",
    "right": "→",
    "up": "↑",
    "down": "↓",
    "pagedown": "PgDn",
    "pageup": "PgUp",
    "home": "Home",
    "end": "End",
    "tab": "Tab",
}


def format_key(key: str) -> str:
    """A key as it is shown to the user.
    >>> format_key("ctrl+q"), format_key("f1"), format_key("question_mark"), format_key("w")
    ('^Q', 'F1', '?', 'w')
    """
    *modifiers, name = key.split("+")
    name = _KEY_NAMES.get(name, name.upper() if name[:1] == "f" and name[1:].isdigit() else name)
    if modifiers == ["ctrl"]:
        return f"^{name.upper()}"
    return "+".join([*(modifier.capitalize() for modifier in modifiers), name])


def keys_for(action_id: str, keymap: Mapping[str, str]) -> list[str]:
    """All keys of a command in the user's keymap, as they are shown to the user."""
    keys = keymap.get(action_id, BY_ID[action_id].keys).split(",")
    return [format_key(key.strip()) for key in keys if key.strip()]


def key_for(action_id: str, keymap: Mapping[str, str]) -> str:
    """The first key of a command in the user's keymap, as it is shown to the user.

    >>> key_for("interview.yes", {}), key_for("interview.yes", {"interview.yes": "j,ctrl+y"})
    ('y', 'j')
    """
    return keys_for(action_id, keymap)[0]


def find_answer_action(kind: str, at: int) -> str:
    """The id of the command that gives answer number ``at``, counted from 0, to this kind of question; "" for none.

    >>> find_answer_action("yes_no", 0), find_answer_action("choice", 8), find_answer_action("choice", 9), find_answer_action("number", 0)
    ('interview.yes', 'interview.answer-9', '', '')
    """
    id = ("interview.yes", "interview.no")[at] if kind == "yes_no" else f"interview.answer-{at + 1}"
    return id if kind != "number" and id in BY_ID else ""


def find_key_clashes(keymap: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """The keys that the keymap assigns to two commands of one screen: each key with both ids.

    >>> find_key_clashes({"interview.why": "y"}), find_key_clashes({"interview.undo": "z"})
    ([('y', 'interview.yes', 'interview.why')], [])
    """
    found = []
    for name, group in GROUPS.items():
        reachable = group if name == "Everywhere" else (*group, *EVERYWHERE)
        for one, other in combinations([action.id for action in reachable], 2):
            if one in keymap or other in keymap:
                both = set(keys_for(one, keymap)) & set(keys_for(other, keymap))
                intended = set(keys_for(one, {})) & set(
                    keys_for(other, {})
                )  # such as F1, which also closes help
                found += [(key, one, other) for key in sorted(both - intended)]
    return list(dict.fromkeys(found))
