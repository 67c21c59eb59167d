"""The help screen: all keys and what they do."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from odm_tui.tui.key_bindings import GROUPS, HELP, Action, key_for, keys_for, make_bindings
from odm_tui.tui.widgets.drawing import fit_text
from odm_tui.tui.widgets.key_bar import KeyBar
from odm_tui.tui.widgets.title_bar import TitleBar

_KEYS, _WIDEST = 16, 100


class HelpScreen(Screen[None]):
    """Show the keys of the previous screen first, then those of all others."""

    CSS_PATH = "pages.tcss"
    ACTIONS = HELP
    BINDINGS = make_bindings(HELP)
    AUTO_FOCUS = "VerticalScroll"

    def __init__(self, first: str, keymap: dict[str, str]) -> None:
        super().__init__()
        self.first, self.keymap = first, keymap

    def compose(self) -> ComposeResult:
        """Show one long page."""
        yield TitleBar("Help", f"every command is also under {key_for('commands', self.keymap)}")
        with VerticalScroll(id="page"):
            yield Static(id="keys")
        yield KeyBar(HELP)

    def on_resize(self) -> None:
        """Fit the lines to the width."""
        width = self.size.width - 6
        self.query_one("#keys", Static).update(Content("\n").join(draw_help(self.first, self.keymap, width)))

    def action_back(self) -> None:
        """Go back to the previous screen."""
        self.app.pop_screen()


def draw_help(first: str, keymap: dict[str, str], width: int) -> list[Content]:
    """The lines of the help page: headings and commands, the group ``first`` on top."""
    order = [first, "Everywhere", *(name for name in GROUPS if name not in (first, "Everywhere"))]
    lines: list[Content] = []
    for name in dict.fromkeys(order):
        if name not in GROUPS:
            continue
        lines.append(Content.styled(name, "bold $accent"))
        lines += [line for action in GROUPS[name] for line in _draw_action(action, keymap, width)]
        lines.append(Content(""))
    lines.append(
        Content.styled(
            'Keys can be moved in the config file: a line such as  "interview.yes" = "j"  under [keys].',
            "$quiet",
        )
    )
    return lines


def _draw_action(action: Action, keymap: dict[str, str], width: int) -> list[Content]:
    """Key, help text and id in one line, or the id in a second line if it does not fit."""
    keys = " or ".join(keys_for(action.id, keymap))
    head = Content.assemble((fit_text(keys, _KEYS), "bold"), action.help)
    if len(head) + len(action.id) + 2 <= width:
        room = min(width, _WIDEST) - len(head) - len(action.id)
        return [Content.assemble(head, " " * max(2, room), (action.id, "$quiet"))]
    return [head, Content.styled(" " * _KEYS + action.id, "$quiet")]
