"""Run the screens for a browser: the process that ``odm-tui serve`` starts for each tab.

It talks over pipes, so it does not ask whether there is a terminal. Its options come in an environment variable, so
that no process list shows a case reference.
"""

from __future__ import annotations

import json
import os

from odm_tui.cli.main import handle_errors
from odm_tui.web.screen_process import OPTIONS_VARIABLE


def main() -> None:
    """Open the screens with the options that the server gives."""
    with handle_errors():
        from odm_tui.cli.launch import run_screen_interview
        from odm_tui.interview_options import InterviewOptions

        given = json.loads(os.environ.pop(OPTIONS_VARIABLE))
        raise SystemExit(run_screen_interview(InterviewOptions(**given)))


if __name__ == "__main__":
    main()
