"""The names that odm_tui.session exports for screens and commands."""

from __future__ import annotations

import subprocess
import sys

import odm_tui.session


def test_every_exported_name_can_be_loaded() -> None:
    for name in odm_tui.session.__all__:
        assert getattr(odm_tui.session, name) is not None
        assert name in dir(odm_tui.session)


def test_a_path_is_found_without_loading_numpy() -> None:
    code = "import sys\nfrom odm_tui.session import state_folder\nassert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
