"""The ``odm-tui`` command line: its options and its commands.

To add a command, write a module in ``commands/`` with a typer app called ``app``, and add a line to ``COMMANDS``.
Command modules import heavy packages (numpy, the screens) inside their functions, so that ``odm-tui --version`` and
``odm-tui --help`` answer at once.
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
from odm_tui.cli.usage import can_style_help, run_command, style_help
from odm_tui.errors import BadArgument

if TYPE_CHECKING:  # private to typer; needed only for the types of the overridden methods
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
    "serve": "odm_tui.cli.commands.serve",
    "team": "odm_tui.cli.commands.team",
    "experiment": "odm_tui.cli.commands.experiment",
    "replay": "odm_tui.cli.commands.replay",
    "evaluate": "odm_tui.cli.commands.evaluate",
    "stakes": "odm_tui.cli.commands.stakes",
}
"""The module of each command, in the order of the help."""


class LazyGroup(TyperGroup):
    """A group that imports a command's module when the command is used."""

    def list_commands(self, ctx: Context) -> list[str]:
        """The names of all commands, without importing any."""
        return list(COMMANDS)

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:
        """Import and return the command with this name; None if there is none."""
        if cmd_name not in COMMANDS:
            if ctx.resilient_parsing:  # the shell is completing a word
                return None
            from odm_tui.text import unknown_name

            raise BadArgument(unknown_name("command", cmd_name, COMMANDS, see="`odm-tui --help`"))
        command = get_command(import_module(COMMANDS[cmd_name]).app)
        command.name = cmd_name
        if self.rich_markup_mode is not None:
            style_help(command)
        return command


app = typer.Typer(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    # Boxes and colours only in help at a terminal: see usage.py.
    rich_markup_mode=None,
    # Typer's tracebacks show local variables, and with them answers.
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
            help="Use this question bank: a name, or the path of a .toml file.",
            autocompletion=complete_bank,
        ),
    ] = None,
    plain: Annotated[bool, typer.Option("--plain", help="Use line prompts instead of the screen.")] = False,
    state_dir: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Store interviews and state in this folder.")
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Choose questions with this policy, such as w-ec2-ts.",
            autocompletion=complete_policy,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Seed the random choices; the same seed asks the same questions."),
    ] = None,
    operator: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Write this pseudonym to the log instead of a random one."),
    ] = None,
    answers: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Read answers from a JSON file {question: answer}, or '-' for stdin."
        ),
    ] = None,
    confirm: Annotated[
        str | None,
        typer.Option(
            metavar="OUTCOME", help="Confirm this outcome; '=' for the decided one, 'none' for none."
        ),
    ] = None,
    ask_all: Annotated[bool, typer.Option("--ask-all", help="Ask every question.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the decision as a JSON object (plain mode).")
    ] = False,
    theme: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Use this theme: dark, light, 'high contrast', 'no colour', or one of Textual's.",
        ),
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Resume an unfinished interview; 'last' for the latest."),
    ] = None,
    case: Annotated[
        str | None,
        typer.Option(metavar="REF", help="Write this case reference to the log, such as a ticket number."),
    ] = None,
    explore: Annotated[
        str | None,
        typer.Option(
            metavar="WHEN", help="Ask in order to learn: always, quiet or never; else as the bank says."
        ),
    ] = None,
    target_cost: Annotated[
        float | None,
        typer.Option(
            metavar="COST", help="Aim at this mean cost of an interview, in place of the bank's target."
        ),
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Share interviews through the team's store: postgresql://…"),
    ] = None,
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version and exit.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    """Ask the fewest, cheapest questions that lead to a decision, and learn from every answer.

    Without a command, choose a bank and start an interview. With --bank, start it at once.
    """
    if context.invoked_subcommand is not None:
        return
    from odm_tui.cli.launch import run_interview
    from odm_tui.interview_options import InterviewOptions

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
            case=case,
            store=store,
            explore=explore,
            target_cost=target_cost,
        )
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its exit code."""
    with handle_errors():
        command = get_command(app)
        if can_style_help():
            style_help(command)
        raise SystemExit(run_command(command, None if arguments is None else list(arguments)))
