"""Tests of reading a bank file."""
