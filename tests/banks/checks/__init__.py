"""Tests of the checks of a document."""
