"""Tests of interviews with several branches."""
