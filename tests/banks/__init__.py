"""Tests of ``odm_tui.banks``."""
