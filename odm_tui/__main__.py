"""Run ``odm-tui`` as ``python -m odm_tui``."""

from __future__ import annotations

from odm_tui.cli.main import main

if __name__ == "__main__":
    main()
