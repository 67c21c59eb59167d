"""Where ``odm-tui`` begins: a plain start goes straight to the interview, all else to the commands."""

from __future__ import annotations

import os
import sys

from odm_tui.cli.options import quickly_read
from odm_tui.errors import OdmError

INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells have it: 128 + SIGINT."""
_COMPLETING = "_ODM_TUI_COMPLETE"
"""Set by the shell's completion, which hands its words over in other ways."""


def main() -> None:
    """Hold an interview, or run the command that was asked for."""
    plain_start = None if _COMPLETING in os.environ else quickly_read(sys.argv[1:])
    if plain_start is None:
        from odm_tui.cli.app import main as commands

        commands()
        return
    one_thread()
    from odm_tui.cli.interview import Wishes, hold

    try:
        hold(Wishes(**plain_start))
    except OdmError as error:
        sys.stderr.write(f"{shown(error)}\n")
        raise SystemExit(error.exit_code) from None
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None


def one_thread() -> None:
    """The matrices are small: threads that wait for each other on busy cores cost far more than they save."""
    for threads in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(threads, "1")


def shown(error: OdmError) -> str:
    """The sentence of an error, safe to print: it may quote a file name or a file's text."""
    from odm_tui.text import clean_text

    return clean_text(str(error))
