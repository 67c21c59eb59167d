"""Where ``odm-tui`` begins: a plain start goes straight to the interview, all else to the commands."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path
from typing import Literal, TextIO

from odm_tui.cli.fast_options import read_fast_options
from odm_tui.errors import CannotWrite, OdmError

INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells have it: 128 + SIGINT."""
READER_GONE = 141
"""The exit code when nobody reads the output any more, as shells have it: 128 + SIGPIPE."""
_OUTPUT_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
_REFUSES = ("strict", "surrogateescape")
"""How a stream may have been told to treat a character that its encoding lacks, so that it raises an error."""
_COMPLETING = "_ODM_TUI_COMPLETE"
"""Set by the shell's completion, which hands its words over in other ways."""


def main() -> None:
    """Hold an interview, or run the command that was asked for."""
    plain_start = None if _COMPLETING in os.environ else read_fast_options(sys.argv[1:])
    if plain_start is None:
        from odm_tui.cli.app import main as commands

        commands()
        return
    with handle_errors():
        from odm_tui.cli.launch import run_interview
        from odm_tui.options import InterviewOptions

        run_interview(InterviewOptions(**plain_start))


@contextmanager
def handle_errors() -> Iterator[None]:
    """Run what stands inside; an error that is no fault of ours becomes its sentence and its exit code.

    A reader that has gone (``odm-tui banks | head -1``) has all it wanted: that ends quietly. The code says
    that not everything was read, and is the one that a shell gives to any other program that this happens to.
    """
    limit_threads()
    _open_closed_streams()
    _replace_unencodable_characters()
    try:
        try:
            yield
        finally:
            _flush_output()
    except SystemExit as end:
        # typer and rich see by themselves that nobody reads any more, but call it 1, which means other things.
        if isinstance(end.__context__, OSError) and end.__context__.errno == errno.EPIPE:
            _discard_output()
            raise SystemExit(READER_GONE) from None
        raise
    except OdmError as error:
        _print_error(error)
        raise SystemExit(error.exit_code) from None
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    except OSError as error:
        # Files are named in their errors; what has no name is one of the three streams.
        if error.errno == errno.EPIPE:
            _discard_output()
            raise SystemExit(READER_GONE) from None
        if error.filename is None and error.errno in _OUTPUT_FULL:
            _discard_output()
            _print_error(CannotWrite(f"Can't write the output: {error.strerror}; send it somewhere else."))
            raise SystemExit(CannotWrite.exit_code) from None
        raise


def limit_threads() -> None:
    """The matrices are small: threads that wait for each other on busy cores cost far more than they save."""
    for threads in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(threads, "1")


def _open_closed_streams() -> None:
    """A stream that whoever started us has closed (``<&-``) is empty, or leads nowhere."""
    sys.stdin = sys.stdin or _open_null("r")
    sys.stdout = sys.stdout or _open_null("w")
    sys.stderr = sys.stderr or _open_null("w")


def _open_null(mode: Literal["r", "w"]) -> TextIO:
    return Path(os.devnull).open(mode, encoding="utf-8")


def _replace_unencodable_characters() -> None:
    """A character that the output's encoding lacks becomes a ``?``; it must not end the program."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and stream.errors in _REFUSES:
            stream.reconfigure(errors="replace")


def _print_error(error: OdmError) -> None:
    """Print the sentence of an error, made safe: it may quote a file name or a file's text."""
    from odm_tui.text import clean_text

    try:
        sys.stderr.write(f"{clean_text(str(error))}\n")
        sys.stderr.flush()
    except OSError:  # nobody can be told; the exit code still says it
        _discard_output()


def _flush_output() -> None:
    """Write out what is still held back, so that an error of the output shows here and not at the very end."""
    for stream in (sys.stdout, sys.stderr):
        if not stream.closed:
            stream.flush()


def _discard_output() -> None:
    """Send what could not be written nowhere, or the interpreter would try again at its end and complain."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if not stream.closed:
                stream.flush()
        except OSError:
            with suppress(OSError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, stream.fileno())
                os.close(nowhere)
