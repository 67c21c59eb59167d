"""Tests of ``odm_tui.store``."""
