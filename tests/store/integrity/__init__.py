"""Tests of what notices a changed log."""
