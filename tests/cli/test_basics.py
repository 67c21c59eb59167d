"""The command line: version, help, lazy commands, errors and streams."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import typer

import odm_tui
from odm_tui import errors
from odm_tui.cli import app as cli

needs_a_full_device = pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="this system has no device that is always full"
)

Run = Callable[..., int]
Add = Callable[[Callable[[], None]], None]


@pytest.fixture
def run() -> Run:
    """Run a command line in this process; its exit code."""

    def run_and_return_code(*arguments: str) -> int:
        with pytest.raises(SystemExit) as end:
            cli.main(arguments)
        assert isinstance(end.value.code, int)
        return end.value.code

    return run_and_return_code


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> Add:
    """Add a command called ``probe`` that calls the given function."""

    def add(action: Callable[[], None]) -> None:
        module = ModuleType("probe_command")
        probe = typer.Typer()
        probe.command(help="Probe the frame.")(action)
        module.__dict__["app"] = probe
        monkeypatch.setitem(sys.modules, "probe_command", module)
        monkeypatch.setattr(cli, "COMMANDS", {"probe": "probe_command", "absent": "no_such_module"})

    return add


def fail_with(error: BaseException) -> Callable[[], None]:
    def fail() -> None:
        raise error

    return fail


def test_version_prints_the_name_and_the_version(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--version") == 0
    assert capsys.readouterr().out == f"odm-tui {odm_tui.__version__}\n"


def test_python_dash_m_is_the_same_program() -> None:
    done = subprocess.run([sys.executable, "-m", "odm_tui", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"odm-tui {odm_tui.__version__}\n")


def test_help_lists_the_commands(
    run: Run, command: Add, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command(lambda: None)
    monkeypatch.setattr(cli, "COMMANDS", {"probe": "probe_command"})
    assert run("--help") == 0
    assert "Probe the frame." in capsys.readouterr().out


@pytest.mark.parametrize("group", ["sessions", "state"])
def test_the_help_of_each_command_fits_into_one_line(
    run: Run, group: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(group, "--help") == 0
    commands = capsys.readouterr().out.partition("Commands:")[2]
    assert len(commands.strip().splitlines()) >= 6
    assert "..." not in commands


def test_a_command_runs_without_importing_the_others(run: Run, command: Add) -> None:
    ran: list[str] = []
    command(lambda: ran.append("probe"))
    assert run("probe") == 0
    assert ran == ["probe"]


def test_an_unknown_command_is_a_usage_error(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("no-such-command") == 2
    assert "no-such-command" in capsys.readouterr().err
    assert run("sesions") == 2
    assert "Unknown command 'sesions'. Did you mean 'sessions'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (errors.OdmError, 1),
        (errors.BadArgument, 2),
        (errors.BadData, 65),
        (errors.CannotWrite, 73),
        (errors.Locked, 75),
    ],
)
def test_an_error_is_its_sentence_on_stderr_and_its_exit_code(
    kind: type[errors.OdmError], code: int, run: Run, command: Add, capsys: pytest.CaptureFixture[str]
) -> None:
    command(fail_with(kind("bank.toml: the cost is negative; make it 0 or more.")))
    assert run("probe") == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "bank.toml: the cost is negative; make it 0 or more.\n"


def test_an_error_never_sends_control_characters_to_the_terminal(
    run: Run, command: Add, capsys: pytest.CaptureFixture[str]
) -> None:
    command(fail_with(errors.BadData("no bank \x1b]0;owned\x07 here")))
    assert run("probe") == 65
    assert not set("\x1b\x07") & set(capsys.readouterr().err)


def test_an_interrupt_exits_with_130(run: Run, command: Add) -> None:
    command(fail_with(KeyboardInterrupt()))
    assert run("probe") == 130


def test_a_fault_of_our_own_shows_no_local_variables() -> None:
    code = (
        "import sys, types, typer\n"
        "from odm_tui.cli import app as cli\n"
        "probe = typer.Typer()\n"
        "@probe.command()\n"
        "def fail():\n"
        "    answer = 'private ' + 'answer'\n"
        "    raise RuntimeError('a fault')\n"
        "module = types.ModuleType('probe_command'); module.app = probe\n"
        "sys.modules['probe_command'] = module\n"
        "cli.COMMANDS = {'probe': 'probe_command'}\n"
        "cli.main(['probe'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert "a fault" in done.stderr
    assert "private answer" not in done.stderr


START, COMMANDS = "odm_tui.cli.main", "odm_tui.cli.app"


def in_a_shell(entry: str, arguments: str, plumbing: str) -> subprocess.CompletedProcess[str]:
    """Run the command line from one of its two entry points, with its streams redirected by a shell."""
    code = f"from {entry} import main; main()"
    line = f"\"$0\" -c '{code}' {arguments} {plumbing}; exit ${{PIPESTATUS[0]}}"
    return subprocess.run(
        ["bash", "-c", line, sys.executable], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )


@pytest.mark.parametrize("entry", [START, COMMANDS])
@pytest.mark.parametrize("arguments", ["banks", "banks --json", "--help", "schema bank"])
def test_a_reader_that_has_gone_ends_the_program_quietly(entry: str, arguments: str) -> None:
    done = in_a_shell(entry, arguments, "| true")
    assert (done.returncode, done.stderr) == (141, "")


@needs_a_full_device
@pytest.mark.parametrize("entry", [START, COMMANDS])
@pytest.mark.parametrize("arguments", ["banks", "--version"])
def test_a_full_output_is_one_sentence_and_the_exit_code_of_what_cannot_be_written(
    entry: str, arguments: str
) -> None:
    done = in_a_shell(entry, arguments, ">/dev/full")
    assert done.returncode == errors.CannotWrite.exit_code
    assert done.stderr == "Can't write the output: No space left on device. Write it to another place.\n"


@needs_a_full_device
def test_the_exit_code_tells_of_a_full_output_even_if_nothing_else_can() -> None:
    done = in_a_shell(START, "banks", ">/dev/full 2>/dev/full")
    assert done.returncode == errors.CannotWrite.exit_code


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_a_stream_that_is_closed_from_the_start_breaks_nothing(closed: str) -> None:
    done = in_a_shell(START, "banks", closed)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("entry", [START, COMMANDS])
@pytest.mark.parametrize("encoding", ["latin-1", "latin-1:surrogateescape"])
def test_a_character_that_the_output_can_not_hold_is_replaced(
    entry: str, encoding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", encoding)
    shades = f"state show --bank led --state-dir {tmp_path} --top 1"
    done = in_a_shell(entry, shades, "| iconv -f ISO-8859-1 -t UTF-8")
    assert (done.returncode, done.stderr) == (0, "")
    assert "?? 90±" in done.stdout


@pytest.mark.parametrize("name", odm_tui.__all__)
def test_every_public_name_can_be_loaded(name: str) -> None:
    assert getattr(odm_tui, name) is not None


def test_every_public_name_is_listed_by_dir() -> None:
    assert set(odm_tui.__all__) <= set(dir(odm_tui))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = odm_tui.no_such_name  # type: ignore[attr-defined]
