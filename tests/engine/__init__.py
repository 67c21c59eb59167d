"""Tests of ``odm_tui.engine``."""
