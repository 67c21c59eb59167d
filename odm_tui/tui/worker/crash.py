"""After a crash: where it happened goes into a private file, and one plain sentence to the terminal.

Neither holds any value, so no answer of a caller ends up in either: only file names, line numbers and
the kind of the error are written.
"""

from __future__ import annotations

import os
import tempfile
import traceback
from datetime import UTC, datetime
from pathlib import Path


def record(error: BaseException, folder: Path) -> str:
    """Write where it happened; the sentence to print."""
    kept = "All answers up to the last one shown as taken are kept."
    for place in (folder, Path(tempfile.gettempdir())):
        path = place / "crash.log"
        try:
            place.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle = os.open(
                path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0), 0o600
            )
            with os.fdopen(handle, "a", encoding="utf-8") as file:
                file.write(told(error))
        except OSError:
            continue
        return f"odm-tui has stopped because of a mistake of its own; where it happened is in {path}. {kept}"
    return f"odm-tui has stopped because of a mistake of its own ({type(error).__name__}). {kept}"


def told(error: BaseException) -> str:
    """Time, kind and place of an error, without any value."""
    lines = [f"{datetime.now(UTC).isoformat(timespec='seconds')} {type(error).__qualname__}\n"]
    frames = traceback.extract_tb(error.__traceback__)
    lines += [f"  {frame.filename}:{frame.lineno} in {frame.name}\n" for frame in frames]
    cause = error.__cause__ or error.__context__
    if cause is not None:
        lines.append(f"  after {type(cause).__qualname__}\n")
    return "".join(lines)
