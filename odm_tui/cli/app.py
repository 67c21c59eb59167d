"""The ``odm-tui`` command: finds the command that was asked for, and turns errors into sentences.

A command is a module of this package with a typer app called ``app``, and one line in ``COMMANDS``.
The modules here import what is heavy (numpy, the screens) inside their functions, so that
``odm-tui --version`` and ``odm-tui --help`` answer at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperGroup
from typer.main import get_command

from odm_tui import __version__
from odm_tui.cli.completion import complete_bank, complete_policy
from odm_tui.cli.main import handle_errors

if TYPE_CHECKING:  # typer keeps these two to itself; only the types of the overridden methods need them
    from typer._click import Command, Context

COMMANDS: Mapping[str, str] = {
    "banks": "odm_tui.cli.commands.banks",
    "policies": "odm_tui.cli.commands.policies",
    "check": "odm_tui.cli.commands.check",
    "new": "odm_tui.cli.commands.new",
    "import": "odm_tui.cli.commands.import_data",
    "export": "odm_tui.cli.commands.export",
    "schema": "odm_tui.cli.commands.schema",
    "sessions": "odm_tui.cli.commands.sessions",
    "state": "odm_tui.cli.commands.state",
    "next": "odm_tui.cli.commands.next",
    "experiment": "odm_tui.cli.commands.experiment",
    "replay": "odm_tui.cli.commands.replay",
}
"""The module of each command, by the name that the user types, in the order that help shows."""


class LazyGroup(TyperGroup):
    """A group whose commands are imported when they are used."""

    def list_commands(self, ctx: Context) -> list[str]:
        """The names of all commands; nothing is imported for this."""
        return list(COMMANDS)

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:
        """The command of this name, imported now, or None."""
        if cmd_name not in COMMANDS:
            return None
        command = get_command(import_module(COMMANDS[cmd_name]).app)
        command.name = cmd_name
        return command


app = typer.Typer(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    # Plain help and plain errors: no boxes for a screen reader to spell out, and no markup that a
    # file name in an error could be taken for.
    rich_markup_mode=None,
    # Typer's own tracebacks show local variables, and with them what callers have answered.
    pretty_exceptions_enable=False,
    pretty_exceptions_show_locals=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"odm-tui {__version__}")
        raise typer.Exit


@app.callback()
def root(
    context: typer.Context,
    bank: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The question bank: a name, or the path of a .toml file.",
            autocompletion=complete_bank,
        ),
    ] = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="Numbered line prompts instead of the screen.")
    ] = False,
    state_dir: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Where interviews and what was learned are kept.")
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="How questions are chosen, such as w-ec2-ts.",
            autocompletion=complete_policy,
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Repeat the same choices: the same seed, the same questions.")
    ] = None,
    operator: Annotated[
        str | None, typer.Option(metavar="NAME", help="A pseudonym for the log, instead of a random one.")
    ] = None,
    answers: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Answers from a JSON file, or '-': {question: answer}; no prompts."
        ),
    ] = None,
    confirm: Annotated[
        str | None,
        typer.Option(
            metavar="OUTCOME", help="Confirm this outcome at the end; '=' the decided one, 'none' none."
        ),
    ] = None,
    ask_all: Annotated[bool, typer.Option("--ask-all", help="Ask every question.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="In plain mode: the decision as one JSON object.")
    ] = False,
    theme: Annotated[
        str | None, typer.Option(metavar="NAME", help="dark, light, 'high contrast' or 'no colour'.")
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Go on with an interrupted interview; 'last' for the latest."),
    ] = None,
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version and exit.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    """Ask as few and as cheap questions as possible until the outcome is clear.

    Without a command: choose a bank, then ask; with --bank: ask at once.
    """
    if context.invoked_subcommand is not None:
        return
    from odm_tui.cli.launch import run_interview
    from odm_tui.options import InterviewOptions

    run_interview(
        InterviewOptions(
            bank,
            state_dir,
            policy,
            seed,
            operator,
            resume,
            ask_all=ask_all,
            plain=plain,
            answers=answers,
            confirm=confirm,
            as_json=as_json,
            theme=theme,
        )
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code.

    Every error that odm-tui raises on purpose becomes its sentence on stderr and its own exit code,
    here and nowhere else.
    """
    with handle_errors():
        get_command(app).main(args=arguments, prog_name="odm-tui")
