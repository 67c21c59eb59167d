"""Write a crash report to ``crash.log`` in the state folder.

A report holds the time, the kind of the error, file names and line numbers, and no values: an answer must never
end up in it.
"""

from __future__ import annotations

import os
import tempfile
import traceback
from datetime import UTC, datetime
from pathlib import Path

_SAFE = "All saved answers are safe."


def write_crash_report(error: BaseException, folder: Path) -> str:
    """Append a report to ``crash.log`` in ``folder``, or in the temporary folder; the sentence to print."""
    for place in (folder, Path(tempfile.gettempdir())):
        path = place / "crash.log"
        try:
            place.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle = os.open(
                path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0), 0o600
            )
            with os.fdopen(handle, "a", encoding="utf-8") as file:
                file.write(format_crash(error))
        except OSError:
            continue
        return f"odm-tui crashed (a bug in odm-tui). Details: {path}. {_SAFE}"
    return f"odm-tui crashed (a bug in odm-tui: {type(error).__name__}). No crash report could be written. {_SAFE}"


def format_crash(error: BaseException) -> str:
    """The time, kind and place of an error, without any value."""
    lines = [f"{datetime.now(UTC).isoformat(timespec='seconds')} {type(error).__qualname__}\n"]
    frames = traceback.extract_tb(error.__traceback__)
    lines += [f"  {frame.filename}:{frame.lineno} in {frame.name}\n" for frame in frames]
    cause = error.__cause__ or error.__context__
    if cause is not None:
        lines.append(f"  after {type(cause).__qualname__}\n")
    return "".join(lines)
