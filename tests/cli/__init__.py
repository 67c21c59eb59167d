"""Tests of ``odm_tui.cli``."""
