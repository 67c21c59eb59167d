"""The entry point of ``odm-tui``: start an interview directly, or load the command line; handle all errors."""

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
"""The exit code that shells use for Ctrl+C: 128 + SIGINT."""
READER_GONE = 141
"""The exit code that shells use for a closed pipe: 128 + SIGPIPE."""
_OUTPUT_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
_REFUSES = ("strict", "surrogateescape")
"""The error handlers of a stream with which a character that its encoding lacks raises an exception."""
_COMPLETING = "_ODM_TUI_COMPLETE"
"""Set by shell completion, which does not pass its words as arguments."""


def main() -> None:
    """Start an interview, or run a command."""
    options = None if _COMPLETING in os.environ else read_fast_options(sys.argv[1:])
    if options is None:
        from odm_tui.cli.app import main as commands

        commands()
        return
    with handle_errors():
        from odm_tui.cli.launch import run_interview
        from odm_tui.interview_options import InterviewOptions

        run_interview(InterviewOptions(**options))


@contextmanager
def handle_errors() -> Iterator[None]:
    """Run the body; print each expected error as one sentence and exit with its exit code.

    A closed pipe (``odm-tui banks | head -1``) ends the program silently, with the exit code that shells use for it.
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
        # typer and rich handle a closed pipe themselves, but exit with 1, which has another meaning here.
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
        # An error about a file names it; without a name, it is about one of the three streams.
        if error.errno == errno.EPIPE:
            _discard_output()
            raise SystemExit(READER_GONE) from None
        if error.filename is None and error.errno in _OUTPUT_FULL:
            _discard_output()
            _print_error(CannotWrite(f"Can't write the output: {error.strerror}. Write it to another place."))
            raise SystemExit(CannotWrite.exit_code) from None
        raise


def limit_threads() -> None:
    """Limit numpy to one thread: the matrices are small, and threads on busy cores only slow it down."""
    for threads in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(threads, "1")


def _open_closed_streams() -> None:
    """Replace standard streams that the parent process closed (``<&-``) by the null device."""
    sys.stdin = sys.stdin or _open_null("r")
    sys.stdout = sys.stdout or _open_null("w")
    sys.stderr = sys.stderr or _open_null("w")


def _open_null(mode: Literal["r", "w"]) -> TextIO:
    return Path(os.devnull).open(mode, encoding="utf-8")


def _replace_unencodable_characters() -> None:
    """Print ``?`` for characters that the output's encoding lacks, instead of raising an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and stream.errors in _REFUSES:
            stream.reconfigure(errors="replace")


def _print_error(error: OdmError) -> None:
    """Print the sentence of an error, cleaned, because it may quote a file name or a file's text."""
    from odm_tui.text import clean_text

    try:
        sys.stderr.write(f"{clean_text(str(error))}\n")
        sys.stderr.flush()
    except OSError:  # stderr is closed; the exit code still reports the error
        _discard_output()


def _flush_output() -> None:
    """Flush the output, so that its errors are raised here and not when the interpreter exits."""
    for stream in (sys.stdout, sys.stderr):
        if not stream.closed:
            stream.flush()


def _discard_output() -> None:
    """Discard unwritten output; otherwise the interpreter would try again when it exits, and fail."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if not stream.closed:
                stream.flush()
        except OSError:
            with suppress(OSError):
                null = os.open(os.devnull, os.O_WRONLY)
                os.dup2(null, stream.fileno())
                os.close(null)
