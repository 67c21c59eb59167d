"""Tests of ``odm_tui.session``."""
