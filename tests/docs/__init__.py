"""Tests of the documentation: every example runs, and every field is described."""
