"""Tests of variants that are fitted to a log."""
