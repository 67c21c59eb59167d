"""Help and errors of the command line: styled help at a terminal, and one sentence with a remedy for a wrong option."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from typing import Any

from odm_tui.errors import BadArgument
from odm_tui.formatting import format_sentence
from odm_tui.text import unknown_name

_PLAINER = (
    (re.compile(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)"), r"Unexpected argument: \1"),
    (re.compile(r"Input should be a valid integer.*"), "it must be a whole number"),
    (re.compile(r"Input should be a valid number.*"), "it must be a number"),
    (re.compile(r"Input should be greater than or equal to (.*)"), r"it must be at least \1"),
    (re.compile(r"Input should be greater than (.*)"), r"it must be more than \1"),
    (re.compile(r"Input should be less than or equal to (.*)"), r"it must be at most \1"),
    (re.compile(r"Input should be less than (.*)"), r"it must be less than \1"),
    (re.compile(r"'[^']*' is not a valid integer.*"), "it must be a whole number"),
    (re.compile(r"'[^']*' is not a valid float.*"), "it must be a number"),
    (re.compile(r"\S+ is not in the range x>=(\S+?)\.?$"), r"it must be at least \1"),
    (re.compile(r"\S+ is not in the range x>(\S+?)\.?$"), r"it must be more than \1"),
    (re.compile(r"\S+ is not in the range x<=(\S+?)\.?$"), r"it must be at most \1"),
)
"""What typer says about a value, its older versions last, and how it is said here."""


def can_style_help() -> bool:
    """Whether help may have boxes and colours: at a terminal, unless NO_COLOR or TERM=dumb says otherwise."""
    at_terminal = sys.stdout is not None and sys.stdout.isatty()
    return at_terminal and "NO_COLOR" not in os.environ and os.environ.get("TERM", "dumb") not in ("dumb", "")


def style_help(command: Any) -> None:
    """Let typer draw the help of a command and of its subcommands with rich."""
    command.rich_markup_mode = "rich"
    for below in getattr(command, "commands", {}).values():
        style_help(below)


def run_command(command: Any, arguments: list[str] | None) -> int:
    """Run a command; its exit code. A usage error becomes a BadArgument with one sentence."""
    try:
        result = command.main(args=arguments, prog_name="odm-tui", standalone_mode=False)
    except Exception as error:
        # The classes of these errors are private to typer, or belong to click, depending on the version.
        if type(error).__name__ == "Abort":
            return 1
        if type(error).__name__ == "NoArgsIsHelpError":
            error.show()  # type: ignore[attr-defined]  # prints the help
            return BadArgument.exit_code
        if not hasattr(error, "format_message"):
            raise
        raise BadArgument(describe_usage_error(error)) from None
    return result if isinstance(result, int) else 0


def describe_usage_error(error: Any) -> str:
    """Write a usage error as one sentence, with the nearest name or the place to look."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "odm-tui"
    see = f"`{path} -h`"
    unknown = getattr(error, "option_name", None)
    if unknown is not None and type(error).__name__ == "NoSuchOption":
        return unknown_name("option", unknown, list(_list_options(context)), see)
    text = str(error.format_message())
    for pattern, words in _PLAINER:
        text = pattern.sub(words, text)
    if type(error).__name__ == "BadOptionUsage" and "requires an argument" in text:
        text = f"{unknown} needs a value after it"
    return f"{format_sentence(text)} See {see}."


def _list_options(context: Any) -> Iterator[str]:
    if context is not None:
        for parameter in context.command.get_params(context):
            yield from getattr(parameter, "opts", ())
