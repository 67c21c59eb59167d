"""Tests of ``odm_tui.tui``."""
