"""Tests of new banks: files, imports, costs and thresholds."""
