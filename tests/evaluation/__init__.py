"""Tests of ``odm_tui.evaluation``."""
